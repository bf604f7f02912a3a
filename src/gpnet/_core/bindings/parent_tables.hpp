// Whether the nodes of a table over parent sets have all been set.
#pragma once

#include "bindings/checks.hpp"

namespace gpnet {

template <class Tables>
void check_set(const char* what, const Tables& tables, int node) {
  expect_turn(tables.is_set(node), what, ": expected set_node for it first, found node ", node,
              " without its sets");
}

template <class Tables>
void check_all_set(const char* what, const Tables& tables) {
  for (int node = 0; node < tables.n_nodes(); ++node) check_set(what, tables, node);
}

}  // namespace gpnet
