#include "gp/noise_profile.hpp"

#include <cmath>

#include "gp/golden_section.hpp"
#include "gp/model.hpp"

namespace gpnet {

NoiseProfile::NoiseProfile(const Problem& problem, const Vector& u, double least)
    : problem_(problem), log_prior_(0) {
  const Index d = u.size();
  Vector at = u;
  at[d - 1] = std::log(least);
  const Model model = build_model(problem, at, 0);
  Normal normal = normal_equations(problem, model);
  normal.B.diagonal().array() -= model.variance;
  const Eigen::Tridiagonalization<Matrix> tridiagonal(normal.B);
  diagonal_ = tridiagonal.diagonal();
  below_ = tridiagonal.subDiagonal();
  c_ = tridiagonal.matrixQ().adjoint() * normal.c;
  for (Index a = 0; a + 1 < d; ++a) log_prior_ += problem.prior(a).log_density(u[a]);
}

// T + sigma^2 I = L D L', one entry of D and of L^{-1}c after the other.
double NoiseProfile::value(double log_sigma) const {
  const double variance = std::exp(2 * log_sigma);
  const Index r = diagonal_.size();
  double log_determinant = 2 * (problem_.data.n_rows - r) * log_sigma, explained = 0;
  double pivot = 0, along = 0;
  for (Index k = 0; k < r; ++k) {
    const double factor = k ? below_[k - 1] / pivot : 0;
    pivot = diagonal_[k] + variance - (k ? factor * below_[k - 1] : 0);
    if (!(pivot > 0)) return -INFINITY;
    along = c_[k] - factor * along;
    log_determinant += std::log(pivot);
    explained += along * along / pivot;
  }
  const double unexplained = problem_.data.target_squares[problem_.node] - explained;
  return -0.5 * (log_determinant + unexplained / variance + problem_.data.n_rows * kLog2Pi) +
         log_prior_ + problem_.data.noise.log_density(log_sigma);
}

double NoiseProfile::peak(double low, double high) const {
  return golden_section([this](double s) { return value(s); }, low, high, 8);
}

}  // namespace gpnet
