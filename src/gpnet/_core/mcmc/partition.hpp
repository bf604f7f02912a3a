// Partition MCMC (Kuipers & Moffa 2017).
#pragma once

#include "mcmc/replica.hpp"

namespace gpnet {

// An ordered partition of the nodes. A node of element e has all its parents in earlier elements
// and at least one in element e - 1, so that each DAG belongs to one partition, and
// log_target = sum over nodes of log (A_v(all before) - A_v(all before but the last element)).
class PartitionReplica : public Replica {
 public:
  PartitionReplica(const ParentSums& sums, const uint8_t* dag, double walk_rate);
  void step(double beta, Random& random, Tally& tally) override;
  double log_target() const override;
  double draw(Random& random, uint8_t* dag) const override;

  // The partition with each node in the element of this number.
  void arrange(const std::vector<int>& level);

 private:
  struct Rescored {
    int node;
    Places places;
    LogSum sum;
  };

  int n_elements() const { return static_cast<int>(elements_.size()); }
  double before(int element) const { return element == 0 ? nobody : element - 1.0; }
  void relabel(int first);

  bool swap_near(double beta, Random& random, Tally& tally);
  bool swap_any(double beta, Random& random, Tally& tally);
  bool swap(int a, int b, double beta, Random& random, Tally& tally);
  bool move_near(double beta, Random& random, Tally& tally);
  bool move_any(double beta, Random& random, Tally& tally);
  bool move(int node, int slot, double beta, Random& random, Tally& tally);
  bool split(double beta, Random& random, Tally& tally);
  bool join(double beta, Random& random, Tally& tally);
  bool walk(Random& random, Tally& tally);

  bool rescore(int node, double level, double previous, Tally& tally);
  bool rescore_element(int element, double level, double previous, int except, Tally& tally);
  bool accepts(double log_ratio, double beta, Random& random);
  void keep();
  int n_splittable() const;
  double log_splits(int n_splittable, int size, int n_first) const;

  const ParentSums& sums_;
  double walk_rate_;
  std::vector<std::vector<int>> elements_;
  std::vector<double> at_;  // the element of each node; between two for an element in the making
  std::vector<double> terms_;
  std::vector<Rescored> rescored_;  // by the move under way
  std::vector<double> log_factorials_;
};

}  // namespace gpnet
