// Sufficient statistics: all that a likelihood needs to know of the data.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "gp/panel_rows.hpp"
#include "gp/types.hpp"

namespace gpnet {

// InvGamma(shape, scale) of exp(u), as a density of u: a log b - lgamma(a) - a u - b e^{-u}.
struct Prior {
  // Not for several threads at once: lgamma writes the sign into a global variable.
  Prior(double shape, double scale);
  double log_density(double u) const;
  double shape, scale, constant;
};

// The covariance of one parent: e^a T(u) + e^v z z', with T tabulated in u = log lengthscale.
// Its parameters are u, then a where it has an amplitude, then v where the line has one.
struct Form {
  bool amplitude = false;
  double line = 0.0;  // variance of the linear part; 0 for none
  bool line_parameter = false;
  int size() const { return 1 + amplitude + line_parameter; }
};

// A root L of S over a band of lengthscales, by Chebyshev coefficients (see gp/basis.py).
struct Band {
  Index size;       // m_l: rows of L
  Matrix root;      // entries x K: the columns of L one by one, each from its diagonal down
  Matrix log_left;  // r_l x K: log of the trace that is left when c columns are taken
};

// L at one log lengthscale, with all its columns, and log_left there.
struct Root {
  double log_lengthscale;
  Matrix L, gram;  // gram: L'L
  Vector log_left;
};

// One variable in its nested basis Q = Q_d B (see gp/basis.py).
struct Variable {
  std::shared_ptr<const PanelRows> rows;
  Matrix coordinates;         // B
  std::vector<Band> bands;    // finest first
  Vector line;                // Q'z
  Vector ones;                // Q'1
  Matrix targets;             // Q'x_j for every variable x_j
  std::vector<Root> kept;     // at lengthscales that are tried again and again
};

class Statistics {
 public:
  Statistics(Index n_rows, double log_shortest, double band_width, double mean_sd, Form form,
             std::vector<Prior> priors, Prior noise, double slope_variance, Vector target_sums,
             Vector target_squares);

  Statistics(const Statistics&) = delete;

  void set(int index, Variable variable);
  bool is_set(int index) const { return !variables[index].bands.empty(); }
  int n_variables() const { return static_cast<int>(variables.size()); }

  // Q_i'Q_j for j < i, to the sizes that the two bands need; computed when first asked for.
  const Matrix& cross(int i, int band_i, int j, int band_j) const;

  const Index n_rows;
  const double log_shortest, band_width, mean_sd;
  const Form form;
  const std::vector<Prior> priors;  // of each parameter of a parent
  const Prior noise;                // of sigma
  const double slope_variance;      // of parents that are straight lines
  const Vector target_sums, target_squares;  // 1'x_j, x_j'x_j
  std::vector<Variable> variables;

 private:
  struct Pair {
    std::once_flag once[2];
    Matrix gram[2];
  };
  Matrix gram(int i, int j, int band) const;
  mutable std::vector<std::vector<std::unique_ptr<Pair>>> pairs_;  // [i][j], j < i
};

}  // namespace gpnet
