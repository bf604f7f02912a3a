#include "mcmc/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mcmc/reversal.hpp"

namespace gpnet {

namespace {
enum Move : size_t {
  swapped_near, swapped_any, moved_near, moved_any, was_split, was_joined, walked
};
constexpr int reach = 4;  // slots, of a move nearby
}  // namespace

PartitionReplica::PartitionReplica(const ParentSums& sums, const uint8_t* dag, double walk_rate)
    : sums_(sums),
      walk_rate_(walk_rate),
      at_(places_for(sums.n_nodes())),
      terms_(sums.n_nodes()),
      log_factorials_(sums.n_nodes() + 1) {
  for (int k = 1; k <= sums.n_nodes(); ++k) {
    log_factorials_[k] = log_factorials_[k - 1] + std::log(k);
  }
  arrange(levels_of(dag, sums.n_nodes()));
}

void PartitionReplica::arrange(const std::vector<int>& level) {
  const int most = *std::max_element(level.begin(), level.end());
  elements_.assign(most + 1, {});
  for (size_t v = 0; v < level.size(); ++v) elements_[level[v]].push_back(static_cast<int>(v));
  relabel(0);
  for (size_t v = 0; v < level.size(); ++v) {
    const Places places{at_.data(), at_[v], before(level[v])};
    terms_[v] = sums_.log_sum(static_cast<int>(v), places);
  }
}

void PartitionReplica::relabel(int first) {
  for (int e = first; e < n_elements(); ++e) {
    for (const int v : elements_[e]) at_[v] = e;
  }
}

double PartitionReplica::log_target() const {
  return std::accumulate(terms_.begin(), terms_.end(), 0.0);
}

void PartitionReplica::step(double beta, Random& random, Tally& tally) {
  if (sums_.n_nodes() < 2) return;
  // Only at temperature 1: others reject most of it, as DAGs are drawn as if at 1.
  if (beta == 1.0 && random.uniform() < walk_rate_) {
    tally.count(walked, walk(random, tally));
    return;
  }
  // The kinds are drawn by fixed rates, whatever the state: their ratios cancel.
  const double w = random.uniform();
  if (w < 0.20) tally.count(swapped_near, swap_near(beta, random, tally));
  else if (w < 0.30) tally.count(swapped_any, swap_any(beta, random, tally));
  else if (w < 0.60) tally.count(moved_near, move_near(beta, random, tally));
  else if (w < 0.80) tally.count(moved_any, move_any(beta, random, tally));
  else if (w < 0.90) tally.count(was_split, split(beta, random, tally));
  else tally.count(was_joined, join(beta, random, tally));
}

// Rescoring. While a move is tried, at_ tells the new places; elements_ and terms_ are the old.

bool PartitionReplica::rescore(int node, double level, double previous, Tally& tally) {
  const Places places{at_.data(), level, previous};
  rescored_.push_back({node, places, sums_.quick(node, places)});
  ++tally.n_terms;
  return rescored_.back().sum.value > -infinity;
}

bool PartitionReplica::rescore_element(int element, double level, double previous, int except,
                                       Tally& tally) {
  for (const int node : elements_[element]) {
    if (node != except && !rescore(node, level, previous, tally)) return false;
  }
  return true;
}

// Metropolis & Hastings. Sums that are not exact are upper bounds: what they reject is rejected,
// and only where they do not, the exact ones are asked for.
bool PartitionReplica::accepts(double log_ratio, double beta, Random& random) {
  const double needed = (random.log_uniform() - log_ratio) / beta;
  double gain = 0.0;
  bool exact = true;
  for (const Rescored& r : rescored_) {
    gain += r.sum.value - terms_[r.node];
    exact = exact && r.sum.exact;
  }
  if (exact || gain < needed) return gain >= needed;
  gain = 0.0;
  for (Rescored& r : rescored_) {
    if (!r.sum.exact) r.sum = {sums_.sets(r.node).log_sum(r.places), true};
    gain += r.sum.value - terms_[r.node];
  }
  return gain >= needed;
}

void PartitionReplica::keep() {
  for (const Rescored& r : rescored_) terms_[r.node] = r.sum.value;
}

// Two nodes of different elements change places.

bool PartitionReplica::swap_near(double beta, Random& random, Tally& tally) {
  if (n_elements() < 2) return false;
  const int e = random.below(n_elements() - 1);
  const std::vector<int>&first = elements_[e], &second = elements_[e + 1];
  const int a = first[random.below(static_cast<int>(first.size()))];
  const int b = second[random.below(static_cast<int>(second.size()))];
  return swap(a, b, beta, random, tally);
}

bool PartitionReplica::swap_any(double beta, Random& random, Tally& tally) {
  const int n = sums_.n_nodes(), a = random.below(n), b = random.below(n);
  if (at_[a] == at_[b]) return false;
  return at_[a] < at_[b] ? swap(a, b, beta, random, tally) : swap(b, a, beta, random, tally);
}

// a stands first. Their own terms change, and those from behind a to just behind b.
bool PartitionReplica::swap(int a, int b, double beta, Random& random, Tally& tally) {
  const int low = static_cast<int>(at_[a]), high = static_cast<int>(at_[b]);
  std::swap(at_[a], at_[b]);
  rescored_.clear();
  bool possible = rescore(b, low, before(low), tally) && rescore(a, high, before(high), tally);
  for (int e = low + 1; possible && e <= std::min(high + 1, n_elements() - 1); ++e) {
    possible = rescore_element(e, e, before(e), b, tally);
  }
  if (!possible || !accepts(0.0, beta, random)) {
    std::swap(at_[a], at_[b]);
    return false;
  }
  keep();
  std::replace(elements_[low].begin(), elements_[low].end(), a, b);
  std::replace(elements_[high].begin(), elements_[high].end(), b, a);
  return true;
}

// A node goes to another slot. Without it there are m elements and 2m + 1 slots: 2e + 1 is element
// e, 2g the gap before element g. The way back has the same slots, so that proposals are symmetric.

bool PartitionReplica::move_near(double beta, Random& random, Tally& tally) {
  const int node = random.below(sums_.n_nodes()), e = static_cast<int>(at_[node]);
  const int way = 1 + random.below(reach), here = 2 * e + (elements_[e].size() > 1);
  return move(node, random.coin() ? here + way : here - way, beta, random, tally);
}

bool PartitionReplica::move_any(double beta, Random& random, Tally& tally) {
  const int node = random.below(sums_.n_nodes()), e = static_cast<int>(at_[node]);
  const int m = n_elements() - (elements_[e].size() == 1);
  return move(node, random.below(2 * m + 1), beta, random, tally);
}

bool PartitionReplica::move(int node, int slot, double beta, Random& random, Tally& tally) {
  const int from = static_cast<int>(at_[node]);
  const bool alone = elements_[from].size() == 1;
  const int m = n_elements() - alone, here = 2 * from + !alone;
  if (slot < 0 || slot > 2 * m || slot == here) return false;
  const auto label = [&](int e) { return e + (alone && e >= from); };  // among all elements
  const auto layer = [&](int e) { return e == 0 ? nobody : static_cast<double>(label(e - 1)); };
  const bool gap = slot % 2 == 0;
  const int e = slot / 2;
  at_[node] = gap ? (e == 0 ? -0.5 : label(e - 1) + 0.5) : label(e);

  rescored_.clear();
  bool possible = rescore(node, at_[node], layer(e), tally);
  // The terms of element f change if the node was or comes at or before the gap before f, and
  // was or comes not earlier than element f - 1: low <= 2f and 2f - 1 <= high.
  const int low = std::min(here, slot), high = std::max(here, slot);
  for (int f = (low + 1) / 2; possible && 2 * f <= high + 1 && f < m; ++f) {
    const double previous = slot == 2 * f ? at_[node] : layer(f);
    possible = rescore_element(label(f), label(f), previous, node, tally);
  }
  if (!possible || !accepts(0.0, beta, random)) {
    at_[node] = from;
    return false;
  }
  keep();
  std::vector<int>& old = elements_[from];
  old.erase(std::find(old.begin(), old.end(), node));
  if (alone) elements_.erase(elements_.begin() + from);
  if (gap) elements_.insert(elements_.begin() + e, std::vector<int>{node});
  else elements_[e].push_back(node);
  at_[node] = e;
  if (gap || alone) relabel(std::min(from, e));
  return true;
}

// An element falls into two, or two neighbours become one.

int PartitionReplica::n_splittable() const {
  return static_cast<int>(std::count_if(elements_.begin(), elements_.end(),
                                        [](const auto& element) { return element.size() > 1; }));
}

// Log of the number of ways to split: which element, how many go first, which of them.
double PartitionReplica::log_splits(int n_splittable, int size, int n_first) const {
  return std::log(static_cast<double>(n_splittable) * (size - 1)) + log_factorials_[size] -
         log_factorials_[n_first] - log_factorials_[size - n_first];
}

bool PartitionReplica::split(double beta, Random& random, Tally& tally) {
  const int n_ways = n_splittable();
  if (n_ways == 0) return false;
  int e = 0;
  for (int skip = random.below(n_ways);; ++e) {
    if (elements_[e].size() > 1 && skip-- == 0) break;
  }
  std::vector<int>& element = elements_[e];
  const int size = static_cast<int>(element.size()), n_first = 1 + random.below(size - 1);
  for (int i = 0; i < n_first; ++i) {
    std::swap(element[i], element[i + random.below(size - i)]);
    at_[element[i]] = e - 0.5;
  }
  rescored_.clear();
  bool possible = true;  // those that go first keep their terms
  for (int i = n_first; possible && i < size; ++i) {
    possible = rescore(element[i], e, e - 0.5, tally);
  }
  if (possible && e + 1 < n_elements()) possible = rescore_element(e + 1, e + 1, e, -1, tally);
  const double log_ratio = log_splits(n_ways, size, n_first) - std::log(n_elements());
  if (!possible || !accepts(log_ratio, beta, random)) {
    for (const int node : element) at_[node] = e;
    return false;
  }
  keep();
  std::vector<int> first(element.begin(), element.begin() + n_first);
  element.erase(element.begin(), element.begin() + n_first);
  elements_.insert(elements_.begin() + e, std::move(first));
  relabel(e);
  return true;
}

bool PartitionReplica::join(double beta, Random& random, Tally& tally) {
  if (n_elements() < 2) return false;
  const int e = random.below(n_elements() - 1);
  const std::vector<int>&first = elements_[e], &second = elements_[e + 1];
  for (const int node : second) at_[node] = e;
  rescored_.clear();
  bool possible = rescore_element(e + 1, e, before(e), -1, tally);
  if (possible && e + 2 < n_elements()) possible = rescore_element(e + 2, e + 2, e, -1, tally);
  const int n_first = static_cast<int>(first.size()), n_second = static_cast<int>(second.size());
  const int n_ways = n_splittable() - (n_first > 1) - (n_second > 1) + 1;
  const double log_ratio =
      std::log(n_elements() - 1) - log_splits(n_ways, n_first + n_second, n_first);
  if (!possible || !accepts(log_ratio, beta, random)) {
    for (const int node : elements_[e + 1]) at_[node] = e + 1;
    return false;
  }
  keep();
  elements_[e].insert(elements_[e].end(), elements_[e + 1].begin(), elements_[e + 1].end());
  elements_.erase(elements_.begin() + e + 1);
  relabel(e);
  return true;
}

// From DAG to DAG, beginning with one of the partition and ending with the partition of the last.
// Each step keeps the distribution of DAGs: a node gets parents from their distribution given all
// other edges, or an edge is reversed.
bool PartitionReplica::walk(Random& random, Tally& tally) {
  const int n = sums_.n_nodes();
  Edges first(static_cast<size_t>(n) * n, 0);
  draw(random, first.data());
  Edges dag = first;
  for (int i = 0; i < n; ++i) {
    if (random.coin()) {
      redraw_parents(sums_, dag, random.below(n), random);
      tally.n_terms += 1;
    } else {
      Reversal proposed = propose_reversal(sums_, dag, random);
      tally.n_terms += 4;
      if (random.log_uniform() < proposed.log_ratio) dag.swap(proposed.dag);
    }
  }
  if (dag == first) return false;
  arrange(levels_of(dag.data(), n));
  tally.n_terms += n;
  return true;
}

double PartitionReplica::draw(Random& random, uint8_t* dag) const {
  double log_score = 0.0;
  for (int node = 0; node < sums_.n_nodes(); ++node) {
    const NodeSets& sets = sums_.sets(node);
    const Places places{at_.data(), at_[node], before(static_cast<int>(at_[node]))};
    const size_t chosen = sets.draw(places, terms_[node], random);
    set_parents(sets, chosen, node, sums_.n_nodes(), dag);
    log_score += sets.log_score(chosen);
  }
  return log_score;
}

}  // namespace gpnet
