// Bindings of the tables over parent sets that chains and the search for the best order stand on.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/checks.hpp"
#include "bindings/dags.hpp"
#include "bindings/parent_tables.hpp"
#include "mcmc/order_search.hpp"
#include "mcmc/structure.hpp"

namespace nb = nanobind;
using namespace gpnet;
using nb::arg;

static void check_candidates(const std::vector<int>& candidates, int n, int node) {
  expect(candidates.size() <= std::size_t(most_candidates), "candidates: expected at most ",
         most_candidates, ", found ", candidates.size());
  check_nodes("candidates", candidates, n, node);
}

static void check_log_scores(const Column<double>& log_scores) {
  for (std::size_t i = 0; i < log_scores.shape(0); ++i) {
    const double found = log_scores.data()[i];
    expect(found == -infinity || std::abs(found) <= most_log_score,
           "log_scores: expected -inf or numbers from ", -most_log_score, " to ", most_log_score,
           ", found ", found, " at ", i);
  }
}

// The sets of one node as they come from Python.
struct GivenSets {
  const std::vector<int>& candidates;
  const Column<uint64_t>& masks;
  const Column<int32_t>& plus_one;  // -1 for none
  const Column<double>& log_scores;
};

// Whether u may be the parent from outside: none of the candidates, nor the node itself.
static std::vector<bool> outside(const GivenSets& given, int n, int node) {
  std::vector<bool> found(n, true);
  found[node] = false;
  for (const int candidate : given.candidates) found[candidate] = false;
  return found;
}

// Masks of candidates alone, parents from outside where there may be one, and each set once.
static void check_sets(const GivenSets& given, int n, int node, bool plus_one) {
  const std::size_t m = given.candidates.size(), columns = plus_one ? n + 1 : 1;
  const std::vector<bool> may = outside(given, n, node);
  std::vector<bool> seen((std::size_t{1} << m) * columns, false);
  for (std::size_t i = 0; i < given.masks.shape(0); ++i) {
    const uint64_t mask = given.masks.data()[i];
    const int u = given.plus_one.data()[i];
    expect(mask >> m == 0, "masks: expected bits of ", m, " candidates, found ", mask, " at ", i);
    expect(plus_one || u == -1, "plus_one: expected -1 for none in tables without plus_one, found ",
           u, " at ", i);
    if (u != -1) {
      check_index("plus_one", u, n);
      expect(may[u], "plus_one: expected nodes other than ", node, " and its candidates, found ", u,
             " at ", i);
    }
    const std::size_t place = std::size_t(mask) * columns + (u + 1);
    expect(!seen[place], "masks, plus_one: expected each set once, found that at ", i, " again");
    seen[place] = true;
  }
  check_log_scores(given.log_scores);
}

template <class Tables>
static void check_unset(const Tables& self, int node) {
  expect_turn(!self.is_set(node), "set_node: expected each node once, found ", node, " again");
}

// Tables are filled without the GIL and put into their place with it, so that nobody ever sees half
// of one; once there they never change, as chains stand on them.
template <class Tables>
static void set_node(Tables& self, int node, std::vector<int> candidates,
                     const Column<uint64_t>& masks, const Column<int32_t>& plus_one,
                     const Column<double>& log_scores) {
  const int n = self.n_nodes();
  check_index("node", node, n);
  check_unset(self, node);
  check_candidates(candidates, n, node);
  check_length("plus_one", plus_one.shape(0), masks.shape(0), "one for each mask");
  check_length("log_scores", log_scores.shape(0), masks.shape(0), "one for each mask");
  typename Tables::Node tabulated;
  {
    nb::gil_scoped_release release;
    check_sets({candidates, masks, plus_one, log_scores}, n, node, self.plus_one());
    tabulated = self.tabulate(node, NodeSets(std::move(candidates), masks.shape(0), masks.data(),
                                             plus_one.data(), log_scores.data()));
  }
  check_unset(self, node);
  self.set_node(node, std::move(tabulated));
}

static void set_scores_of_node(SetScores& self, int node, const std::vector<int>& candidates,
                               const std::vector<int>& plus_one_parents,
                               const Column<double>& log_scores) {
  const int n = self.n_nodes();
  check_index("node", node, n);
  check_unset(self, node);
  check_candidates(candidates, n, node);
  check_nodes("plus_one_parents", plus_one_parents, n, node);
  for (const int u : plus_one_parents) {
    expect(std::find(candidates.begin(), candidates.end(), u) == candidates.end(),
           "plus_one_parents: expected nodes other than the candidates, found ", u);
  }
  check_log_scores(log_scores);
  self.set_node(node, candidates, plus_one_parents, log_scores.shape(0), log_scores.data());
}

// Places of the nodes from Python, padded.
struct PlacesOf {
  std::vector<double> at;
  Places places;

