#include "mcmc/replica.hpp"

#include <algorithm>
#include <numeric>

namespace gpnet {

Chain::Chain(int n_nodes, std::vector<std::unique_ptr<Replica>> replicas, std::vector<double> betas,
             int swap_every, uint64_t seed, Trade trade)
    : n_(n_nodes),
      replicas_(std::move(replicas)),
      betas_(std::move(betas)),
      swap_every_(swap_every),
      until_swap_(swap_every),
      random_(seed),
      trade_(trade),
      tallies_(betas_.size()) {
  for (size_t k = 0; k < replicas_.size(); ++k) randoms_.push_back(random_.split());
}

// In blocks, one replica after the other: the tables that one needs stay in the cache.
void Chain::advance(int64_t n_steps) {
  while (n_steps > 0) {
    const int64_t block = std::min(n_steps, until_swap_);
    for (size_t k = 0; k < replicas_.size(); ++k) {
      for (int64_t i = 0; i < block; ++i) replicas_[k]->step(betas_[k], randoms_[k], tallies_[k]);
    }
    n_steps -= block;
    until_swap_ -= block;
    if (until_swap_ == 0) exchange();
  }
}

// Into dags (n_draws, n, n) of zeros.
void Chain::run(int64_t n_steps, int64_t thin, uint8_t* dags, double* log_scores) {
  while (n_steps > 0) {
    const int64_t block = std::min(n_steps, thin - since_draw_);
    advance(block);
    n_steps -= block;
    since_draw_ += block;
    if (since_draw_ < thin) return;
    since_draw_ = 0;
    *log_scores++ = replicas_[0]->draw(random_, dags);
    dags += static_cast<size_t>(n_) * n_;
  }
}

int64_t Chain::n_terms() const {
  int64_t total = 0;
  for (const Tally& tally : tallies_) total += tally.n_terms;
  return total;
}

// Every other pair of neighbours.
void Chain::exchange() {
  for (size_t k = odd_; k + 1 < replicas_.size(); k += 2) exchanges_.count(k, exchange(k));
  odd_ = !odd_;
  until_swap_ = swap_every_;
}

// With probability min(1, exp((beta_k - beta_(k+1)) (L_(k+1) - L_k))).
bool Chain::exchange(size_t k) {
  if (k == 0 && trade_) return trade_(*replicas_[0], *replicas_[1], random_);
  const double gain = replicas_[k + 1]->log_target() - replicas_[k]->log_target();
  if (random_.log_uniform() >= (betas_[k] - betas_[k + 1]) * gain) return false;
  std::swap(replicas_[k], replicas_[k + 1]);
  return true;
}

void set_parents(const NodeSets& sets, size_t chosen, int node, int n, uint8_t* dag) {
  for (size_t j = 0; j < sets.candidates().size(); ++j) {
    if (sets.mask(chosen) >> j & 1) dag[sets.candidates()[j] * n + node] = 1;
  }
  if (sets.plus_one(chosen) >= 0) dag[sets.plus_one(chosen) * n + node] = 1;
}

std::vector<int> levels_of(const uint8_t* dag, int n) {
  std::vector<int> level(n, 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (int parent = 0; parent < n; ++parent) {
      for (int child = 0; child < n; ++child) {
        if (!dag[parent * n + child] || level[child] > level[parent]) continue;
        level[child] = level[parent] + 1;
        changed = true;
      }
    }
  }
  return level;
}

std::vector<uint8_t> reached_from(const uint8_t* dag, int n, int node) {
  std::vector<uint8_t> reached(n, 0);
  std::vector<int> waiting{node};
  reached[node] = 1;
  while (!waiting.empty()) {
    const int here = waiting.back();
    waiting.pop_back();
    for (int child = 0; child < n; ++child) {
      if (!dag[here * n + child] || reached[child]) continue;
      reached[child] = 1;
      waiting.push_back(child);
    }
  }
  return reached;
}

// A node that fits once fits ever after, as more stand before it: placing any node that fits is
// never wrong, and where none fits there is no DAG at all.
Edges random_start(const ParentSums& sums, Random& random, std::vector<int>* stuck) {
  const int n = sums.n_nodes();
  Edges dag(static_cast<size_t>(n) * n, 0);
  std::vector<double> at = places_for(n);
  std::vector<int> left(n);
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    for (int i = static_cast<int>(left.size()) - 1; i > 0; --i) {
      std::swap(left[i], left[random.below(i + 1)]);
    }
    const Places places{at.data(), infinity, nobody};
    const auto found = std::find_if(left.begin(), left.end(), [&](int node) {
      return sums.sets(node).best(places) < sums.sets(node).size();
    });
    if (found == left.end()) {
      *stuck = left;
      return {};
    }
    const int node = *found;
    const size_t chosen =
        sums.sets(node).draw(places, sums.log_sum(node, places), random);
    set_parents(sums.sets(node), chosen, node, n, dag.data());
    at[node] = static_cast<double>(n - left.size());
    left.erase(found);
  }
  return dag;
}

}  // namespace gpnet
