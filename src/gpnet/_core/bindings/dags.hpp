// DAGs and other arrays as they come from Python and go back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <new>
#include <vector>

namespace gpnet {

template <class T>
using Column = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig,
                                 nanobind::device::cpu>;
using Graph = nanobind::ndarray<const bool, nanobind::ndim<2>, nanobind::c_contig,
                                nanobind::device::cpu>;
using Graphs = nanobind::ndarray<const bool, nanobind::ndim<3>, nanobind::c_contig,
                                 nanobind::device::cpu>;

inline const std::uint8_t* bytes(const bool* data) {
  return reinterpret_cast<const std::uint8_t*>(data);
}
inline std::uint8_t* bytes(bool* data) { return reinterpret_cast<std::uint8_t*>(data); }

// A NumPy array of zeros, to be filled.
template <class T>
nanobind::ndarray<nanobind::numpy, T> zeros(const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (const std::size_t length : shape) {
    if (__builtin_mul_overflow(size, length, &size)) throw std::bad_alloc();
  }
  T* data = new T[size]();
  nanobind::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nanobind::ndarray<nanobind::numpy, T>(data, shape.size(), shape.data(), owner);
}

// (n, n), booleans that are 0 or 1, without a directed cycle. `number` is that of the DAG among
// several, -1 for one alone.
void check_dag(const char* what, const std::uint8_t* dag, int n, std::int64_t number);

// (n, n) for the n of a table, or for any n that the core can take.
void check_square(const char* what, const Graph& dag, int n);
int checked_size(const char* what, std::size_t rows, std::size_t columns);

}  // namespace gpnet
