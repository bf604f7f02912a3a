// Questions to the draws, answered here: a weighted share of DAGs, and the error of that share.

import { data, decode, n } from "./data.js";
import { betaSd, betaSpan } from "./numbers.js";

const drawn = data.draws;
const codes = decode(drawn.codes, drawn.wide ? Uint16Array : Uint8Array);
const weights = decode(drawn.weights, Float64Array);
export const nDags = weights.length;
export const leftOut = drawn.left_out;
export const isCut = nDags < drawn.n_distinct;

export function parentsIn(dag, node) {
  return drawn.sets[node][codes[node * nDags + dag]][0];
}

// Parent sets of a node, the most probable first; held: if the model holds.
export function setsOf(node, held = false) {
  const sets = drawn.sets[node].map(([parents, p, , linear, ifHeld = p]) => ({ parents, p: held ? ifHeld : p, linear }));
  return held ? sets.sort((x, y) => y.p - x.p) : sets;
}

// Of each DAG whether something holds.
function event(holds) {
  return Uint8Array.from({ length: nDags }, (_, dag) => (holds(dag) ? 1 : 0));
}

// Nodes from which a directed path leads to this one.
function above(dag, node) {
  const found = new Uint8Array(n), open = [node];
  while (open.length) {
    for (const parent of parentsIn(dag, open.pop())) {
      if (!found[parent]) {
        found[parent] = 1;
        open.push(parent);
      }
    }
  }
  return found;
}

function below(dag, node) {
  const known = new Uint8Array(n); // 1: not below, 2: below
  const isBelow = (child) => {
    if (!known[child]) {
      known[child] = parentsIn(dag, child).some((p) => p === node || isBelow(p)) ? 2 : 1;
    }
    return known[child] === 2;
  };
  return Uint8Array.from({ length: n }, (_, child) => (isBelow(child) ? 1 : 0));
}

function blanket(dag, node) {
  const found = new Uint8Array(n);
  for (const parent of parentsIn(dag, node)) found[parent] = 1;
  for (let child = 0; child < n; child++) {
    const parents = parentsIn(dag, child);
    if (!parents.includes(node)) continue;
    found[child] = 1;
    for (const partner of parents) if (partner !== node) found[partner] = 1;
  }
  return found;
}

export const CIRCLES = { ancestors: above, descendants: below, blanket };

// The probability of each variable to be an ancestor, descendant or in the blanket of a node.
export function circle(kind, node) {
  const key = `${kind}:${node}`;
  if (!circles.has(key)) circles.set(key, makeCircle(kind, node)); // the slider asks at each step
  return circles.get(key);
}

const circles = new Map();

function makeCircle(kind, node) {
  const shares = new Float64Array(n);
  for (let dag = 0; dag < nDags; dag++) {
    CIRCLES[kind](dag, node).forEach((inside, v) => {
      if (inside) shares[v] += weights[dag];
    });
  }
  return shares;
}

export const QUESTIONS = {
  path: {
    text: "drives, directly or through others",
    told: (x, y) => `This is the probability that ${x} drives ${y}, directly or through others (a path leads from ${x} to ${y}).`,
    holds: (d, a, b) => above(d, b)[a],
  },
  edge: {
    text: "drives directly",
    told: (x, y) => `This is the probability that ${x} drives ${y} directly (${x} → ${y}).`,
    holds: (d, a, b) => parentsIn(d, b).includes(a),
  },
  adjacent: {
    text: "is adjacent to, whichever way",
    told: (x, y) => `This is the probability that ${x} and ${y} are adjacent, whichever way the arrow points.`,
    holds: (d, a, b) => parentsIn(d, b).includes(a) || parentsIn(d, a).includes(b),
  },
};

export function ask(kind, a, b) {
  return estimate(event((dag) => QUESTIONS[kind].holds(dag, a, b)));
}

// Ways that lead from a to b, each with the share of DAGs that have every step of it. Looked for
// among the shortest ways of each DAG, as all of them may be very many.
export function waysBetween(a, b, most) {
  const hints = new Map();
  for (let dag = 0; dag < nDags; dag++) {
    for (const way of shortestWays(dag, a, b)) {
      hints.set(way.join(), (hints.get(way.join()) || 0) + weights[dag]);
    }
  }
  const likeliest = [...hints].sort((x, y) => y[1] - x[1]).slice(0, most);
  return likeliest.map(([key]) => key.split(",").map(Number)).map((way) => ({ way, p: shareOf(way) }));
}

