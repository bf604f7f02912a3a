#include "mcmc/order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gpnet {

namespace {

enum Move : size_t { swap_next, swap_any, relocated };

// A place with probability exp(beta * total) / their sum; the totals are overwritten.
int draw_place(std::vector<double>& totals, double beta, Random& random) {
  for (double& total : totals) total *= beta;
  const double top = *std::max_element(totals.begin(), totals.end());
  double sum = 0.0;
  for (double& weight : totals) sum += weight = std::exp(weight - top);
  double left = random.uniform() * sum;
  int place = static_cast<int>(totals.size()) - 1;
  for (size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] == 0.0) continue;
    place = static_cast<int>(i);
    if ((left -= totals[i]) <= 0) break;
  }
  return place;
}

}  // namespace

OrderReplica::OrderReplica(const ParentSums& sums, const uint8_t* dag)
    : sums_(sums), ordering_(sums.n_nodes()) {
  const std::vector<int> level = levels_of(dag, sums.n_nodes());
  std::vector<int> order(sums.n_nodes());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return level[a] < level[b]; });
  arrange(order);
}

void OrderReplica::arrange(const std::vector<int>& order) {
  ordering_.arrange(order, [&](int node, const Places& places) {
    return sums_.log_sum(node, places);
  });
}

void OrderReplica::step(double beta, Random& random, Tally& tally) {
  const int n = sums_.n_nodes();
  if (n < 2) return;
  const double u = random.uniform();
  if (u < 0.7) {
    const int low = random.below(n - 1);
    tally.count(swap_next, swap(low, low + 1, beta, random, tally));
  } else if (u < 0.9) {
    const int a = random.below(n), b = (a + 1 + random.below(n - 1)) % n;
    tally.count(swap_any, swap(std::min(a, b), std::max(a, b), beta, random, tally));
  } else {
    const int node = random.below(n), place = ordering_.place(node);
    relocate(node, beta, random, tally);
    tally.count(relocated, ordering_.place(node) != place);
  }
}

bool OrderReplica::swap(int low, int high, double beta, Random& random, Tally& tally) {
  const int first = ordering_.node(low), second = ordering_.node(high);
  std::vector<double>& terms = ordering_.terms;
  ordering_.put(second, low);
  ordering_.put(first, high);
  saved_ = terms;
  double gain = 0.0;
  for (int i = low; i <= high && gain > -infinity; ++i) {
    const int node = ordering_.node(i);
    terms[node] = sums_.log_sum(node, ordering_.places(node));
    gain += terms[node] - saved_[node];
    ++tally.n_terms;
  }
  if (random.log_uniform() < beta * gain) return true;
  ordering_.put(first, low);
  ordering_.put(second, high);
  terms.swap(saved_);
  return false;
}

// Where the node stays is drawn from the distribution of its place given the order of the others,
// so that nothing has to be rejected.
void OrderReplica::relocate(int node, double beta, Random& random, Tally& tally) {
  const auto term = [&](int v, const Places& places) {
    ++tally.n_terms;
    return sums_.log_sum(v, places);
  };
  ordering_.relocate(node, term, [&](std::vector<double>& totals) {
    return draw_place(totals, beta, random);
  });
}

double OrderReplica::draw(Random& random, uint8_t* dag) const {
  double log_score = 0.0;
  for (int node = 0; node < sums_.n_nodes(); ++node) {
    const NodeSets& sets = sums_.sets(node);
    const size_t chosen = sets.draw(ordering_.places(node), ordering_.terms[node], random);
    set_parents(sets, chosen, node, sums_.n_nodes(), dag);
    log_score += sets.log_score(chosen);
  }
  return log_score;
}

}  // namespace gpnet
