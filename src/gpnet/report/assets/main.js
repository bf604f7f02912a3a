// Puts the page together.

import { button, byId, el } from "./dom.js";
import { data } from "./data.js";
import { counted, two } from "./numbers.js";
import { change, onChange, state } from "./state.js";
import { arrange, buildNetwork, findVariable, nothingChosen, visibleItems, zoomBy } from "./network.js";
import { legend, savePng, saveSvg } from "./picture.js";
import { buildDetails, closeDetails, previewEdge, readings } from "./details.js";
import { buildSummary } from "./summary.js";
import { buildQuestions } from "./questions.js";
import { buildFit } from "./fit.js";
import { buildTable } from "./table.js";
import { buildDags } from "./dags.js";
import { buildWhatIf } from "./whatif.js";
import { buildQuery } from "./query.js";
import { buildCharts } from "./charts.js";
import { buildNotes } from "./notes.js";

const VIEWS = [
  ["links", "Links", "Every pair that belongs together with this probability or more."],
  ["arrows", "Every arrow", "Every arrow of this probability or more; both directions where both reach it."],
  ["classes", "Equivalence (CPDAG)", "What straight lines with normal noise could tell: an arrow where all networks of a class agree on the direction, a plain line where they do not. Curves and other noise can tell more."],
];

function buildControls() {
  const slider = el("input", { type: "range", id: "threshold", min: 0.01, max: 1, step: 0.01, value: state.threshold });
  slider.addEventListener("input", () => change({ threshold: Number(slider.value) }));
  const told = el("output", { for: "threshold" }), meaning = el("p", { class: "quiet view-meaning" });
  const views = VIEWS.map(([view, text]) => button(text, () => change({ view }), { "data-view": view }));
  byId("controls").append(
    el("div", { class: "field slider" }, el("label", { for: "threshold" }, "Show from probability ", told), slider),
    el("div", { class: "field" }, el("span", { id: "views-label" }, "View"), el("div", { class: "segments", role: "group", "aria-labelledby": "views-label" }, ...views)),
    ...[readings()].filter(Boolean),
  );
  byId("beside").append(meaning, legend(), tools());
  const tell = () => {
    const shown = visibleItems().length;
    told.textContent = `${two(state.threshold)}: ${counted(shown, state.view === "arrows" ? "arrow" : "link")}`;
    views.forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.view === state.view)));
    meaning.textContent = `${VIEWS.find(([view]) => view === state.view)[2]}${readingNow()}`;
  };
  onChange(tell);
  tell();
}

function readingNow() {
  if (!data.if_held) return "";
  return state.held ? " As if the model held: where it does not, directions that only it tells are worth little." :
    ` As real tables taught: directions that only the model tells are left open with probability ${two(data.kappa)}.`;
}

function tools() {
  const search = el("input", { type: "search", list: "names", placeholder: "name", onchange: () => findVariable(search.value) });
  return el("div", { class: "tools" },
    el("label", { class: "field" }, el("span", {}, "Find a variable"), search),
    el("datalist", { id: "names" }, ...data.whole.map((name) => el("option", { value: name }))),
    el("div", { class: "segments zoom", role: "group", "aria-label": "Size" },
      button("+", () => zoomBy(1.25), { "aria-label": "Nearer" }), button("−", () => zoomBy(0.8), { "aria-label": "Farther" }),
      button("Reset", () => { nothingChosen(); arrange(); })),
    el("div", { class: "segments", role: "group", "aria-label": "Save the picture" }, button("Save as SVG", saveSvg), button("PNG", savePng)),
  );
}

function buildTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const tell = () => { byId("theme").textContent = isDark() ? "Light" : "Dark"; };
  byId("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    tell();
  });
  system.addEventListener("change", tell);
  tell();
}

buildTheme();
buildSummary();
buildControls();
buildNetwork(previewEdge);
buildDetails();
buildTable();
buildQuestions();
buildWhatIf();
buildQuery();
buildDags();
buildFit();
buildCharts();
buildNotes();
document.addEventListener("keydown", (pressed) => { if (pressed.key === "Escape") closeDetails(); });
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
