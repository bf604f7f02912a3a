#include "mcmc/parent_sums.hpp"

#include <algorithm>
#include <cmath>

namespace gpnet {

namespace {

constexpr double log_two = 0.69314718055994530942;
constexpr int top = 960;            // the largest of a row starts at 2^960; sums add at most m bits
constexpr int empty = -(1 << 29);   // the exponent of a row of zeros
constexpr double tiny = 0x1p-1000;  // below this, what was lost in a row may matter
constexpr double cancels = 1e-5;    // a difference this small is exact to 1e-9 only
constexpr double rounding = 1e-13;  // of a sum, with much to spare

// 2^exponent in two factors, exponent <= 0: by itself it may be too small where x * 2^exponent is
// not.
class Scale {
 public:
  explicit Scale(int exponent)
      : one_(exponent < -2100 ? 0.0 : std::ldexp(1.0, exponent / 2)),
        two_(exponent < -2100 ? 0.0 : std::ldexp(1.0, exponent - exponent / 2)) {}
  double operator()(double x) const { return x * one_ * two_; }

 private:
  double one_, two_;
};

// Sum of row[u] over at[u] < level, in four lanes so that every build adds in one order.
double sum_before(const double* row, const double* at, double level, int n) {
  double lane[4] = {0, 0, 0, 0};
  for (int u = 0; u < n; u += 4) {
    for (int k = 0; k < 4; ++k) lane[k] += at[u + k] < level ? row[u + k] : 0.0;
  }
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

double sum_equal(const double* row, const double* at, double level, int n) {
  double lane[4] = {0, 0, 0, 0};
  for (int u = 0; u < n; u += 4) {
    for (int k = 0; k < 4; ++k) lane[k] += at[u + k] == level ? row[u + k] : 0.0;
  }
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// row += other, each with its exponent.
void add_row(double* row, int* exponent, const double* other, int other_exponent, int columns) {
  if (other_exponent > *exponent) {
    const Scale scale(*exponent - other_exponent);
    for (int u = 0; u < columns; ++u) row[u] = scale(row[u]);
    *exponent = other_exponent;
  }
  const Scale scale(other_exponent - *exponent);
  for (int u = 0; u < columns; ++u) row[u] += scale(other[u]);
}

}  // namespace

ParentSums::ParentSums(int n, bool plus_one)
    : nodes_(checked_nodes(n)), columns_(plus_one ? padded(n) : 1) {}

// The scores into rows, each to its own scale, then the sums over subsets, bit by bit.
ParentSums::Node ParentSums::tabulate(int index, NodeSets given) const {
  Node node{std::move(given), {}, {}};
  const NodeSets& sets = node.sets;
  const size_t n_rows = size_t{1} << sets.candidates().size();
  node.table.assign(n_rows * columns_, 0.0);
  node.exponents.assign(n_rows, empty);
  for (size_t i = 0; i < sets.size(); ++i) {
    const size_t row = sets.mask(i);
    // Sets come best first: the first of a row sets its scale.
    if (node.exponents[row] == empty) {
      node.exponents[row] = static_cast<int>(std::floor(sets.log_score(i) / log_two)) - top;
    }
    const int column = columns_ == 1 ? 0 : sets.plus_one(i) < 0 ? index : sets.plus_one(i);
    node.table[row * columns_ + column] =
        std::exp(sets.log_score(i) - node.exponents[row] * log_two);
  }
  for (size_t bit = 1; bit < n_rows; bit <<= 1) {
    for (size_t row = 0; row < n_rows; ++row) {
      if (!(row & bit)) continue;
      add_row(&node.table[row * columns_], &node.exponents[row],
              &node.table[(row ^ bit) * columns_], node.exponents[row ^ bit], columns_);
    }
  }
  return node;
}

LogSum ParentSums::quick(int index, const Places& places) const {
  const Node& node = nodes_[index];
  const Fit fit = node.sets.fit(places);
  const int own = columns_ == 1 ? 0 : index;
  if (places.previous == nobody) return within(node, own, fit.before, places);
  if (!fit.layer) return through_layer(node, fit.before, places);
  return difference(node, own, fit, places);
}

double ParentSums::log_sum(int index, const Places& places) const {
  const LogSum found = quick(index, places);
  return found.exact ? found.value : nodes_[index].sets.log_sum(places);
}

LogSum ParentSums::within(const Node& node, int own, uint32_t before, const Places& places) const {
  const double* row = &node.table[size_t{before} * columns_];
  double sum = row[own];
  if (columns_ > 1) sum += sum_before(row, places.at, places.level, columns_);
  return tell(sum, 0.0, node.exponents[before]);
}

// No candidate stands in the layer: only a plus-one parent there can hit it, and nothing cancels.
LogSum ParentSums::through_layer(const Node& node, uint32_t before, const Places& places) const {
  if (columns_ == 1) return {-infinity, true};
  const double* row = &node.table[size_t{before} * columns_];
  return tell(sum_equal(row, places.at, places.previous, columns_), 0.0, node.exponents[before]);
}

// A set misses the layer if its candidates and its plus-one parent do.
LogSum ParentSums::difference(const Node& node, int own, const Fit& fit,
                              const Places& places) const {
  const uint32_t earlier = fit.before & ~fit.layer;
  const double* row = &node.table[size_t{fit.before} * columns_];
  const double* less = &node.table[size_t{earlier} * columns_];
  const Scale scale(node.exponents[earlier] - node.exponents[fit.before]);
  double all = row[own], missing = less[own];
  if (columns_ > 1) {
    // All that stand before the layer stand at or before `previous`, so one comparison does.
    all += sum_before(row, places.at, places.level, columns_);
    missing += sum_before(less, places.at, places.previous, columns_);
  }
  return tell(all - scale(missing), all, node.exponents[fit.before]);
}

// The logarithm of a sum; `from` is what something was taken from, else 0.
LogSum ParentSums::tell(double sum, double from, int exponent) const {
  const bool lost = columns_ > 1 && sum < tiny;
  if (!lost && sum >= cancels * from) return {std::log(sum) + exponent * log_two, true};
  const double most = std::max(sum, 0.0) + rounding * from + (lost ? tiny : 0.0);
  return {std::log(most) + exponent * log_two, false};
}

}  // namespace gpnet
