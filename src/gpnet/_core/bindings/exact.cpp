// Bindings of the exact sums over DAGs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <limits>

#include "bindings/bindings.hpp"
#include "bindings/checks.hpp"
#include "exact/draw.hpp"
#include "exact/exact.hpp"

namespace nb = nanobind;
using namespace gpnet;
using nb::arg;
using Release = nb::call_guard<nb::gil_scoped_release>;
using MaskArray = nb::ndarray<const Mask, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DoubleArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

constexpr std::int64_t kMostSteps = std::int64_t{1} << 62;  // so that they can be added

template <class T>
static Table<T> as_table(std::vector<T> values, std::size_t rows, std::size_t columns) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Table<T>(kept->data(), {rows, columns}, owner);
}

// The nodes

static void check_universe(const ExactDags& self, Mask universe) {
  const int node = self.n_added(), n = self.n_nodes();
  expect(universe >> n == 0, "universe: expected bits of ", n, " nodes, found ", universe);
  expect(!(universe >> node & 1), "universe: expected other nodes than ", node, ", found ",
         universe, " with it");
}

// Sets within the universe, each once, and weights that the powers of two can take.
static void check_sets(Mask universe, const std::vector<Mask>& sets, const double* log_weights) {
  std::vector<bool> seen(std::size_t{universe} + 1, false);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    expect((sets[i] & ~universe) == 0, "sets: expected members of the universe ", universe,
           ", found ", sets[i], " at ", i);
    expect(!seen[sets[i]], "sets: expected each once, found ", sets[i], " again at ", i);
    seen[sets[i]] = true;
    const double found = log_weights[i];
    expect(found == -std::numeric_limits<double>::infinity() || std::abs(found) <= kMostLogWeight,
           "log_weights: expected -inf or numbers from ", -kMostLogWeight, " to ", kMostLogWeight,
           ", found ", found, " at ", i);
  }
}

static void check_room(const ExactDags& self) {
  expect_turn(self.n_added() < self.n_nodes(), "add_node: expected ", self.n_nodes(),
              " nodes, found one more");
}

static void add_node(ExactDags& self, Mask universe, const MaskArray& given,
                     const DoubleArray& log_weights, bool keep_sets) {
  const Alone alone(self.in_use, "ExactDags");
  check_room(self);
  check_universe(self, universe);
  check_length("log_weights", log_weights.size(), given.size(), "one for each set");
  nb::gil_scoped_release release;
  const std::vector<Mask> sets(given.data(), given.data() + given.size());
  check_sets(universe, sets, log_weights.data());
  self.add_node(NodeWeights(universe, sets, log_weights.data(), keep_sets));
}

// The recursions and the draws, each after what it stands on

static std::int64_t forward(ExactDags& self, std::int64_t n_steps) {
  check_between("n_steps", n_steps, std::int64_t{0}, kMostSteps);
  const Alone alone(self.in_use, "ExactDags");
  expect_turn(self.n_added() == self.n_nodes(), "forward: expected ", self.n_nodes(),
              " nodes, found ", self.n_added(), " added");
  return self.forward(n_steps);
}

static void check_summed(const ExactDags& self, const char* what) {
  expect_turn(self.forward_done(), what, ": expected forward to be done first, found it was not");
}

static void check_possible(const ExactDags& self, const char* what) {
  check_summed(self, what);
  expect_turn(self.any_dag(), what, ": expected a DAG that is possible, found none");
}

static std::int64_t backward(ExactDags& self, std::int64_t n_steps) {
  check_between("n_steps", n_steps, std::int64_t{0}, kMostSteps);
  const Alone alone(self.in_use, "ExactDags");
  check_possible(self, "backward");
  return self.backward(n_steps);
}

static void prepare_draws(ExactDags& self) {
  const Alone alone(self.in_use, "ExactDags");
  check_possible(self, "prepare_draws");
  expect_turn(self.sets_kept(), "prepare_draws: expected nodes with keep_sets, found one without");
  self.prepare_draws();
}

static std::tuple<Table<Mask>, double, std::int64_t> draw(const ExactDags& self,
                                                          std::uint64_t seed, std::int64_t first,
                                                          int n_draws) {
  check_between("first", first, std::int64_t{0}, kMostSteps);
  expect(n_draws >= 0, "n_draws: expected 0 or more, found ", n_draws);
  const Shared shared(self.in_use, "ExactDags");
  expect_turn(self.draws_prepared(), "draw: expected prepare_draws first, found it was not called");
  DagDraws draws;
  {
    nb::gil_scoped_release release;
    draws = draw_dags(self, seed, first, n_draws);
  }
  return {as_table(std::move(draws.parents), n_draws, self.n_nodes()), draws.noise,
          draws.n_restarts};
}

// A number that is there after the recursion.
static auto after_forward(const char* what, double (ExactDags::*number)() const) {
  return [what, number](const ExactDags& self) {
    const Shared shared(self.in_use, "ExactDags");
    check_summed(self, what);
    return (self.*number)();
  };
}

static void check_pulled(const ExactDags& self, const char* what) {
  expect_turn(self.backward_done(), what, ": expected backward to be done first, found it was not");
}

static auto after_backward(const char* what, double (ExactDags::*number)() const) {
  return [what, number](const ExactDags& self) {
    const Shared shared(self.in_use, "ExactDags");
    check_pulled(self, what);
    return (self.*number)();
  };
}

static auto square(const char* what, const std::vector<double>& (ExactDags::*numbers)() const) {
  return [what, numbers](const ExactDags& self) {
    const Shared shared(self.in_use, "ExactDags");
    check_pulled(self, what);
    return as_table((self.*numbers)(), self.n_nodes(), self.n_nodes());
  };
}

void bind_exact(nb::module_& m) {
  const auto owned = nb::rv_policy::move;  // the array owns its copy
  nb::class_<ExactDags>(m, "ExactDags", "Sums over all DAGs of a table, up to 20 nodes.")
      .def(nb::init<int>(), arg("n_nodes"))
      // Other integers are not converted: those too large would become small ones.
      .def("add_node", &add_node, arg("universe"), arg("sets").noconvert(), arg("log_weights"),
           arg("keep_sets"), "The next node: all members, its parent sets and their weights.")
      .def("forward", &forward, arg("n_steps"), Release(),
           "Goes on with Z; the steps done of all 3^n.")
      .def("backward", &backward, arg("n_steps"), Release(),
           "Goes on with the probabilities; the steps done of all 3^n.")
      .def("prepare_draws", &prepare_draws, Release())
      .def("draw", &draw, arg("seed"), arg("first"), arg("n_draws"),
           "Parents as masks (n_draws, n), the noise summed over draws, the restarts.")
      .def_prop_ro("log_normaliser",
                   after_forward("log_normaliser", &ExactDags::log_normaliser))
      .def_prop_ro("log_backward_normaliser", after_backward("log_backward_normaliser",
                                                             &ExactDags::log_backward_normaliser))
      .def_prop_ro("forward_error", after_forward("forward_error", &ExactDags::forward_error))
      .def_prop_ro("edges", square("edges", &ExactDags::edges), owned)
      .def_prop_ro("descendants", square("descendants", &ExactDags::descendants), owned)
      .def_prop_ro("mass_error", after_backward("mass_error", &ExactDags::mass_error));
}
