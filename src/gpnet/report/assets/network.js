// The picture of the network: labels, and arrows as wide and dark as they are probable.

import { announce, byId, svg } from "./dom.js";
import { allPairs, arrow, data, edgeBar, isIdentified, n, signOf } from "./data.js";
import { circle } from "./draws.js";
import { two } from "./numbers.js";
import { missing } from "./effects.js";
import { chooseEdge, chooseNode, choosePair, change, onChange, state } from "./state.js";
import { HEIGHT, asPath, bounds, fold, headPath, places, route, underHead, unfold } from "./routes.js";
import { makeCamera, onDrag } from "./camera.js";

const edgeLayer = svg("g", { role: "group", "aria-label": "Arrows; go through them with the arrow keys, open one with Enter" });
const nodeLayer = svg("g", { role: "group", "aria-label": "Variables; go through them with the arrow keys, move one with Shift and the arrow keys" });
export const world = svg("g", {}, edgeLayer, nodeLayer);
export const frame = svg("svg", { class: "network", role: "group", "aria-label": "Network" }, world);
const LEAST = 0.7, SMALL = 0.8, LARGEST = 1.3; // of the size that labels were made for
let camera = null, shown = [], hovered = null;
const drawn = new Map(); // by view and ends: what stands in the picture
const labels = [];

// A pair with an arrow the way that something tells; the head is the darker, the surer the direction.
function link({ a, b, adjacent }) {
  const { from, to, sign } = signOf(a, b), share = edgeBar(from, to).p / adjacent.p;
  return { a: from, b: to, p: adjacent.p, directed: sign !== "line", open: sign === "open", sure: Math.min(1, 0.45 + 0.55 * Math.max(0, 2 * share - 1)) };
}

// What each view may show: ends, probability, whether it has a direction that only the model tells.
const VIEWS = {
  links: () => allPairs().map(link),
  arrows: () => data.names.flatMap((_, a) => data.names.map((_, b) => ({ a, b, p: edgeBar(a, b).p, directed: true, open: !isIdentified(a, b) }))).filter((item) => item.p > 0),
  classes: () => allPairs().map(({ a, b, adjacent, there, back, undirected }) => {
    const most = Math.max(there.p, back.p, undirected.p);
    const [from, to] = back.p === most && most > there.p ? [b, a] : [a, b];
    return { a: from, b: to, p: adjacent.p, directed: undirected.p < most, strength: most, open: !isIdentified(a, b) };
  }),
};
const items = {};

function itemsNow() {
  const kind = `${state.view}:${state.held}`;
  if (!items[kind]) {
    items[kind] = VIEWS[state.view]().sort((x, y) => y.p - x.p).map((item) => ({ ...item, key: `${kind}:${item.a}:${item.b}` }));
  }
  return items[kind];
}

export function visibleItems() {
  return itemsNow().filter((item) => item.p >= state.threshold - 1e-9);
}

export function buildNetwork(onHover) {
  hovered = onHover;
  byId("picture").append(frame);
  camera = makeCamera(frame, world);
  for (let v = 0; v < n; v++) nodeLayer.append(makeLabel(v));
  makeDraggable();
  walkWithKeys(edgeLayer, () => shown.map((item) => drawn.get(item.key).group));
  walkWithKeys(nodeLayer, () => labels.map((label) => label.group));
  onChange((changes) => {
    if ("threshold" in changes || "view" in changes || "held" in changes) showEdges();
    mark();
  });
  let width = 0;
  new ResizeObserver(() => {
    if (byId("picture").clientWidth === width) return;
    width = byId("picture").clientWidth;
    arrange();
  }).observe(byId("picture"));
  showEdges();
  arrange();
}

// Everything in view, broken into rows where labels would become too small to read.
export function arrange() {
  const width = byId("picture").clientWidth, room = width - 56, tall = byId("picture").clientHeight - 72;
  unfold();
  if (room / bounds().width < LEAST) fold(room / 0.9, tall);
  const box = bounds();
  const k = Math.min(LARGEST, room / box.width, Math.max(SMALL, tall / box.height));
  const height = Math.max(260, box.height * k + 72);
  frame.setAttribute("width", width);
  frame.setAttribute("height", height);
  frame.setAttribute("viewBox", `0 0 ${width} ${height}`);
  camera.look((width - box.width * k) / 2 - box.left * k, (height - box.height * k) / 2 - box.top * k, k);
  labels.forEach((_, v) => placeLabel(v));
  for (const item of drawn.values()) item.stale = true;
  shown.forEach(drawEdge);
}

