// The linear model behind a likelihood: thin factors, and their normal equations.
#pragma once

#include "gp/factor.hpp"
#include "gp/likelihood.hpp"

namespace gpnet {

// x ~ N(0, Sigma) with Sigma = V V' + sigma^2 I, V = [s 1, Q_1 F_1, Q_2 F_2, ...] of r columns:
// the constant, the parents, the lines.
struct Model {
  std::vector<Factor> factors;
  std::vector<Index> start;  // of each factor's columns in V; the last is r
  double variance;           // sigma^2
  Index rank() const { return start.back(); }
  Index width(int parent) const { return start[parent + 1] - start[parent]; }
};

Model build_model(const Problem& problem, const Vector& u, int order);

// What each factor may leave out.
Tolerance tolerance(double variance, Index n_rows);

// B = sigma^2 I + V'V (lower triangle) and c = V'x.
struct Normal {
  Matrix B;
  Vector c;
};

Normal normal_equations(const Problem& problem, const Model& model);

}  // namespace gpnet
