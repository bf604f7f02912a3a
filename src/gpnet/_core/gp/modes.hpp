// The modes of log p(x, u | parents): Newton from several starts.
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

struct Modes {
  std::vector<Mode> found;  // best first, none far below the best
  int n_evaluations;
};

// Newton with the exact Hessian inside a trust radius. The coordinate `fixed` stays where it starts
// (-1 for none); a climb that comes close to a known mode is given up, not converged.
Mode climb(const Problem& problem, const Vector& start, int fixed, const std::vector<Mode>& known,
           int* n_evaluations);

// One parent: starts from a scan over lengthscale and noise. More: from the best of `seeds`
// (k x d), whose row i is the mode without parent i, with that parent's own parameters put in. Then
// the best mode is scanned along each lengthscale, and another that this makes the best once more.
Modes find_modes(const Problem& problem, const Rows& seeds);

}  // namespace gpnet
