// Order MCMC (Friedman & Koller 2003).
#pragma once

#include "mcmc/ordering.hpp"
#include "mcmc/replica.hpp"

namespace gpnet {

// An order of the nodes, with log_target = sum of log A_v(those before v).
class OrderReplica : public Replica {
 public:
  OrderReplica(const ParentSums& sums, const uint8_t* dag);
  void step(double beta, Random& random, Tally& tally) override;
  double log_target() const override { return ordering_.total(); }
  double draw(Random& random, uint8_t* dag) const override;

  const std::vector<int>& order() const { return ordering_.order(); }
  void arrange(const std::vector<int>& order);

 private:
  bool swap(int low, int high, double beta, Random& random, Tally& tally);
  void relocate(int node, double beta, Random& random, Tally& tally);

  const ParentSums& sums_;
  Ordering ordering_;
  std::vector<double> saved_;  // terms before the move under way
};

}  // namespace gpnet
