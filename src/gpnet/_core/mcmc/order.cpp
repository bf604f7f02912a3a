#include "mcmc/order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gpnet {

namespace {
enum Move : size_t { swap_next, swap_any, relocated };
}

OrderReplica::OrderReplica(const ParentSums& sums, const uint8_t* dag)
    : sums_(sums), order_(sums.n_nodes()), at_(places_for(sums.n_nodes())), terms_(sums.n_nodes()) {
  const std::vector<int> level = levels_of(dag, sums.n_nodes());
  std::vector<int> order(sums.n_nodes());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return level[a] < level[b]; });
  arrange(order);
}

void OrderReplica::arrange(const std::vector<int>& order) {
  for (size_t i = 0; i < order.size(); ++i) put(order[i], static_cast<int>(i));
  for (size_t i = 0; i < order_.size(); ++i) {
    terms_[order_[i]] = sums_.log_sum(order_[i], places(static_cast<int>(i)));
  }
}

void OrderReplica::put(int node, int place) {
  order_[place] = node;
  at_[node] = place;
}

double OrderReplica::log_target() const {
  return std::accumulate(terms_.begin(), terms_.end(), 0.0);
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
    const int node = random.below(n);
    const double place = at_[node];
    relocate(node, beta, random, tally);
    tally.count(relocated, at_[node] != place);
  }
}

bool OrderReplica::swap(int low, int high, double beta, Random& random, Tally& tally) {
  const int first = order_[low], second = order_[high];
  put(second, low);
  put(first, high);
  saved_ = terms_;
  double gain = 0.0;
  for (int i = low; i <= high && gain > -infinity; ++i) {
    terms_[order_[i]] = sums_.log_sum(order_[i], places(i));
    gain += terms_[order_[i]] - saved_[order_[i]];
    ++tally.n_terms;
  }
  if (random.log_uniform() < beta * gain) return true;
  put(first, low);
  put(second, high);
  terms_.swap(saved_);
  return false;
}

// The nodes at `place` and the next change places; their terms follow.
void OrderReplica::exchange(int place, Tally& tally) {
  const int a = order_[place], b = order_[place + 1];
  put(b, place);
  put(a, place + 1);
  terms_[b] = sums_.log_sum(b, places(place));
  terms_[a] = sums_.log_sum(a, places(place + 1));
  tally.n_terms += 2;
}

// The node goes to the front and then step by step to the end; where it stays is drawn from the
// distribution of its place given the order of the others, so that nothing has to be rejected.
void OrderReplica::relocate(int node, double beta, Random& random, Tally& tally) {
  const int n = sums_.n_nodes();
  for (int i = static_cast<int>(at_[node]); i > 0; --i) exchange(i - 1, tally);
  weights_.assign(n, 0.0);
  for (int i = 0;; ++i) {
    weights_[i] = beta * log_target();
    if (i == n - 1) break;
    exchange(i, tally);
  }
  const double top = *std::max_element(weights_.begin(), weights_.end());
  double total = 0.0;
  for (double& weight : weights_) total += weight = std::exp(weight - top);
  double left = random.uniform() * total;
  int place = n - 1;
  for (int i = 0; i < n; ++i) {
    if (weights_[i] == 0.0) continue;
    place = i;
    if ((left -= weights_[i]) <= 0) break;
  }
  for (int i = n - 1; i > place; --i) exchange(i - 1, tally);
}

double OrderReplica::draw(Random& random, uint8_t* dag) const {
  double log_score = 0.0;
  for (int node = 0; node < sums_.n_nodes(); ++node) {
    const NodeSets& sets = sums_.sets(node);
    const Places here{at_.data(), at_[node], nobody};
    const size_t chosen = sets.draw(here, terms_[node], random);
    set_parents(sets, chosen, node, sums_.n_nodes(), dag);
    log_score += sets.log_score(chosen);
  }
  return log_score;
}

}  // namespace gpnet
