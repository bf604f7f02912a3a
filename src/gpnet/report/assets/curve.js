// Small charts: axes, a fitted curve with its band and points.

import { data } from "./data.js";
import { svg } from "./dom.js";
import { short } from "./numbers.js";

// Some round numbers from low to high, two to six.
export function ticks([low, high], whole = false) {
  const wished = ((high - low) / 4 || 1) * 0.7;
  const power = 10 ** Math.floor(Math.log10(wished));
  const round = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= wished * 0.999);
  const step = whole ? Math.max(1, round) : round;
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

// A frame with axes; x and y turn numbers into places.
// `marks` are names at places on the x axis, instead of numbers.
export function chart({ width, height, xs, ys, xLabel, yLabel, title, left = 52, counts = false, marks = null, yTicks = true }) {
  const box = { left, right: 10, top: 12, bottom: 42 };
  const wide = width - box.left - box.right, high = height - box.top - box.bottom;
  const x = (v) => box.left + ((v - xs[0]) / (xs[1] - xs[0] || 1)) * wide;
  const y = (v) => box.top + high - ((v - ys[0]) / (ys[1] - ys[0] || 1)) * high;
  const root = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  for (const at of yTicks ? ticks(ys) : []) {
    root.append(
      svg("line", { class: "grid", x1: box.left, x2: width - box.right, y1: y(at), y2: y(at) }),
      svg("text", { class: "tick", x: box.left - 7, y: y(at), dy: "0.32em", "text-anchor": "end" }, short(at)),
    );
  }
  for (const [at, text] of marks || ticks(xs, counts).map((v) => [v, short(v)])) {
    root.append(svg("text", { class: "tick", x: x(at), y: height - box.bottom + 16, "text-anchor": "middle" }, text));
  }
  root.append(
    svg("line", { class: "axis", x1: box.left, x2: width - box.right, y1: y(ys[0]), y2: y(ys[0]) }),
    svg("text", { class: "axis-label", x: box.left + wide / 2, y: height - 6, "text-anchor": "middle" }, xLabel),
    svg("text", { class: "axis-label", transform: `translate(12 ${box.top + high / 2}) rotate(-90)`, "text-anchor": "middle" }, yLabel),
  );
  return { root, x, y, bottom: y(ys[0]), left: box.left, wide };
}

export function range(lists, margin = 0.04) {
  let low = Infinity, high = -Infinity;
  for (const list of lists) {
    for (const v of list) {
      if (v === null) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  const room = (high - low || 1) * margin;
  return [low - room, high + room];
}

const NAMED = 12; // levels with a name each; of more, every second, third, ...

export function curvePicture(curve) {
  const levels = data.levels[curve.parent];
  return levels ? levelPicture(curve, levels) : linePicture(curve);
}

// Of each level the mean and its interval; rows are spread a little, so that none hides another.
function levelPicture(curve, levels) {
  const points = data.curves.shown[curve.parent], every = Math.ceil(levels.length / NAMED);
  const places = curve.x.map((v, k) => [v, k]).filter(([v, k]) => k === 0 || v !== curve.x[k - 1]);
  const made = chart({
    width: 340,
    height: 230,
    xs: [-0.6, levels.length - 0.4],
    ys: range([curve.low, curve.high, curve.residual]),
    xLabel: data.labels[curve.parent],
    yLabel: data.labels[curve.node] + data.units[curve.node],
    title: `How ${data.full[curve.node]} differs between levels of ${data.full[curve.parent]}`,
    marks: levels.map((name, k) => [k, name]).filter(([k]) => k % every === 0),
  });
  const apart = (v, k) => v + 0.5 * (((k * 0.618) % 1) - 0.5);
  const dots = points.map((v, k) => curve.residual[k] === null ? "" : `M${made.x(apart(v, k)).toFixed(1)} ${made.y(curve.residual[k]).toFixed(1)}h0`).join("");
  const bars = places.map(([v, k]) => `M${made.x(v).toFixed(1)} ${made.y(curve.low[k]).toFixed(1)}V${made.y(curve.high[k]).toFixed(1)}`).join("");
  const means = places.map(([v, k]) => `M${made.x(v - 0.22).toFixed(1)} ${made.y(curve.mean[k]).toFixed(1)}H${made.x(v + 0.22).toFixed(1)}`).join("");
  made.root.append(
    svg("path", { class: "dots", d: dots }),
    svg("path", { class: "fitted interval", d: bars }),
    svg("path", { class: "fitted", d: means }),
  );
  return made.root;
}

function linePicture(curve) {
  const points = data.curves.shown[curve.parent];
  const name = `How ${data.full[curve.node]} changes with ${data.full[curve.parent]}`;
  const made = chart({
    width: 340,
    height: 230,
    xs: range([curve.x, points], 0.02),
    ys: range([curve.low, curve.high, curve.residual]),
    xLabel: data.labels[curve.parent] + data.units[curve.parent],
    yLabel: data.labels[curve.node] + data.units[curve.node],
    title: name,
  });
  const line = (ys) => curve.x.map((v, k) => `${made.x(v).toFixed(1)} ${made.y(ys[k]).toFixed(1)}`);
  const dots = points.map((v, k) => curve.residual[k] === null ? "" : `M${made.x(v).toFixed(1)} ${made.y(curve.residual[k]).toFixed(1)}h0`).join("");
  made.root.append(
    svg("path", { class: "dots", d: dots }),
    svg("path", { class: "band", d: `M${[...line(curve.high), ...line(curve.low).reverse()].join("L")}Z` }),
    svg("path", { class: "fitted", d: `M${line(curve.mean).join("L")}` }),
  );
  return made.root;
}
