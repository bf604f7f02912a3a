// Random numbers that are the same on every machine: xoshiro256++ (Blackman & Vigna 2019), seeded
// by splitmix64; the maps to numbers are ours, as those of the standard library may differ.
#pragma once

#include <cmath>
#include <cstdint>

namespace gpnet {

class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) {
      uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      word = z ^ (z >> 31);
    }
  }

  // In the open interval (0, 1), so that its logarithm is finite.
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

  double log_uniform() { return std::log(uniform()); }

  // From 0 to n - 1; uneven by less than n / 2^32.
  int below(int n) { return static_cast<int>(((next() >> 32) * static_cast<uint64_t>(n)) >> 32); }

  // Another one, whose numbers have nothing to do with these.
  Random split() { return Random(next()); }

  bool coin() { return next() >> 63; }

 private:
  static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  uint64_t next() {
    uint64_t* s = state_;
    const uint64_t result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
  }

  uint64_t state_[4];
};

}  // namespace gpnet
