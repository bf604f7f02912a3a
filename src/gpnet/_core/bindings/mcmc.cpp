// Bindings of the chains over DAGs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "bindings/bindings.hpp"
#include "mcmc/linear_extensions.hpp"
#include "mcmc/order.hpp"
#include "mcmc/order_search.hpp"
#include "mcmc/partition.hpp"
#include "mcmc/partition_order.hpp"
#include "mcmc/structure.hpp"

namespace nb = nanobind;
using namespace gpnet;
using nb::arg;
using Release = nb::call_guard<nb::gil_scoped_release>;
template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Graph = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Graphs = nb::ndarray<const bool, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// A NumPy array of zeros, to be filled.
template <class T>
static nb::ndarray<nb::numpy, T> zeros(const std::vector<size_t>& shape) {
  size_t size = 1;
  for (const size_t length : shape) size *= length;
  T* data = new T[size]();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner);
}

static const uint8_t* bytes(const bool* data) { return reinterpret_cast<const uint8_t*>(data); }
static uint8_t* bytes(bool* data) { return reinterpret_cast<uint8_t*>(data); }

template <class Tables>
static void set_node(Tables& self, int node, std::vector<int> candidates,
                     const Column<uint64_t>& masks, const Column<int32_t>& plus_one,
                     const Column<double>& log_scores) {
  nb::gil_scoped_release release;
  self.set_node(node, NodeSets(std::move(candidates), masks.shape(0), masks.data(),
                               plus_one.data(), log_scores.data()));
}

// Places of the nodes from Python, padded.
struct PlacesOf {
  std::vector<double> at;
  Places places;
  PlacesOf(const std::vector<double>& given, double level, double previous)
      : at(places_for(static_cast<int>(given.size()))) {
    std::copy(given.begin(), given.end(), at.begin());
    places = {at.data(), level, previous};
  }
};

static std::pair<double, bool> quick(const ParentSums& self, int node,
                                     const std::vector<double>& at, double level, double previous) {
  const LogSum found = self.quick(node, PlacesOf(at, level, previous).places);
  return {found.value, found.exact};
}

static double log_sum(const ParentSums& self, int node, const std::vector<double>& at, double level,
                      double previous) {
  return self.log_sum(node, PlacesOf(at, level, previous).places);
}

static double one_by_one(const ParentSums& self, int node, const std::vector<double>& at,
                         double level, double previous) {
  return self.sets(node).log_sum(PlacesOf(at, level, previous).places);
}

// A DAG in the support, and nobody; or a DAG without edges, and the nodes that cannot be placed.
static auto start(const ParentSums& self, uint64_t seed) {
  const size_t n = self.n_nodes();
  auto dag = zeros<bool>({n, n});
  Random random(seed);
  std::vector<int> stuck;
  const Edges found = random_start(self, random, &stuck);
  std::copy(found.begin(), found.end(), bytes(dag.data()));
  return std::make_pair(dag, stuck);
}

static auto search(const BestSets& self, int64_t n_iterations, uint64_t seed) {
  const size_t n = self.n_nodes();
  auto dag = zeros<bool>({n, n});
  double log_score;
  {
    nb::gil_scoped_release release;
    log_score = search_order(self, n_iterations, seed, bytes(dag.data()));
  }
  return std::make_pair(dag, log_score);
}

// One replica a temperature, each from its own start.
template <class Make>
static std::unique_ptr<Chain> chain_of(const Graphs& starts, std::vector<double> betas,
                                       int swap_every, uint64_t seed, Make make,
                                       Trade trade = nullptr) {
  const size_t n = starts.shape(1);
  std::vector<std::unique_ptr<Replica>> replicas;
  for (size_t k = 0; k < betas.size(); ++k) {
    replicas.push_back(make(bytes(starts.data()) + k * n * n));
  }
  return std::make_unique<Chain>(static_cast<int>(n), std::move(replicas), std::move(betas),
                                 swap_every, seed, trade);
}

static auto partition_chain(const ParentSums& sums, const Graphs& starts, std::vector<double> betas,
                            int swap_every, uint64_t seed, double reversal_rate) {
  return chain_of(starts, std::move(betas), swap_every, seed, [&](const uint8_t* dag) {
    return std::make_unique<PartitionReplica>(sums, dag, reversal_rate);
  });
}

// A partition, and orders at the temperatures from the second on.
static auto partition_order_chain(const ParentSums& sums, const Graphs& starts,
                                  std::vector<double> betas, int swap_every, uint64_t seed,
                                  double reversal_rate) {
  bool first = true;
  const auto make = [&](const uint8_t* dag) -> std::unique_ptr<Replica> {
    if (!std::exchange(first, false)) return std::make_unique<OrderReplica>(sums, dag);
    return std::make_unique<PartitionReplica>(sums, dag, reversal_rate);
  };
  return chain_of(starts, std::move(betas), swap_every, seed, make, &trade);
}

static auto order_chain(const ParentSums& sums, const Graphs& starts, std::vector<double> betas,
                        int swap_every, uint64_t seed) {
  return chain_of(starts, std::move(betas), swap_every, seed, [&](const uint8_t* dag) {
    return std::make_unique<OrderReplica>(sums, dag);
  });
}

static auto structure_chain(const ParentSums& sums, const SetScores& scores, const Graphs& starts,
                            std::vector<double> betas, int swap_every, uint64_t seed,
                            double reversal_rate) {
  return chain_of(starts, std::move(betas), swap_every, seed, [&](const uint8_t* dag) {
    return std::make_unique<StructureReplica>(sums, scores, dag, reversal_rate);
  });
}

