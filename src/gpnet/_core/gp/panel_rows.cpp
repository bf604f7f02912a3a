#include "gp/panel_rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gpnet {

PanelRows::PanelRows(Column z, std::vector<int> panel, Panels panels, Numbers kept, Rows values)
    : z_(z),
      panel_(std::move(panel)),
      panels_(std::move(panels)),
      kept_(std::move(kept)),
      values_(std::move(values)) {}

const double* PanelRows::kept_row(Index row) const {
  const bool all = values_.rows() == n_rows();
  const Index place =
      all ? row : std::lower_bound(kept_.begin(), kept_.end(), row) - kept_.begin();
  return values_.data() + place * width();
}

void PanelRows::write(Index row, double* out) const {
  const Index p = width(), panel = panel_[row];
  const double* weights = panels_.weights.data() + panel * p;
  if (keeps(row)) {
    std::copy_n(kept_row(row), p, out);
    return;
  }
  const double *nodes = panels_.nodes.data() + panel * p, z = z_[row];
  double sum = 0;
  for (Index j = 0; j < p; ++j) {
    const double distance = z - nodes[j];
    // At a node the weight of the others is nothing beside its own.
    out[j] = weights[j] / (distance == 0 ? std::numeric_limits<double>::min() : distance);
  }
  for (Index j = 0; j < p; ++j) sum += out[j];
  for (Index j = 0; j < p; ++j) out[j] /= sum;
}

Rows PanelRows::block(Index first, Index k) const {
  Rows found(k, width());
  for (Index i = 0; i < k; ++i) write(first + i, found.row(i).data());
  return found;
}

Rows PanelRows::some(const Numbers& rows) const {
  Rows found(rows.size(), width());
  for (Index i = 0; i < rows.size(); ++i) write(rows[i], found.row(i).data());
  return found;
}

void PanelRows::add_products(Index first, const Eigen::Ref<const Rows>& columns,
                             Eigen::Ref<Rows> sums) const {
  const Index p = width(), n_columns = columns.cols();
  Vector local(p);
  for (Index i = 0; i < columns.rows(); ++i) {
    write(first + i, local.data());
    const double* x = columns.row(i).data();
    for (Index j = 0; j < p; ++j) {
      double* sum = sums.row(start(first + i) + j).data();
      for (Index c = 0; c < n_columns; ++c) sum[c] += local[j] * x[c];
    }
  }
}

}  // namespace gpnet