  PlacesOf(const ParentSums& sums, int node, const std::vector<double>& given, double level,
           double previous)
      : at(places_for(sums.n_nodes())) {
    check_index("node", node, sums.n_nodes());
    check_set("node", sums, node);
    check_length("at", given.size(), sums.n_nodes(), "one for each node");
    check_no_nan("at", given.data(), given.size());
    check_no_nan("level", &level, 1);
    expect(previous < level, "previous: expected below level ", level, ", found ", previous);
    expect(given[node] >= level, "at: expected the node itself not before level ", level,
           ", found it at ", given[node]);
    for (const double place : given) {
      expect(previous == nobody || place <= previous || place >= level,
             "at: expected nobody between previous ", previous, " and level ", level,
             ", found a node at ", place);
    }
    std::copy(given.begin(), given.end(), at.begin());
    places = {at.data(), level, previous};
  }
};

static std::pair<double, bool> quick(const ParentSums& self, int node,
                                     const std::vector<double>& at, double level, double previous) {
  const LogSum found = self.quick(node, PlacesOf(self, node, at, level, previous).places);
  return {found.value, found.exact};
}

static double log_sum(const ParentSums& self, int node, const std::vector<double>& at, double level,
                      double previous) {
  return self.log_sum(node, PlacesOf(self, node, at, level, previous).places);
}

static double one_by_one(const ParentSums& self, int node, const std::vector<double>& at,
                         double level, double previous) {
  const PlacesOf checked(self, node, at, level, previous);
  return self.sets(node).log_sum(checked.places);
}

// A DAG in the support, and nobody; or a DAG without edges, and the nodes that cannot be placed.
static auto start(const ParentSums& self, uint64_t seed) {
  check_all_set("random_start", self);
  const size_t n = self.n_nodes();
  auto dag = zeros<bool>({n, n});
  Random random(seed);
  std::vector<int> stuck;
  const Edges found = random_start(self, random, &stuck);
  std::copy(found.begin(), found.end(), bytes(dag.data()));
  return std::make_pair(dag, stuck);
}

static auto search(const BestSets& self, int64_t n_iterations, uint64_t seed) {
  check_all_set("search", self);
  expect(n_iterations >= 0, "n_iterations: expected 0 or more, found ", n_iterations);
  const size_t n = self.n_nodes();
  auto dag = zeros<bool>({n, n});
  double log_score;
  {
    nb::gil_scoped_release release;
    log_score = search_order(self, n_iterations, seed, bytes(dag.data()));
  }
  return std::make_pair(dag, log_score);
}

static auto improve(const BestSets& self, const Graph& start, int64_t n_iterations, uint64_t seed) {
  check_all_set("improve", self);
  expect(n_iterations >= 0, "n_iterations: expected 0 or more, found ", n_iterations);
  const size_t n = self.n_nodes();
  check_square("start", start, self.n_nodes());
  check_dag("start", bytes(start.data()), self.n_nodes(), -1);
  auto dag = zeros<bool>({n, n});
  double log_score;
  {
    nb::gil_scoped_release release;
    log_score = improve_order(self, bytes(start.data()), n_iterations, seed, bytes(dag.data()));
  }
  return std::make_pair(dag, log_score);
}

static double log_score(const SetScores& self, int node, const Graph& dag) {
  check_index("node", node, self.n_nodes());
  check_set("node", self, node);
  check_square("dag", dag, self.n_nodes());
  return self.log_score(node, bytes(dag.data()));
}

void bind_parent_tables(nb::module_& m) {
  // Other integers are not converted: those too large would become small ones.
  const auto masks = arg("masks").noconvert();
  const auto plus_one = arg("plus_one").noconvert();
  nb::class_<ParentSums>(m, "ParentSums", "Sums of scores over the parent sets that fit.")
      .def(nb::init<int, bool>(), arg("n_nodes"), arg("plus_one"))
      .def("set_node", &set_node<ParentSums>, arg("node"), arg("candidates"), masks, plus_one,
           arg("log_scores"))
      .def("quick", &quick, arg("node"), arg("at"), arg("level"), arg("previous"),
           "By differences of tables: (value, exact); an upper bound where not exact.")
      .def("log_sum", &log_sum, arg("node"), arg("at"), arg("level"), arg("previous"),
           "The same, and always exact.")
      .def("one_by_one", &one_by_one, arg("node"), arg("at"), arg("level"), arg("previous"),
           "The same, set by set.")
      .def("random_start", &start, arg("seed"), "(a DAG in the support, nodes without a place).");
  nb::class_<BestSets>(m, "BestSets", "The best parent sets that fit.")
      .def(nb::init<int, bool>(), arg("n_nodes"), arg("plus_one"))
      .def("set_node", &set_node<BestSets>, arg("node"), arg("candidates"), masks, plus_one,
           arg("log_scores"))
      .def("search", &search, arg("n_iterations"), arg("seed"), "(the best DAG found, its score).")
      .def("improve", &improve, arg("start"), arg("n_iterations"), arg("seed"),
           "(the best DAG found from an order of `start`, its score).");
  nb::class_<SetScores>(m, "SetScores", "The score of any parent set.")
      .def(nb::init<int, int>(), arg("n_nodes"), arg("max_parents"))
      .def("set_node", &set_scores_of_node, arg("node"), arg("candidates"),
           arg("plus_one_parents"), arg("log_scores"))
      .def("log_score", &log_score, arg("node"), arg("dag"), "-inf outside the space.");
}
