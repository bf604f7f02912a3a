// Looking at the picture from nearer or farther, and moving what stands in it.

const NEAREST = 4, FARTHEST = 0.2;

export function makeCamera(frame, world) {
  const at = { x: 0, y: 0, k: 1 };
  let waiting = false;

  function show() {
    waiting = false;
    world.setAttribute("transform", `translate(${at.x} ${at.y}) scale(${at.k})`);
  }
  function soon() {
    if (!waiting) requestAnimationFrame(show);
    waiting = true;
  }
  function zoom(factor, x = frame.clientWidth / 2, y = frame.clientHeight / 2) {
    const k = Math.min(NEAREST, Math.max(FARTHEST, at.k * factor));
    Object.assign(at, { x: x - ((x - at.x) * k) / at.k, y: y - ((y - at.y) * k) / at.k, k });
    soon();
  }
  function move(dx, dy) {
    at.x += dx;
    at.y += dy;
    soon();
  }
  function look(x, y, k) {
    Object.assign(at, { x, y, k });
    show();
  }
  frame.addEventListener("wheel", (turned) => {
    if (!turned.ctrlKey && !turned.metaKey) return; // else the page scrolls
    turned.preventDefault();
    const box = frame.getBoundingClientRect();
    zoom(Math.exp(-turned.deltaY / 300), turned.clientX - box.left, turned.clientY - box.top);
  }, { passive: false });
  return { at, zoom, move, look };
}

// Calls `move` with steps in pixels, at most once a frame, and `end` with whether it moved at all.
export function onDrag(element, start, move, end) {
  element.addEventListener("pointerdown", (pressed) => {
    if (pressed.button !== 0) return;
    const what = start(pressed);
    if (what === undefined) return;
    let last = [pressed.clientX, pressed.clientY], moved = 0, waiting = null;
    const steps = (event) => {
      const now = [event.clientX, event.clientY];
      moved += Math.hypot(now[0] - last[0], now[1] - last[1]);
      if (waiting) {
        waiting[0] += now[0] - last[0];
        waiting[1] += now[1] - last[1];
      } else {
        waiting = [now[0] - last[0], now[1] - last[1]];
        requestAnimationFrame(() => {
          if (moved > 3) move(what, waiting[0], waiting[1]);
          waiting = null;
        });
      }
      last = now;
    };
    const stop = () => {
      window.removeEventListener("pointermove", steps);
      window.removeEventListener("pointerup", stop);
      window.removeEventListener("pointercancel", stop);
      end(what, moved > 3);
    };
    window.addEventListener("pointermove", steps);
    window.addEventListener("pointerup", stop);
    window.addEventListener("pointercancel", stop);
  });
}