export function zoomBy(factor) {
  camera.zoom(factor);
}

// Labels

function makeLabel(v) {
  const width = data.widths[v];
  const text = svg("text", { "text-anchor": "middle", dy: "0.35em" }, data.labels[v]);
  const group = svg(
    "g",
    {
      class: "node", tabindex: v === 0 ? 0 : -1, role: "button", "aria-label": data.full[v], "data-node": v,
      onclick: () => pick(v),
      onkeydown: (pressed) => moveOrChoose(pressed, v),
    },
    svg("title", {}, data.whole[v]),
    svg("rect", { x: -width / 2, y: -HEIGHT / 2, width, height: HEIGHT, rx: HEIGHT / 2 }),
    text,
  );
  labels.push({ group, text });
  requestAnimationFrame(() => {
    if (text.getComputedTextLength() > width - 12) {
      text.setAttribute("textLength", width - 12); // a font wider than expected
      text.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
  });
  return group;
}

// After another variable, the question is what setting that one does to this one.
function pick(v) {
  if (!missing && state.node !== null && state.node !== v) choosePair(state.node, v);
  else chooseNode(v);
}

function placeLabel(v) {
  labels[v].group.setAttribute("transform", `translate(${places[v].x.toFixed(1)} ${places[v].y.toFixed(1)})`);
}

function moveNode(v, dx, dy) {
  places[v] = { x: places[v].x + dx, y: places[v].y + dy, moved: true };
  placeLabel(v);
  for (const item of drawn.values()) if (item.a === v || item.b === v) item.stale = true;
  for (const item of shown) if (item.a === v || item.b === v) drawEdge(item);
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function moveOrChoose(pressed, v) {
  if (pressed.key === "Enter" || pressed.key === " ") {
    pressed.preventDefault();
    pick(v);
  } else if (pressed.shiftKey && STEPS[pressed.key]) {
    pressed.preventDefault();
    pressed.stopPropagation();
    const [dx, dy] = STEPS[pressed.key];
    moveNode(v, 12 * dx, 12 * dy);
  }
}

function makeDraggable() {
  const nodeAt = (target) => target.closest && target.closest(".node");
  onDrag(
    frame,
    (pressed) => {
      const node = nodeAt(pressed.target);
      if (!node && pressed.pointerType === "touch") return undefined; // the page scrolls
      return node ? Number(node.dataset.node) : -1;
    },
    (v, dx, dy) => (v < 0 ? camera.move(dx, dy) : moveNode(v, dx / camera.at.k, dy / camera.at.k)),
    (_, moved) => moved && swallowClick(),
  );
}

// The end of a drag is no choice.
function swallowClick() {
  const swallow = (click) => click.stopPropagation();
  window.addEventListener("click", swallow, { capture: true });
  setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 30);
}

// Arrows

function showEdges() {
  const wanted = visibleItems();
  if (shown.length && wanted.length === shown.length && wanted[0].key === shown[0].key) return; // the same
  shown = wanted;
  const both = new Set(shown.map((item) => `${item.a}:${item.b}`));
  for (const item of shown) {
    const opposite = item.directed && state.view === "arrows" && both.has(`${item.b}:${item.a}`);
    const there = drawn.get(item.key) || makeEdge(item);
    if (there.both !== opposite) Object.assign(there, { both: opposite, stale: true });
  }
  edgeLayer.replaceChildren(...shown.map((item) => drawn.get(item.key).group).reverse());
  if (camera) shown.forEach(drawEdge);
  mark();
}

function makeEdge(item) {
  const { a, b, p, directed, key } = item;
  const strength = item.strength ?? p;
  const name = directed ? arrow(a, b) : `${data.full[a]} and ${data.full[b]}`;
  const parts = { line: svg("path", { class: "line" }), hit: svg("path", { class: "hit" }), head: svg("path", { class: item.open ? "head hollow" : "head", "stroke-opacity": (item.sure ?? 1).toFixed(3) }) };
  const choose = () => chooseEdge(a, b);
  const group = svg(
    "g",
    {
      class: "edge", tabindex: -1, role: "button", "aria-label": `${name}, probability ${two(p)}`, "data-edge": `${a}:${b}`,
      onclick: choose,
      onkeydown: (pressed) => {
        if (pressed.key !== "Enter" && pressed.key !== " ") return;
        pressed.preventDefault();
        choose();
      },
      onpointerenter: (pointed) => pointed.pointerType !== "touch" && hovered([a, b]), // a tap chooses
      onpointerleave: () => hovered(null),
      onfocus: () => hovered([a, b]),
      onblur: () => hovered(null),
    },
    svg("g", { opacity: (0.16 + 0.84 * strength).toFixed(3) }, parts.line, parts.head),
    parts.hit,
  );
  const made = { ...item, ...parts, group, strength, both: false, stale: true };
  drawn.set(key, made);
  return made;
}

function drawEdge({ key }) {
  const item = drawn.get(key);
  if (!item.stale) return;
  const points = route(item.a, item.b, item.both), width = 1 + 3 * item.strength;
  item.line.setAttribute("stroke-width", width.toFixed(2));
  item.line.setAttribute("d", asPath(item.directed ? underHead(points, width) : points));
  item.hit.setAttribute("d", asPath(points));
  if (item.directed) item.head.setAttribute("d", headPath(points, width));
  item.stale = false;
}

// One stop of the Tab key for all of a kind; arrow keys go from one to the next.
function walkWithKeys(layer, list) {
  layer.addEventListener("keydown", (pressed) => {
    if (!STEPS[pressed.key] || pressed.shiftKey) return;
    pressed.preventDefault();
    const all = list(), at = all.indexOf(document.activeElement);
    const step = pressed.key === "ArrowRight" || pressed.key === "ArrowDown" ? 1 : -1;
    const next = all[(at + step + all.length) % all.length];
    all.forEach((one) => one.setAttribute("tabindex", one === next ? 0 : -1));
    next.focus();
  });
}

// What is chosen stands out, with its circle; all else steps back.
function mark() {
  const { edge, node, pair } = state;
  const lit = litNodes();
  labels.forEach(({ group }, v) => {
    group.classList.toggle("chosen", v === node || Boolean(edge && edge.includes(v)));
    group.classList.toggle("cause", Boolean(pair) && v === pair[0]);
    group.classList.toggle("dim", Boolean(lit) && !lit.has(v));
  });
  shown.forEach(({ key }, place) => {
    const { group, a, b } = drawn.get(key);
    const same = edge && ((edge[0] === a && edge[1] === b) || (state.view !== "arrows" && edge[0] === b && edge[1] === a));
    group.classList.toggle("chosen", Boolean(same));
    group.classList.toggle("dim", Boolean(lit) && !(lit.has(a) && lit.has(b)));
    group.setAttribute("tabindex", same || (!edge && place === 0) ? 0 : -1);
  });
  if (edge && shown.length && !shown.some(({ key }) => drawn.get(key).group.tabIndex === 0)) {
    drawn.get(shown[0].key).group.setAttribute("tabindex", 0);
  }
}

function litNodes() {
  if (state.node === null) return null;
  if (state.circle) {
    const p = circle(state.circle, state.node);
    return new Set([state.node, ...p.keys()].filter((v) => v === state.node || p[v] >= state.threshold));
  }
  const near = new Set([state.node, ...(state.pair || [])]);
  for (const { a, b } of shown) {
    if (a === state.node) near.add(b);
    if (b === state.node) near.add(a);
  }
  return near;
}

export function findVariable(text) {
  const wanted = text.trim().toLowerCase();
  const found = data.whole.findIndex((name) => name.toLowerCase() === wanted);
  const node = found >= 0 ? found : data.whole.findIndex((name) => name.toLowerCase().includes(wanted));
  if (!wanted || node < 0) return announce(wanted ? "No variable is called so." : "");
  chooseNode(node);
  announce(`${data.full[node]} is chosen.`);
}

export function nothingChosen() {
  change({ edge: null, node: null, pair: null, circle: null });
}
