// What if one variable is set: any pair, and all of them as a map.

import { button, byId, download, el, select } from "./dom.js";
import { data, n } from "./data.js";
import { careful, short } from "./numbers.js";
import { onChange } from "./state.js";
import { canChange, effectOf, effectParts, isTold, missing, relativeSize, telling } from "./effects.js";

const LEAST = 0.05; // probability of an effect that has a colour
const answer = el("div", { "aria-live": "polite" }), told = el("p", { class: "map-told" });
const cells = new Map();
let pair = null, fields = [];

export function buildWhatIf() {
  const section = byId("what-if");
  if (missing || n < 2) {
    section.append(el("p", { class: "quiet" }, missing || "One variable has no effect on others."));
    return;
  }
  const variables = [["", "choose"], ...data.full.map((name, v) => [v, name])];
  pair = telling() || ["", ""];
  const chosen = (v) => (v === "" ? v : Number(v));
  const [causeField, cause] = select("Set", variables, pair[0], (v) => show([chosen(v), pair[1]]));
  const [targetField, target] = select("Look at", variables, pair[1], (v) => show([pair[0], chosen(v)]));
  fields = [cause, target];
  section.append(
    el("p", { class: "lead" }, "What happens to one variable when another one is set, counting that the network is not known for sure. Choose two here, click on them in the network one after the other, or choose a cell of the map."),
    el("div", { class: "tools question" }, causeField, targetField, button("The other way round", () => show([pair[1], pair[0]]))),
    answer,
    el("h3", { id: "map-title" }, "All effects"),
    el("p", { class: "quiet map-legend" }, ...legend()),
    told,
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "map-title" }, map()),
    button("Download as CSV", () => download("effects.csv", "text/csv", asCsv())),
  );
  onChange((changes) => { if (changes.pair) show(changes.pair); });
  show(pair);
}

function show(wanted) {
  pair = wanted;
  fields.forEach((field, k) => { field.value = pair[k]; });
  answer.replaceChildren(...(isPair() ? effectParts(...pair) : [el("p", {}, toChoose())]));
  tell(pair);
  [...cells].forEach(([key, cell], place) => {
    const chosen = key === `${pair[0]}:${pair[1]}`;
    cell.classList.toggle("chosen", chosen);
    cell.setAttribute("tabindex", chosen || (place === 0 && !isPair()) ? 0 : -1);
  });
}

function isPair() {
  return !pair.includes("") && pair[0] !== pair[1];
}

function toChoose() {
  if (pair.includes("") && !telling()) return "Choose two variables. None is shown unasked, as no experiment in this table tells the direction of an effect.";
  return "Choose two different variables.";
}

function legend() {
  const sample = (sign, text) => [el("span", { class: `map-sample ${sign}` }), ` ${text} `];
  return [
    "Each row is set from its lower to its upper quartile. ", ...sample("up", "raises,"), ...sample("down", "lowers the column,"),
    " the stronger the colour the more, measured by the distance of the column's own quartiles. Grey: an effect is improbable. Only a frame: nothing but the model tells the direction.",
  ];
}

function map() {
  const shown = [...Array(n).keys()], targets = shown.filter(canChange);
  const head = el("tr", {}, el("th", { scope: "col" }, "set ↓"), ...targets.map((v) => el("th", { scope: "col", class: "upright" }, el("span", {}, data.labels[v]))));
  const rows = shown.map((a) => el("tr", {}, el("th", { scope: "row" }, data.labels[a]), ...targets.map((b) => cell(a, b))));
  const made = el("table", { class: "map", role: "grid", onpointerleave: () => tell(pair), onkeydown: (pressed) => walk(pressed, shown, targets) },
    el("thead", {}, head), el("tbody", {}, ...rows));
  return made;
}

function cell(a, b) {
  if (a === b) return el("td", { class: "self" });
  const { probability, mean } = effectOf(a, b);
  const made = el("td", {
    tabindex: -1, "aria-label": brief(a, b), "data-pair": `${a}:${b}`, "data-mean": mean, "data-probability": probability,
    onpointerenter: () => tell([a, b]), onfocus: () => tell([a, b]), onclick: () => show([a, b]),
  });
  if (probability >= LEAST) {
    const size = Math.min(1, Math.abs(relativeSize(a, b)));
    made.className = `${mean >= 0 ? "up" : "down"}${isTold(a, b) ? "" : " framed"}`;
    made.style.setProperty("--size", `${Math.round(8 + 92 * size)}%`);
  }
  cells.set(`${a}:${b}`, made);
  return made;
}

function tell([a, b]) {
  told.textContent = a === b || a === "" || b === "" ? "" : brief(a, b);
}

function brief(a, b) {
  const { probability, mean, low, high, from, to } = effectOf(a, b);
  const named = (value) => (typeof value === "string" ? value : short(round(value)));
  return `${data.full[a]} from ${named(from)} to ${named(to)}: ${data.full[b]} ${mean > 0 ? "+" : ""}${short(round(mean))} (${short(round(low))} to ${short(round(high))}); any effect ${careful(probability)}`;
}

function round(x) {
  return Number(x.toPrecision(3));
}

// Arrow keys go from cell to cell, over the diagonal; Enter chooses.
function walk(pressed, rows, columns) {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const [a, b] = (document.activeElement.dataset.pair || "").split(":").map(Number);
  if (Number.isNaN(b)) return;
  if (pressed.key === "Enter" || pressed.key === " ") {
    pressed.preventDefault();
    show([a, b]);
  } else if (steps[pressed.key]) {
    pressed.preventDefault();
    const [down, right] = steps[pressed.key];
    for (let i = rows.indexOf(a) + down, j = columns.indexOf(b) + right; rows[i] !== undefined && columns[j] !== undefined; i += down, j += right) {
      if (rows[i] !== columns[j]) return cells.get(`${rows[i]}:${columns[j]}`).focus();
    }
  }
}

// As gpnet effect RUN --all --out has it, in part.
function asCsv() {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = ["cause,target,probability,from,to,mean,low,high,structural_share"];
  for (let a = 0; a < n; a++) {
    for (let b = 0; b < n; b++) {
      if (a === b || !canChange(b)) continue;
      const one = effectOf(a, b);
      lines.push([quoted(data.csv[a]), quoted(data.csv[b]), one.probability, quoted(String(one.from)), quoted(String(one.to)), one.mean, one.low, one.high, one.structural_share].join(","));
    }
  }
  return `${lines.join("\n")}\n`;
}
