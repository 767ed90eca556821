// Everything above the samples: plain words, held-out prompts, outcome against proxies, curves.
function section(id, title, note, ...children) {
  return el(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, title),
    note && el("p", { class: "note" }, note),
    children,
  );
}

function header(data) {
  const { run } = data;
  const facts = [
    run.model && ["model", run.model],
    ["outcome", run.outcome ?? "none declared"],
    ["advantage", run.mode],
    data.curves.components[data.components[0]?.name] && [
      "training steps",
      data.curves.components[data.components[0].name].steps.length,
    ],
    run.seed !== null && run.seed !== undefined && ["seed", run.seed],
  ].filter(Boolean);
  return el(
    "header",
    {},
    el("h1", {}, run.name, el("span", { class: "kind" }, " training report")),
    el(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, written(String(value))))),
    ),
  );
}

function words(data) {
  const lines = data.overview.map((line) => el("li", { class: line.warning ? "warning" : null }, written(line.text)));
  return section("words", "In plain words", null, el("ul", { class: "words" }, lines));
}

function heldOut(data) {
  const { run, held_out: rows } = data;
  if (!rows.length) {
    const text = "There are not two held-out evaluations, so before and after cannot be compared.";
    return section("held-out", "Held-out prompts", text);
  }
  const outcome = rows.filter((row) => row.component === run.outcome);
  const main = outcome.filter((row) => row.modality === null || row.measure === "value");
  const rest = outcome.filter((row) => !main.includes(row));
  const others = rows.filter((row) => row.component !== run.outcome && row.modality === null);
  const [before, after] = [run.evaluations[0], run.evaluations.at(-1)];
  return section(
    "held-out",
    "Held-out prompts, before and after",
    `Prompts that were never trained on. Before: step ${before}, the model that this run started from. After: step ${after}. ` +
      "The same prompts on both sides; intervals are 95%, over prompts, those that share a picture counted as one; each line stands for itself. Detectable: the smallest true change that so many prompts show four times in five." +
      (run.modalities === "images"
        ? " The manifest declares no modality, so prompts are sorted by their number of pictures."
        : ""),
    el("h3", {}, `The outcome: ${run.outcome}`),
    comparisonTable(main, true),
    rest.length
      ? el("details", {}, el("summary", {}, "Strict and lenient readings by modality"), comparisonTable(rest, true))
      : null,
    others.length ? [el("h3", {}, "The other components"), comparisonTable(others, false)] : null,
  );
}

function comparisonTable(rows, detailed) {
  const reach = Math.max(
    0.02,
    ...rows.flatMap((row) =>
      [row.difference.low, row.difference.high, row.difference.value].map((value) => Math.abs(value ?? 0)),
    ),
  );
  const head = [
    detailed ? "reading" : "component",
    "decoding",
    "prompts",
    "before",
    "after",
    "difference",
    "95% interval",
    "",
    "detectable",
    "verdict",
  ];
  const body = rows.map((row) =>
    el(
      "tr",
      { class: row.modality === null && row.measure === "value" ? "whole" : null },
      el("td", {}, detailed ? (row.measure === "value" ? "as graded" : row.measure) : row.component),
      el("td", {}, row.sampling),
      el(
        "td",
        {},
        row.modality === null ? `all ${row.difference.prompts}` : `${row.difference.prompts} ${row.modality}`,
      ),
      el("td", { class: "number" }, number(row.before.value)),
      el("td", { class: "number" }, number(row.after.value)),
      el("td", { class: "number" }, signed(row.difference.value)),
      el("td", { class: "number" }, between(row.difference)),
      el("td", {}, intervalMark(row.difference, reach, row.verdict)),
      el("td", { class: "number" }, row.detectable),
      el(
        "td",
        {},
        el("span", { class: `verdict ${row.verdict.replace(" ", "-")}`, title: row.judgement }, row.verdict),
      ),
    ),
  );
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "comparison" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head.map((name) => el("th", { scope: "col" }, name)),
        ),
      ),
      el("tbody", {}, body),
    ),
  );
}