static auto run(Chain& self, int64_t n_steps, int64_t thin) {
  const size_t n = self.n_nodes(), n_draws = self.n_draws_in(n_steps, thin);
  auto dags = zeros<bool>({n_draws, n, n});
  auto log_scores = zeros<double>({n_draws});
  {
    nb::gil_scoped_release release;
    self.run(n_steps, thin, bytes(dags.data()), log_scores.data());
  }
  return std::make_pair(dags, log_scores);
}

static auto count_extensions(const Graphs& dags, int max_nodes) {
  const size_t n = dags.shape(1);
  auto found = zeros<double>({dags.shape(0)});
  {
    nb::gil_scoped_release release;
    for (size_t i = 0; i < dags.shape(0); ++i) {
      found.data()[i] = log_linear_extensions(bytes(dags.data()) + i * n * n, n, max_nodes);
    }
  }
  return found;
}

static void bind_tables(nb::module_& m) {
  nb::class_<ParentSums>(m, "ParentSums", "Sums of scores over the parent sets that fit.")
      .def(nb::init<int, bool>(), arg("n_nodes"), arg("plus_one"))
      .def("set_node", &set_node<ParentSums>, arg("node"), arg("candidates"), arg("masks"),
           arg("plus_one"), arg("log_scores"))
      .def("quick", &quick, arg("node"), arg("at"), arg("level"), arg("previous"),
           "By differences of tables: (value, exact); an upper bound where not exact.")
      .def("log_sum", &log_sum, arg("node"), arg("at"), arg("level"), arg("previous"),
           "The same, and always exact.")
      .def("one_by_one", &one_by_one, arg("node"), arg("at"), arg("level"), arg("previous"),
           "The same, set by set.")
      .def("random_start", &start, arg("seed"), "(a DAG in the support, nodes without a place).");
  nb::class_<BestSets>(m, "BestSets", "The best parent sets that fit.")
      .def(nb::init<int, bool>(), arg("n_nodes"), arg("plus_one"))
      .def("set_node", &set_node<BestSets>, arg("node"), arg("candidates"), arg("masks"),
           arg("plus_one"), arg("log_scores"))
      .def("search", &search, arg("n_iterations"), arg("seed"), "(the best DAG found, its score).");
  nb::class_<SetScores>(m, "SetScores", "The score of any parent set.")
      .def(nb::init<int, int>(), arg("n_nodes"), arg("max_parents"))
      .def("set_node",
           [](SetScores& self, int node, const std::vector<int>& candidates,
              const std::vector<int>& plus_one_parents, const Column<double>& log_scores) {
             self.set_node(node, candidates, plus_one_parents, log_scores.shape(0),
                           log_scores.data());
           },
           arg("node"), arg("candidates"), arg("plus_one_parents"), arg("log_scores"))
      .def("log_score",
           [](const SetScores& self, int node, const Graph& dag) {
             return self.log_score(node, bytes(dag.data()));
           },
           arg("node"), arg("dag"), "-inf outside the space.");
}

void bind_chains(nb::module_& m) {
  bind_tables(m);
  nb::class_<Chain>(m, "Chain", "Replicas at several temperatures.")
      .def("advance", &Chain::advance, arg("n_steps"), Release())
      .def("run", &run, arg("n_steps"), arg("thin"),
           "(DAGs, log scores), one after every `thin` steps.")
      .def_prop_ro("tried", [](const Chain& self) { return self.tally().tried; })
      .def_prop_ro("accepted", [](const Chain& self) { return self.tally().accepted; })
      .def_prop_ro("exchanges_tried", [](const Chain& self) { return self.exchanges().tried; })
      .def_prop_ro("exchanges_accepted",
                   [](const Chain& self) { return self.exchanges().accepted; })
      .def_prop_ro("n_nodes", &Chain::n_nodes)
      .def_prop_ro("n_terms", &Chain::n_terms)
      .def_prop_ro("log_target", &Chain::log_target);
  m.def("partition_chain", &partition_chain, arg("sums"), arg("starts"), arg("betas"),
        arg("swap_every"), arg("seed"), arg("reversal_rate"), nb::keep_alive<0, 1>());
  m.def("partition_order_chain", &partition_order_chain, arg("sums"), arg("starts"), arg("betas"),
        arg("swap_every"), arg("seed"), arg("reversal_rate"), nb::keep_alive<0, 1>());
  m.def("log_probability_of_order",
        [](const Graph& dag, const std::vector<int>& order) {
          return log_probability_of_order(bytes(dag.data()), static_cast<int>(dag.shape(0)), order);
        },
        arg("dag"), arg("order"),
        "With which chains of a partition and orders draw an order of a DAG.");
  m.def("order_chain", &order_chain, arg("sums"), arg("starts"), arg("betas"), arg("swap_every"),
        arg("seed"), nb::keep_alive<0, 1>());
  m.def("structure_chain", &structure_chain, arg("sums"), arg("scores"), arg("starts"),
        arg("betas"), arg("swap_every"), arg("seed"), arg("reversal_rate"),
        nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>());
  m.def("log_linear_extensions", &count_extensions, arg("dags"), arg("max_nodes"),
        "Log of the number of orders that each DAG fits to; nan where it is too large.");
}
