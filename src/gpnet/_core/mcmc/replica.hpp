// What the chains have in common: replicas at several temperatures, draws of DAGs.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "mcmc/parent_sums.hpp"

namespace gpnet {

using Edges = std::vector<uint8_t>;  // (n, n), edges[parent * n + child]

// How often each kind of move was tried and accepted, and how many node terms that took.
struct Tally {
  std::vector<int64_t> tried, accepted;
  int64_t n_terms = 0;

  bool count(size_t move, bool yes) {
    if (move >= tried.size()) {
      tried.resize(move + 1);
      accepted.resize(move + 1);
    }
    ++tried[move];
    accepted[move] += yes;
    return yes;
  }
};

// A state at one temperature, with density exp(beta * log_target).
class Replica {
 public:
  virtual ~Replica() = default;
  virtual void step(double beta, Random& random, Tally& tally) = 0;
  virtual double log_target() const = 0;
  // A DAG from its distribution given the state, into zeros; returns its log score.
  virtual double draw(Random& random, uint8_t* dag) const = 0;
};

// A way for two replicas of different kinds to trade places; whether they did.
using Trade = bool (*)(Replica&, Replica&, Random&);

// Replicas at several temperatures, the first of which is 1, that exchange their places; the first
// two by `trade`, if there is one.
class Chain {
 public:
  Chain(int n_nodes, std::vector<std::unique_ptr<Replica>> replicas, std::vector<double> betas,
        int swap_every, uint64_t seed, Trade trade = nullptr);
  Chain(const Chain&) = delete;

  void advance(int64_t n_steps);
  // So many steps with a draw after every `thin`, counted through from call to call so that it does
  // not matter how a run is cut into pieces.
  int64_t n_draws_in(int64_t n_steps, int64_t thin) const { return (since_draw_ + n_steps) / thin; }
  void run(int64_t n_steps, int64_t thin, uint8_t* dags, double* log_scores);

  int64_t since_draw() const { return since_draw_; }  // steps

  const Tally& tally() const { return tallies_[0]; }
  int64_t n_terms() const;
  const Tally& exchanges() const { return exchanges_; }
  double log_target() const { return replicas_[0]->log_target(); }
  int n_nodes() const { return n_; }

  mutable std::shared_mutex in_use;  // for who lets threads at it

 private:
  void exchange();
  bool exchange(size_t k);

  int n_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<double> betas_;
  int64_t swap_every_, until_swap_, since_draw_ = 0;
  bool odd_ = false;  // which pairs are next
  Random random_;                // for exchanges and draws
  std::vector<Random> randoms_;  // one a temperature, so that blocks may be cut anywhere
  Trade trade_;
  std::vector<Tally> tallies_;  // by temperature
  Tally exchanges_;             // by pair of neighbours
};

// Writes the parents of a node into a DAG.
void set_parents(const NodeSets& sets, size_t chosen, int node, int n, uint8_t* dag);

// The longest way from a node without parents to each node.
std::vector<int> levels_of(const uint8_t* dag, int n);

// The node itself and all that can be reached from it.
std::vector<uint8_t> reached_from(const uint8_t* dag, int n, int node);

// A DAG in the support, from a random order; empty where there is none, `stuck` then tells the
// nodes that could not be placed.
Edges random_start(const ParentSums& sums, Random& random, std::vector<int>* stuck);

}  // namespace gpnet
