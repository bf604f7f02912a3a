// Whether the model fits: a table of all variables, and the residuals of one.

import { button, byId, el, select, svg } from "./dom.js";
import { data, pairOf } from "./data.js";
import { careful, counted, two } from "./numbers.js";
import { onChange, state } from "./state.js";
import { chart, range } from "./curve.js";
import { modelLine } from "./summary.js";

const ALPHA = 0.05; // below, something is found
const FIRST = 12; // rows before "show all"
const { checks } = data;
const body = el("tbody"), pictures = el("div", { id: "residuals", "aria-live": "polite" });
let chosen = null, picker = null;

export function buildFit() {
  byId("fit").append(modelLine(data.summary.model));
  if (!checks) return;
  const order = [...data.names.keys()].filter(isModelled).sort((v, w) => rank(v) - rank(w));
  const [field, list] = select("Variable", [...order].sort((v, w) => v - w).map((v) => [v, data.full[v]]), order[0], (v) => choose(Number(v)));
  picker = list;
  const more = button("Show all", () => { showRows(order); more.remove(); }, { class: "small" });
  byId("fit").append(
    el("p", { class: "quiet meaning" }, "Each variable given its most probable parents. Curved, noise not normal and noise varies are probabilities, not faults: the model allows for all of them. A small p is a fault: residuals still depend on a parent."),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Checks of each variable" },
      el("table", { class: "checks" }, el("thead", {}, el("tr", {}, ...HEADINGS.map(([text, kind]) => el("th", { scope: "col", class: kind }, text)))), body)),
    ...(order.length > FIRST ? [more] : []),
    el("h3", {}, "Residuals"),
    el("div", { class: "tools" }, field),
    pictures,
  );
  showRows(order.slice(0, FIRST));
  onChange((changes) => {
    if (changes.node !== undefined && state.node !== null && isModelled(state.node)) choose(state.node);
    else if (changes.edge && isModelled(state.edge[1])) choose(state.edge[1]);
  });
  choose(order[0]);
}

// Exogenous variables have no residuals.
function isModelled(v) {
  return !data.exogenous.includes(v);
}

// The worst first; what has no parents last.
function rank(v) {
  return checks.p[v] === null ? 2 : checks.p[v];
}

const HEADINGS = [
  ["Variable", ""], ["Most probable parents", "parents"], ["Curved", "number"], ["Noise not normal", "number"],
  ["Noise varies", "number"], ["p", "number"], ["Related to", "related"],
];

function showRows(variables) {
  body.replaceChildren(...variables.map(tableRow));
  mark();
}

function tableRow(v) {
  const parents = checks.parents[v].map((u) => data.full[u]).join(", "), related = relatedTo(v);
  return el("tr", { "data-variable": v },
    el("th", { scope: "row" }, button(data.full[v], () => choose(v), { class: "link" }),
      el("span", { class: "given" }, parents ? `given ${parents}` : "without parents")),
    el("td", { class: "parents" }, parents || "none"),
    ...[checks.curved[v], checks.shaped[v], checks.varying[v]].map((p) => el("td", { class: p >= 0.5 ? "number likely" : "number" }, brief(p))),
    el("td", { class: misfits(v) ? "number found" : "number" }, pValue(checks.p[v])),
    el("td", { class: related ? "related found" : "related" }, related || "–"),
  );
}

// The other variable whose residuals are related, unless that is no news: an edge is likely.
function relatedTo(v) {
  const found = checks.other_p[v] !== null && checks.other_p[v] < ALPHA;
  return found && pairOf(v, checks.other[v]).adjacent.p < 0.5 ? data.full[checks.other[v]] : "";
}

function brief(p) {
  if (p === null) return "–";
  return p > 0 && p < 0.005 ? "< 0.01" : p >= 0.995 && p < 1 ? "> 0.99" : two(p);
}

function misfits(v) {
  return checks.p[v] !== null && checks.p[v] < ALPHA;
}

function pValue(p) {
  if (p === null) return "–";
  return p < 0.001 ? "< 0.001" : p.toFixed(p < 0.1 ? 3 : 2);
}

