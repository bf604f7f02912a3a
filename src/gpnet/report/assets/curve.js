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
export function chart({ width, height, xs, ys, xLabel, yLabel, title, left = 52, counts = false }) {
  const box = { left, right: 10, top: 12, bottom: 42 };
  const wide = width - box.left - box.right, high = height - box.top - box.bottom;
  const x = (v) => box.left + ((v - xs[0]) / (xs[1] - xs[0] || 1)) * wide;
  const y = (v) => box.top + high - ((v - ys[0]) / (ys[1] - ys[0] || 1)) * high;
  const root = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  for (const at of ticks(ys)) {
    root.append(
      svg("line", { class: "grid", x1: box.left, x2: width - box.right, y1: y(at), y2: y(at) }),
      svg("text", { class: "tick", x: box.left - 7, y: y(at), dy: "0.32em", "text-anchor": "end" }, short(at)),
    );
  }
  for (const at of ticks(xs, counts)) {
    root.append(svg("text", { class: "tick", x: x(at), y: height - box.bottom + 16, "text-anchor": "middle" }, short(at)));
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
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  const room = (high - low || 1) * margin;
  return [low - room, high + room];
}

// What was done to the columns before they were fitted.
export const units = ["auto", "none"].includes(data.transform) ? "" : ` (${data.transform})`;

export function curvePicture(curve) {
  const points = data.curves.shown[curve.parent];
  const name = `How ${data.full[curve.node]} changes with ${data.full[curve.parent]}`;
  const made = chart({
    width: 340,
    height: 230,
    xs: range([curve.x, points], 0.02),
    ys: range([curve.low, curve.high, curve.residual]),
    xLabel: data.labels[curve.parent] + units,
    yLabel: data.labels[curve.node] + units,
    title: name,
  });
  const line = (ys) => curve.x.map((v, k) => `${made.x(v).toFixed(1)} ${made.y(ys[k]).toFixed(1)}`);
  const dots = points.map((v, k) => `M${made.x(v).toFixed(1)} ${made.y(curve.residual[k]).toFixed(1)}h0`).join("");
  made.root.append(
    svg("path", { class: "dots", d: dots }),
    svg("path", { class: "band", d: `M${[...line(curve.high), ...line(curve.low).reverse()].join("L")}Z` }),
    svg("path", { class: "fitted", d: `M${line(curve.mean).join("L")}` }),
  );
  return made.root;
}
