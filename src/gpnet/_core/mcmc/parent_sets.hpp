// The parent sets of one node, best first, and which of them fit to where the other nodes stand.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "mcmc/random.hpp"

namespace gpnet {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nobody = -infinity;  // the place of a layer that is not there
constexpr int most_nodes = std::numeric_limits<int16_t>::max();  // as a plus-one parent is stored
constexpr int most_candidates = 31;     // of a node: sets of them are masks of 32 bits
constexpr double most_log_score = 3e8;  // either way: powers of two are kept as integers

// The number itself where the tables can have so many nodes, else std::invalid_argument.
int checked_nodes(int n_nodes);

// Where nodes stand, at[u]; padded, see `places_for`. A set fits if all its members stand before
// `level` and, where there is a layer `previous`, one of them stands just there. Nobody stands
// between the two, and the node itself never stands before its own level.
struct Places {
  const double* at;
  double level;
  double previous;
};

// Room for the places of n nodes, in fours; those that do not exist stand behind everybody.
inline int padded(int n) { return (n + 3) / 4 * 4; }
inline std::vector<double> places_for(int n) { return std::vector<double>(padded(n), infinity); }

// The candidates that stand before the level, and those in the layer.
struct Fit {
  uint32_t before = 0, layer = 0;
};

class NodeSets {
 public:
  NodeSets() = default;
  // Sets of score -inf are left out, as nobody may ever see them.
  NodeSets(std::vector<int> candidates, size_t n_sets, const uint64_t* masks,
           const int32_t* plus_one, const double* log_scores);

  const std::vector<int>& candidates() const { return candidates_; }
  size_t size() const { return masks_.size(); }
  uint32_t mask(size_t i) const { return masks_[i]; }
  int plus_one(size_t i) const { return plus_one_[i]; }
  double log_score(size_t i) const { return log_scores_[i]; }
  bool contains(uint32_t mask, int plus_one) const;

  Fit fit(const Places& places) const {
    Fit found;
    for (size_t j = 0; j < candidates_.size(); ++j) {
      const double at = places.at[candidates_[j]];
      found.before |= static_cast<uint32_t>(at < places.level) << j;
      found.layer |= static_cast<uint32_t>(at == places.previous) << j;
    }
    return found;
  }

  // The best set that fits, or size() if there is none.
  size_t best(const Places& places) const;

  // Log of the sum of scores over sets that fit, one by one; stops when the rest adds nothing.
  double log_sum(const Places& places) const;

  // A set that fits, with probability score / exp(log_sum).
  size_t draw(const Places& places, double log_sum, Random& random) const;

 private:
  bool fits(size_t i, const Fit& fit, const Places& places) const {
    const int plus_one = plus_one_[i];
    if ((masks_[i] & ~fit.before) || (plus_one >= 0 && !(places.at[plus_one] < places.level))) {
      return false;
    }
    return places.previous == nobody || (masks_[i] & fit.layer) ||
           (plus_one >= 0 && places.at[plus_one] == places.previous);
  }

  std::vector<int> candidates_;
  std::vector<uint32_t> masks_;       // by descending score
  std::vector<int16_t> plus_one_;     // the parent from outside the candidates; -1 for none
  std::vector<double> log_scores_;
};

}  // namespace gpnet
