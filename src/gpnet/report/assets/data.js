// What the page knows: numbers that were worked out when it was written.

import { byId } from "./dom.js";

export const data = JSON.parse(byId("data").textContent);
export const n = data.names.length;

// A probability with its error: p, standard error, and the ends of its interval.
export function asBar([p, error, low, high]) {
  return { p, error, low, high };
}

// Two readings of the draws: as real tables taught, with directions left open, or as if the model held.
function reading({ edges, pairs }) {
  return {
    edges: new Map(edges.map(([i, j, ...bar]) => [i * n + j, asBar(bar)])),
    pairs: new Map(pairs.map(([a, b, adjacent, there, back, undirected]) => [
      a * n + b,
      { a, b, adjacent: asBar(adjacent), there: asBar(there), back: asBar(back), undirected: asBar(undirected) },
    ])),
  };
}

const taught = reading(data), ifHeld = data.if_held ? reading(data.if_held) : taught;
const never = asBar(data.never);
export const hasReadings = Boolean(data.if_held);
let chosen = taught;

export function readAs(held) {
  chosen = held ? ifHeld : taught;
}

export function edgeBar(parent, child) {
  return chosen.edges.get(parent * n + child) || never;
}

export function barIfHeld(parent, child) {
  return ifHeld.edges.get(parent * n + child) || never;
}

export function allPairs() {
  return [...chosen.pairs.values()];
}

// How a pair is drawn: from, to; "solid", "open" or "line"; and what tells the direction.
const signs = new Map(data.signs.map(([from, to, sign, grounds]) => [Math.min(from, to) * n + Math.max(from, to), { from, to, sign, grounds }]));

export function signOf(a, b) {
  return signs.get(Math.min(a, b) * n + Math.max(a, b)) || { from: a, to: b, sign: "line", grounds: "" };
}

export function isIdentified(a, b) {
  return ["experiment", "knowledge"].includes(signOf(a, b).grounds);
}

// Of two variables in any order: adjacent at all; in the CPDAG first -> second, the reverse, neither.
export function pairOf(a, b) {
  const found = chosen.pairs.get(Math.min(a, b) * n + Math.max(a, b));
  if (!found) return { adjacent: { ...never, p: edgeBar(a, b).p + edgeBar(b, a).p }, there: never, back: never, undirected: never };
  return a < b ? found : { ...found, there: found.back, back: found.there };
}

export function decode(text, Kind) {
  return new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}

// The fitted curve of a parent in its node, in the likeliest of the sets that were fitted; or nothing.
export function curveOf(parent, node) {
  const found = data.curves ? data.curves.curves.filter((c) => c.parent === parent && c.node === node) : [];
  const place = (curve) => data.draws.sets[node].findIndex((set) => String(set[0]) === String(curve.parents));
  return found.sort((x, y) => place(x) - place(y))[0];
}

// What is said of an arrow or an effect may change while the computation has not converged.
export function soFar(text) {
  return data.summary.converged === false ? `The computation has not converged. So far: ${text}` : text;
}

export function arrow(parent, child) {
  return `${data.full[parent]} → ${data.full[child]}`;
}

// With the sign that says what tells the direction, the preferred one first.
export function signed(a, b) {
  const { from, to, sign } = signOf(a, b);
  return `${data.full[from]} ${{ solid: "→", open: "⇢", line: "—" }[sign]} ${data.full[to]}`;
}