function shareOf(way) {
  const has = (dag) => way.every((v, k) => k === 0 || parentsIn(dag, v).includes(way[k - 1]));
  let p = 0;
  for (let dag = 0; dag < nDags; dag++) if (has(dag)) p += weights[dag];
  return p;
}

function shortestWays(dag, a, b) {
  let ways = [[b]];
  for (let step = 1; step < n && ways.length; step++) {
    const longer = ways.flatMap((way) => parentsIn(dag, way[0]).map((p) => [p, ...way]));
    const there = longer.filter((way) => way[0] === a);
    if (there.length) return there;
    ways = longer.slice(0, 60);
  }
  return [];
}

// A probability from an event, as Posterior.probability has it. With lightest DAGs left out only
// its bounds are known.
function estimate(holds) {
  let p = 0;
  for (let dag = 0; dag < nDags; dag++) if (holds[dag]) p += weights[dag];
  if (isCut) return { p, low: p, high: p + leftOut, error: null, bounds: true };
  if (drawn.errors === null) return { p, low: null, high: null, error: null };
  const often = p > 0.5;
  const rare = often ? holds.map((yes) => 1 - yes) : holds;
  let q = 0;
  for (let dag = 0; dag < nDags; dag++) if (rare[dag]) q += weights[dag];
  const known = effectiveDraws(rare, q);
  p = often ? 1 - q : q;
  const [low, high] = betaSpan(p, known);
  return { p, low, high, error: betaSd(p, known) };
}

// (q (1 - q) + 1 / m) / (variance + 1 / m^2), and the variance by the scores on top.
function effectiveDraws(rare, q) {
  const m = drawn.n_effective, spread = q * (1 - q), varies = rare.includes(1);
  const sampling = varies && drawn.missing_mass === null ? samplingVariance(rare, q) : 0;
  const evidence = varies ? evidenceVariance(rare, q) : 0;
  const known = (spread + 1 / m) / (sampling + 1 / (m * m));
  return evidence > 0 ? spread / (spread / known + evidence) : known;
}

// The sum over parent sets of s^2 Cov(event, has the set)^2.
function evidenceVariance(rare, q) {
  let total = 0;
  for (let node = 0; node < n; node++) {
    const sets = drawn.sets[node];
    if (!sets.some((set) => set[2] > 0)) continue;
    const inside = new Float64Array(sets.length), weight = new Float64Array(sets.length);
    for (let dag = 0; dag < nDags; dag++) {
      const set = codes[node * nDags + dag];
      weight[set] += weights[dag];
      if (rare[dag]) inside[set] += weights[dag];
    }
    sets.forEach((set, k) => {
      if (set[2] > 0) total += (set[2] * (inside[k] - q * weight[k])) ** 2;
    });
  }
  return total;
}

// The sum of w^2 (f - q)^2 over the draws, times how many draws of a chain are worth one.
function samplingVariance(rare, q) {
  const { squares, chains, dag, draw_weights: ofDraws } = drawn.errors;
  let sum = 0;
  if (squares) {
    decode(squares, Float64Array).forEach((square, k) => { sum += square * (rare[k] - q) ** 2; });
    return sum;
  }
  const off = decode(ofDraws, Float64Array), dags = decode(dag, Uint32Array);
  for (let k = 0; k < off.length; k++) off[k] *= rare[dags[k]] - q;
  for (const h of off) sum += h * h;
  return sum * drawsWorthOne(off, chains[0], chains[1]);
}

// Geyer's initial positive sequence of autocovariances, made to descend (see convergence.py).
function drawsWorthOne(series, nChains, length) {
  let mean = 0;
  for (let k = 0; k < nChains * length; k++) mean += series[k] / (nChains * length);
  const covariance = (lag) => {
    let sum = 0;
    for (let chain = 0; chain < nChains; chain++) {
      const start = chain * length;
      for (let k = start; k < start + length - lag; k++) sum += (series[k] - mean) * (series[k + lag] - mean);
    }
    return sum;
  };
  const all = covariance(0);
  if (!(all > 0)) return 1;
  let total = 0, least = Infinity;
  for (let lag = 0; lag + 1 < length; lag += 2) {
    const pair = (covariance(lag) + covariance(lag + 1)) / all;
    if (pair <= 0) break;
    least = Math.min(least, pair);
    total += least;
  }
  return Math.max(2 * total - 1, 1);
}
