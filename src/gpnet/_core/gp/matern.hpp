// A Matern process of order 3/2 with unit variance and noise, over places on a line: a Kalman filter
// gives its log likelihood at a cost of O(N), whatever the lengthscale.
#pragma once

#include <utility>

#include "gp/statistics.hpp"

namespace gpnet {

// Rows that are close enough to be taken as one place; each alone where there are no others.
struct Merged {
  Vector counts;      // of rows, at each place
  double within = 0;  // sum of squares of the rows about the means of their places
};

class Matern {
 public:
  // x, or its mean, at each place in order; gap k lies between x[k] and x[k + 1].
  Matern(const Vector& x, const Vector& gaps, double lengthscale, Merged merged);

  double log_likelihood(double log_sigma) const;

  // The largest log likelihood plus log prior of the noise, and its log sigma.
  std::pair<double, double> best_noise(const Prior& noise) const;

 private:
  const Vector& x_;
  const Vector& gaps_;
  const Merged merged_;
  const double log_counts_;  // sum of their logs
  double rate_;    // sqrt(3) / lengthscale
  Vector decay_;   // exp(-rate gap)
};

}  // namespace gpnet
