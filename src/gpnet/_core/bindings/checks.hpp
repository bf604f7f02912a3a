// Checks of what Python hands over, before the core sees it: the loops of the core trust their
// arguments. Each exception names the argument, what was expected and what was found: ValueError
// for a value or a shape, IndexError for a node that is not there, RuntimeError for a call too
// early, too late or from two threads at once.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpnet {

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

template <class... Parts>
void expect(bool right, const Parts&... message) {
  if (!right) throw nanobind::value_error(text(message...).c_str());
}

template <class... Parts>
void expect_turn(bool right, const Parts&... message) {
  if (!right) throw std::runtime_error(text(message...));
}

inline void check_index(const char* what, std::int64_t found, std::int64_t size) {
  if (found >= 0 && found < size) return;
  throw nanobind::index_error(
      text(what, ": expected an index from 0 to ", size - 1, ", found ", found).c_str());
}

template <class Number>
void check_between(const char* what, Number found, Number low, Number high) {
  expect(found >= low && found <= high, what, ": expected from ", low, " to ", high, ", found ",
         found);
}

// `of` tells what there must be as many of.
inline void check_length(const char* what, std::size_t found, std::size_t expected,
                         const char* of) {
  expect(found == expected, what, ": expected ", expected, " entries, ", of, ", found ", found);
}

inline void check_no_nan(const char* what, const double* values, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    expect(!std::isnan(values[i]), what, ": expected numbers, found nan at ", i);
  }
}

// Other nodes of n, each once.
inline void check_nodes(const char* what, const std::vector<int>& nodes, int n, int node) {
  std::vector<bool> seen(n, false);
  for (const int other : nodes) {
    check_index(what, other, n);
    expect(other != node, what, ": expected other nodes than ", node, ", found it among them");
    expect(!seen[other], what, ": expected each node once, found ", other, " twice");
    seen[other] = true;
  }
}

// Who changes an object has it alone, who reads it shares it. As locks are released around long
// loops, two threads may come at once: the second is told, not kept waiting.
class Alone {
 public:
  Alone(std::shared_mutex& in_use, const char* what) : lock_(in_use, std::try_to_lock) {
    expect_turn(lock_.owns_lock(), what, ": expected one thread at a time, found another at work");
  }

 private:
  std::unique_lock<std::shared_mutex> lock_;
};

class Shared {
 public:
  Shared(std::shared_mutex& in_use, const char* what) : lock_(in_use, std::try_to_lock) {
    expect_turn(lock_.owns_lock(), what, ": expected no other thread to change it, found one");
  }

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

}  // namespace gpnet
