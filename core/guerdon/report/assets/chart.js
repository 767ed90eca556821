// Small charts: lines with bands, stacked shares, intervals. All SVG, no library.
const PLOT = { width: 560, left: 46, right: 12, top: 8, bottom: 24 };

function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw) ?? raw;
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-6; value += step) found.push(value);
  return found.map((value) => (Math.abs(value) < step * 1e-9 ? 0 : Number(value.toPrecision(12))));
}

function extent(values, pad = 0.06) {
  const known = values.filter((value) => value !== null && value !== undefined);
  if (!known.length) return [0, 1];
  let [low, high] = [Math.min(...known), Math.max(...known)];
  if (high === low) [low, high] = low === 0 ? [0, 1] : [low - Math.abs(low) * 0.1, high + Math.abs(high) * 0.1];
  const room = (high - low) * pad;
  return [low - room, high + room];
}

// Consecutive points that have a value, as runs.
function runs(series, x, y, names) {
  const found = [[]];
  series.steps.forEach((step, k) => {
    const values = names.map((name) => series[name]?.[k]);
    if (values.every((value) => value !== null && value !== undefined)) found.at(-1).push([x(step), ...values.map(y)]);
    else if (found.at(-1).length) found.push([]);
  });
  return found.filter((run) => run.length);
}

