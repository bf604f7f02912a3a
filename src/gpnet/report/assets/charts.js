// Whether the computation can be trusted, in words and small charts.

import { byId, el, svg } from "./dom.js";
import { data } from "./data.js";
import { chart } from "./curve.js";
import { counted, short } from "./numbers.js";

const SIZE = { width: 380, height: 220 };

export function buildCharts() {
  const { verdict } = data.summary, { problems = [], notes = [] } = data.diagnosis;
  byId("trust").append(
    el("p", { class: "lead" }, verdict),
    ...(problems.length ? [el("ul", {}, ...problems.map((text) => el("li", {}, text)))] : []),
    ...(notes.length ? [el("ul", { class: "caveats" }, ...notes.map((text) => el("li", {}, text)))] : []),
    el("div", { class: "charts" }, edgeCounts(), gammas(), trace(), weightShares()),
    ...figures(),
  );
}

function card(title, picture, text) {
  return el("figure", {}, el("figcaption", {}, title), picture, el("p", { class: "quiet" }, text));
}

function bars(pairs, xLabel, title, step, counts = false) {
  const xs = pairs.map((pair) => pair[0]), most = Math.max(...pairs.map((pair) => pair[1]));
  const made = chart({ ...SIZE, xs: [xs[0] - step, xs[xs.length - 1] + step], ys: [0, most * 1.05], xLabel, yLabel: "probability", title, counts });
  const width = Math.max(1, Math.min(44, (made.x(step) - made.x(0)) * 0.8));
  for (const [x, p] of pairs) {
    made.root.append(svg("rect", { class: "bar-fill", x: made.x(x) - width / 2, width, y: made.y(p), height: Math.max(0, made.bottom - made.y(p)) }));
  }
  return made.root;
}

function edgeCounts() {
  const mean = data.charts.edges.reduce((sum, [k, p]) => sum + k * p, 0);
  return card("How many arrows", bars(data.charts.edges, "arrows in the network", "Probability of each number of arrows", 1, true),
    `On average ${short(mean)} arrows.`);
}

function gammas() {
  const pairs = data.charts.gamma;
  if (!pairs) return null;
  return card("How much an arrow must earn (gamma)", bars(pairs, "gamma", "Probability of the edge penalty", pairs[1][0] - pairs[0][0]),
    "The penalty of an arrow was learned: the larger, the sparser the networks.");
}

function trace() {
  const { trace: chains, independent } = data.charts;
  if (!chains.length) return null; // of replicates, each of which has scores of its own
  const all = chains.flat(), length = Math.max(...chains.map((chain) => chain.length));
  const low = Math.min(...all), high = Math.max(...all), room = (high - low || 1) * 0.05;
  const made = chart({ ...SIZE, left: 62, xs: [0, Math.max(1, length - 1)], ys: [low - room, high + room], xLabel: "draws, in order (thinned)", yLabel: "log target below the best", title: "Log target of the draws" });
  chains.forEach((chain, k) => {
    const points = chain.map((v, at) => `${made.x(at).toFixed(1)} ${made.y(v).toFixed(1)}`).join("L");
    made.root.append(svg("path", { class: `trace chain-${k % 4}`, d: `M${points}` }));
  });
  const text = independent ? "These draws are independent of each other: no chain had to find its way." :
    `${counted(chains.length, "chain")}; they should look alike, and none should drift.`;
  return card("The draws one after the other", made.root, text);
}

function weightShares() {
  const [share, weight] = data.charts.weights, { ess, draws } = data.charts;
  if (data.diagnosis.replicates && ess > draws - 0.5) return null; // all alike, as they were drawn exactly
  const made = chart({ ...SIZE, xs: [0, 1], ys: [0, 1], xLabel: "share of the draws, heaviest first", yLabel: "share of the weight", title: "How evenly the weight is spread" });
  const points = [[0, 0], ...share.map((x, k) => [x, weight[k]])].map(([x, y]) => `${made.x(x).toFixed(1)} ${made.y(y).toFixed(1)}`);
  made.root.append(
    svg("line", { class: "even", x1: made.x(0), y1: made.y(0), x2: made.x(1), y2: made.y(1) }),
    svg("path", { class: "fitted", d: `M${points.join("L")}` }),
  );
  return card("How evenly draws weigh", made.root,
    `${counted(draws, "draw")} weigh as much as ${counted(Math.round(ess), "equal one")}. Dashed: all alike.`);
}

const NAMES = {
  draws: "Draws", replicates: "Replicates of the table (bag)", distinct_dags: "Different networks drawn", effective_share: "Effective share of the draws", k_hat: "k-hat of the weights",
  missing_mass: "Missing mass, about", chains: "Chains", max_r_hat: "Largest R-hat of an arrow", r_hat_log_target: "R-hat of the log target",
  min_effective_draws: "Fewest effective draws of an arrow", chains_differ_by: "Chains differ in an arrow by up to", max_parents: "Most parents allowed",
  share_at_max_parents: "Share with that many parents", share_from_outside: "Share with a parent from outside the search space",
  sets_in_table: "Parent sets scored", sets_scored_again: "of these, scored accurately",
  sets_left_out: "Parent sets left out", left_out_change: "These could change an arrow by about, at most", largest_score_error: "Largest error of a log score",
};

function figures() {
  const rows = Object.entries(NAMES).filter(([key]) => typeof data.diagnosis[key] === "number");
  if (!rows.length) return [];
  return [el("details", { class: "figures" }, el("summary", {}, "All numbers"),
    el("table", {}, el("tbody", {}, ...rows.map(([key, name]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, short(data.diagnosis[key])))))))];
}
