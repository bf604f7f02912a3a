#include "gp/panel_rows.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace gpnet {
namespace {

constexpr Index kLanes = 8;

}  // namespace

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

// As the product with the row that `write` gives, without making it. Sums go by lanes, as a chain of
// additions would take longer than the divisions.
double PanelRows::interpolated(Index row, const double* at_nodes) const {
  const Index p = width(), panel = panel_[row];
  if (keeps(row)) return Eigen::Map<const Vector>(kept_row(row), p).dot(
      Eigen::Map<const Vector>(at_nodes, p));
  const double* nodes = panels_.nodes.data() + panel * p;
  const double *weights = panels_.weights.data() + panel * p, z = z_[row];
  double above[kLanes] = {}, below[kLanes] = {};
  const auto add = [&](Index j, Index lane) {
    const double distance = z - nodes[j];
    const double share =
        weights[j] / (distance == 0 ? std::numeric_limits<double>::min() : distance);
    above[lane] += share * at_nodes[j];
    below[lane] += share;
  };
  Index j = 0;
  for (; j + kLanes <= p; j += kLanes) {
    for (Index lane = 0; lane < kLanes; ++lane) add(j + lane, lane);
  }
  for (; j < p; ++j) add(j, 0);
  return std::accumulate(above, above + kLanes, 0.0) / std::accumulate(below, below + kLanes, 0.0);
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