function inWords(p) {
  return p < 0.001 ? "p < 0.001" : `p = ${pValue(p)}`;
}

function choose(v) {
  chosen = v;
  picker.value = v;
  pictures.replaceChildren(el("div", { class: "charts wide" }, residualCard(v), quantileCard(v)));
  mark();
}

function mark() {
  for (const row of body.children) row.classList.toggle("chosen", Number(row.dataset.variable) === chosen);
}

function given(v) {
  const parents = checks.parents[v].map((u) => data.full[u]).join(", ");
  return parents ? `${data.full[v]} given ${parents}` : data.full[v];
}

function card(title, picture, text) {
  return el("figure", {}, el("figcaption", {}, title), picture, el("p", { class: "quiet" }, text));
}

const SIZE = { width: 400, height: 270, yLabel: "standardised residual" };

// Without parents there is nothing to fit: the rows stand in their order.
function residualCard(v) {
  const rows = checks.residual[v].map((_, k) => k).filter((k) => checks.residual[v][k] !== null);
  const ys = rows.map((k) => checks.residual[v][k]), alone = !checks.parents[v].length;
  const xs = rows.map((k) => alone ? k + 1 : checks.fitted[v][k]);
  const reach = 1.06 * ys.reduce((most, y) => Math.max(most, Math.abs(y)), 2.6);
  const made = chart({ ...SIZE, xs: range([xs], 0.03), ys: [-reach, reach], xLabel: alone ? "rows of the table, in order" : `${data.labels[v]}${data.units[v]}, fitted`, title: `Residuals of ${data.full[v]}` });
  for (const [at, kind] of [[0, "axis"], [-2, "even"], [2, "even"]]) {
    made.root.append(svg("line", { class: kind, x1: made.left, x2: made.left + made.wide, y1: made.y(at), y2: made.y(at) }));
  }
  made.root.append(svg("path", { class: "points", d: dots(made, xs, ys) }));
  const told = alone ? "No parent is probable: there is nothing that residuals could depend on." :
    misfits(v) ? `Residuals still depend on the parents (${inWords(checks.p[v])}).` : `No sign of misfit (${inWords(checks.p[v])}).`;
  return card(`Residuals of ${given(v)}`, made.root, `${told} Of normal noise 95 % lie between the dashed lines. Dots: ${counted(ys.length, "row")} of the table.`);
}

function quantileCard(v) {
  const ys = checks.residual[v].filter((y) => y !== null).sort((x, y) => x - y);
  const { middle, low, high } = checks.normal[ys.length];
  const mean = ys.reduce((sum, y) => sum + y, 0) / ys.length;
  const sd = Math.sqrt(ys.reduce((sum, y) => sum + (y - mean) ** 2, 0) / ys.length);
  const scaled = (list) => list.map((z) => mean + sd * z);
  const ends = [scaled(low), scaled(high)], line = scaled(middle);
  const made = chart({ ...SIZE, xs: range([middle], 0.04), ys: range([ys, ...ends]), xLabel: "normal quantile", title: `Normal quantiles of the residuals of ${data.full[v]}` });
  const path = (list) => list.map((y, k) => `${made.x(middle[k]).toFixed(1)} ${made.y(y).toFixed(1)}`);
  made.root.append(
    svg("path", { class: "envelope", d: `M${[...path(ends[1]), ...path(ends[0]).reverse()].join("L")}Z` }),
    svg("path", { class: "even", d: `M${path(line).join("L")}`, fill: "none" }),
    svg("path", { class: "points", d: dots(made, middle, ys) }),
  );
  return card("Is the noise normal?", made.root, `${normality(checks.shaped[v])} Normal noise lies on the dashed line, and each dot within the band with 95 % or more.`);
}

function normality(p) {
  if (p === null) return "The model takes the noise for normal.";
  return p >= 0.5 ? `Noise not normal ${careful(p)}.` : `Noise normal ${careful(1 - p)}.`;
}

function dots(made, xs, ys) {
  return xs.map((x, k) => `M${made.x(x).toFixed(1)} ${made.y(ys[k]).toFixed(1)}h0`).join("");
}
