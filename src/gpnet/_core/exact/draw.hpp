// Independent draws of DAGs, layer by layer from the sinks up.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/exact.hpp"

namespace gpnet {

// Random numbers of one draw: they depend on the seed and its number alone (splitmix64).
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t number) : state_(mix(seed) ^ mix(~number)) {}
  double uniform() { return static_cast<double>(mix(state_ += kStep) >> 11) * 0x1p-53; }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  std::uint64_t state_;
};

struct DagDraws {
  std::vector<Mask> parents;  // (n_draws, n)
  double noise = 0.0;         // share of the layers' weights that is rounding, summed over draws
  std::int64_t n_restarts = 0;  // draws begun again as rounding led them nowhere
};

// Weights of all sets of U as the sinks of a DAG on U, relative to Z(U); by compressed set.
//   e(R, U) = sum over T containing R of (-1)^|T\R| Z(U\T) prod_{v in T} A_v(U\T)
std::vector<double> sink_weights(const ExactDags& exact, Mask U);

// Weights that parents of `children` within W cover a set, for all sets of X; by compressed set.
//   h(Y) = sum over T in Y of (-1)^|T| prod_{v in children} A_v(W\T) / A_v(W)
std::vector<double> cover_weights(const ExactDags& exact, Mask children, Mask W, Mask X);

// Draws number `first` and on; the same however they are split into calls.
DagDraws draw_dags(const ExactDags& exact, std::uint64_t seed, std::int64_t first, int n_draws);

// Turns weights into their running sums, without those below zero; returns the share of these.
double accumulate(std::vector<double>& weights);

}  // namespace gpnet
