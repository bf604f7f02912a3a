// What the reader has chosen; whoever draws it is told when it changes.

import { data, readAs } from "./data.js";

export const state = {
  threshold: data.threshold,
  view: "links", // or "arrows", "classes"
  held: false, // read as if the model held
  edge: null, // [parent, child]
  node: null,
  pair: null, // [cause, target]: what if the first is set
  circle: null, // "ancestors", "descendants" or "blanket" of the node
};

const listeners = [];

export function onChange(listener) {
  listeners.push(listener);
}

export function change(changes) {
  Object.assign(state, changes);
  if ("held" in changes) readAs(state.held);
  for (const listener of listeners) listener(changes);
}

export function chooseEdge(parent, child) {
  change({ edge: [parent, child], node: null, pair: null, circle: null });
}

export function chooseNode(node) {
  change({ node, edge: null, pair: null, circle: null });
}

// Two variables, one after the other: what if the first is set?
export function choosePair(cause, target) {
  change({ pair: [cause, target], node: target, edge: null, circle: null });
}
