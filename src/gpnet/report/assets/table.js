// All arrows ever drawn: sort, filter, download.

import { button, byId, download, el } from "./dom.js";
import { data, edgeBar, pairOf, signOf } from "./data.js";
import { chooseEdge, onChange } from "./state.js";
import { counted, span, two } from "./numbers.js";
import { errorBar, readings } from "./details.js";

const FIRST = 25; // rows before "show all"
let rows = [];
const ends = data.names.flatMap((_, a) => data.names.map((_, b) => [a, b]));
const grounds = (a, b) => (pairOf(a, b).adjacent.p < 0.05 ? "" : signOf(a, b).grounds);
const COLUMNS = [
  { name: "from", title: "From", value: (row) => row.from },
  { name: "to", title: "To", value: (row) => row.to },
  { name: "adjacent", title: "Adjacent", value: (row) => row.adjacent, number: true },
  { name: "direction", title: "Direction", value: (row) => row.direction, number: true },
  { name: "p", title: "Probability", value: (row) => row.bar.p, number: true },
  { name: "interval", title: "95 % interval", value: (row) => row.bar.low, number: true },
  { name: "grounds", title: "Grounds", value: (row) => row.grounds },
];
const asked = { by: "p", down: true, text: "", least: 0.05, all: false };
const body = el("tbody"), head = el("tr"), told = el("p", { class: "quiet", "aria-live": "polite" });
const more = button("Show all", () => { asked.all = true; show(); }, { class: "small" });

export function buildTable() {
  const filter = el("input", { type: "search", oninput: () => { asked.text = filter.value.toLowerCase(); show(); } });
  const least = el("input", { type: "number", min: 0, max: 1, step: 0.05, value: asked.least, oninput: () => { asked.least = Number(least.value) || 0; show(); } });
  byId("table").append(
    el("p", { class: "lead" }, "Every arrow: the probability that the two are adjacent at all, that of this direction given that they are, the product of both, and what tells the direction. Choose one to see it in the network."),
    el("div", { class: "tools" },
      readings(),
      el("label", { class: "field" }, el("span", {}, "Filter by name"), filter),
      el("label", { class: "field" }, el("span", {}, "Probability at least"), least),
      button("Download as CSV", () => download("edges.csv", "text/csv", asCsv())),
    ),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of arrows" },
      el("table", { class: "edges" }, el("thead", {}, head), body)),
    told,
    more,
  );
  onChange((changes) => { if ("held" in changes) read(); });
  read();
}

// The numbers of the reading that is chosen.
function read() {
  rows = ends.filter(([a, b]) => edgeBar(a, b).p > 0).map(([a, b]) => {
    const bar = edgeBar(a, b), adjacent = pairOf(a, b).adjacent.p;
    return { a, b, from: data.full[a], to: data.full[b], bar, adjacent, direction: Math.min(1, bar.p / adjacent), grounds: grounds(a, b) };
  });
  show();
}

function show() {
  head.replaceChildren(...COLUMNS.map(heading));
  const { value } = COLUMNS.find((column) => column.name === asked.by);
  const compare = (x, y) => (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y);
  const found = rows.filter((row) => row.bar.p >= asked.least && (!asked.text || row.from.toLowerCase().includes(asked.text) || row.to.toLowerCase().includes(asked.text)));
  found.sort((x, y) => (asked.down ? -1 : 1) * compare(value(x), value(y)));
  const shown = asked.all ? found : found.slice(0, FIRST);
  body.replaceChildren(...shown.map(tableRow));
  told.textContent = `${shown.length} of ${counted(rows.length, "arrow")} that were ever drawn. The download has them all.`;
  more.hidden = shown.length === found.length;
}

function heading({ name, title, number }) {
  const sorted = asked.by === name;
  const sign = sorted ? (asked.down ? " ↓" : " ↑") : "";
  const sort = () => {
    asked.down = sorted ? !asked.down : Boolean(number);
    asked.by = name;
    show();
    head.querySelector(`[data-column="${name}"]`).focus();
  };
  return el("th", { scope: "col", class: number ? "number" : "", "aria-sort": sorted ? (asked.down ? "descending" : "ascending") : "none" },
    button(title + sign, sort, { class: "sort", "data-column": name }));
}

function tableRow(row) {
  const choose = () => {
    chooseEdge(row.a, row.b);
    byId("network").scrollIntoView();
  };
  return el("tr", {},
    el("th", { scope: "row" }, button(row.from, choose, { class: "link", "aria-label": `${row.from} to ${row.to}: show` })),
    el("td", {}, row.to),
    el("td", { class: "number" }, two(row.adjacent)),
    el("td", { class: "number" }, two(row.direction)),
    el("td", { class: "number" }, errorBar(row.bar), ` ${two(row.bar.p)}`),
    el("td", { class: "number" }, span(row.bar.low, row.bar.high)),
    el("td", { class: "grounds" }, row.grounds),
  );
}

// As edges.csv has it; the names as they are in the data, or safe for spreadsheets if the run asked.
export function asCsv() {
  const quoted = (name) => (/[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  const lines = data.edges.map(([a, b, p, error], k) => [quoted(data.csv[a]), quoted(data.csv[b]), p, error, ...data.edge_columns[k]].join(","));
  return `parent,child,probability,std_error,adjacent,direction,if_model_holds,grounds\n${lines.map((line) => `${line}\n`).join("")}`;
}
