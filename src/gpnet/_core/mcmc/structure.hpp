// Structure MCMC (Madigan & York 1995), with the reversal of Grzegorczyk & Husmeier (2008).
#pragma once

#include "mcmc/replica.hpp"

namespace gpnet {

// The log score of any parent set, in the order of `SearchSpace`.
class SetScores {
 public:
  SetScores(int n, int max_parents);
  // As many log scores as there are sets, else std::invalid_argument.
  void set_node(int node, const std::vector<int>& candidates,
                const std::vector<int>& plus_one_parents, size_t n_sets, const double* log_scores);
  bool is_set(int node) const { return !nodes_[node].offsets.empty(); }
  int n_nodes() const { return n_; }
  bool has_candidates(int node, const std::vector<int>& candidates) const;
  // -inf outside the space.
  double log_score(int node, const uint8_t* dag) const;

 private:
  struct Node {
    std::vector<int> place;          // of each node among the candidates; -1 outside
    std::vector<int> plus_one_rank;  // of each node among the plus-one parents; -1 for none of them
    std::vector<int64_t> offsets;    // where the sets of each size begin
    std::vector<double> log_scores;
    int m = 0;
  };

  int64_t choose(int n, int k) const;

  int n_, max_parents_;
  std::vector<Node> nodes_;
  std::vector<std::vector<int64_t>> choose_;
};

// A DAG, with log_target = its log score.
class StructureReplica : public Replica {
 public:
  StructureReplica(const ParentSums& sums, const SetScores& scores, const uint8_t* dag,
                   double reversal_rate);
  void step(double beta, Random& random, Tally& tally) override;
  double log_target() const override;
  double draw(Random& random, uint8_t* dag) const override;

 private:
  bool toggle(int parent, int child, double beta, Random& random, Tally& tally);
  bool turn(int parent, int child, double beta, Random& random, Tally& tally);
  bool reverse(double beta, Random& random, Tally& tally);
  bool reaches(int from, int to) const;
  bool accept(int a, int b, double beta, Random& random, Tally& tally);

  const ParentSums& sums_;
  const SetScores& scores_;
  double reversal_rate_;
  Edges dag_;
  std::vector<double> terms_;
};

}  // namespace gpnet
