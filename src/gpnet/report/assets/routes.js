// Where the variables stand and how arrows run between them: never through a label if it can be
// helped. A route is a list of points.

import { data, n } from "./data.js";

export const HEIGHT = data.height; // of a label's frame
const AROUND = 7; // free space around a label
const BENDS = [0, 0.1, -0.1, 0.2, -0.2];
const STEPS = 26;
const ROW = 84, TALLEST = 124; // from row to row

export const places = data.positions.map(([x, y]) => ({ x, y, moved: false }));
const given = new Map(data.routes.map(([i, j, points]) => [i * n + j, sampled(points)]));

// Breaks ranks that are too wide into rows, as variables of a rank share no arrow; spread over the
// height that is there.
export function fold(width, height) {
  const ranks = new Map();
  data.positions.forEach(([x, y], v) => {
    if (!ranks.has(y)) ranks.set(y, []);
    ranks.get(y).push([x, v]);
  });
  const lines = [...ranks.keys()].sort((a, b) => a - b).flatMap((y) => {
    const rank = ranks.get(y).sort((a, b) => a[0] - b[0]).map(([, v]) => v);
    return broken(rank, width);
  });
  const step = Math.min(TALLEST, Math.max(ROW, height / lines.length));
  lines.forEach((line, row) => setLine(line, width, row * step));
}

// Every k-th of a rank goes to the same row, so that neighbours stay near.
function broken(rank, width) {
  const space = (line) => line.reduce((sum, v) => sum + data.widths[v] + 22, 0);
  for (let rows = 1; ; rows++) {
    const lines = Array.from({ length: rows }, (_, k) => rank.filter((_, at) => at % rows === k));
    if (rows >= rank.length || lines.every((line) => space(line) <= width)) return lines;
  }
}

function setLine(line, width, y) {
  const used = line.reduce((sum, v) => sum + data.widths[v], 0);
  const gap = (width - used) / (line.length + 1);
  let x = gap;
  for (const v of line) {
    places[v] = { x: x + data.widths[v] / 2, y, moved: true };
    x += data.widths[v] + gap;
  }
}

export function unfold() {
  data.positions.forEach(([x, y], v) => { places[v] = { x, y, moved: false }; });
}

export function bounds() {
  const left = Math.min(...places.map((p, v) => p.x - data.widths[v] / 2));
  const right = Math.max(...places.map((p, v) => p.x + data.widths[v] / 2));
  const top = Math.min(...places.map((p) => p.y)) - HEIGHT / 2;
  const bottom = Math.max(...places.map((p) => p.y)) + HEIGHT / 2;
  return { left, top, width: right - left, height: bottom - top };
}

// From a to b; `both` where the opposite arrow is shown too, so that each keeps to its side.
export function route(a, b, both) {
  const from = places[a], to = places[b];
  const points = given.get(a * n + b) || given.get(b * n + a)?.toReversed();
  if (points && !from.moved && !to.moved) return points;
  let best = null, fewest = Infinity;
  for (const bend of both ? [0.16, 0.26] : BENDS) {
    const curve = bent(from, to, bend);
    const met = labelsMet(curve, a, b);
    if (met < fewest) [best, fewest] = [curve, met];
    if (met === 0) return clipped(best, a, b);
  }
  const around = smooth(stopsAround(a, b, both ? Math.sign(to.y - from.y) * 9 : 0));
  return clipped(labelsMet(around, a, b) <= fewest ? around : best, a, b);
}

// Straight ahead, but past the labels on the way: at each row of these through the nearest gap.
function stopsAround(a, b, aside) {
  const from = places[a], to = places[b], stops = [[from.x, from.y]];
  const down = Math.sign(to.y - from.y);
  const between = [...places.keys()].filter((v) => (places[v].y - from.y) * down > HEIGHT / 2 && (to.y - places[v].y) * down > HEIGHT / 2);
  const rows = [...new Set(between.map((v) => places[v].y))].sort((p, q) => (p - q) * down);
  for (const y of rows) {
    const [x0, y0] = stops[stops.length - 1];
    const wished = x0 + ((to.x - x0) * (y - y0)) / (to.y - y0) - aside;
    const x = nearestGap(wished, between.filter((v) => Math.abs(places[v].y - y) < HEIGHT));
    stops.push([x, y]);
  }
  return [...stops, [to.x, to.y]];
}

function nearestGap(x, labels) {
  const spans = labels.map((v) => [places[v].x - data.widths[v] / 2 - AROUND - 2, places[v].x + data.widths[v] / 2 + AROUND + 2]);
  const free = (at) => spans.every(([low, high]) => at <= low || at >= high);
  const choices = [x, ...spans.flat()].filter(free);
  return choices.reduce((best, at) => (Math.abs(at - x) < Math.abs(best - x) ? at : best), choices[0] ?? x);
}

