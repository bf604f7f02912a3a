// What people may know that would settle most of what is open.

import { byId, el } from "./dom.js";
import { data } from "./data.js";

export function buildQuestions() {
  if (!data.questions.length) {
    byId("questions").remove();
    document.querySelector('nav a[href="#questions"]').remove();
    return;
  }
  byId("questions").append(
    el("p", { class: "lead" }, "If you know an answer, learn again with ", el("code", {}, "--resume"), ", the folder of this run and the option; that takes seconds. The gain is the uncertainty, as entropy summed over all pairs, that an answer is expected to remove."),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Questions" }, el("table", {},
      el("thead", {}, el("tr", {}, ...["Question", "Gain in bits", "If the answer is no"].map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, ...data.questions.map(([question, gain, option]) => el("tr", {}, el("td", {}, question), el("td", { class: "number" }, gain.toFixed(2)), el("td", {}, el("code", {}, option))))))),
  );
}