// Every component as a share of its range, so that a climbing proxy and a flat outcome stand side by side.
function proxies(data) {
  const { run, curves } = data;
  const series = [];
  data.components.forEach((one, k) => {
    const scaled = scale(curves.components[one.name], one);
    if (scaled)
      series.push({
        ...scaled,
        name: `${one.name}${one.name === run.outcome ? " (outcome)" : one.role === "monitor" ? " (monitor)" : ""}`,
        style: one.name === run.outcome ? "outcome" : `c${k}`,
      });
  });
  const outcome = data.components.find((one) => one.name === run.outcome);
  if (curves.visual && outcome) {
    const scaled = scale(curves.visual, outcome);
    if (scaled) series.push({ ...scaled, name: `${run.outcome}, prompts with pictures`, style: "outcome visual" });
  }
  if (!series.length) return null;
  const count = Math.max(...series.map((one) => one.steps.length));
  const width = count < 24 ? 1 : Math.round(count / 12);
  const smoothed = width > 1 ? ` Each point is the mean of ${width} steps around it.` : "";
  series.forEach((one) => {
    one.value = smooth(one.value, width);
  });
  const bands = series.map((one) => (one.style === "outcome" && width === 1 ? one : { ...one, low: null, high: null }));
  return section(
    "proxies",
    "Outcome against proxies",
    "Training means, each as a share of the component's own range: 0 is the worst value it can give, 1 the best. If a thin line climbs while the thick one stays flat, the policy has found a way to please the grader without doing the task." +
      smoothed,
    lineChart({ label: "mean in training", series: bands, range: [0, 1.02], height: 320, width: 1100, labels: true }),
    rewardTable(data),
  );
}

// Centred means of `width` values; at the ends of those there are.
function smooth(values, width) {
  const reach = Math.floor(width / 2);
  return values.map((value, k) => {
    const near = values.slice(Math.max(0, k - reach), k + reach + 1).filter((one) => one !== null);
    return value === null || !near.length ? null : near.reduce((sum, one) => sum + one, 0) / near.length;
  });
}

function scale(curve, component) {
  if (!curve || component.low === null || component.high === null || component.high <= component.low) return null;
  const level = (value) => (value === null ? null : (value - component.low) / (component.high - component.low));
  return { steps: curve.steps, value: curve.value.map(level), low: curve.low.map(level), high: curve.high.map(level) };
}

function rewardTable(data) {
  const { run } = data;
  const head = [
    "component",
    "reward",
    "weight",
    ...(run.training.length ? run.training : ["first", "last"]),
    "change",
    "95% interval",
    "of the rise",
    "of the update",
  ];
  const rows = data.components.map((one, k) =>
    el(
      "tr",
      { class: one.name === run.outcome ? "whole" : null },
      el(
        "td",
        {},
        swatch(one.name === run.outcome ? "outcome" : `c${k}`),
        " ",
        one.name,
        one.name === run.outcome ? " (outcome)" : "",
      ),
      el("td", { class: "quiet" }, one.plugin),
      el(
        "td",
        { class: "number" },
        one.role === "monitor"
          ? "monitor"
          : one.weights[0] === one.weights[1]
            ? short(one.weights[0])
            : `${short(one.weights[0])} → ${short(one.weights[1])}`,
      ),
      el("td", { class: "number" }, number(one.first.value)),
      el("td", { class: "number" }, number(one.last.value)),
      el("td", { class: "number" }, signed(one.change.value)),
      el("td", { class: "number" }, between(one.change)),
      el("td", { class: "number" }, one.rise === null ? "–" : signed(one.rise)),
      el("td", { class: "number" }, share(one.of_update)),
    ),
  );
  return [
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            head.map((name) => el("th", { scope: "col" }, name)),
          ),
        ),
        el("tbody", {}, rows),
      ),
    ),
    el(
      "p",
      { class: "note" },
      "Of the rise: what the component's own change, times its weight, added to the mean total. Of the update: its share in the advantages that the policy was trained on.",
    ),
  ];
}

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
      lineChart({ label: `mean from ${number(one.low, 1)} (worst) to ${number(one.high, 1)} (best)`, series }),
      shareBars(curve.steps, curve.statuses, `status shares: ${counts}`),
      el("p", { class: "note" }, `Records in training: ${counts || "none"}.`),
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
    "The band is the 95% interval over the step's prompts. The strip below each chart shows how the gradings of each step ended.",
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

function footer(data) {
  const { left_out: left, run } = data;
  const lines = [
    `This page shows ${left.groups_shown} of ${left.groups} groups (${left.records_shown} of ${left.records} records): the first and the last evaluation, then groups of every step, those with failed gradings first. Curves and tables above are of all records.`,
  ];
  if (left.pictures) lines.push(`${left.pictures} pictures are left out to keep the file small.`);
  if (left.pictures_unreadable) lines.push(`${left.pictures_unreadable} pictures could not be read.`);
  if (left.texts_cut) lines.push(`${left.texts_cut} long completions are cut.`);
  if (left.evidence_dropped) lines.push(`Evidence of ${left.evidence_dropped} records is too long for the page.`);
  lines.push("The run's ledger has everything.");
  return section(
    "about",
    "About this page",
    null,
    lines.map((line) => el("p", {}, line)),
    el("details", {}, el("summary", {}, "Provenance"), el("pre", {}, written(JSON.stringify(run.provenance, null, 2)))),
  );
}
