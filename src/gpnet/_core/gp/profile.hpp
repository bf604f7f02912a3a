// log p(x, u | parents) as a function of one parent's lengthscale, all else held fast.
#pragma once

#include "gp/model.hpp"

namespace gpnet {

// The columns of all other parents are factorised once; each value then costs only those of one.
class Profile {
 public:
  Profile(const Problem& problem, const Vector& u, int parent);

  // The same as evaluate(problem, u, 0).value with this log lengthscale of the parent.
  double value(double log_lengthscale) const;

 private:
  const Problem& problem_;
  Vector u_;
  int variable_;
  Index at_;           // of the lengthscale in u
  double variance_;    // sigma^2
  Matrix across_;      // Q_i'V of the others, with the constant
  Matrix root_;        // lower Cholesky root of their B
  Vector half_;        // root^{-1} c
  double log_determinant_;
};

}  // namespace gpnet
