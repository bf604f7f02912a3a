#include "mcmc/parent_sets.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace gpnet {

namespace {

template <class Small, class Large>
Small narrowed(Large value, const char* what) {
  const auto small = static_cast<Small>(value);
  if (static_cast<Large>(small) == value) return small;
  throw std::out_of_range(std::string(what) + ": too large a number, " + std::to_string(value));
}

}  // namespace

int checked_nodes(int n_nodes) {
  if (n_nodes >= 1 && n_nodes <= most_nodes) return n_nodes;
  throw std::invalid_argument("n_nodes: expected from 1 to " + std::to_string(most_nodes) +
                              ", found " + std::to_string(n_nodes));
}

NodeSets::NodeSets(std::vector<int> candidates, size_t n_sets, const uint64_t* masks,
                   const int32_t* plus_one, const double* log_scores)
    : candidates_(std::move(candidates)) {
  std::vector<uint32_t> order;
  narrowed<uint32_t>(n_sets, "sets");
  for (size_t i = 0; i < n_sets; ++i) {
    if (log_scores[i] > -infinity) order.push_back(static_cast<uint32_t>(i));
  }
  // Ties in the order of the table, so that the numbers are the same everywhere.
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return log_scores[a] > log_scores[b]; });
  masks_.reserve(order.size());
  plus_one_.reserve(order.size());
  log_scores_.reserve(order.size());
  for (const uint32_t i : order) {
    masks_.push_back(narrowed<uint32_t>(masks[i], "masks"));
    plus_one_.push_back(narrowed<int16_t>(plus_one[i], "plus_one"));
    log_scores_.push_back(log_scores[i]);
  }
}

bool NodeSets::contains(uint32_t mask, int plus_one) const {
  for (size_t i = 0; i < size(); ++i) {
    if (masks_[i] == mask && plus_one_[i] == plus_one) return true;
  }
  return false;
}

size_t NodeSets::best(const Places& places) const {
  const Fit here = fit(places);
  size_t i = 0;
  while (i < size() && !fits(i, here, places)) ++i;
  return i;
}

double NodeSets::log_sum(const Places& places) const {
  const size_t first = best(places);
  if (first == size()) return -infinity;
  const Fit here = fit(places);
  const double top = log_scores_[first];
  double sum = 1.0;
  for (size_t i = first + 1; i < size(); ++i) {
    // All the rest together is at most (size - i) exp(log_scores_[i] - top).
    if (log_scores_[i] - top < -40.0 - std::log(static_cast<double>(size() - i))) break;
    if (fits(i, here, places)) sum += std::exp(log_scores_[i] - top);
  }
  return top + std::log(sum);
}

size_t NodeSets::draw(const Places& places, double log_sum, Random& random) const {
  const Fit here = fit(places);
  double left = random.uniform();
  size_t last = size();
  for (size_t i = 0; i < size(); ++i) {
    if (!fits(i, here, places)) continue;
    last = i;
    left -= std::exp(log_scores_[i] - log_sum);
    if (left <= 0) break;
  }
  return last;  // where rounding left a rest, the last that fits
}

}  // namespace gpnet
