// Component against component: bubbles of samples with the same two scores. A click or a dragged frame selects.
const FIELD = { width: 560, height: 250, left: 52, right: 16, top: 12, bottom: 38, cells: 40 };

class Scatter {
  constructor(samples, table) {
    this.samples = samples;
    this.table = table;
    const names = samples.components;
    const { outcome } = samples.run;
    const weight = (name) => samples.ranges[name]?.of_update ?? -1;
    const proxies = names.filter((name) => name !== outcome).sort((a, b) => weight(b) - weight(a));
    const start = [proxies[0] ?? names[0], outcome ?? proxies[1] ?? names[0]];
    const choice = (label, chosen) =>
      el(
        "select",
        { "aria-label": label, onchange: () => this.select(null) },
        names.map((name) => el("option", { value: name, selected: name === chosen }, name)),
      );
    this.x = choice("Across", start[0]);
    this.y = choice("Upwards", start[1]);
    this.said = el("output", { class: "quiet" });
    this.whole = el("button", { type: "button", onclick: () => this.select(null) }, "Show all");
    this.drawing = svg("svg", {
      viewBox: `0 0 ${FIELD.width} ${FIELD.height}`,
      class: "scatter",
      role: "group",
      "aria-label": "Samples by two scores; arrow keys move, Enter selects",
    });
    this.drawing.addEventListener("pointerdown", (event) => this.drag(event));
    this.drawing.addEventListener("keydown", (event) => this.key(event));
    const about =
      "Samples that pass the filters, by two of their scores; the larger, the more. Click a bubble or drag a frame to list only these samples below.";
    this.node = el(
      "details",
      { class: "scatter-part", open: true },
      el("summary", {}, "Component against component"),
      el("p", { class: "note" }, about),
      el(
        "div",
        { class: "row" },
        el("span", { class: "quiet" }, "across"),
        this.x,
        el("span", { class: "quiet" }, "upwards"),
        [this.y, this.whole, this.said],
      ),
      this.drawing,
    );
    table.refreshed = () => this.draw();
    this.draw();
  }

  axes() {
    return [this.x.value, this.y.value].map((name) => {
      const values = [];
      for (let i = 0; i < this.samples.count; i++) {
        const value = this.samples.value(name, i);
        if (value !== null) values.push(value);
      }
      const least = values.reduce((a, b) => Math.min(a, b), Infinity);
      const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
      const range = this.samples.ranges[name];
      const low = Math.min(range?.low ?? least, least);
      const high = Math.max(range?.high ?? most, most);
      const room = values.length && high > low ? (high - low) * 0.05 : 0.5;
      return { name, low: (values.length ? low : 0) - room, high: (values.length ? high : 0) + room };
    });
  }

  // Bubbles by cell of a grid: samples of one cell are drawn at their mean.
  bubbles(across, upwards) {
    const cells = new Map();
    const cell = (axis, value) => Math.round(((value - axis.low) / (axis.high - axis.low)) * FIELD.cells);
    for (const i of this.table.filters.passing(null)) {
      const [x, y] = [this.samples.value(across.name, i), this.samples.value(upwards.name, i)];
      if (x === null || y === null) continue;
      const key = cell(across, x) * 1000 + cell(upwards, y);
      const found = cells.get(key) ?? { count: 0, x: 0, y: 0, low: [x, y], high: [x, y] };
      found.count += 1;
      found.x += (x - found.x) / found.count;
      found.y += (y - found.y) / found.count;
      found.low = [Math.min(found.low[0], x), Math.min(found.low[1], y)];
      found.high = [Math.max(found.high[0], x), Math.max(found.high[1], y)];
      cells.set(key, found);
    }
    return [...cells.values()].sort((a, b) => b.count - a.count);
  }

