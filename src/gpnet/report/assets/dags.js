// The most probable networks as small pictures, what differs from the first marked.

import { byId, el, svg } from "./dom.js";
import { arrow, asBar, data, n } from "./data.js";
import { careful, fine } from "./numbers.js";

const STANDS_OUT = 0.05; // probability of the best, from which on single networks are worth a look
const NAMED = 6; // differences told in words

export function buildDags() {
  const best = asBar(data.top[0].probability);
  if (best.p < STANDS_OUT) {
    byId("dags").append(el("p", { class: "quiet" }, `None stands out: even the best has a probability of ${careful(best.p)} only. Believe what networks have in common, which is shown above.`));
    return;
  }
  const first = new Set(data.top[0].edges.map(String));
  byId("dags").append(
    el("p", { class: "lead" }, `Single networks, the most probable first${data.if_held ? ", as if the model held" : ""}. Each is only one of many: believe what they have in common.`),
    el("ol", { class: "dags" }, ...data.top.map((dag, k) => card(dag, k, first))),
  );
}

function card({ edges, probability }, k, first) {
  const mine = new Set(edges.map(String));
  const added = edges.filter((edge) => !first.has(String(edge)));
  const missing = data.top[0].edges.filter((edge) => !mine.has(String(edge)));
  return el("li", {},
    el("div", { class: "dag-head" }, el("strong", {}, `No. ${k + 1}`), el("span", {}, `probability ${fine(asBar(probability))}`)),
    picture(edges, added, missing),
    el("p", { class: "quiet" }, k === 0 ? `${edges.length} arrows` : difference(added, missing)),
  );
}

function difference(added, missing) {
  const list = (edges) => edges.slice(0, NAMED).map((edge) => arrow(...edge)).join(", ") + (edges.length > NAMED ? ` and ${edges.length - NAMED} more` : "");
  const parts = [];
  if (added.length) parts.push(`besides: ${list(added)}`);
  if (missing.length) parts.push(`without: ${list(missing)}`);
  return parts.join("; ");
}

function picture(edges, added, missing) {
  const xs = data.positions.map((p) => p[0]), ys = data.positions.map((p) => p[1]);
  const left = Math.min(...xs), top = Math.min(...ys);
  const wide = Math.max(...xs) - left || 1, high = Math.max(...ys) - top || 1;
  const place = (v) => [24 + ((xs[v] - left) / wide) * 252, 20 + ((ys[v] - top) / high) * 150];
  const extra = new Set(added.map(String));
  const root = svg("svg", { viewBox: "0 0 300 190", class: "small-dag", role: "img", "aria-label": "Network of the listed arrows" });
  const draw = (edge, kind) => root.append(stroke(edge.map(place), edge.map(halfWidth), kind));
  for (const edge of missing) draw(edge, "missing");
  for (const edge of edges) draw(edge, extra.has(String(edge)) ? "added" : "same");
  for (let v = 0; v < n; v++) root.append(...spot(place(v), v));
  return root;
}

function spot([x, y], v) {
  if (n > 12) return [svg("circle", { cx: x, cy: y, r: 3 }, svg("title", {}, data.full[v]))];
  return [
    svg("circle", { cx: x, cy: y, r: 11, class: "back" }),
    svg("text", { x, y, dy: "0.35em", "text-anchor": "middle" }, tiny(v)),
  ];
}

function tiny(v) {
  return data.labels[v].length > 6 ? `${data.labels[v].slice(0, 5)}…` : data.labels[v];
}

function halfWidth(v) {
  return n > 12 ? 5 : 4 + 3.6 * tiny(v).length;
}

// From the edge of one name to that of another, slightly bent to keep off those between.
function stroke([[x1, y1], [x2, y2]], halves, kind) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [leave, enter] = halves.map((half) => Math.min(half / Math.abs(ux), (n > 12 ? 5 : 11) / Math.abs(uy)));
  const [cx, cy] = [(x1 + x2) / 2 - uy * length * 0.1, (y1 + y2) / 2 + ux * length * 0.1];
  const [sx, sy] = [x1 + ux * leave, y1 + uy * leave], [ex, ey] = [x2 - ux * enter, y2 - uy * enter];
  const angle = Math.atan2(ey - cy, ex - cx);
  const corner = (turn) => `${(ex - 6 * Math.cos(angle + turn)).toFixed(1)} ${(ey - 6 * Math.sin(angle + turn)).toFixed(1)}`;
  return svg("path", { class: kind, d: `M${sx.toFixed(1)} ${sy.toFixed(1)}Q${cx.toFixed(1)} ${cy.toFixed(1)} ${ex.toFixed(1)} ${ey.toFixed(1)}M${corner(0.5)}L${ex.toFixed(1)} ${ey.toFixed(1)}L${corner(-0.5)}` });
}
