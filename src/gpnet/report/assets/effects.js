// Effects that were measured when the page was written: numbers of all pairs, curves of the likely ones.

import { data, decode, n, soFar } from "./data.js";
import { el, svg } from "./dom.js";
import { careful, short } from "./numbers.js";
import { chart, range } from "./curve.js";

const found = data.effects;
export const missing = found.missing; // why there are none, or nothing
const matrices = missing ? {} : Object.fromEntries(
  ["probability", "probability_error", "mean", "low", "high", "structural_share"].map((name) => [name, decode(found[name], Float64Array)]),
);
const curves = new Map(missing ? [] : found.pairs.map((one) => [one.pair[0] * n + one.pair[1], one]));

// All numbers of the effect of a on b.
export function effectOf(a, b) {
  const at = Object.fromEntries(Object.entries(matrices).map(([name, numbers]) => [name, numbers[a * n + b]]));
  return { ...at, from: found.from[a], to: found.to[a] };
}

export function canChange(b) {
  return found.modelled[b];
}

export function hasCurve(a, b) {
  return curves.has(a * n + b);
}

// By how many of its own interquartile distances the target changes, on average.
export function relativeSize(a, b) {
  const own = found.to[b] - found.from[b];
  return own > 0 ? effectOf(a, b).mean / own : 0;
}

export function isTold(a, b) {
  return hasCurve(a, b) && curves.get(a * n + b).identified;
}

// The pair to begin with: a large effect that is rather there than not, of a variable that an experiment
// did set and whose direction it tells; or nothing. Nobody sets an age.
export function telling() {
  const size = ([a, b]) => Math.abs(relativeSize(a, b)) * effectOf(a, b).probability;
  const pairs = found.pairs.filter((one) => one.identified && data.were_set.includes(one.pair[0])).map((one) => one.pair);
  return pairs.reduce((best, pair) => (!best || size(pair) > size(best) ? pair : best), null);
}

// The sentence first, then the curve and the draws of the contrast.
export function effectParts(a, b) {
  const one = curves.get(a * n + b);
  if (!one) return [el("p", { class: "effect-sentence" }, without(a, b))];
  const { probability, mean, low, high, structural_share: share } = effectOf(a, b);
  return [
    el("p", { class: "effect-sentence", "data-probability": probability, "data-mean": mean, "data-low": low, "data-high": high, "data-share": share }, soFar(one.sentence)),
    el("div", { class: "effect-pictures" },
      picture(`Mean of ${data.full[b]} when ${data.full[a]} is set`, curvePicture(a, b, one), "Line: mean; band: 90 %, over networks and curves. Dots: where the contrast begins and ends."),
      picture("How large the effect may be", humps(a, b, one), humpText(a, b)),
    ),
    numbersTable(a, one),
  ];
}

function without(a, b) {
  const [x, y] = [data.full[a], data.full[b]];
  if (!canChange(b)) return `${y} is not modelled: nothing in the table drives it.`;
  return `Setting ${x} hardly changes ${y}: the probability that there is any effect is ${careful(effectOf(a, b).probability)}.`;
}

function picture(title, drawn, text) {
  return el("figure", {}, el("figcaption", {}, title), drawn, el("p", { class: "quiet" }, text));
}

// Columns of the curve: values of the cause, mean, low, high.
function columns(a, one) {
  const values = found.values[a], numbers = decode(one.curve, Float64Array), size = values.length;
  return { values, mean: numbers.subarray(0, size), low: numbers.subarray(size, 2 * size), high: numbers.subarray(2 * size) };
}

