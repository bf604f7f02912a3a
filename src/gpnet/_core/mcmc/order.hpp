// Order MCMC (Friedman & Koller 2003).
#pragma once

#include "mcmc/replica.hpp"

namespace gpnet {

// An order of the nodes, with log_target = sum of log A_v(those before v).
class OrderReplica : public Replica {
 public:
  OrderReplica(const ParentSums& sums, const uint8_t* dag);
  void step(double beta, Random& random, Tally& tally) override;
  double log_target() const override;
  double draw(Random& random, uint8_t* dag) const override;

  const std::vector<int>& order() const { return order_; }
  void arrange(const std::vector<int>& order);

 private:
  Places places(int place) const { return {at_.data(), static_cast<double>(place), nobody}; }
  bool swap(int low, int high, double beta, Random& random, Tally& tally);
  void relocate(int node, double beta, Random& random, Tally& tally);
  void put(int node, int place);
  void exchange(int place, Tally& tally);

  const ParentSums& sums_;
  std::vector<int> order_;  // the node at each place
  std::vector<double> at_;  // the place of each node
  std::vector<double> terms_;
  std::vector<double> saved_, weights_;  // of the move under way
};

}  // namespace gpnet
