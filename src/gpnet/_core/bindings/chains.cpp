// Bindings of the chains over DAGs, and of what orders and DAGs have to do with each other.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/checks.hpp"
#include "bindings/dags.hpp"
#include "bindings/parent_tables.hpp"
#include "mcmc/linear_extensions.hpp"
#include "mcmc/order.hpp"
#include "mcmc/order_sums.hpp"
#include "mcmc/partition.hpp"
#include "mcmc/partition_order.hpp"
#include "mcmc/structure.hpp"

namespace nb = nanobind;
using namespace gpnet;
using nb::arg;

constexpr int64_t most_steps = int64_t{1} << 62;  // so that none can be too many to be counted
constexpr int most_counted = 30;                  // nodes of a part whose orders are counted

// What all chains are made from.
struct Given {
  const ParentSums& sums;
  const Graphs& starts;  // (k, n, n), one for each beta
  const std::vector<double>& betas;
  int swap_every;
  uint64_t seed;
};

static void check_betas(const std::vector<double>& betas) {
  expect(!betas.empty(), "betas: expected one or more, found none");
  for (const double beta : betas) {
    expect(beta > 0.0 && beta <= 1.0, "betas: expected above 0 and at most 1, found ", beta);
  }
  expect(betas[0] == 1.0, "betas: expected 1 first, found ", betas[0]);
}

// Whether the parents of the node are one of its sets.
static bool in_support(const NodeSets& sets, const uint8_t* dag, int n, int node) {
  std::vector<uint8_t> outside(n);
  for (int u = 0; u < n; ++u) outside[u] = dag[u * n + node];
  uint32_t mask = 0;
  for (size_t j = 0; j < sets.candidates().size(); ++j) {
    uint8_t& parent = outside[sets.candidates()[j]];
    mask |= uint32_t{parent} << j;
    parent = 0;
  }
  const auto first = std::find(outside.begin(), outside.end(), 1);
  const int plus_one = first == outside.end() ? -1 : static_cast<int>(first - outside.begin());
  return std::count(outside.begin(), outside.end(), 1) <= 1 && sets.contains(mask, plus_one);
}

static void check_starts(const Given& given) {
  const Graphs& starts = given.starts;
  const size_t k = given.betas.size(), n = given.sums.n_nodes();
  expect(starts.shape(0) == k && starts.shape(1) == n && starts.shape(2) == n,
         "starts: expected shape (", k, ", ", n, ", ", n, "), a DAG for each beta, found (",
         starts.shape(0), ", ", starts.shape(1), ", ", starts.shape(2), ")");
  for (size_t i = 0; i < k; ++i) {
    const uint8_t* dag = bytes(starts.data()) + i * n * n;
    check_dag("starts", dag, static_cast<int>(n), static_cast<int64_t>(i));
    for (int v = 0; v < static_cast<int>(n); ++v) {
      expect(in_support(given.sums.sets(v), dag, static_cast<int>(n), v), "starts number ", i,
             ": expected a DAG in the support, found parents of node ", v,
             " that are none of its sets");
    }
  }
}

// One replica a temperature, each from its own start.
template <class Make>
static std::unique_ptr<Chain> chain_of(const Given& given, Make make, Trade trade = nullptr) {
  check_all_set("sums", given.sums);
  check_betas(given.betas);
  check_starts(given);
  expect(given.swap_every >= 1, "swap_every: expected 1 or more, found ", given.swap_every);
  const size_t n = given.sums.n_nodes();
  std::vector<std::unique_ptr<Replica>> replicas;
  for (size_t k = 0; k < given.betas.size(); ++k) {
    replicas.push_back(make(bytes(given.starts.data()) + k * n * n));
    expect(replicas[k]->log_target() > -infinity, "starts number ", k,
           ": expected a DAG in the support, found one of probability 0");
  }
  return std::make_unique<Chain>(static_cast<int>(n), std::move(replicas), given.betas,
                                 given.swap_every, given.seed, trade);
}

static void check_rate(const char* name, double rate) { check_between(name, rate, 0.0, 1.0); }

static auto partition_chain(const ParentSums& sums, const Graphs& starts,
                            const std::vector<double>& betas, int swap_every, uint64_t seed,
                            double walk_rate) {
  check_rate("walk_rate", walk_rate);
  return chain_of({sums, starts, betas, swap_every, seed}, [&](const uint8_t* dag) {
    return std::make_unique<PartitionReplica>(sums, dag, walk_rate);
  });
}

