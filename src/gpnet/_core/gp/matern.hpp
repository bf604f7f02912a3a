// A Matern process of order 3/2 with unit variance and noise, over places on a line: a Kalman filter
// gives its log likelihood at a cost of O(N), whatever the lengthscale.
#pragma once

#include <utility>

#include "gp/statistics.hpp"

namespace gpnet {

class Matern {
 public:
  // x in the order of its places; gap k lies between x[k] and x[k + 1].
  Matern(const Vector& x, const Vector& gaps, double lengthscale);

  double log_likelihood(double log_sigma) const;

  // The largest log likelihood plus log prior of the noise, and its log sigma.
  std::pair<double, double> best_noise(const Prior& noise) const;

 private:
  const Vector& x_;
  const Vector& gaps_;
  double rate_;    // sqrt(3) / lengthscale
  Vector decay_;   // exp(-rate gap)
};

}  // namespace gpnet
