// The best DAG by a search over orders: given an order, the best set of each node is known.
#pragma once

#include "mcmc/replica.hpp"

namespace gpnet {

// For each node, B_u(M) = best log score of the sets within candidates M, with the plus-one parent
// u; in the column of the node itself, those without one.
class BestSets {
 public:
  struct Node {
    NodeSets sets;
    std::vector<double> table;  // (2^m, columns)
  };

  BestSets(int n, bool plus_one);
  Node tabulate(int node, NodeSets sets) const;
  void set_node(int node, Node tabulated) { nodes_[node] = std::move(tabulated); }
  bool is_set(int node) const { return !nodes_[node].table.empty(); }
  bool plus_one() const { return columns_ > 1; }

  int n_nodes() const { return static_cast<int>(nodes_.size()); }
  const NodeSets& sets(int node) const { return nodes_[node].sets; }
  double log_best(int node, const Places& places) const;

 private:
  std::vector<Node> nodes_;
  int columns_;  // 1 without plus-one parents
};

// Nodes move one by one to a place drawn in proportion to score^beta while beta grows, then to
// their best place until none can be bettered. Returns the DAG and its log score; a start that
// is not in the support costs nothing, if any order is.
double search_order(const BestSets& best, int64_t n_iterations, uint64_t seed, uint8_t* dag);

// From an order of the DAG `start`: stretches of the order move as a whole, and nodes then to their
// best places, about so many times; what is not worse is kept.
double improve_order(const BestSets& best, const uint8_t* start, int64_t n_iterations,
                     uint64_t seed, uint8_t* dag);

}  // namespace gpnet
