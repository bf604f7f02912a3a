// The answer in plain sentences, beside the network.

import { byId, button, el } from "./dom.js";
import { data, edgeBar, n, pairOf } from "./data.js";
import { chooseEdge } from "./state.js";
import { errorBar } from "./details.js";
import { counted, withSpan } from "./numbers.js";

const TITLES = {
  identified: "What drives what",
  linked: "Belong together",
  likely: "Probably belong together",
  hint: "Hints, which may be nothing",
};

export function buildSummary() {
  const { cautions, lead, kinds, alone, converged, verdict, model, caveats } = data.summary;
  const about = counted(n, "variable");
  byId("about").textContent = data.table ? `${data.table}, ${about}` : `report on ${about}`;
  if (data.table) {
    byId("title").textContent = `${data.table}: which variables drive which?`;
    document.title = `${data.table}: which variables drive which (gpnet)`;
  }
  const groups = Object.entries(TITLES).filter(([kind]) => kinds[kind].told.length).map(([kind, title]) => group(kind === "identified" ? titleOfArrows(title) : title, kinds[kind]));
  byId("findings").append(
    ...cautions.map((text) => el("p", { class: "caution" }, text)),
    el("p", {}, lead),
    ...(groups.length ? groups : [el("p", {}, "No relation is likely.")]),
    ...(alone ? [el("p", { class: "quiet" }, alone)] : []),
  );
  // What speaks against the result stands above it, all else below.
  for (const [good, text] of [[converged, verdict], [model.fits, model.verdict]]) {
    if (good === false) byId("warnings").append(verdictLine(good, text));
  }
  byId("summary").append(
    ...(converged === false ? [] : [verdictLine(converged, verdict)]),
    modelLine(model),
    el("ul", { class: "caveats" }, ...caveats.map((text) => el("li", {}, text))),
  );
}

function titleOfArrows(title) {
  if (data.summary.converged === false) return "Arrows so far, which may change";
  return data.summary.model.fits === false ? "Arrows, if the model held everywhere" : title;
}

function verdictLine(good, ...texts) {
  const kind = good === true ? "good" : good === false ? "bad" : "unknown";
  const sign = { good: "✓", bad: "!", unknown: "?" }[kind];
  return el("p", { class: `verdict-line ${kind}` }, el("span", { class: "sign", "aria-hidden": "true" }, sign), el("span", {}, ...texts));
}

// Whether the model fits, and how much doubt about directions is in the numbers.
export function modelLine({ fits, verdict, doubt }) {
  return verdictLine(fits, verdict, doubt ? el("span", { class: "doubt" }, doubt) : null);
}

function group(title, { told, more }) {
  return el("div", { class: "answer" },
    el("h3", {}, title),
    el("ul", {}, ...told.map(sentence)),
    more ? el("p", { class: "quiet" }, `and ${more} more in the `, el("a", { href: "#table" }, "table")) : null,
  );
}

function sentence({ edge, identified, text, rest }) {
  const bar = identified ? edgeBar(...edge) : pairOf(...edge).adjacent;
  return el("li", {},
    button(text, () => chooseEdge(...edge), { class: "link" }),
    errorBar(bar, `probability ${withSpan(bar)}`),
    el("span", { class: "rest" }, rest),
  );
}
