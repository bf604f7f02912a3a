#include "mcmc/linear_extensions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mcmc/replica.hpp"

namespace gpnet {

namespace {

using Relation = std::vector<std::vector<uint8_t>>;  // [a][b]: b can be reached from a

Relation closure(const uint8_t* edges, int n) {
  Relation reach;
  for (int v = 0; v < n; ++v) {
    reach.push_back(reached_from(edges, n, v));
    reach.back()[v] = 0;
  }
  return reach;
}

// The parts of the nodes that the relation connects.
std::vector<std::vector<int>> parts_of(const Relation& reach, const std::vector<int>& nodes) {
  std::vector<std::vector<int>> parts;
  std::vector<uint8_t> seen(reach.size(), 0);
  for (const int start : nodes) {
    if (seen[start]) continue;
    std::vector<int> part{start};
    seen[start] = 1;
    for (size_t i = 0; i < part.size(); ++i) {
      for (const int v : nodes) {
        if (seen[v] || !(reach[part[i]][v] || reach[v][part[i]])) continue;
        seen[v] = 1;
        part.push_back(v);
      }
    }
    parts.push_back(part);
  }
  return parts;
}

// Without the nodes that all others stand before or behind: their place in any order is known.
std::vector<int> without_fixed(const Relation& reach, const std::vector<int>& nodes) {
  std::vector<int> left;
  for (const int v : nodes) {
    const bool fixed = std::all_of(nodes.begin(), nodes.end(), [&](int u) {
      return u == v || reach[u][v] || reach[v][u];
    });
    if (!fixed) left.push_back(v);
  }
  return left;
}

// N(S) = number of orders of a set S that is closed under predecessors: N({}) = 1, and each node
// that may follow S adds N(S) to N(S with it).
double log_count_sets(const Relation& reach, const std::vector<int>& nodes) {
  const size_t k = nodes.size();
  std::vector<uint32_t> needs(k, 0);
  for (size_t i = 0; i < k; ++i) {
    for (size_t j = 0; j < k; ++j) needs[i] |= uint32_t{reach[nodes[j]][nodes[i]]} << j;
  }
  std::vector<double> count(size_t{1} << k, 0.0);
  count[0] = 1.0;
  for (uint32_t set = 0; set + 1 < count.size(); ++set) {
    if (count[set] == 0.0) continue;
    for (size_t i = 0; i < k; ++i) {
      if (!(set >> i & 1) && !(needs[i] & ~set)) count[set | 1u << i] += count[set];
    }
  }
  return std::log(count.back());
}

// Parts that are not connected may be shuffled in any way: k! / (k_1! k_2! ...) times their product.
double log_count(const Relation& reach, const std::vector<int>& nodes, int max_nodes) {
  const std::vector<int> left = without_fixed(reach, nodes);
  if (left.empty()) return 0.0;
  const auto parts = parts_of(reach, left);
  if (parts.size() == 1 && left.size() == nodes.size()) {
    if (static_cast<int>(left.size()) > max_nodes) return std::numeric_limits<double>::quiet_NaN();
    return log_count_sets(reach, left);
  }
  double total = std::lgamma(left.size() + 1.0);
  for (const auto& part : parts) {
    total += log_count(reach, part, max_nodes) - std::lgamma(part.size() + 1.0);
  }
  return total;
}

}  // namespace

double log_linear_extensions(const uint8_t* edges, int n, int max_nodes) {
  std::vector<int> nodes(n);
  for (int v = 0; v < n; ++v) nodes[v] = v;
  return log_count(closure(edges, n), nodes, max_nodes);
}

}  // namespace gpnet
