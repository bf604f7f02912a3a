// What is behind the arrow or the variable that was chosen.

import { button, byId, el } from "./dom.js";
import { arrow, barIfHeld, curveOf, data, edgeBar, hasReadings, isIdentified, n, pairOf, signed, signOf, soFar } from "./data.js";
import { circle, isCut, setsOf } from "./draws.js";
import { careful, two, withSpan } from "./numbers.js";
import { change, chooseEdge, chooseNode, choosePair, onChange, state } from "./state.js";
import { effectParts, missing } from "./effects.js";
import { curvePicture } from "./curve.js";

const doubtful = new Map(data.doubtful);
const SETS = 5; // parent sets told
let preview = null;

export function buildDetails() {
  onChange((changes) => {
    if ("edge" in changes || "circle" in changes || "held" in changes) show(); // the slider need not wait for this
  });
  show();
}

// While the pointer or the focus is on an arrow its details are shown; a click keeps them.
export function previewEdge(edge) {
  preview = edge;
  requestAnimationFrame(show);
}

function show() {
  const edge = preview || state.edge, chosen = Boolean(edge) || state.node !== null;
  const parts = edge ? edgeDetails(...edge) : chosen ? nodeDetails(state.node) : [];
  const close = button("Close", closeDetails, { class: "small close" });
  byId("details").replaceChildren(...(chosen ? [close, ...parts.filter(Boolean)] : []));
  byId("side").classList.toggle("choosing", chosen);
  if (!chosen || preview) return;
  byId("details").scrollTop = 0;
  if (matchMedia("(max-width: 900px)").matches) uncover();
}

// On a narrow screen details cover the lower part: what was chosen moves to where it is seen.
function uncover() {
  const one = byId("picture").querySelector(".chosen");
  if (!one) return;
  const { top, bottom } = one.getBoundingClientRect(), free = 0.36 * innerHeight;
  if (top < 0 || bottom > free) scrollBy({ top: (top + bottom - free) / 2 });
}

export function closeDetails() {
  preview = null;
  change({ edge: null, node: null, pair: null, circle: null });
}

// A bar with the whisker of its interval; without a name where its number stands beside it.
export function errorBar(bar, name = null) {
  const fill = el("span", { class: "fill" }), whisker = el("span", { class: "whisker" });
  fill.style.width = `${100 * bar.p}%`;
  whisker.style.left = `${100 * bar.low}%`;
  whisker.style.width = `${100 * (bar.high - bar.low)}%`;
  return el("span", { class: "bar", role: name && "img", "aria-label": name }, fill, whisker);
}

// The switch between the two readings, wherever numbers follow it.
export function readings() {
  if (!hasReadings) return null;
  const both = [[false, "As real tables taught"], [true, "As if the model held"]].map(([held, text]) => {
    const one = button(text, () => change({ held }), { "aria-pressed": String(held === state.held), "data-held": String(held) });
    onChange((changes) => { if ("held" in changes) one.setAttribute("aria-pressed", String(held === state.held)); });
    return one;
  });
  return el("div", { class: "field" }, el("span", {}, "Read directions"), el("div", { class: "segments", role: "group", "aria-label": "Read directions" }, ...both));
}

function line(name, bar, strong) {
  return el("div", { class: strong ? "measure strong" : "measure" },
    el("span", { class: "name" }, name),
    el("span", { class: "value" }, withSpan(bar)),
    errorBar(bar, `${name}: ${withSpan(bar)}`),
  );
}

