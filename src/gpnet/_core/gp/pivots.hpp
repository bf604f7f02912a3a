// Rows that stand for all rows of a table, under the covariance of GP^2 (see gp/pivot_rows.py).
#pragma once

#include "gp/types.hpp"

namespace gpnet {

// K = constant + main sum_i k_i + pair sum_{i<j} k_i k_j of some rows, k_i squared exponential.
struct PairCovariance {
  Vector lengthscales;  // (p,)
  double constant, main, pair;
};

// K = root root' but for an error with the trace `left`.
struct Pivots {
  std::vector<Index> rows;  // (M,), in the order in which they were chosen
  Matrix root;              // (N, M): in these rows lower triangular
  double left;
};

// Pivoted Cholesky of the rows of z (N, p), until what is left meets the tolerance or there are
// `most` rows.
Pivots choose_pivots(const Matrix& z, const PairCovariance& k, double tolerance, Index most);

// log N(x; 0, C K C' + sigma^2 I) less a constant, where K is that of M rows, x = C target + rest
// with C'rest = 0, and noise = (C'C)^-1:
//   -((N - M) log sigma^2 + |rest|^2 / sigma^2 + log|S| + target'S^-1 target) / 2,
// with S = K + sigma^2 noise.
struct PivotRows {
  Matrix z;       // (M, p)
  Matrix noise;   // (M, M)
  Vector target;  // (M,)
  double n_left;  // N - M
  double rest;    // |rest|^2
};

// Minus infinity where S is not positive definite.
double log_likelihood(const PivotRows& rows, const PairCovariance& k, double variance);

}  // namespace gpnet
