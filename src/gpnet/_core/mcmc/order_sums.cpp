#include "mcmc/order_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mcmc/partition_order.hpp"

namespace gpnet {

namespace {

constexpr double negligible = -40.0;  // nats below the largest: nothing in double precision

// Overwrites logs by their exp, to the scale of the largest; returns the log of their sum.
double exponentiate(std::vector<double>* logs) {
  const double top = *std::max_element(logs->begin(), logs->end());
  if (top == -infinity) return top;
  double sum = 0.0;
  for (double& one : *logs) sum += one = one - top < negligible ? 0.0 : std::exp(one - top);
  return top + std::log(sum);
}

// With probabilities in proportion to the weights, of which one at least is not 0.
int draw_index(const std::vector<double>& weights, Random& random) {
  double left = random.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  int chosen = -1;
  for (size_t i = 0; i < weights.size() && (chosen < 0 || left > 0); ++i) {
    if (weights[i] == 0.0) continue;
    chosen = static_cast<int>(i);
    left -= weights[i];
  }
  return chosen;
}

}  // namespace

OrderSums::OrderSums(const ParentSums& sums)
    : sums_(sums),
      log_sums_(size_t{1} << sums.n_nodes(), 0.0),
      at_(places_for(sums.n_nodes())),
      branches_(sums.n_nodes()),
      next_(n_sets() - 2) {
  std::fill_n(at_.begin(), sums.n_nodes(), 0.0);
}

// Of each node outside the set: log A_v(set) + log G(set with v); -inf of those in it.
void OrderSums::branches(uint32_t set, const std::vector<double>& at,
                         std::vector<double>* found) const {
  for (int v = 0; v < sums_.n_nodes(); ++v) {
    const uint32_t with = set | uint32_t{1} << v;
    const double rest = with == set ? -infinity : log_sums_[with];
    (*found)[v] = rest == -infinity ? rest : rest + sums_.log_sum(v, {at.data(), 0.5, nobody});
  }
}

int64_t OrderSums::advance(int64_t n_sets) {
  for (; n_sets > 0 && next_ >= 0; --n_sets, --next_) {
    const auto set = static_cast<uint32_t>(next_);
    for (int v = 0; v < sums_.n_nodes(); ++v) at_[v] = set >> v & 1 ? 0.0 : 1.0;
    branches(set, at_, &branches_);
    log_sums_[set] = exponentiate(&branches_);
  }
  return this->n_sets() - 1 - next_;
}

void OrderSums::draw(Random& random, std::vector<int>* order) const {
  const int n = sums_.n_nodes();
  std::vector<double> at = places_for(n), weights(n);
  std::fill_n(at.begin(), n, 1.0);
  order->clear();
  for (uint32_t set = 0; static_cast<int>(order->size()) < n;) {
    branches(set, at, &weights);
    exponentiate(&weights);
    const int node = draw_index(weights, random);
    order->push_back(node);
    at[node] = 0.0;
    set |= uint32_t{1} << node;
  }
}

void DrawnOrder::renew(Random& random) {
  orders_.draw(random, &drawn_);
  arrange(drawn_);
}

bool renew_and_trade(Replica& partition, Replica& order, Random& random) {
  dynamic_cast<DrawnOrder&>(order).renew(random);  // std::bad_cast for another kind
  return trade(partition, order, random);
}

}  // namespace gpnet
