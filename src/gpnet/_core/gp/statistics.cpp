#include "gp/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gp/factor.hpp"

namespace gpnet {

// Long lengthscales need small blocks. Two sizes only, so that a block's numbers do not depend on
// who asked first.
constexpr int kCoarse = 4;

constexpr Index kRowsAtOnce = 256;  // rows at once

Prior::Prior(double shape, double scale)
    : shape(shape), scale(scale), constant(shape * std::log(scale) - std::lgamma(shape)) {}

double Prior::log_density(double u) const {
  return constant - shape * u - scale * std::exp(-u);
}

Statistics::Statistics(Index n_rows, double log_shortest, double band_width, double mean_sd,
                       Form form, std::vector<Prior> priors, Prior noise, double slope_variance,
                       Vector target_sums, Vector target_squares)
    : n_rows(n_rows),
      log_shortest(log_shortest),
      band_width(band_width),
      mean_sd(mean_sd),
      form(form),
      priors(std::move(priors)),
      noise(noise),
      slope_variance(slope_variance),
      target_sums(std::move(target_sums)),
      target_squares(std::move(target_squares)),
      variables(this->target_sums.size()),
      pairs_(this->target_sums.size()) {
  for (size_t i = 0; i < pairs_.size(); ++i)
    for (size_t j = 0; j < i; ++j) pairs_[i].push_back(std::make_unique<Pair>());
}

void Statistics::set(int index, Variable variable) {
  variable.kept = kept_roots(*this, variable);
  variables[index] = std::move(variable);
}

const Matrix& Statistics::cross(int i, int band_i, int j, int band_j) const {
  const bool coarse = band_i >= kCoarse && band_j >= kCoarse;
  Pair& pair = *pairs_[i][j];
  std::call_once(pair.once[coarse], [&] { pair.gram[coarse] = gram(i, j, coarse ? kCoarse : 0); });
  return pair.gram[coarse];
}

// Q_i'Q_j = B_i' (Q_d,i' Q_d,j) B_j; a row of the data touches one panel of either.
Matrix Statistics::gram(int i, int j, int band) const {
  const Variable &a = variables[i], &b = variables[j];
  Matrix local = Matrix::Zero(a.coordinates.rows(), b.coordinates.rows());
  const Index pa = a.rows->width(), pb = b.rows->width();
  for (Index first = 0; first < n_rows; first += kRowsAtOnce) {
    const Index k = std::min(kRowsAtOnce, n_rows - first);
    const Rows of_a = a.rows->block(first, k), of_b = b.rows->block(first, k);
    for (Index row = 0; row < k; ++row) {
      local.block(a.rows->start(first + row), b.rows->start(first + row), pa, pb).noalias() +=
          of_a.row(row).transpose() * of_b.row(row);
    }
  }
  const Index ma = a.bands[band].size, mb = b.bands[band].size;
  return a.coordinates.leftCols(ma).transpose() * (local * b.coordinates.leftCols(mb));
}

}  // namespace gpnet
