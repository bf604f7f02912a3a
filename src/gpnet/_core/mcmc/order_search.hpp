// The best DAG by a search over orders: given an order, the best set of each node is known.
#pragma once

#include "mcmc/replica.hpp"

namespace gpnet {

// For each node, B_u(M) = best log score of the sets within candidates M, with the plus-one parent
// u; in the column of the node itself, those without one.
class BestSets {
 public:
  BestSets(int n, bool plus_one);
  void set_node(int node, NodeSets sets);

  int n_nodes() const { return static_cast<int>(sets_.size()); }
  const NodeSets& sets(int node) const { return sets_[node]; }
  double log_best(int node, const Places& places) const;

 private:
  std::vector<NodeSets> sets_;
  std::vector<std::vector<double>> tables_;  // (2^m, columns)
  int columns_;
};

// Nodes move one by one to a place drawn in proportion to score^beta while beta grows, then to
// their best place until none can be bettered. Returns the DAG and its log score; a start that
// is not in the support costs nothing, if any order is.
double search_order(const BestSets& best, int64_t n_iterations, uint64_t seed, uint8_t* dag);

}  // namespace gpnet
