// Orders drawn one by one and independent of each other, by sums over the sets of nodes.
#pragma once

#include <shared_mutex>

#include "mcmc/order.hpp"

namespace gpnet {

constexpr int most_ordered = 30;  // nodes: a number for each of their sets

// G(S) = sum over all ways to place the rest behind the nodes of S, of the product of
// A_v(those before v) = sum over v outside S of A_v(S) G(S with v); G(all) = 1. So 2^n numbers and
// n 2^(n - 1) terms tell all n! orders.
class OrderSums {
 public:
  explicit OrderSums(const ParentSums& sums);

  // Goes on by so many sets, from all nodes down to none; returns how many are done in all.
  int64_t advance(int64_t n_sets);
  int64_t n_sets() const { return static_cast<int64_t>(log_sums_.size()); }
  bool complete() const { return next_ < 0; }
  double log_total() const { return log_sums_[0]; }

  const ParentSums& sums() const { return sums_; }
  void draw(Random& random, std::vector<int>* order) const;

  mutable std::shared_mutex in_use;  // for who lets threads at it

 private:
  void branches(uint32_t set, const std::vector<double>& at, std::vector<double>* found) const;

  const ParentSums& sums_;
  std::vector<double> log_sums_;  // by set
  std::vector<double> at_;        // 0 for nodes of the set under way, 1 for others
  std::vector<double> branches_;
  int64_t next_;
};

// An order that does not walk: `renew` draws another, whatever this one is.
class DrawnOrder : public OrderReplica {
 public:
  DrawnOrder(const OrderSums& orders, const uint8_t* dag)
      : OrderReplica(orders.sums(), dag), orders_(orders) {}
  void step(double, Random&, Tally&) override {}
  void renew(Random& random);

 private:
  const OrderSums& orders_;
  std::vector<int> drawn_;
};

// `trade` of a partition with a DrawnOrder, which is drawn anew before.
bool renew_and_trade(Replica& partition, Replica& order, Random& random);

}  // namespace gpnet
