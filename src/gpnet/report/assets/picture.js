// What the signs of the picture mean, and the picture as a file.

import { byId, download, el, svg } from "./dom.js";
import { data } from "./data.js";
import { frame, world } from "./network.js";

const SHARPNESS = 3; // pixels of a PNG for each of the page

// Signs as they are drawn: how sure a link is, and what tells its direction.
export function legend() {
  const signs = [
    [sign({ strength: 1 }), "an experiment or knowledge tells the direction"],
    [sign({ strength: 1, head: "head hollow" }), "the model alone prefers it"],
    [sign({ strength: 1, head: null }), "open"],
    [sign({ strength: 0.3, head: null }), "less probable"],
  ];
  return el("ul", { class: "legend" }, ...signs.map(([drawn, text]) => el("li", {}, drawn, text)));
}

function sign({ strength, head = "head" }) {
  const group = svg("g", { class: "edge", opacity: 0.16 + 0.84 * strength },
    svg("path", { class: "line", d: head ? "M2 8H32" : "M2 8H42", "stroke-width": 1 + 3 * strength }));
  if (head) group.append(svg("path", { class: head, d: "M42 8L31 3.5V12.5Z" }));
  return svg("svg", { width: 44, height: 16, "aria-hidden": "true", class: "sign-sample" }, group);
}

const LOOKS = ["fill", "stroke", "stroke-width", "stroke-linecap", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight"];

// The drawing as it stands, whole and at its own size, without what only the page needs.
function drawing() {
  const { x, y, width, height } = world.getBBox(), copy = frame.cloneNode(true), room = 24;
  const styled = copy.querySelectorAll("*");
  frame.querySelectorAll("*").forEach((one, k) => {
    const look = getComputedStyle(one);
    for (const name of LOOKS) styled[k].setAttribute(name, look.getPropertyValue(name));
    for (const name of ["class", "tabindex", "role", "aria-label"]) styled[k].removeAttribute(name);
  });
  frame.querySelectorAll("*").forEach((one, k) => one.matches(".hit, title") && styled[k].remove());
  copy.firstChild.setAttribute("transform", `translate(${room - x} ${room - y})`);
  const size = [Math.ceil(width + 2 * room), Math.ceil(height + 2 * room)];
  copy.setAttribute("xmlns", frame.namespaceURI);
  copy.setAttribute("viewBox", `0 0 ${size.join(" ")}`);
  ["width", "height"].forEach((name, k) => copy.setAttribute(name, size[k]));
  const ground = getComputedStyle(byId("picture")).backgroundColor;
  copy.prepend(svg("rect", { width: size[0], height: size[1], fill: ground }));
  return { text: new XMLSerializer().serializeToString(copy), size };
}

function fileName(ending) {
  const stem = (data.table || "network").replace(/\.[^.]*$/, "").replace(/[^\p{L}\p{N}_-]+/gu, "-");
  return `${stem || "network"}-network.${ending}`;
}

export function saveSvg() {
  download(fileName("svg"), "image/svg+xml", drawing().text);
}

export function savePng() {
  const { text, size: [width, height] } = drawing(), image = new Image();
  image.addEventListener("load", () => {
    const canvas = el("canvas", { width: SHARPNESS * width, height: SHARPNESS * height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(fileName("png"), "image/png", blob), "image/png");
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}
