// log p(x, u | parents) as a function of one parent's lengthscale, all else held fast.
#pragma once

#include "gp/model.hpp"

namespace gpnet {

// The columns of all other parents are factorised once; each value then costs only those of one.
class Profile {
 public:
  // For log lengthscales of this parent from `shortest` on.
  Profile(const Problem& problem, const Vector& u, int parent, double shortest);

  // The same as evaluate(problem, u, 0).value with this log lengthscale of the parent.
  double value(double log_lengthscale) const;

 private:
  const Problem& problem_;
  Vector u_;
  int variable_;
  Index at_;           // of the lengthscale in u
  double variance_;    // sigma^2
  Matrix shared_;      // R^{-1}V'Q_i: V the columns of the others and the constant, R R' their B
  Vector left_;        // Q_i'x less what the others explain
  double explained_;   // by the others
  double log_determinant_;  // of their B
};

}  // namespace gpnet