// A partition, and orders at the temperatures from the second on.
static auto partition_order_chain(const ParentSums& sums, const Graphs& starts,
                                  const std::vector<double>& betas, int swap_every, uint64_t seed,
                                  double walk_rate) {
  check_rate("walk_rate", walk_rate);
  expect(betas.size() < 2 || betas[1] == 1.0,
         "betas: expected 1 of the first order too, which trades with the partition, found ",
         betas.size() < 2 ? 1.0 : betas[1]);
  bool first = true;
  const auto make = [&](const uint8_t* dag) -> std::unique_ptr<Replica> {
    if (!std::exchange(first, false)) return std::make_unique<OrderReplica>(sums, dag);
    return std::make_unique<PartitionReplica>(sums, dag, walk_rate);
  };
  return chain_of({sums, starts, betas, swap_every, seed}, make, &trade);
}

// A partition, and beside it orders that are drawn anew for every trade.
static auto partition_drawn_order_chain(const OrderSums& orders, const Graphs& starts,
                                        int swap_every, uint64_t seed, double walk_rate) {
  check_rate("walk_rate", walk_rate);
  const Shared shared(orders.in_use, "orders");
  expect_turn(orders.complete(), "orders: expected sums over all sets, found some to come");
  bool first = true;
  const auto make = [&](const uint8_t* dag) -> std::unique_ptr<Replica> {
    if (!std::exchange(first, false)) return std::make_unique<DrawnOrder>(orders, dag);
    return std::make_unique<PartitionReplica>(orders.sums(), dag, walk_rate);
  };
  const std::vector<double> betas{1.0, 1.0};
  return chain_of({orders.sums(), starts, betas, swap_every, seed}, make, &renew_and_trade);
}

static auto order_chain(const ParentSums& sums, const Graphs& starts,
                        const std::vector<double>& betas, int swap_every, uint64_t seed) {
  return chain_of({sums, starts, betas, swap_every, seed}, [&](const uint8_t* dag) {
    return std::make_unique<OrderReplica>(sums, dag);
  });
}

static auto structure_chain(const ParentSums& sums, const SetScores& scores, const Graphs& starts,
                            const std::vector<double>& betas, int swap_every, uint64_t seed,
                            double reversal_rate) {
  check_rate("reversal_rate", reversal_rate);
  expect(scores.n_nodes() == sums.n_nodes(), "scores: expected ", sums.n_nodes(),
         " nodes, as sums has, found ", scores.n_nodes());
  check_all_set("scores", scores);
  check_all_set("sums", sums);
  for (int v = 0; v < sums.n_nodes(); ++v) {
    expect(scores.has_candidates(v, sums.sets(v).candidates()),
           "scores: expected the candidates of sums, found others of node ", v);
  }
  return chain_of({sums, starts, betas, swap_every, seed}, [&](const uint8_t* dag) {
    return std::make_unique<StructureReplica>(sums, scores, dag, reversal_rate);
  });
}

static void advance(Chain& self, int64_t n_steps) {
  check_between("n_steps", n_steps, int64_t{0}, most_steps);
  const Alone alone(self.in_use, "chain");
  self.advance(n_steps);
}

static auto run(Chain& self, int64_t n_steps, int64_t thin) {
  check_between("n_steps", n_steps, int64_t{0}, most_steps);
  const Alone alone(self.in_use, "chain");
  check_between("thin", thin, self.since_draw() + 1, most_steps);
  const size_t n = self.n_nodes(), n_draws = self.n_draws_in(n_steps, thin);
  auto dags = zeros<bool>({n_draws, n, n});
  auto log_scores = zeros<double>({n_draws});
  {
    nb::gil_scoped_release release;
    self.run(n_steps, thin, bytes(dags.data()), log_scores.data());
  }
  return std::make_pair(dags, log_scores);
}

// A property, while no other thread is at work on the chain.
template <class Read>
static auto read(Read property) {
  return [property](const Chain& self) {
    const Shared shared(self.in_use, "chain");
    return property(self);
  };
}

static void check_order(const std::vector<int>& order, const uint8_t* dag, int n) {
  check_length("order", order.size(), n, "each node once");
  check_nodes("order", order, n, -1);
  std::vector<bool> placed(n, false);
  for (const int node : order) {
    for (int u = 0; u < n; ++u) {
      expect(!dag[u * n + node] || placed[u],
             "order: expected parents before their children, found ", node, " before its parent ",
             u);
    }
    placed[node] = true;
  }
}

static double probability_of_order(const Graph& dag, const std::vector<int>& order) {
  const int n = checked_size("dag", dag.shape(0), dag.shape(1));
  check_dag("dag", bytes(dag.data()), n, -1);
  check_order(order, bytes(dag.data()), n);
  return log_probability_of_order(bytes(dag.data()), n, order);
}

