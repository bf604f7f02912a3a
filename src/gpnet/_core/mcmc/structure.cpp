#include "mcmc/structure.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "mcmc/reversal.hpp"

namespace gpnet {

namespace {
enum Move : size_t { added, deleted, turned, reversed };
}

SetScores::SetScores(int n, int max_parents)
    : n_(checked_nodes(n)), max_parents_(max_parents), nodes_(n) {
  if (max_parents >= 0 && max_parents <= most_nodes) return;
  throw std::invalid_argument("max_parents: expected from 0 to " + std::to_string(most_nodes) +
                              ", found " + std::to_string(max_parents));
}

void SetScores::set_node(int index, const std::vector<int>& candidates,
                         const std::vector<int>& plus_one_parents, size_t n_sets,
                         const double* log_scores) {
  Node node;
  node.m = static_cast<int>(candidates.size());
  // Larger numbers than there are sets are never asked for: max_parents keeps k small.
  for (int a = static_cast<int>(choose_.size()); a <= node.m; ++a) {
    choose_.emplace_back(max_parents_ + 2, 0);
    for (int k = 0; k <= max_parents_ + 1; ++k) {
      choose_[a][k] = k == 0 ? 1 : a == 0 ? 0 : choose_[a - 1][k - 1] + choose_[a - 1][k];
    }
  }
  node.place.assign(n_, -1);
  for (int j = 0; j < node.m; ++j) node.place[candidates[j]] = j;
  node.plus_one_rank.assign(n_, -1);
  const int n_plus_one = static_cast<int>(plus_one_parents.size());
  for (int i = 0; i < n_plus_one; ++i) node.plus_one_rank[plus_one_parents[i]] = i;
  node.offsets.assign(1, 0);
  for (int k = 0; k <= max_parents_; ++k) {
    const int64_t outside = k > 0 ? n_plus_one * choose(node.m, k - 1) : 0;
    node.offsets.push_back(node.offsets.back() + choose(node.m, k) + outside);
  }
  if (node.offsets.back() != static_cast<int64_t>(n_sets)) {
    throw std::invalid_argument("log_scores: expected " + std::to_string(node.offsets.back()) +
                                " entries, one for each set, found " + std::to_string(n_sets));
  }
  node.log_scores.assign(log_scores, log_scores + n_sets);
  nodes_[index] = std::move(node);
}

bool SetScores::has_candidates(int node, const std::vector<int>& candidates) const {
  if (nodes_[node].m != static_cast<int>(candidates.size())) return false;
  for (int j = 0; j < nodes_[node].m; ++j) {
    if (nodes_[node].place[candidates[j]] != j) return false;
  }
  return true;
}

int64_t SetScores::choose(int n, int k) const { return k > n ? 0 : choose_[n][k]; }

// The rank of `SearchSpace.index`.
double SetScores::log_score(int index, const uint8_t* dag) const {
  const Node& node = nodes_[index];
  std::vector<int> inside;
  int plus_one = -1, n_outside = 0;
  for (int u = 0; u < n_; ++u) {
    if (!dag[u * n_ + index]) continue;
    if (node.place[u] >= 0) inside.push_back(node.place[u]);
    else ++n_outside, plus_one = u;
  }
  const int k = static_cast<int>(inside.size());
  if (k + n_outside > max_parents_ || n_outside > 1) return -infinity;
  if (n_outside && node.plus_one_rank[plus_one] < 0) return -infinity;
  int64_t rank = node.offsets[k + n_outside] + choose(node.m, k) - 1;
  if (n_outside) rank += choose(node.m, k + 1) + node.plus_one_rank[plus_one] * choose(node.m, k);
  for (int i = 0; i < k; ++i) rank -= choose(node.m - 1 - inside[i], k - i);
  return node.log_scores[rank];
}

StructureReplica::StructureReplica(const ParentSums& sums, const SetScores& scores,
                                   const uint8_t* dag, double reversal_rate)
    : sums_(sums), scores_(scores), reversal_rate_(reversal_rate), terms_(sums.n_nodes()) {
  const size_t n = sums.n_nodes();
  dag_.assign(dag, dag + n * n);
  for (size_t v = 0; v < n; ++v) terms_[v] = scores_.log_score(static_cast<int>(v), dag);
}

double StructureReplica::log_target() const {
  return std::accumulate(terms_.begin(), terms_.end(), 0.0);
}

// A pair a, b: an edge a -> b is taken away or turned, one that is not there is put in; each with
// probability 1/2, so that all are as likely as their way back.
void StructureReplica::step(double beta, Random& random, Tally& tally) {
  const int n = sums_.n_nodes();
  if (n < 2) return;
  if (random.uniform() < reversal_rate_) {
    tally.count(reversed, reverse(beta, random, tally));
    return;
  }
  const int a = random.below(n), b = (a + 1 + random.below(n - 1)) % n;
  const bool there = dag_[a * n + b];
  if (random.coin()) {
    tally.count(there ? deleted : added, toggle(a, b, beta, random, tally));
  } else if (there) {
    tally.count(turned, turn(a, b, beta, random, tally));
  }
}

bool StructureReplica::reaches(int from, int to) const {
  return reached_from(dag_.data(), sums_.n_nodes(), from)[to];
}

// Whether to keep the DAG as it now is, with new parents of a and of b (the same for one).
bool StructureReplica::accept(int a, int b, double beta, Random& random, Tally& tally) {
  const double new_a = scores_.log_score(a, dag_.data());
  const double new_b = a == b ? terms_[b] : scores_.log_score(b, dag_.data());
  tally.n_terms += 1 + (a != b);
  const double gain = new_a - terms_[a] + (a == b ? 0.0 : new_b - terms_[b]);
  if (!(random.log_uniform() < beta * gain)) return false;
  terms_[b] = new_b;
  terms_[a] = new_a;
  return true;
}

bool StructureReplica::toggle(int parent, int child, double beta, Random& random, Tally& tally) {
  uint8_t& edge = dag_[parent * sums_.n_nodes() + child];
  if (!edge && reaches(child, parent)) return false;
  edge ^= 1;
  if (accept(child, child, beta, random, tally)) return true;
  edge ^= 1;
  return false;
}

bool StructureReplica::turn(int parent, int child, double beta, Random& random, Tally& tally) {
  const int n = sums_.n_nodes();
  dag_[parent * n + child] = 0;
  const bool cycle = reaches(parent, child);
  dag_[child * n + parent] = 1;
  if (!cycle && accept(parent, child, beta, random, tally)) return true;
  dag_[child * n + parent] = 0;
  dag_[parent * n + child] = 1;
  return false;
}

bool StructureReplica::reverse(double beta, Random& random, Tally& tally) {
  const int n = sums_.n_nodes();
  Reversal proposed = propose_reversal(sums_, dag_, random);
  tally.n_terms += 4;
  if (proposed.dag.empty()) return false;
  std::vector<double> terms(n);
  for (int v = 0; v < n; ++v) terms[v] = scores_.log_score(v, proposed.dag.data());
  const double tempering =
      (beta - 1) * (std::accumulate(terms.begin(), terms.end(), 0.0) - log_target());
  if (random.log_uniform() >= proposed.log_ratio + tempering) return false;
  dag_.swap(proposed.dag);
  terms_.swap(terms);
  return true;
}

double StructureReplica::draw(Random&, uint8_t* dag) const {
  std::copy(dag_.begin(), dag_.end(), dag);
  return log_target();
}

}  // namespace gpnet
