// log p(x, u | parents) as a function of log sigma, all else held fast.
#pragma once

#include "gp/likelihood.hpp"

namespace gpnet {

// V'V is made tridiagonal once: each value of the noise then costs a pass over its diagonals.
class NoiseProfile {
 public:
  // Accurate for a sigma of `least` and above.
  NoiseProfile(const Problem& problem, const Vector& u, double least);

  // The same as evaluate(problem, u, 0).value with this log sigma.
  double value(double log_sigma) const;

  // Where the value is largest between two log sigmas that enclose a peak.
  double peak(double low, double high) const;

 private:
  const Problem& problem_;
  Vector diagonal_, below_;  // of T with V'V = H T H'
  Vector c_;                 // H'V'x
  double log_prior_;         // of all parameters but sigma
};

}  // namespace gpnet