static auto count_extensions(const Graphs& dags, int max_nodes) {
  check_between("max_nodes", max_nodes, 0, most_counted);
  const int n = checked_size("dags", dags.shape(1), dags.shape(2));
  const size_t size = size_t(n) * n;
  auto found = zeros<double>({dags.shape(0)});
  {
    nb::gil_scoped_release release;
    for (size_t i = 0; i < dags.shape(0); ++i) {
      const uint8_t* dag = bytes(dags.data()) + i * size;
      check_dag("dags", dag, n, static_cast<int64_t>(i));
      found.data()[i] = log_linear_extensions(dag, n, max_nodes);
    }
  }
  return found;
}

static void make_order_sums(OrderSums* self, const ParentSums& sums) {
  check_all_set("sums", sums);
  expect(sums.n_nodes() <= most_ordered, "sums: expected at most ", most_ordered,
         " nodes, found ", sums.n_nodes());
  new (self) OrderSums(sums);
}

static int64_t advance_sums(OrderSums& self, int64_t n_sets) {
  check_between("n_sets", n_sets, int64_t{0}, most_steps);
  const Alone alone(self.in_use, "OrderSums");
  return self.advance(n_sets);
}

static double log_total(const OrderSums& self) {
  const Shared shared(self.in_use, "OrderSums");
  expect_turn(self.complete(), "log_total: expected sums over all sets, found some to come");
  return self.log_total();
}

static void bind_order_sums(nb::module_& m) {
  nb::class_<OrderSums>(m, "OrderSums", "Sums over all orders, to draw them independently.")
      .def("__init__", &make_order_sums, arg("sums"), nb::keep_alive<1, 2>())
      .def("advance", &advance_sums, arg("n_sets"), nb::call_guard<nb::gil_scoped_release>(),
           "Goes on; the sets done of all n_sets.")
      .def_prop_ro("n_sets", &OrderSums::n_sets)
      .def_prop_ro("log_total", &log_total);
}

static void bind_chain(nb::module_& m) {
  nb::class_<Chain>(m, "Chain", "Replicas at several temperatures.")
      .def("advance", &advance, arg("n_steps"), nb::call_guard<nb::gil_scoped_release>())
      .def("run", &run, arg("n_steps"), arg("thin"),
           "(DAGs, log scores), one after every `thin` steps.")
      .def_prop_ro("tried", read([](const Chain& self) { return self.tally().tried; }))
      .def_prop_ro("accepted", read([](const Chain& self) { return self.tally().accepted; }))
      .def_prop_ro("exchanges_tried",
                   read([](const Chain& self) { return self.exchanges().tried; }))
      .def_prop_ro("exchanges_accepted",
                   read([](const Chain& self) { return self.exchanges().accepted; }))
      .def_prop_ro("n_nodes", &Chain::n_nodes)
      .def_prop_ro("n_terms", read([](const Chain& self) { return self.n_terms(); }))
      .def_prop_ro("log_target", read([](const Chain& self) { return self.log_target(); }));
}

void bind_chains(nb::module_& m) {
  bind_chain(m);
  bind_order_sums(m);
  m.def("partition_chain", &partition_chain, arg("sums"), arg("starts"), arg("betas"),
        arg("swap_every"), arg("seed"), arg("walk_rate"), nb::keep_alive<0, 1>());
  m.def("partition_order_chain", &partition_order_chain, arg("sums"), arg("starts"), arg("betas"),
        arg("swap_every"), arg("seed"), arg("walk_rate"), nb::keep_alive<0, 1>());
  m.def("partition_drawn_order_chain", &partition_drawn_order_chain, arg("orders"), arg("starts"),
        arg("swap_every"), arg("seed"), arg("walk_rate"), nb::keep_alive<0, 1>());
  m.def("order_chain", &order_chain, arg("sums"), arg("starts"), arg("betas"), arg("swap_every"),
        arg("seed"), nb::keep_alive<0, 1>());
  m.def("structure_chain", &structure_chain, arg("sums"), arg("scores"), arg("starts"),
        arg("betas"), arg("swap_every"), arg("seed"), arg("reversal_rate"),
        nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>());
  m.def("log_probability_of_order", &probability_of_order, arg("dag"), arg("order"),
        "With which chains of a partition and orders draw an order of a DAG.");
  m.def("log_linear_extensions", &count_extensions, arg("dags"), arg("max_nodes"),
        "Log of the number of orders that each DAG fits to; nan where it is too large.");
}
