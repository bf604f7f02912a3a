// A question about two variables, answered from the draws that the page carries.

import { byId, el, select } from "./dom.js";
import { data } from "./data.js";
import { QUESTIONS, ask, isCut, leftOut, nDags, waysBetween } from "./draws.js";
import { counted, two } from "./numbers.js";

const asked = { a: 0, kind: "path", b: 1 };
const answer = el("div", { class: "answer-box", "aria-live": "polite" });

export function buildQuery() {
  const variables = data.full.map((name, v) => [v, name]);
  [asked.a, asked.b] = distantPair();
  const [from] = select("First variable", variables, asked.a, (v) => { asked.a = Number(v); show(); });
  const kinds = Object.entries(QUESTIONS).map(([kind, { text }]) => [kind, text]);
  const [how] = select("Question", kinds, asked.kind, (kind) => { asked.kind = kind; show(); });
  const [to] = select("Second variable", variables, asked.b, (v) => { asked.b = Number(v); show(); });
  byId("ask").append(
    el("p", { class: "lead" }, "A variable may drive another through others in between. The answer is the probability that it does: the weight of all networks in which that is so."),
    el("div", { class: "tools question" }, from, how, to),
    answer,
    el("p", { class: "quiet" }, basis()),
  );
  show();
}

// To begin with, two variables of the best network that others stand between.
function distantPair() {
  const { edges } = data.top[0], adjacent = new Set(edges.flatMap(([a, b]) => [`${a}:${b}`, `${b}:${a}`]));
  for (const [a, b] of edges) {
    const further = edges.find(([c, d]) => c === b && !adjacent.has(`${a}:${d}`));
    if (further) return [a, further[1]];
  }
  return edges[0] || [0, Math.min(1, data.full.length - 1)];
}

function basis() {
  const told = `Worked out in this page from ${counted(nDags, "different network")}`;
  if (!isCut) return `${told}, all that were drawn.`;
  return `${told}, the most probable; the others, ${(100 * leftOut).toFixed(1)} % of the probability, are left out, so answers are bounds.`;
}

function show() {
  const { a, b, kind } = asked, [x, y] = [data.full[a], data.full[b]];
  if (a === b) return answer.replaceChildren(el("p", {}, "Choose two different variables."));
  const found = ask(kind, a, b);
  answer.replaceChildren(
    el("p", { class: "big", "data-p": found.p, "data-error": found.error, "data-low": found.low, "data-high": found.high }, told(found)),
    el("p", {}, `${QUESTIONS[kind].told(x, y)} ${meaning(found)}`),
    ...ways(kind, a, b, found),
  );
}

function told({ p, low, high, bounds }) {
  if (bounds) return `${two(low)} to ${two(high)}`;
  return low === null ? two(p) : `${two(p)} (${two(low)} to ${two(high)})`;
}

function meaning({ bounds, error }) {
  if (bounds) return "The answer lies between these, as far as the draws tell.";
  return error === null ? "gpnet show gives its error, which is not worked out here." : "In brackets: its 95 % interval, for the error of the computation.";
}

function ways(kind, a, b, { p }) {
  if (kind !== "path" || p < 0.005) return [];
  const found = waysBetween(a, b, 4).filter((way) => way.p >= 0.005);
  return [
    el("h3", {}, "Likely ways"),
    el("ul", { class: "ways" }, ...found.map((one) => el("li", {},
      el("span", { class: "number" }, two(one.p)), " ", one.way.map((v) => data.full[v]).join(" → ")))),
  ];
}