function edgeDetails(a, b) {
  const there = edgeBar(a, b), back = edgeBar(b, a), pair = pairOf(a, b);
  return [
    el("h3", {}, signOf(a, b).from === a ? signed(a, b) : arrow(a, b)),
    el("p", { class: "verdict" }, soFar(sentence(a, b, there, pair))),
    line("adjacent, either way", pair.adjacent, true),
    line(arrow(a, b), there, false),
    line(arrow(b, a), back, false),
    hasReadings && !state.held && !isIdentified(a, b) ? line(`${arrow(a, b)} if the model holds`, barIfHeld(a, b), false) : null,
    el("p", {}, GROUNDS[signOf(a, b).grounds] || ""),
    ...curveDetails(a, b),
    ...setDetails(a, b),
    el("p", { class: "quiet" }, "In brackets: where the number lies with 95 %, given the error of the computation alone."),
    el("p", { class: "quiet" }, settled(a, b, pair)),
    el("div", { class: "buttons" },
      missing ? null : button(`What if ${data.labels[a]} is set?`, () => choosePair(a, b), { class: "small" }),
      button("Look at the opposite", () => chooseEdge(b, a), { class: "small" })),
  ];
}

const GROUNDS = {
  experiment: "An experiment tells the direction: one of the two was set in rows in which the other was not.",
  knowledge: "Knowledge tells the direction: the other one was ruled out beforehand.",
  independences: "Only the model tells the direction, by independences: all networks that imply the same ones have it.",
  shape: "Only the model tells the direction, if anything does: by the shape of curves and noise.",
};

// An arrow is a fact only where something other than the model tells its direction.
function sentence(a, b, there, pair) {
  const [x, y] = [data.full[a], data.full[b]], { from, sign } = signOf(a, b), p = pair.adjacent.p;
  if (p < 0.5) return `${x} and ${y} ${p >= 0.05 ? "may be related; the data do not favour it." : "are hardly related."}`;
  if (isIdentified(a, b)) return `${identified(a, b, there)}${reasonAgainst(a, b)}`;
  const together = `${x} and ${y} ${p >= 0.9 ? "" : "probably "}belong together`;
  if (sign === "line") return `${together}, but which drives which is open.`;
  const preferred = from === a ? arrow(a, b) : arrow(b, a);
  return `${together}. The model alone prefers ${preferred}${reasonAgainst(a, b)}`;
}

function identified(a, b, there) {
  const [x, y] = [data.full[a], data.full[b]];
  if (there.p >= 0.9) return data.summary.model.fits === false ? `${x} → ${y}, if the model held everywhere` : `${x} drives ${y}`;
  return there.p >= 0.5 ? `${x} probably drives ${y}` : `${x} hardly drives ${y}`;
}

function reasonAgainst(a, b) {
  const reason = doubtful.get(b) || doubtful.get(a);
  return reason ? `, but ${reason}.` : ".";
}

function settled(a, b, pair) {
  return `If all relations were straight lines with normal noise, could data tell the direction? Yes, ${arrow(a, b)}: ${careful(pair.there.p)}; ` +
    `yes, ${arrow(b, a)}: ${careful(pair.back.p)}; no: ${careful(pair.undirected.p)}.`;
}

function curveDetails(a, b) {
  const curve = curveOf(a, b);
  if (!curve) {
    const why = data.curves ? "No curve was fitted for this arrow: it is too improbable." : "No curves were fitted in this run.";
    return [el("p", { class: "quiet" }, why)];
  }
  const others = curve.parents.filter((v) => v !== a).map((v) => data.full[v]);
  const given = others.length ? `, the part of ${others.join(", ")} taken away` : "";
  return [
    el("h4", {}, "The fitted relation"),
    curvePicture(curve),
    el("p", { class: "quiet" }, `Line: what is expected of ${data.full[b]}; band: 90 % of the curves that the data allow; dots: rows of the table${given}.`),
  ];
}

function setDetails(a, b) {
  const sets = setsOf(b, state.held).filter((set) => set.p >= 0.005).slice(0, SETS);
  const asked = sets.some((set) => set.linear !== null); // whether the score tells lines from curves
  const rows = sets.map((set) => el("tr", { class: set.parents.includes(a) ? "has" : "" },
    el("td", {}, set.parents.length ? set.parents.map((v) => data.full[v]).join(", ") : "none"),
    el("td", { class: "number" }, careful(set.p)),
    asked ? el("td", {}, shape(set)) : null,
  ));
  return [
    el("h4", {}, `Parents of ${data.full[b]}`),
    el("table", { class: "sets" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "together"), el("th", { scope: "col", class: "number" }, "probability"), asked ? el("th", { scope: "col" }, "shape") : null)),
      el("tbody", {}, ...rows),
    ),
  ];
}

