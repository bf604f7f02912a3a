// Noise whose size depends on the parents: residuals e_i ~ N(0, exp(2 h_i)), h = design c.
#pragma once

#include "gp/types.hpp"

namespace gpnet {

struct VaryingScale {
  double log_ratio;  // log p(e) less that under N(0, 1), c ~ N(0, I) integrated out by Laplace
  Vector log_sd;     // h at the peak; empty where the log ratio is too low to matter
};

// Rows with the same size of noise may come as one: their number, and the root of the sum of their
// squares for a residual.
VaryingScale varying_scale(const Vector& residuals, const Matrix& design, const Vector& counts);

}  // namespace gpnet
