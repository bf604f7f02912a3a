#include "gp/residuals.hpp"

#include <algorithm>
#include <cmath>

#include "gp/model.hpp"

namespace gpnet {
namespace {

constexpr Index kBlock = 256;          // rows at once
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

// Some rows at once; of each variable those of its panels.
struct Block {
  Index first;
  std::vector<Rows> local;
  std::vector<Index> crowded, sparse;  // within the block
};

// Where the panels of all parents hold thousands of rows, no row has a say in its own fit.
Block block_of(const Fitted& fit, Index first, Index k) {
  Block block{first, {}, {}, {}};
  for (size_t i = 0; i < fit.tables.size(); ++i) block.local.push_back(fit.rows(i).block(first, k));
  for (Index row = 0; row < k; ++row) {
    bool kept = fit.tables.empty();
    for (size_t i = 0; i < fit.tables.size(); ++i) kept |= fit.rows(i).keeps(first + row);
    (kept ? block.sparse : block.crowded).push_back(row);
  }
  return block;
}

// Some rows of V, as columns.
Matrix rows_of(const Fitted& fit, const Block& block) {
  Matrix V(fit.model.rank(), block.sparse.size());
  V.row(0).setConstant(fit.problem.data.mean_sd);
  for (size_t i = 0; i < fit.tables.size(); ++i) {
    const Index at = fit.model.start[i], width = fit.tables[i].cols(), p = fit.rows(i).width();
    for (Index k = 0; k < V.cols(); ++k) {
      const Index row = block.sparse[k];
      V.col(k).segment(at, width).noalias() =
          fit.tables[i].middleRows(fit.rows(i).start(block.first + row), p).transpose() *
          block.local[i].row(row).transpose();
    }
  }
  return V;
}

double fitted_value(const Fitted& fit, const Block& block, Index row) {
  double value = fit.problem.data.mean_sd * fit.gamma[0];
  for (size_t i = 0; i < fit.tables.size(); ++i) {
    const Index at = fit.rows(i).start(block.first + row), p = fit.rows(i).width();
    value += block.local[i].row(row).dot(fit.curves[i].segment(at, p));
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
  for (Index first = 0; first < x.size(); first += kBlock) {
    const Block block = block_of(fit, first, std::min(kBlock, x.size() - first));
    for (const Index row : block.crowded) {
      result.standardised[first + row] = (x[first + row] - fitted_value(fit, block, row)) / sigma;
    }
    Matrix V = rows_of(fit, block);
    const Vector explained = V.transpose() * fit.gamma;
    fit.llt.matrixL().solveInPlace(V);
    for (Index k = 0; k < V.cols(); ++k) {
      const Index row = first + block.sparse[k];
      const double free = std::sqrt(std::max(1 - V.col(k).squaredNorm(), kLeastFree));
      result.standardised[row] = (x[row] - explained[k]) / (sigma * free);
      result.sd[row] = sigma / free;
    }
  }
  return result;
}

}  // namespace gpnet
