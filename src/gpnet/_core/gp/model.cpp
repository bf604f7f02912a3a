#include "gp/model.hpp"

#include <algorithm>
#include <cmath>

namespace gpnet {

// Nats that a factor may leave out by its columns. Beyond kFewRows it is so many for each row: as much
// as rounding may do, or else the rank would grow with the rows, without end. Rows of the basis that
// few rows of the data need are left out as well; of these the error goes with the root.
constexpr Index kFewRows = 4096;
constexpr double kNats = 1e-7, kNatsEach = 3e-9, kRowsEach = 1e-15;

Tolerance tolerance(double variance, Index n_rows) {
  const double scale = std::min(1.0, variance);
  if (n_rows <= kFewRows) return {kNats * scale, 0.0};
  return {kNatsEach * n_rows * scale, kRowsEach * n_rows};
}

Model build_model(const Problem& problem, const Vector& u, int order) {
  const int p = static_cast<int>(problem.parents.size()), n = problem.data.form.size();
  Model model;
  model.variance = std::exp(2 * u[u.size() - 1]);
  model.start.push_back(1);
  for (int i = 0; i < p; ++i) {
    model.factors.push_back(
        factor(problem.data, problem.parents[i], u.data() + i * n, order,
               tolerance(model.variance, problem.data.n_rows)));
  }
  for (int line : problem.lines) model.factors.push_back(line_factor(problem.data, line));
  for (const Factor& f : model.factors) model.start.push_back(model.start.back() + f.F.cols());
  return model;
}

Normal normal_equations(const Problem& problem, const Model& model) {
  const Statistics& data = problem.data;
  const Index r = model.rank();
  const double s = data.mean_sd;
  Normal n{Matrix(r, r), Vector(r)};
  n.B(0, 0) = s * s * data.n_rows;
  n.c[0] = s * data.target_sums[problem.node];
  for (size_t i = 0; i < model.factors.size(); ++i) {
    const Matrix& F = model.factors[i].F;
    const Variable& variable = data.variables[problem.variable(i)];
    const Index m = F.rows(), ri = F.cols(), at = model.start[i];
    n.B.col(0).segment(at, ri).noalias() = s * (F.transpose() * variable.ones.head(m));
    n.c.segment(at, ri).noalias() = F.transpose() * variable.targets.col(problem.node).head(m);
    n.B.block(at, at, ri, ri) = model.factors[i].gram;
    for (size_t j = 0; j < i; ++j) {
      const Factor& other = model.factors[j];
      const Matrix half = across(data, problem.variable(i), model.factors[i].band, m,
                                 problem.variable(j), other);
      n.B.block(at, model.start[j], ri, other.F.cols()).noalias() = F.transpose() * half;
    }
  }
  n.B.diagonal().array() += model.variance;
  return n;
}

}  // namespace gpnet
