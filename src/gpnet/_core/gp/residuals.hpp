// What a node's rows are away from what all other rows say of them.
#pragma once

#include "gp/likelihood.hpp"

namespace gpnet {

// With P = Sigma^{-1}, row i given all others is N(x_i - (P x)_i / P_ii, 1 / P_ii).
struct Residuals {
  Vector standardised;  // (P x)_i / sqrt(P_ii)
  Vector sd;            // 1 / sqrt(P_ii)
};

// At the hyperparameters u; x is the node's column about the prior's mean.
Residuals leave_one_out(const Problem& problem, const Vector& u, const Vector& x);

}  // namespace gpnet