// Points on cubic Bezier curves that follow each other.
function sampled(corners) {
  const found = [corners[0]];
  for (let k = 0; k + 3 < corners.length; k += 3) {
    const [p0, p1, p2, p3] = corners.slice(k, k + 4);
    for (let step = 1; step <= 10; step++) {
      const t = step / 10, s = 1 - t;
      const along = (axis) => s ** 3 * p0[axis] + 3 * s * s * t * p1[axis] + 3 * s * t * t * p2[axis] + t ** 3 * p3[axis];
      found.push([along(0), along(1)]);
    }
  }
  return found;
}

function bent(from, to, bend) {
  const dx = to.x - from.x, dy = to.y - from.y;
  const cx = (from.x + to.x) / 2 - dy * bend, cy = (from.y + to.y) / 2 + dx * bend;
  return Array.from({ length: STEPS + 1 }, (_, k) => {
    const t = k / STEPS, s = 1 - t;
    return [s * s * from.x + 2 * s * t * cx + t * t * to.x, s * s * from.y + 2 * s * t * cy + t * t * to.y];
  });
}

// Through all points (Catmull and Rom's splines).
function smooth(stops) {
  const found = [];
  for (let k = 0; k + 1 < stops.length; k++) {
    const [p0, p1, p2, p3] = [stops[k - 1] || stops[k], stops[k], stops[k + 1], stops[k + 2] || stops[k + 1]];
    for (let step = 0; step < 12; step++) found.push(between(p0, p1, p2, p3, step / 12));
  }
  return [...found, stops[stops.length - 1]];
}

function between(p0, p1, p2, p3, t) {
  return [0, 1].map((axis) => {
    const a = p0[axis], b = p1[axis], c = p2[axis], d = p3[axis];
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t ** 3);
  });
}

function inside([x, y], node, around) {
  const place = places[node];
  return Math.abs(x - place.x) < data.widths[node] / 2 + around && Math.abs(y - place.y) < HEIGHT / 2 + around;
}

function labelsMet(curve, a, b) {
  let met = 0;
  const left = Math.min(...curve.map((p) => p[0])), right = Math.max(...curve.map((p) => p[0]));
  const top = Math.min(...curve.map((p) => p[1])), bottom = Math.max(...curve.map((p) => p[1]));
  for (let v = 0; v < n; v++) {
    const place = places[v], half = data.widths[v] / 2 + AROUND;
    if (v === a || v === b || place.x + half < left || place.x - half > right) continue;
    if (place.y + HEIGHT < top || place.y - HEIGHT > bottom) continue;
    met += curve.filter((point) => inside(point, v, AROUND)).length;
  }
  return met;
}

// Without what lies under the labels of both ends.
function clipped(curve, a, b) {
  let first = 0, last = curve.length - 1;
  while (first < last - 1 && inside(curve[first + 1], a, 1)) first++;
  while (last > first + 1 && inside(curve[last - 1], b, 3)) last--;
  const start = border(curve[first], curve[first + 1], a, 1);
  const end = border(curve[last], curve[last - 1], b, 3);
  return [start, ...curve.slice(first + 1, last), end];
}

// The point between one inside a label and one outside where the label ends.
function border(within, outside, node, around) {
  let [p, q] = [within, outside];
  for (let step = 0; step < 8; step++) {
    const middle = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
    if (inside(middle, node, around)) p = middle;
    else q = middle;
  }
  return q;
}

export function asPath(points) {
  return `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
}

// A triangle at the end, as wide as the line needs.
export function headPath(points, width) {
  const [x, y] = points.at(-1);
  const size = 6 + 1.6 * width;
  let k = points.length - 2;
  while (k > 0 && Math.hypot(x - points[k][0], y - points[k][1]) < size) k--;
  const angle = Math.atan2(y - points[k][1], x - points[k][0]);
  const corner = (turn) => `${(x - size * Math.cos(angle + turn)).toFixed(1)} ${(y - size * Math.sin(angle + turn)).toFixed(1)}`;
  return `M${x.toFixed(1)} ${y.toFixed(1)}L${corner(0.42)}L${corner(-0.42)}Z`;
}

// Where a line with a head ends: a line would show beside its tip.
export function underHead(points, width) {
  return cutBack(points, 4 + 1.2 * width);
}

// Without the last so many pixels.
function cutBack(points, pixels) {
  let left = pixels;
  const kept = points.slice();
  while (kept.length > 1) {
    const [x, y] = kept.pop(), [px, py] = kept[kept.length - 1];
    const step = Math.hypot(x - px, y - py);
    if (step > left) return [...kept, [x + ((px - x) * left) / step, y + ((py - y) * left) / step]];
    left -= step;
  }
  return points;
}
