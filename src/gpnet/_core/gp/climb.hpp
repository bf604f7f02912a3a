// One mode of log p(x, u | parents): Newton from one start.
#pragma once

#include "gp/likelihood.hpp"

namespace gpnet {

struct Mode {
  Vector u;
  double value;
  Matrix hessian;
  bool converged, clamped;
  double log_laplace;  // value + d/2 log 2 pi - log|-H| / 2
};

constexpr double kArriving = 0.2;  // in log units: a climb this near a known mode is given up

// Newton with the exact Hessian inside a trust radius. The coordinate `fixed` stays where it starts
// (-1 for none); a climb that comes close to a known mode is given up, not converged.
Mode climb(const Problem& problem, const Vector& start, int fixed, const std::vector<Mode>& known,
           int* n_evaluations);

// To the nearest mode, along the coordinate that differs most; infinite where there is none.
double distance(const Vector& u, const std::vector<Mode>& modes);

}  // namespace gpnet
