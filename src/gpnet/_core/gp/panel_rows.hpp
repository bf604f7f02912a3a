// Rows of one variable in the coordinates of its panels (see gp/panels.py).
#pragma once

#include "gp/types.hpp"

namespace gpnet {

using Column = Eigen::Map<const Vector, 0, Eigen::InnerStride<>>;

// How the rows of a panel are interpolated from its nodes: by weights w_j / (z - t_j), over their
// sum. A panel that keeps its rows has weights 0; so have places beyond the last node.
struct Panels {
  std::vector<int> starts;  // the first coordinate of each
  Rows nodes, weights;      // panels x p
};

// A panel of few rows keeps them. Of one of many, a row is interpolated from its value whenever it
// is asked for: so memory hardly grows with the rows.
class PanelRows {
 public:
  // `z` is not copied. `kept` has the rows of panels that keep theirs, in order, with `values` of
  // theirs (kept x p).
  PanelRows(Column z, std::vector<int> panel, Panels panels, Numbers kept, Rows values);

  Index n_rows() const { return z_.size(); }
  Index n_kept() const { return values_.rows(); }
  Index width() const { return values_.cols(); }  // p
  int start(Index row) const { return panels_.starts[panel_[row]]; }
  bool keeps(Index row) const { return panels_.weights(panel_[row], 0) == 0; }
  int last_start() const { return panels_.starts.back(); }

  // k x p.
  Rows block(Index first, Index k) const;
  Rows some(const Numbers& rows) const;

  // What a function with these values at the p nodes of a row's panel is at the row.
  double interpolated(Index row, const double* at_nodes) const;

  // Adds the products of rows from `first` on with these columns (k x c), row by row, so that
  // sums are the same however rows are cut into blocks.
  void add_products(Index first, const Eigen::Ref<const Rows>& columns,
                    Eigen::Ref<Rows> sums) const;

 private:
  void write(Index row, double* out) const;
  const double* kept_row(Index row) const;

  const Column z_;
  const std::vector<int> panel_;
  const Panels panels_;
  const Numbers kept_;
  const Rows values_;
};

}  // namespace gpnet
