#include "gp/residuals.hpp"

#include <algorithm>
#include <cmath>

#include "gp/model.hpp"

namespace gpnet {
namespace {

constexpr Index kBlock = 256;          // rows at once
constexpr double kLeastFree = 1e-9;    // of a row's variance: what its own value leaves open

// Rows from `first` on of V, as columns: r x k. `tables` has B F of each factor.
Matrix rows_of(const Problem& problem, const Model& model, const std::vector<Matrix>& tables,
               Index first, Index k) {
  Matrix V(model.rank(), k);
  V.row(0).setConstant(problem.data.mean_sd);
  for (size_t i = 0; i < tables.size(); ++i) {
    const Variable& variable = problem.data.variables[problem.variable(i)];
    const Index at = model.start[i], width = tables[i].cols(), p = variable.rows.cols();
    for (Index row = 0; row < k; ++row) {
      V.col(row).segment(at, width).noalias() =
          tables[i].middleRows(variable.panel[first + row], p).transpose() *
          variable.rows.row(first + row).transpose();
    }
  }
  return V;
}

}  // namespace

// P = (I - V B^{-1} V') / sigma^2
Residuals leave_one_out(const Problem& problem, const Vector& u, const Vector& x) {
  const Model model = build_model(problem, u, 0);
  const Normal normal = normal_equations(problem, model);
  const Eigen::LLT<Matrix> llt(normal.B);
  const Vector gamma = llt.solve(normal.c);
  std::vector<Matrix> tables;
  for (size_t i = 0; i < model.factors.size(); ++i) {
    const Matrix& F = model.factors[i].F;
    tables.push_back(problem.data.variables[problem.variable(i)].coordinates.leftCols(F.rows()) *
                     F);
  }
  const double sigma = std::sqrt(model.variance);
  Residuals result{Vector(x.size()), Vector(x.size())};
  for (Index first = 0; first < x.size(); first += kBlock) {
    const Index k = std::min(kBlock, x.size() - first);
    Matrix V = rows_of(problem, model, tables, first, k);
    const Vector left = x.segment(first, k) - V.transpose() * gamma;
    llt.matrixL().solveInPlace(V);
    const auto free = (1 - V.colwise().squaredNorm().transpose().array()).max(kLeastFree).sqrt();
    result.standardised.segment(first, k) = left.array() / (sigma * free);
    result.sd.segment(first, k) = sigma / free;
  }
  return result;
}

}  // namespace gpnet
