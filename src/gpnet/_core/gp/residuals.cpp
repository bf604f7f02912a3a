#include "gp/residuals.hpp"

#include <algorithm>
#include <cmath>

#include "gp/model.hpp"

namespace gpnet {
namespace {

constexpr Index kResidualsAtOnce = 256;          // rows at once
constexpr double kLeastFree = 1e-9;    // of a row's variance: what its own value leaves open

// A fit, and what its rows need of it.
struct Fitted {
  const Problem& problem;
  const Model& model;
  Eigen::LLT<Matrix> llt;      // of B
  Vector gamma;
  std::vector<Matrix> tables;  // of each factor: Q F in the coordinates of the panels
  std::vector<Vector> curves;  // and times its part of gamma

  const PanelRows& rows(size_t i) const {
    return *problem.data.variables[problem.variable(i)].rows;
  }
};

Fitted fitted(const Problem& problem, const Model& model) {
  const Normal normal = normal_equations(problem, model);
  Fitted fit{problem, model, Eigen::LLT<Matrix>(normal.B), {}, {}, {}};
  fit.gamma = fit.llt.solve(normal.c);
  for (size_t i = 0; i < model.factors.size(); ++i) {
    const Matrix& F = model.factors[i].F;
    const Variable& variable = problem.data.variables[problem.variable(i)];
    fit.tables.push_back(variable.coordinates.leftCols(F.rows()) * F);
    fit.curves.push_back(fit.tables[i] * fit.gamma.segment(model.start[i], F.cols()));
  }
  return fit;
}

// Some of the rows at once.
struct Block {
  std::vector<Index> crowded, sparse;
};

// Where the panels of all parents hold thousands of rows, no row has a say in its own fit.
Block block_of(const Fitted& fit, Index first, Index last) {
  Block block;
  for (Index row = first; row < last; ++row) {
    bool kept = fit.tables.empty();
    for (size_t i = 0; i < fit.tables.size(); ++i) kept |= fit.rows(i).keeps(row);
    (kept ? block.sparse : block.crowded).push_back(row);
  }
  return block;
}

// The sparse rows of V, as columns.
Matrix rows_of(const Fitted& fit, const Block& block) {
  Matrix V(fit.model.rank(), block.sparse.size());
  V.row(0).setConstant(fit.problem.data.mean_sd);
  const Numbers rows = Eigen::Map<const Numbers>(block.sparse.data(), block.sparse.size());
  for (size_t i = 0; i < fit.tables.size(); ++i) {
    const Index at = fit.model.start[i], width = fit.tables[i].cols(), p = fit.rows(i).width();
    const Rows local = fit.rows(i).some(rows);
    for (Index k = 0; k < V.cols(); ++k) {
      V.col(k).segment(at, width).noalias() =
          fit.tables[i].middleRows(fit.rows(i).start(rows[k]), p).transpose() *
          local.row(k).transpose();
    }
  }
  return V;
}

double fitted_value(const Fitted& fit, Index row) {
  double value = fit.problem.data.mean_sd * fit.gamma[0];
  for (size_t i = 0; i < fit.tables.size(); ++i) {
    value += fit.rows(i).interpolated(row, fit.curves[i].data() + fit.rows(i).start(row));
  }
  return value;
}

}  // namespace

// P = (I - V B^{-1} V') / sigma^2
Residuals leave_one_out(const Problem& problem, const Vector& u, const Vector& x) {
  const Model model = build_model(problem, u, 0);
  const Fitted fit = fitted(problem, model);
  const double sigma = std::sqrt(model.variance);
  Residuals result{Vector(x.size()), Vector::Constant(x.size(), sigma)};
  for (Index first = 0; first < x.size(); first += kResidualsAtOnce) {
    const Block block = block_of(fit, first, std::min(first + kResidualsAtOnce, x.size()));
    for (const Index row : block.crowded) {
      result.standardised[row] = (x[row] - fitted_value(fit, row)) / sigma;
    }
    Matrix V = rows_of(fit, block);
    const Vector explained = V.transpose() * fit.gamma;
    fit.llt.matrixL().solveInPlace(V);
    for (Index k = 0; k < V.cols(); ++k) {
      const Index at = block.sparse[k];
      const double free = std::sqrt(std::max(1 - V.col(k).squaredNorm(), kLeastFree));
      result.standardised[at] = (x[at] - explained[k]) / (sigma * free);
      result.sd[at] = sigma / free;
    }
  }
  return result;
}

}  // namespace gpnet