  draw() {
    const [across, upwards] = this.axes();
    const { width, height, left, right, top, bottom } = FIELD;
    const x = (value) => left + ((value - across.low) / (across.high - across.low)) * (width - left - right);
    const up = (value) => (value - upwards.low) / (upwards.high - upwards.low);
    const y = (value) => height - bottom - up(value) * (height - top - bottom);
    this.scales = { across, upwards };
    const shown = this.bubbles(across, upwards);
    const most = shown[0]?.count ?? 1;
    const parts = [];
    for (const tick of ticks(upwards.low, upwards.high, 5)) {
      parts.push(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }));
      parts.push(svg("text", { class: "tick", x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, short(tick)));
    }
    for (const tick of ticks(across.low, across.high, 6))
      parts.push(svg("text", { class: "tick", x: x(tick), y: height - 22, "text-anchor": "middle" }, short(tick)));
    const corner = { class: "tick", x: width - right, y: height - 6, "text-anchor": "end" };
    parts.push(svg("text", corner, `${across.name} →`));
    parts.push(svg("text", { class: "tick", x: 2, y: 10 }, `↑ ${upwards.name}`));
    const { region } = this.table.filters;
    this.dots = shown.map((one, k) => {
      const label = `${one.count} samples: ${across.name} ${number(one.x)}, ${upwards.name} ${number(one.y)}`;
      const inside = region && this.within(one, region);
      const radius = 2.5 + 13 * Math.sqrt(one.count / most);
      const look = {
        class: `bubble${region && !inside ? " out" : ""}`,
        cx: x(one.x).toFixed(1),
        cy: y(one.y).toFixed(1),
        r: radius.toFixed(1),
        role: "button",
        tabindex: k ? -1 : 0,
        "aria-label": label,
      };
      const dot = svg("circle", look, svg("title", {}, label));
      dot.bubble = one;
      return dot;
    });
    this.drawing.replaceChildren(...parts, ...this.dots);
    this.whole.disabled = !region;
    const count = shown.reduce((sum, one) => sum + one.count, 0);
    this.said.textContent = region ? `${this.table.found.length} of ${count} samples selected` : `${count} samples`;
  }

  within(one, region) {
    return one.x >= region.x[1] && one.x <= region.x[2] && one.y >= region.y[1] && one.y <= region.y[2];
  }

  select(region) {
    this.table.filters.region = region;
    this.table.refresh();
  }

  choose(one) {
    const { across, upwards } = this.scales;
    this.select({ x: [across.name, one.low[0], one.high[0]], y: [upwards.name, one.low[1], one.high[1]] });
  }

  key(event) {
    const place = this.dots.indexOf(event.target);
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (place < 0) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.choose(event.target.bubble);
      this.dots[place]?.focus();
    } else if (by && this.dots[place + by]) {
      event.preventDefault();
      this.dots[place].setAttribute("tabindex", -1);
      this.dots[place + by].setAttribute("tabindex", 0);
      this.dots[place + by].focus();
    }
  }

  // A frame from where the pointer goes down to where it comes up; a click without one takes the bubble.
  drag(down) {
    const inside = (event) => {
      const box = this.drawing.getBoundingClientRect();
      const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
      return [x * FIELD.width, y * FIELD.height];
    };
    const [startX, startY] = inside(down);
    const frame = svg("rect", { class: "frame" });
    this.drawing.append(frame);
    const corners = (event) => {
      const [endX, endY] = inside(event);
      return [Math.min(startX, endX), Math.min(startY, endY), Math.max(startX, endX), Math.max(startY, endY)];
    };
    const move = (event) => {
      const [x1, y1, x2, y2] = corners(event);
      fill(frame, { x: x1, y: y1, width: x2 - x1, height: y2 - y1 }, []);
    };
    const up = (event) => {
      removeEventListener("pointermove", move);
      frame.remove();
      const [x1, y1, x2, y2] = corners(event);
      if (x2 - x1 < 5 && y2 - y1 < 5) {
        if (down.target.bubble) this.choose(down.target.bubble);
        return;
      }
      const { across, upwards } = this.scales;
      const { width, height, left, right, top, bottom } = FIELD;
      const toX = (px) => across.low + ((px - left) / (width - left - right)) * (across.high - across.low);
      const span = upwards.high - upwards.low;
      const toY = (py) => upwards.low + ((height - bottom - py) / (height - top - bottom)) * span;
      this.select({ x: [across.name, toX(x1), toX(x2)], y: [upwards.name, toY(y2), toY(y1)] });
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up, { once: true });
  }
}
