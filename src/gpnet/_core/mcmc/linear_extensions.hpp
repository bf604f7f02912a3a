// How many orders a DAG fits to.
#pragma once

#include <cstdint>

namespace gpnet {

// Log of the number of linear extensions of the DAG edges[parent * n + child]; nan where a part of
// it, connected by edges and without its nodes that all others stand before or behind, has more than
// max_nodes nodes.
double log_linear_extensions(const uint8_t* edges, int n, int max_nodes);

}  // namespace gpnet
