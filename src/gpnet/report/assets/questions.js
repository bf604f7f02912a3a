// What people may know that would settle most of what is open.

import { byId, el } from "./dom.js";
import { data } from "./data.js";

export function buildQuestions() {
  if (!data.questions.length) {
    byId("questions").remove();
    return;
  }
  byId("questions").append(
    el("p", { class: "lead" }, "Who knows an answer can tell gpnet: learn again with ", el("code", {}, "--resume"), ", the folder of the run and the option, which takes seconds. The gain is what all directions together are expected to lose in entropy."),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Questions" }, el("table", {},
      el("thead", {}, el("tr", {}, ...["Question", "Gain in bits", "If the answer is no"].map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, ...data.questions.map(([question, gain, option]) => el("tr", {}, el("td", {}, question), el("td", { class: "number" }, gain.toFixed(2)), el("td", {}, el("code", {}, option))))))),
  );
}
