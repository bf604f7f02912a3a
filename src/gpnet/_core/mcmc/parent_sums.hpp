// Sums of scores over the parent sets that fit, in a time that does not grow with their number.
#pragma once

#include <utility>

#include "mcmc/parent_sets.hpp"

namespace gpnet {

struct LogSum {
  double value;  // where not exact, an upper bound
  bool exact;
};

// For each node, T_u(M) = sum of scores over the sets within candidates M, with the plus-one parent
// u; in the column of the node itself, those without one. A row has one scale 2^exponent for all u,
// so that logarithms may be spread over thousands of nats; what is more than 1 400 nats below the
// largest of its row is lost, and a sum that might have lost something tells so.
class ParentSums {
 public:
  struct Node {
    NodeSets sets;
    std::vector<double> table;   // (2^m, columns)
    std::vector<int> exponents;  // (2^m,)
  };

  ParentSums(int n, bool plus_one);
  Node tabulate(int node, NodeSets sets) const;
  void set_node(int node, Node tabulated) { nodes_[node] = std::move(tabulated); }
  bool is_set(int node) const { return !nodes_[node].table.empty(); }
  bool plus_one() const { return columns_ > 1; }

  int n_nodes() const { return static_cast<int>(nodes_.size()); }
  const NodeSets& sets(int node) const { return nodes_[node].sets; }

  // Over the sets that fit: T(before) or, with a layer, T(before) - T(before without it).
  LogSum quick(int node, const Places& places) const;

  // The same, and exact: one by one where the difference cancels.
  double log_sum(int node, const Places& places) const;

 private:
  LogSum within(const Node& node, int own, uint32_t before, const Places& places) const;
  LogSum through_layer(const Node& node, uint32_t before, const Places& places) const;
  LogSum difference(const Node& node, int own, const Fit& fit, const Places& places) const;
  LogSum tell(double sum, double from, int exponent) const;

  std::vector<Node> nodes_;
  int columns_;  // 1 without plus-one parents
};

}  // namespace gpnet
