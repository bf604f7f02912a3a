#include "bindings/dags.hpp"

#include <string>

#include "bindings/checks.hpp"
#include "mcmc/parent_sets.hpp"

namespace gpnet {

namespace {

// Nodes without parents are taken away, one after the other, until none is left (Kahn 1962).
bool is_acyclic(const std::uint8_t* dag, int n) {
  std::vector<int> n_parents(n, 0), ready;
  for (int u = 0; u < n; ++u) {
    for (int v = 0; v < n; ++v) n_parents[v] += dag[u * n + v];
  }
  for (int v = 0; v < n; ++v) {
    if (n_parents[v] == 0) ready.push_back(v);
  }
  int n_taken = 0;
  for (; !ready.empty(); ++n_taken) {
    const int u = ready.back();
    ready.pop_back();
    for (int v = 0; v < n; ++v) {
      if (dag[u * n + v] && --n_parents[v] == 0) ready.push_back(v);
    }
  }
  return n_taken == n;
}

}  // namespace

void check_dag(const char* what, const std::uint8_t* dag, int n, std::int64_t number) {
  const std::string which = number < 0 ? "" : text(" number ", number);
  for (int i = 0; i < n * n; ++i) {
    expect(dag[i] <= 1, what, which, ": expected booleans, found a byte of ", int{dag[i]});
  }
  expect(is_acyclic(dag, n), what, which, ": expected a DAG, found a directed cycle");
}

void check_square(const char* what, const Graph& dag, int n) {
  expect(dag.shape(0) == std::size_t(n) && dag.shape(1) == std::size_t(n), what,
         ": expected shape (", n, ", ", n, "), found (", dag.shape(0), ", ", dag.shape(1), ")");
}

int checked_size(const char* what, std::size_t rows, std::size_t columns) {
  expect(rows == columns, what, ": expected as many rows as columns, found ", rows, " and ",
         columns);
  expect(rows <= std::size_t(most_nodes), what, ": expected at most ", most_nodes,
         " nodes, found ", rows);
  return static_cast<int>(rows);
}

}  // namespace gpnet
