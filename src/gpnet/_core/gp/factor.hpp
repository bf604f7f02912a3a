// One parent's covariance at given parameters, as a thin factor in its variable's basis.
#pragma once

#include "gp/statistics.hpp"

namespace gpnet {

// S = F F' (m x r), dS/du_a = F D_a F', d2S/du_a du_b = F D_ab F'.
struct Factor {
  int band = 0;
  bool clamped = false;  // the lengthscale lies outside the bands
  Matrix F, gram;        // gram: F'F
  std::vector<Matrix> first;                // D_a, for order >= 1
  std::vector<std::vector<Matrix>> second;  // D_ab, a >= b, for order 2; empty where zero
};

// Log lengthscales at which the search for modes tries every parent (see modes.cpp): roots there are
// kept, as they would be computed for each set anew.
constexpr double kKept[] = {-2.3, -1.6, -1.4, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9, 1.2, 1.6, 2.0};

std::vector<Root> kept_roots(const Statistics& data, const Variable& variable);

int band_at(const Statistics& data, int variable, double log_lengthscale);

// What a factor may leave out of the trace of S: by columns that it does without, and by rows, the
// last of the basis, that its columns do without.
struct Tolerance {
  double columns, rows;
};

Factor factor(const Statistics& data, int variable, const double* u, int order,
              Tolerance tolerance);

// A parent that is a straight line: S = v z z', and nothing to change.
Factor line_factor(const Statistics& data, int variable);

// The leading m rows of Q_i'Q_j F, with F the factor of variable j != i.
Matrix across(const Statistics& data, int i, int band, Index m, int j, const Factor& factor);

}  // namespace gpnet
