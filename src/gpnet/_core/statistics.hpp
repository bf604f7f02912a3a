// Sufficient statistics: all that a likelihood needs to know of the data.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "types.hpp"

namespace gpnet {

// InvGamma(shape, scale) of exp(u), as a law of u: a log b - lgamma(a) - a u - b e^{-u}.
struct Prior {
  double shape, scale;
};

// The covariance of one parent: e^a T(u) + e^v z z', with T tabulated in u = log lengthscale.
// Its parameters are u, then a where it has an amplitude, then v where the line has one.
struct Form {
  bool amplitude = false;
  double line = 0.0;  // variance of the linear part; 0 for none
  bool line_parameter = false;
  int size() const { return 1 + amplitude + line_parameter; }
};

// S over one octave of lengthscales: S(i, j) = sum_k coefficients(i, k) of column j, times T_k.
struct Octave {
  Index size;                        // m_l
  std::vector<Matrix> columns;       // m_l of them, each m_l x K
  Matrix diagonal;                   // m_l x K
};

// One variable in its nested basis Q = Q_d B (see gp/basis.py).
struct Variable {
  Rows rows;                  // N x p: rows of Q_d within their panels
  std::vector<int> panel;     // N: first coordinate of each row's panel
  Matrix coordinates;         // B
  std::vector<Octave> octaves;  // finest first
  Vector line;                // Q'z
  Vector ones;                // Q'1
  Matrix targets;             // Q'x_j for every variable x_j
};

class Statistics {
 public:
  Statistics(Index n_rows, double log_shortest, double mean_sd, Form form,
             std::vector<Prior> priors, Prior noise, Vector target_sums, Vector target_squares);

  Statistics(const Statistics&) = delete;

  void set(int index, Variable variable);

  // Q_i'Q_j for j < i, to the sizes that the two octaves need; computed when first asked for.
  const Matrix& cross(int i, int octave_i, int j, int octave_j) const;

  const Index n_rows;
  const double log_shortest, mean_sd;
  const Form form;
  const std::vector<Prior> priors;  // of each parameter of a parent
  const Prior noise;                // of sigma
  const Vector target_sums, target_squares;  // 1'x_j, x_j'x_j
  std::vector<Variable> variables;

 private:
  struct Pair {
    std::once_flag once[2];
    Matrix gram[2];
  };
  Matrix gram(int i, int j, int octave) const;
  mutable std::vector<std::vector<std::unique_ptr<Pair>>> pairs_;  // [i][j], j < i
};

}  // namespace gpnet
