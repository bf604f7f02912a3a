// Bindings of the exact sums over DAGs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include "bindings/bindings.hpp"
#include "exact/exact.hpp"
#include "exact/draw.hpp"

namespace nb = nanobind;
using namespace gpnet;
using nb::arg;
using Release = nb::call_guard<nb::gil_scoped_release>;
using MaskArray = nb::ndarray<const Mask, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DoubleArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

template <class T>
static Table<T> as_table(std::vector<T> values, std::size_t rows, std::size_t columns) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Table<T>(kept->data(), {rows, columns}, owner);
}

static void add_node(ExactDags& self, Mask universe, const MaskArray& sets,
                     const DoubleArray& log_weights, bool keep_sets) {
  if (sets.size() != log_weights.size()) throw nb::value_error("one weight for each set");
  nb::gil_scoped_release release;
  const std::vector<Mask> copy(sets.data(), sets.data() + sets.size());
  self.add_node(NodeWeights(universe, copy, log_weights.data(), keep_sets));
}

static std::tuple<Table<Mask>, double, std::int64_t> draw(const ExactDags& self,
                                                          std::uint64_t seed, std::int64_t first,
                                                          int n_draws) {
  DagDraws draws;
  {
    nb::gil_scoped_release release;
    draws = draw_dags(self, seed, first, n_draws);
  }
  return {as_table(std::move(draws.parents), n_draws, self.n_nodes()), draws.noise,
          draws.n_restarts};
}

static Table<double> square(const ExactDags& exact, const std::vector<double>& values) {
  return as_table(values, exact.n_nodes(), exact.n_nodes());
}

void bind_exact(nb::module_& m) {
  const auto owned = nb::rv_policy::move;  // the array owns its copy
  nb::class_<ExactDags>(m, "ExactDags", "Sums over all DAGs of a table, up to 20 nodes.")
      .def(nb::init<int>(), arg("n_nodes"))
      .def("add_node", &add_node, arg("universe"), arg("sets"), arg("log_weights"),
           arg("keep_sets"), "The next node: all members, its parent sets and their weights.")
      .def("forward", &ExactDags::forward, arg("n_steps"), Release(),
           "Goes on with Z; the steps done of all 3^n.")
      .def("backward", &ExactDags::backward, arg("n_steps"), Release(),
           "Goes on with the probabilities; the steps done of all 3^n.")
      .def("prepare_draws", &ExactDags::prepare_draws, Release())
      .def("draw", &draw, arg("seed"), arg("first"), arg("n_draws"),
           "Parents as masks (n_draws, n), the noise summed over draws, the restarts.")
      .def_prop_ro("log_normaliser", &ExactDags::log_normaliser)
      .def_prop_ro("log_backward_normaliser", &ExactDags::log_backward_normaliser)
      .def_prop_ro("forward_error", &ExactDags::forward_error)
      .def_prop_ro("edges", [](const ExactDags& self) { return square(self, self.edges()); }, owned)
      .def_prop_ro("descendants",
                   [](const ExactDags& self) { return square(self, self.descendants()); }, owned)
      .def_prop_ro("mass_error", &ExactDags::mass_error);
}
