#include "mcmc/order_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mcmc/ordering.hpp"

namespace gpnet {

namespace {

constexpr double hot = 0.05, cold = 2.0;  // beta at the start and at the end of the search
// Instead of -inf: orders outside the support are ranked by how many nodes have no set at all.
constexpr double forbidden = -1e9;

class Search {
 public:
  Search(const BestSets& best, uint64_t seed)
      : best_(best), n_(best.n_nodes()), ordering_(n_), random_(seed) {
    begin_at(shuffled());
  }

  Search(const BestSets& best, const uint8_t* dag, uint64_t seed)
      : best_(best), n_(best.n_nodes()), ordering_(n_), random_(seed) {
    const std::vector<int> level = levels_of(dag, n_);
    std::vector<int> order(n_);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return level[a] < level[b]; });
    begin_at(order);
  }

  void anneal(int64_t n_iterations) {
    for (int64_t i = 0; i < n_iterations; ++i) {
      const double done = static_cast<double>(i) / n_iterations;
      relocate(random_.below(n_), hot * std::pow(cold / hot, done));
      if (ordering_.total() > best_total_) keep();
    }
  }

  // All nodes, as they come, until none has a better place; returns how often one was tried.
  int64_t climb() {
    arrange(best_order_);
    int64_t n_tried = 0;
    for (bool better = true; better; n_tried += n_) {
      better = false;
      for (const int node : shuffled()) {
        relocate(node, infinity);
        if (ordering_.total() <= best_total_ + 1e-9) continue;  // more than rounding
        keep();
        better = true;
      }
    }
    return n_tried;
  }

  // A stretch of the order goes elsewhere as a whole, then nodes to their best places; the order is
  // kept unless it is worse. Groups of nodes that depend on each other strongly move only together.
  void shake(int64_t n_iterations) {
    while (n_iterations > 0) {
      const std::vector<int> order = best_order_;
      const double total = best_total_;
      begin_at(with_stretch_moved(order));
      n_iterations -= climb();
      if (best_total_ >= total) continue;
      best_order_ = order;
      best_total_ = total;
    }
  }

  double write(uint8_t* dag) const {
    std::vector<double> at = places_for(n_);
    for (int i = 0; i < n_; ++i) at[best_order_[i]] = i;
    double log_score = 0.0;
    for (int node = 0; node < n_; ++node) {
      const NodeSets& sets = best_.sets(node);
      const size_t chosen = sets.best({at.data(), at[node], nobody});
      if (chosen == sets.size()) return -infinity;
      set_parents(sets, chosen, node, n_, dag);
      log_score += sets.log_score(chosen);
    }
    return log_score;
  }

 private:
  double term(int node, const Places& places) const {
    return std::max(forbidden, best_.log_best(node, places));
  }
  void arrange(const std::vector<int>& order) {
    ordering_.arrange(order, [&](int v, const Places& places) { return term(v, places); });
  }
  void begin_at(const std::vector<int>& order) {
    arrange(order);
    keep();
  }
  void keep() {
    best_order_ = ordering_.order();
    best_total_ = ordering_.total();
  }

  std::vector<int> shuffled() {
    std::vector<int> nodes(n_);
    std::iota(nodes.begin(), nodes.end(), 0);
    for (int i = n_ - 1; i > 0; --i) std::swap(nodes[i], nodes[random_.below(i + 1)]);
    return nodes;
  }

  std::vector<int> with_stretch_moved(const std::vector<int>& order) {
    const int first = random_.below(n_), last = first + 2 + random_.below(n_ / 2 + 1);
    std::vector<int> stretch, others;
    for (int i = 0; i < n_; ++i) (first <= i && i < last ? stretch : others).push_back(order[i]);
    const int place = random_.below(static_cast<int>(others.size()) + 1);
    others.insert(others.begin() + place, stretch.begin(), stretch.end());
    return others;
  }

  void relocate(int node, double beta) {
    ordering_.relocate(
        node, [&](int v, const Places& places) { return term(v, places); },
        [&](const std::vector<double>& totals) { return choose(totals, beta); });
  }

  // Gumbel's trick: the largest of beta * total + noise; without noise at beta = infinity.
  int choose(const std::vector<double>& totals, double beta) {
    int chosen = 0;
    double most = -infinity;
    for (int i = 0; i < n_; ++i) {
      const double noise = std::isinf(beta) ? 0.0 : -std::log(-random_.log_uniform()) / beta;
      if (totals[i] + noise > most) {
        most = totals[i] + noise;
        chosen = i;
      }
    }
    return chosen;
  }

  const BestSets& best_;
  int n_;
  Ordering ordering_;
  std::vector<int> best_order_;
  double best_total_ = -infinity;
  Random random_;
};

}  // namespace

BestSets::BestSets(int n, bool plus_one)
    : nodes_(checked_nodes(n)), columns_(plus_one ? padded(n) : 1) {}

BestSets::Node BestSets::tabulate(int node, NodeSets sets) const {
  const size_t n_rows = size_t{1} << sets.candidates().size();
  std::vector<double> table;
  table.assign(n_rows * columns_, -infinity);
  for (size_t i = 0; i < sets.size(); ++i) {
    const int column = columns_ == 1 ? 0 : sets.plus_one(i) < 0 ? node : sets.plus_one(i);
    table[size_t{sets.mask(i)} * columns_ + column] = sets.log_score(i);
  }
  for (size_t bit = 1; bit < n_rows; bit <<= 1) {
    for (size_t row = 0; row < n_rows; ++row) {
      if (!(row & bit)) continue;
      double* here = &table[row * columns_];
      const double* less = &table[(row ^ bit) * columns_];
      for (int u = 0; u < columns_; ++u) here[u] = std::max(here[u], less[u]);
    }
  }
  return {std::move(sets), std::move(table)};
}

double BestSets::log_best(int node, const Places& places) const {
  const Fit fit = sets(node).fit(places);
  const double* row = &nodes_[node].table[size_t{fit.before} * columns_];
  if (columns_ == 1) return row[0];
  double lane[4] = {row[node], -infinity, -infinity, -infinity};
  for (int u = 0; u < columns_; u += 4) {
    for (int k = 0; k < 4; ++k) {
      const double value = places.at[u + k] < places.level ? row[u + k] : -infinity;
      lane[k] = lane[k] < value ? value : lane[k];
    }
  }
  return std::max(std::max(lane[0], lane[1]), std::max(lane[2], lane[3]));
}

double search_order(const BestSets& best, int64_t n_iterations, uint64_t seed, uint8_t* dag) {
  Search search(best, seed);
  search.anneal(n_iterations);
  search.climb();
  return search.write(dag);
}

double improve_order(const BestSets& best, const uint8_t* start, int64_t n_iterations,
                     uint64_t seed, uint8_t* dag) {
  Search search(best, start, seed);
  search.climb();
  search.shake(n_iterations);
  return search.write(dag);
}

}  // namespace gpnet
