// How to repeat the run, how to cite it, and what the words mean.

import { announce, button, byId, el } from "./dom.js";
import { data } from "./data.js";

export function buildNotes() {
  const { command, settings, facts } = data.repeat;
  byId("repeat").append(
    ...(command ? [
      el("p", { class: "lead" }, "Save the settings as settings.toml; with the same table the command gives the same numbers."),
      copied(command, "command"),
      el("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      el("details", {}, el("summary", {}, "settings.toml"), copied(settings, "settings")),
    ] : [el("p", { class: "lead" }, "No settings were recorded with this posterior.")]),
    el("h3", {}, "Cite"),
    ...data.cite.map((text, k) => copied(text, k ? "software" : "paper")),
  );
  byId("words").append(el("dl", { class: "glossary" }, ...WORDS.flatMap(([word, text]) => [el("dt", {}, word), el("dd", {}, text)])));
}

function copied(text, name) {
  const shown = el("pre", { tabindex: 0, "aria-label": name }, text);
  const copy = button("Copy", () => {
    const range = document.createRange();
    range.selectNodeContents(shown);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy"); // works in a file that was opened from a disk, too
    announce(`Copied the ${name}.`);
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  }, { class: "small", "aria-label": `Copy the ${name}` });
  return el("div", { class: "copied" }, shown, copy);
}

const WORDS = [
  ["Probability of an arrow", "How sure the data, the model and the prior together make you that one variable drives the other: 0 is never, 1 is certain."],
  ["Interval, as in 0.66 (0.65 to 0.68)", "The error of the computation alone, at 95 %. What the data leave open is in the probability itself."],
  ["A → B: arrow, parent, child", "A drives B directly: B is a function of A (and of its other parents) plus noise. A is a parent of B, B a child of A."],
  ["Adjacent, direction", "The probability of an arrow either way, and that of this direction given that there is one. Multiplied, they are the probability of the arrow."],
  ["Grounds", "What tells the direction. Experiment: one of the two was set in rows in which the other was not. Knowledge: the other direction was ruled out beforehand. Independences and shape (of curves and noise) tell it only if the model holds."],
  ["Link, arrow, open arrow, plain line", "Two variables belong together. A solid arrow (→) stands where an experiment or knowledge tells the direction, an open one (⇢) where the model alone prefers it, a plain line (—) where it is open."],
  ["Effect, set", "What happens to one variable when somebody sets another, with all that follows from it. It is averaged over networks, those without an effect included, and over curves."],
  ["Ancestor, descendant, path", "A is an ancestor of B, and B a descendant of A, where arrows lead from A to B directly or through others: a path."],
  ["Network, DAG", "Variables and arrows without a loop: a directed acyclic graph."],
  ["Equivalent networks, CPDAG", "Networks that could not be told apart if all relations were straight lines with normal noise (linear-Gaussian models) form a class. In its picture, the CPDAG, an arrow stands where all of them agree on the direction, a plain line where they do not. Curves and other noise can tell more: see the probabilities of arrows."],
  ["Markov blanket", "A variable's parents, children and its children's other parents: once these are known, no other variable says more about it."],
  ["Posterior, draws, weights", "All networks, each as probable as data and prior make it. It is computed from many drawn networks, each with a weight."],
  ["Prior", "What is assumed before seeing the data; here, how much each arrow has to earn. Gamma is the price of an arrow, where it is learned."],
  ["Converged", "Drawing again would tell the same, within the intervals. It says nothing about whether the model fits: see Model checks."],
  ["R-hat, k-hat, effective draws", "Checks of the computation: R-hat near 1 says that chains agree, k-hat below 0.7 that weights are healthy, effective draws how many independent draws would know as much."],
  ["Log target", "The logarithm of a network's probability, up to a constant."],
  ["Line, curved", "Whether a straight line describes the relation as well; told where the score asks (adaptive). A straight line does not show its direction."],
  ["Residual", "What is left of a variable once its parents have said what they can, here predicted from all other rows; in standard deviations of the noise."],
  ["The model fits", "Residuals do not depend on the parents. Where they do, the relation is of another kind than the model knows, or points the other way."],
  ["p", "How often a model that is right would look as bad or worse by chance; corrected for the number of tests. Below 0.05 it is taken for a finding."],
  ["Noise not normal, noise varies", "Probabilities that the noise is skewed, heavy-tailed or otherwise no bell curve, and that its size changes with the parents. The model knows both, and learns directions from them."],
  ["As real tables taught, as if the model held", "On real tables whose order is known, directions that only the model tells were right little more often than a coin. So with a probability that was fitted to such tables they are left open: arrows then follow a random order of the variables. As if the model held: without that."],
  ["Band and dots of a curve", "The band holds 90 % of the curves that the data allow; dots are rows of the table, without what the other parents explain."],
];
