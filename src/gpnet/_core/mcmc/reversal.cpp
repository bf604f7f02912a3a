#include "mcmc/reversal.hpp"

#include <algorithm>
#include <cmath>

namespace gpnet {

namespace {

// Who may be a parent of a node in this DAG: those that it does not reach, `with` always.
class Allowed {
 public:
  Allowed(const Edges& dag, int n, int node, int with) : at_(places_for(n)), has_layer_(with >= 0) {
    const std::vector<uint8_t> reached = reached_from(dag.data(), n, node);
    for (int u = 0; u < n; ++u) at_[u] = reached[u] ? 2.0 : 0.0;
    if (has_layer_) at_[with] = 1.0;
  }
  Places places() const { return {at_.data(), 2.0, has_layer_ ? 1.0 : nobody}; }

 private:
  std::vector<double> at_;
  bool has_layer_;
};

double log_sum(const ParentSums& sums, const Edges& dag, int node, int with) {
  const Allowed allowed(dag, sums.n_nodes(), node, with);
  return sums.log_sum(node, allowed.places());
}

// Gives the node new parents; returns the log of the sum they were drawn from.
double draw_parents(const ParentSums& sums, Edges& dag, int node, int with, Random& random) {
  const int n = sums.n_nodes();
  const Allowed allowed(dag, n, node, with);
  const double total = sums.log_sum(node, allowed.places());
  if (total == -infinity) return total;
  const size_t chosen = sums.sets(node).draw(allowed.places(), total, random);
  set_parents(sums.sets(node), chosen, node, n, dag.data());
  return total;
}

void orphan(Edges& dag, int n, int node) {
  for (int u = 0; u < n; ++u) dag[u * n + node] = 0;
}

int64_t n_edges(const Edges& dag) { return std::count(dag.begin(), dag.end(), 1); }

}  // namespace

void redraw_parents(const ParentSums& sums, Edges& dag, int node, Random& random) {
  orphan(dag, sums.n_nodes(), node);
  draw_parents(sums, dag, node, -1, random);
}

Reversal propose_reversal(const ParentSums& sums, const Edges& dag, Random& random) {
  const int n = sums.n_nodes();
  const int64_t edges = n_edges(dag);
  if (edges == 0) return {{}, -infinity};
  int64_t chosen = random.below(static_cast<int>(edges));
  size_t place = 0;
  while (!dag[place] || chosen-- > 0) ++place;
  const int i = static_cast<int>(place / n), j = static_cast<int>(place % n);

  Edges next = dag;
  orphan(next, n, i);
  orphan(next, n, j);
  const double back_first = log_sum(sums, next, j, i);
  const double first = draw_parents(sums, next, i, j, random);
  if (first == -infinity) return {{}, -infinity};
  const double second = draw_parents(sums, next, j, -1, random);
  if (second == -infinity) return {{}, -infinity};
  Edges old = dag;
  orphan(old, n, i);
  const double back_second = log_sum(sums, old, i, -1);
  const double log_edges = std::log(static_cast<double>(edges) / n_edges(next));
  return {std::move(next), log_edges + first - back_first + second - back_second};
}

}  // namespace gpnet
