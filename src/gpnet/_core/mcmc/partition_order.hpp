// A partition that trades places with an order: orders mix sooner, the partition has no bias.
#pragma once

#include "mcmc/replica.hpp"

namespace gpnet {

// An order of the DAG, drawn from a distribution r(order | DAG) that can be told: of the nodes
// whose parents are all placed, the next is drawn in proportion to 1 + the number of its
// descendants. In a forest that is the uniform distribution. Returns log r.
double draw_order(const uint8_t* dag, int n, Random& random, std::vector<int>* order);

// Log r of a given order.
double log_probability_of_order(const uint8_t* dag, int n, const std::vector<int>& order);

// Of a PartitionReplica and an OrderReplica, both at temperature 1. A DAG G is drawn from the
// partition and an order s from r(. | G), a DAG G' from the order s'. They trade (G, s) for
// (G', s') with probability min(1, r(s' | G') / r(s | G)): before, the density of all four is
// score(G) r(s | G) score(G'), after it, score(G') r(s' | G') score(G).
bool trade(Replica& partition, Replica& order, Random& random);

}  // namespace gpnet
