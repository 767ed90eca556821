// Curves, score by score and step by step: components and training health.
function components(data) {
  const { curves, run } = data;
  const cards = data.components.map((one, k) => {
    const style = one.name === run.outcome ? "outcome" : `c${k}`;
    const curve = curves.components[one.name];
    const series = [{ name: "training", ...curve, style }];
    for (const sampling of ["greedy", "sampled"]) {
      const held = curves.held_out[sampling][one.name];
      if (held?.steps.length)
        series.push({ name: `held-out ${sampling}`, ...held, low: null, high: null, style: `held ${sampling}` });
    }
    const counts = Object.entries(one.statuses)
      .filter(([, count]) => count)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ");
    return el(
      "div",
      { class: "card" },
      el("h3", {}, one.name, el("span", { class: "quiet" }, ` ${one.plugin}`)),
      lineChart({
        label: `mean from ${number(one.low, 1)} (worst) to ${number(one.high, 1)} (best)`,
        series,
        marks: onsets(data, one.name),
      }),
      shareBars(curve.steps, curve.statuses, `status shares: ${counts}`),
      el("p", { class: "note" }, `Records in training: ${counts || "none"}.`),
      histogram(data.histograms[one.name], one),
    );
  });
  const key = ["ok", "abstain", "error", "timeout"].map((name) =>
    el(
      "span",
      {},
      svg(
        "svg",
        { class: "swatch", viewBox: "0 0 22 12" },
        svg("rect", { class: `status-${name}`, x: 1, y: 1, width: 20, height: 10 }),
      ),
      name,
    ),
  );
  return section(
    "components",
    "Components",
    "The band is the 95% interval over the step's prompts. The strip below each chart shows how the gradings of each step ended, and the field below that how the scores of each step are spread: the darker, the more samples have a score of that height.",
    el("div", { class: "legend" }, key),
    el("div", { class: "cards" }, cards),
  );
}

const HEALTH = {
  kl: "KL to the starting model",
  entropy: "entropy",
  "rollout/length_mean": "completion length, tokens",
  "rollout/truncated": "completions cut at the limit, share",
  loss: "loss",
  gradient_norm: "gradient norm",
  clip_fraction: "clip fraction",
  learning_rate: "learning rate",
  logprob_gap: "log-probability gap, rollout to trainer",
  "rollout/tokens_per_second": "rollout, tokens per second",
  "time/step": "time of a step, seconds",
};

function health(data) {
  const { curves } = data;
  const lines = Object.entries(HEALTH)
    .filter(([name]) => curves.health[name])
    .map(([name, label]) => [label, { steps: curves.health[name].steps, value: curves.health[name].values }]);
  const { samples, constant } = curves;
  if (!curves.health["rollout/length_mean"] && samples.length?.values.some((value) => value !== null)) {
    lines.push([HEALTH["rollout/length_mean"], { steps: samples.length.steps, value: samples.length.values }]);
  }
  if (samples.total) lines.unshift(["total reward, mean", { steps: samples.total.steps, value: samples.total.values }]);
  if (constant.length) {
    const steps = constant.map((one) => one.step);
    const part = (name) => ({ steps, value: constant.map((one) => one[name] / one.groups) });
    const series = [
      { name: "taught nothing", ...part("constant"), style: "c1" },
      { name: "all right", ...part("all_right"), style: "c2 thin" },
      { name: "all wrong", ...part("all_wrong"), style: "c3 thin" },
    ];
    lines.push(["groups without any difference, share", series]);
  }
  const spreads = spreadSeries(data);
  if (spreads.length) lines.push(["spread in a group, share of the component's range", spreads]);
  if (!lines.length) return null;
  const charts = lines.map(([label, line]) =>
    lineChart({
      label,
      series: Array.isArray(line) ? line : [{ name: label, ...line, style: "plain" }],
      height: 150,
      width: 380,
    }),
  );
  return section(
    "health",
    "Training health",
    "Healthy runs keep KL small and entropy above zero; a length that doubles, a gradient norm that explodes, or many groups without any difference are worth a look.",
    el("div", { class: "charts" }, charts),
  );
}

// Highest less lowest value of a group: where it is 0, the component teaches nothing.
function spreadSeries(data) {
  return data.components.flatMap((one, k) => {
    const { steps, spread } = data.curves.components[one.name];
    if (one.low === null || one.high === null || one.high <= one.low) return [];
    const value = spread.map((size) => (size === null ? null : size / (one.high - one.low)));
    return [{ name: one.name, steps, value, style: one.name === data.run.outcome ? "outcome" : `c${k}` }];
  });
}

// How the scores of a component are spread: a column for a step or a few, darker where more samples are.
function histogram(counts, component) {
  if (!counts) return null;
  const [width, height] = [PLOT.width, 104];
  const inner = width - PLOT.left - PLOT.right;
  const columns = counts.shares.length;
  const bins = counts.shares[0].length;
  const [low, high] = [component.low, component.high];
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "histogram",
    role: "img",
    "aria-label": `scores of ${component.name} by step`,
  });
  for (const [value, y] of [
    [high, 10],
    [low, height - 4],
  ])
    drawing.append(svg("text", { class: "tick", x: PLOT.left - 6, y, "text-anchor": "end" }, short(value)));
  const cell = (height - 4) / bins;
  counts.shares.forEach((shares, k) => {
    const { first, last } = counts;
    const when = first[k] === last[k] ? `step ${first[k]}` : `steps ${first[k]} to ${last[k]}`;
    shares.forEach((part, bin) => {
      if (!part) return;
      const from = low + ((high - low) * bin) / bins;
      const to = low + ((high - low) * (bin + 1)) / bins;
      const place = {
        x: PLOT.left + (inner * k) / columns,
        y: height - 2 - cell * (bin + 1),
        width: inner / columns,
        height: cell,
        "fill-opacity": (0.12 + 0.88 * Math.sqrt(part)).toFixed(2),
      };
      const text = `${when}: ${share(part)} score ${short(Number(from.toPrecision(3)))} to ${short(Number(to.toPrecision(3)))}`;
      drawing.append(svg("rect", place, svg("title", {}, text)));
    });
  });
  return drawing;
}
