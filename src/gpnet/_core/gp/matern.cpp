#include "gp/matern.hpp"

#include <cmath>
#include <tuple>
#include <utility>

#include "gp/golden_section.hpp"

namespace gpnet {
namespace {

const double kLeastLogNoise = std::log(0.003), kMostLogNoise = std::log(1.5);  // log sigma

}  // namespace

Matern::Matern(const Vector& x, const Vector& gaps, double lengthscale, Merged merged)
    : x_(x),
      gaps_(gaps),
      merged_(std::move(merged)),
      log_counts_(merged_.counts.array().log().sum()),
      rate_(std::sqrt(3.0) / lengthscale),
      decay_((-rate_ * gaps.array()).exp()) {}

// The state is (f, f'), of covariance P; without data P = diag(1, rate^2). Over a gap t the state
// goes to A (f, f') and what P is short of that without data shrinks to A (.) A', with
// A = e^{-rate t} [1 + rate t, t; -rate^2 t, 1 - rate t]. The mean of n rows at a place has noise of
// variance / n; rows about it are noise alone.
double Matern::log_likelihood(double log_sigma) const {
  const double variance = std::exp(2 * log_sigma), steepness = rate_ * rate_;
  double f = 0, slope = 0, a = 0, b = 0, c = 0;  // P = [1 + a, b; b, rate^2 + c]
  double sum = 0;
  for (Index k = 0; k < x_.size(); ++k) {
    if (k > 0) {
      const double t = gaps_[k - 1], e = decay_[k - 1];
      const double A = e * (1 + rate_ * t), B = e * t, C = -steepness * B, D = e * (1 - rate_ * t);
      std::tie(f, slope) = std::make_pair(A * f + B * slope, C * f + D * slope);
      std::tie(a, b, c) = std::make_tuple(A * A * a + 2 * A * B * b + B * B * c,
                                          A * C * a + (A * D + B * C) * b + B * D * c,
                                          C * C * a + 2 * C * D * b + D * D * c);
    }
    const double total = 1 + a + variance / merged_.counts[k], error = x_[k] - f;
    sum += std::log(total) + error * error / total;
    const double gain = (1 + a) / total, gain_slope = b / total;
    f += gain * error;
    slope += gain_slope * error;
    c -= gain_slope * b;
    b -= gain * b;
    a -= gain * (1 + a);
  }
  const double n = merged_.counts.sum();
  sum += 2 * (n - x_.size()) * log_sigma + merged_.within / variance + log_counts_;
  return -0.5 * (sum + n * kLog2Pi);
}

std::pair<double, double> Matern::best_noise(const Prior& noise) const {
  const auto value = [&](double s) { return log_likelihood(s) + noise.log_density(s); };
  const double s = golden_section(value, kLeastLogNoise, kMostLogNoise, 14);
  return {value(s), s};
}

}  // namespace gpnet