function curvePicture(a, b, one) {
  const { values, mean, low, high } = columns(a, one), named = typeof values[0] === "string";
  const xs = named ? values.map((_, k) => k) : values;
  const made = chart({
    width: 340, height: 230,
    xs: named ? [-0.6, xs.length - 0.4] : range([xs], 0.02), ys: range([low, high], 0.06),
    xLabel: `${data.labels[a]}, set`, yLabel: data.labels[b],
    title: `${data.full[b]} when ${data.full[a]} is set`,
    marks: named ? levelMarks(values) : null,
  });
  const at = (k, ys) => `${made.x(xs[k]).toFixed(1)} ${made.y(ys[k]).toFixed(1)}`;
  if (named) {
    made.root.append(
      svg("path", { class: "fitted interval", d: xs.map((_, k) => `M${at(k, low)}V${made.y(high[k]).toFixed(1)}`).join("") }),
      svg("path", { class: "fitted", d: xs.map((x, k) => `M${made.x(x - 0.22).toFixed(1)} ${made.y(mean[k]).toFixed(1)}H${made.x(x + 0.22).toFixed(1)}`).join("") }),
    );
    return made.root;
  }
  const line = (ys) => xs.map((_, k) => at(k, ys));
  made.root.append(
    svg("path", { class: "band", d: `M${[...line(high), ...line(low).reverse()].join("L")}Z` }),
    svg("path", { class: "fitted", d: `M${line(mean).join("L")}` }),
  );
  for (const end of [found.from[a], found.to[a]]) {
    const k = values.indexOf(end);
    if (k >= 0) made.root.append(svg("circle", { class: "end", cx: made.x(xs[k]), cy: made.y(mean[k]), r: 4 }));
  }
  return made.root;
}

function levelMarks(values) {
  const every = Math.ceil(values.length / 12);
  return values.map((name, k) => [k, name]).filter(([k]) => k % every === 0);
}

// What the change may be: bars for networks with an effect, together as high as its probability, and
// one bar at 0 for those without. Where that would dwarf the others it is cut, with its share beside it.
function humps(a, b, { ends, counts }) {
  const { probability } = effectOf(a, b), none = 1 - probability;
  const drawn = counts.reduce((sum, count) => sum + count, 0) || 1, shares = counts.map((count) => (probability * count) / drawn);
  const most = Math.max(...shares, 1e-9), height = Math.min(none, 1.6 * most), step = (ends[1] - ends[0]) / counts.length;
  const made = chart({
    width: 340, height: 230, left: 14, xs: range([ends]), ys: [0, 1.15 * Math.max(most, height)], yTicks: false,
    xLabel: `change of ${data.labels[b]}`, yLabel: "", title: `What the change of ${data.full[b]} may be`,
  });
  shares.forEach((share, k) => {
    const left = made.x(ends[0] + k * step), right = made.x(ends[0] + (k + 1) * step);
    if (share) made.root.append(svg("rect", { class: "bar-fill", x: left + 0.5, width: Math.max(1, right - left - 1), y: made.y(share), height: made.bottom - made.y(share) }));
  });
  if (none >= 0.005) made.root.append(...noEffectBar(made, height, none));
  return made.root;
}

function noEffectBar(made, height, none) {
  const x = made.x(0), onTheRight = x > made.left + made.wide / 2, cut = height < none - 1e-9, top = made.y(height);
  return [
    svg("rect", { class: "none-fill", x: x - 4, width: 8, y: top, height: made.bottom - top }),
    ...(cut ? [svg("path", { class: "cut", d: `M${x - 8} ${top + 20}l16 -6` })] : []),
    svg("text", { class: "tick", x: x + (onTheRight ? -9 : 9), y: Math.min(top + 9, made.bottom - 8), "text-anchor": onTheRight ? "end" : "start" }, `no effect: ${careful(none)}`),
  ];
}

function humpText(a, b) {
  if (effectOf(a, b).probability > 0.995) return "Blue: what the change may be, over networks and curves.";
  return `Blue: what the change may be, over networks and curves. Grey: networks in which ${data.full[a]} does not drive ${data.full[b]}, not even through others.`;
}

// For whoever wants them, and for screen readers.
function numbersTable(a, one) {
  const { values, ...lists } = columns(a, one), names = Object.keys(lists);
  const head = [`${data.full[a]} set to`, "mean", "low, 90 %", "high, 90 %"];
  return el("details", { class: "curve-numbers" }, el("summary", {}, "The numbers"),
    el("table", {},
      el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col", class: "number" }, text)))),
      el("tbody", {}, ...values.map((value, k) => el("tr", {},
        el("th", { scope: "row", class: "number", "data-x": value }, typeof value === "string" ? value : short(value)),
        ...names.map((name) => el("td", { class: "number", "data-x": lists[name][k] }, short(lists[name][k]))))))));
}