function path(points) {
  return points.map(([px, py], k) => `${k ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
}

// series: [{name, steps, value, low?, high?, style}]; `style` is a class of the style sheet.
function lineChart({
  label,
  series,
  range = null,
  height = 190,
  width = PLOT.width,
  xLabel = "step",
  labels = false,
  zero = false,
  marks = [],
}) {
  const steps = [...new Set(series.flatMap((one) => one.steps))].sort((a, b) => a - b);
  const [first, last] = steps.length > 1 ? [steps[0], steps.at(-1)] : [(steps[0] ?? 0) - 1, (steps[0] ?? 0) + 1];
  const [low, high] =
    range ??
    extent([...(zero ? [0] : []), ...series.flatMap((one) => [...one.value, ...(one.low ?? []), ...(one.high ?? [])])]);
  const right = labels ? 190 : PLOT.right;
  const x = (step) => PLOT.left + ((step - first) / (last - first)) * (width - PLOT.left - right);
  const y = (value) => height - PLOT.bottom - ((value - low) / (high - low)) * (height - PLOT.top - PLOT.bottom);
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "chart",
    tabindex: 0,
    role: "img",
    "aria-label": described(label, series),
  });
  for (const tick of ticks(low, high, 5)) {
    drawing.append(svg("line", { class: "grid", x1: PLOT.left, x2: width - right, y1: y(tick), y2: y(tick) }));
    drawing.append(svg("text", { class: "tick", x: PLOT.left - 6, y: y(tick) + 4, "text-anchor": "end" }, short(tick)));
  }
  for (const tick of ticks(first, last, 8).filter(Number.isInteger)) {
    drawing.append(svg("text", { class: "tick", x: x(tick), y: height - 8, "text-anchor": "middle" }, tick));
  }
  for (const { step, text } of marks) {
    const px = x(Math.max(first, Math.min(last, step)));
    const place = { class: "onset", x1: px, x2: px, y1: PLOT.top, y2: height - PLOT.bottom };
    drawing.append(svg("line", place, svg("title", {}, text)));
    drawing.append(svg("text", { class: "onset", x: px + 3, y: PLOT.top + 9 }, "⚑", svg("title", {}, text)));
  }
  for (const one of series) {
    for (const run of runs(one, x, y, ["low", "high"])) {
      const edge = [...run.map(([px, py]) => [px, py]), ...run.toReversed().map(([px, , py]) => [px, py])];
      drawing.append(svg("path", { class: `band ${one.style}`, d: `${path(edge)}Z` }));
    }
  }
  for (const one of series) {
    for (const run of runs(one, x, y, ["value"])) {
      if (run.length > 1) drawing.append(svg("path", { class: `line ${one.style}`, d: path(run) }));
      if (run.length < 12)
        for (const [px, py] of run)
          drawing.append(svg("circle", { class: `dot ${one.style}`, cx: px, cy: py, r: 2.6 }));
    }
  }
  if (labels) drawing.append(...endLabels(series, x, y));
  const figure = el("figure", { class: "plot" }, el("figcaption", {}, label), drawing);
  const toStep = (inside) => first + ((inside - PLOT.left) / (width - PLOT.left - right)) * (last - first);
  figure.append(legend(series), readout(drawing, series, steps, x, toStep, { height, width, xLabel }));
  return figure;
}

// Names at the ends of the lines, pushed apart where they would overlap.
function endLabels(series, x, y) {
  const ends = series.flatMap((one) => {
    const k = one.value.findLastIndex((value) => value !== null);
    return k < 0 ? [] : [{ one, px: x(one.steps[k]) + 8, py: y(one.value[k]) + 4 }];
  });
  ends.sort((a, b) => a.py - b.py);
  for (let k = 1; k < ends.length; k++) ends[k].py = Math.max(ends[k].py, ends[k - 1].py + 14);
  return ends.map(({ one, px, py }) => svg("text", { class: `name ${one.style}`, x: px, y: py }, one.name));
}

function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size < 0.001 || size >= 100000 ? value.toExponential(0) : String(Number(value.toPrecision(4)));
}

function described(label, series) {
  const parts = series.map((one) => `${one.name} from ${precise(one.value[0])} to ${precise(one.value.at(-1))}`);
  return `${label}: ${parts.join("; ")}`;
}

function swatch(style) {
  const line = svg("line", { class: `line ${style}`, x1: 1, x2: 21, y1: 6, y2: 6 });
  return svg("svg", { class: "swatch", viewBox: "0 0 22 12", "aria-hidden": "true" }, line);
}

function legend(series) {
  if (series.length < 2) return el("div", { class: "legend" });
  return el(
    "div",
    { class: "legend" },
    series.map((one) => el("span", {}, swatch(one.style), one.name)),
  );
}

// One line under the chart with the values at the pointer, or at the arrow keys' place.
function readout(drawing, series, steps, x, toStep, { height, width, xLabel }) {
  const cursor = svg("line", { class: "cursor", y1: PLOT.top, y2: height - PLOT.bottom, visibility: "hidden" });
  const output = el("output", { class: "readout" }, " ");
  drawing.append(cursor);
  let place = -1;
  const show = (index) => {
    place = Math.max(0, Math.min(steps.length - 1, index));
    const step = steps[place];
    cursor.setAttribute("x1", x(step));
    cursor.setAttribute("x2", x(step));
    cursor.setAttribute("visibility", "visible");
    const parts = series.map((one) => {
      const k = one.steps.indexOf(step);
      return k < 0 || one.value[k] === null ? null : `${one.name} ${precise(one.value[k])}${interval(one, k)}`;
    });
    output.textContent = `${xLabel} ${step}: ${parts.filter(Boolean).join(" · ")}`;
  };
  const hide = () => {
    cursor.setAttribute("visibility", "hidden");
    output.textContent = " ";
  };
  drawing.addEventListener("pointermove", (event) => {
    const box = drawing.getBoundingClientRect();
    const step = toStep(((event.clientX - box.left) / box.width) * width);
    show(steps.reduce((best, one, k) => (Math.abs(one - step) < Math.abs(steps[best] - step) ? k : best), 0));
  });
  drawing.addEventListener("pointerleave", hide);
  drawing.addEventListener("blur", hide);
  drawing.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    event.preventDefault();
    show(place + (event.key === "ArrowRight" ? 1 : -1));
  });
  return output;
}

function interval(one, k) {
  return one.low?.[k] === null || one.low?.[k] === undefined
    ? ""
    : ` (${precise(one.low[k])} to ${precise(one.high[k])})`;
}

// Shares that add up to 1, a bar for each step.
function shareBars(steps, shares, label, width = PLOT.width) {
  const height = 26;
  const names = Object.keys(shares);
  const inner = width - PLOT.left - PLOT.right;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "bars", role: "img", "aria-label": label });
  steps.forEach((step, k) => {
    let top = 2;
    for (const name of names) {
      const size = (shares[name][k] ?? 0) * (height - 4);
      if (size > 0) {
        const bar = {
          x: PLOT.left + (inner * k) / steps.length,
          y: top,
          width: Math.max(inner / steps.length - 0.5, 0.5),
          height: size,
        };
        drawing.append(
          svg(
            "rect",
            { class: `status-${name}`, ...bar },
            svg("title", {}, `step ${step}: ${share(shares[name][k])} ${name}`),
          ),
        );
      }
      top += size;
    }
  });
  return drawing;
}

// A difference as a point with its interval, around a line at 0.
function intervalMark(estimate, reach, verdict) {
  const [width, height] = [200, 20];
  const x = (value) => width / 2 + (Math.max(-reach, Math.min(reach, value)) / reach) * (width / 2 - 6);
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: `interval ${verdict.replace(" ", "-")}`,
    "aria-hidden": "true",
  });
  drawing.append(svg("line", { class: "zero", x1: width / 2, x2: width / 2, y1: 0, y2: height }));
  if (estimate.low !== null)
    drawing.append(svg("line", { class: "whisker", x1: x(estimate.low), x2: x(estimate.high), y1: 10, y2: 10 }));
  if (estimate.value !== null) drawing.append(svg("circle", { class: "point", cx: x(estimate.value), cy: 10, r: 4 }));
  return drawing;
}