function shape({ parents, linear }) {
  if (!parents.length || linear === null) return "–";
  if (linear > 0.9) return `a line (${two(linear)})`;
  return linear < 0.1 ? `curved (${two(1 - linear)})` : `curved with ${two(1 - linear)}`;
}

const CIRCLES = { ancestors: "Ancestors", descendants: "Descendants", blanket: "Markov blanket" };

function nodeDetails(v) {
  const buttons = Object.entries(CIRCLES).map(([kind, text]) =>
    button(text, () => change({ circle: state.circle === kind ? null : kind }), { "aria-pressed": String(state.circle === kind) }));
  return [
    ...(state.pair ? whatIf(...state.pair) : []),
    el("h3", {}, data.whole[v]),
    el("div", { class: "buttons", role: "group", "aria-label": "Show in the picture" }, ...buttons),
    ...(state.circle ? circleList(state.circle, v) : neighbourLists(v)),
  ];
}

function whatIf(a, b) {
  return [
    el("h3", {}, `What if ${data.full[a]} is set?`),
    ...effectParts(a, b),
    button("The other way round", () => choosePair(b, a), { class: "small" }),
  ];
}

function neighbourLists(v) {
  const rest = [...Array(n).keys()].filter((u) => u !== v);
  const known = rest.filter((u) => isIdentified(u, v)), open = rest.filter((u) => !isIdentified(u, v));
  const parts = [[known.length ? "Also belongs together with" : "Belongs together with", open.map((u) => [u, v]), (edge) => pairOf(...edge).adjacent]];
  if (known.length) parts.unshift(["Driven by", known.map((u) => [u, v]), (edge) => edgeBar(...edge)], ["Drives", known.map((u) => [v, u]), (edge) => edgeBar(...edge)]);
  return parts.flatMap(([title, edges, bar]) => [el("h4", {}, title), edgeList(edges, bar)]);
}

function edgeList(edges, bar) {
  const likely = edges.filter((edge) => bar(edge).p >= 0.05).sort((x, y) => bar(y).p - bar(x).p);
  if (!likely.length) return el("p", { class: "quiet" }, "nothing with a probability of 0.05 or more");
  const other = ([a, b]) => (state.node === a ? b : a);
  return el("ul", { class: "neighbours" }, ...likely.map((edge) => el("li", {},
    button(data.full[other(edge)], () => chooseEdge(signOf(...edge).from, signOf(...edge).to), { class: "link" }),
    errorBar(bar(edge), `probability ${withSpan(bar(edge))}`),
    el("span", { class: "number" }, two(bar(edge).p)),
  )));
}

const MEANINGS = {
  ancestors: "From these a chain of arrows leads here, with the probability that stands beside.",
  descendants: "To these a chain of arrows leads from here, with the probability that stands beside.",
  blanket: "Parents, children and the children's other parents: knowing these, nothing else says more about it.",
};

function circleList(kind, v) {
  const shares = circle(kind, v);
  const inside = [...shares.keys()].filter((u) => shares[u] >= 0.05).sort((x, y) => shares[y] - shares[x]);
  return [
    el("p", { class: "quiet" }, MEANINGS[kind] + (isCut ? " At least: the lightest networks are left out." : "")),
    inside.length ? null : el("p", {}, "none with a probability of 0.05 or more"),
    el("ul", { class: "neighbours" }, ...inside.map((u) => el("li", {},
      button(data.full[u], () => chooseNode(u), { class: "link" }),
      errorBar({ p: shares[u], low: shares[u], high: shares[u] }, `probability ${two(shares[u])}`),
      el("span", { class: "number" }, two(shares[u])),
    ))),
  ];
}
