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
    lineChart({
      label: "mean in training",
      series: bands,
      range: [0, 1.02],
      height: 320,
      width: 1100,
      labels: true,
      marks: onsets(data),
    }),
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
    "signal share",
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
      el("td", { class: "number" }, share(one.of_reward)),
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
      "Of the rise: what the component's own change, times its weight, added to the mean total. Signal share: how much of what tells the completions of a group apart comes from it. Of the update: its share in the advantages that the policy was trained on.",
    ),
  ];
}

function footer(data) {
  const { left_out: left, run } = data;
  const shown = `This page shows ${left.groups_shown} of ${left.groups} groups (${left.records_shown} of ${left.records} records): the first and the last evaluation, then groups of every step, those with failed gradings first. Curves and tables above are of all records.`;
  const served =
    "Samples come from the run's ledger, a page at a time. Curves and tables above are of all records that the server had gone through; load the page again to see later steps.";
  const lines = [data.live ? served : shown];
  if (left.pictures) lines.push(`${left.pictures} pictures are left out to keep the file small.`);
  if (left.pictures_unreadable) lines.push(`${left.pictures_unreadable} pictures could not be read.`);
  if (left.texts_cut) lines.push(`${left.texts_cut} long completions are cut.`);
  if (left.evidence_dropped) lines.push(`Evidence of ${left.evidence_dropped} records is too long for the page.`);
  if (!data.live) lines.push("The run's ledger has everything.");
  return section(
    "about",
    "About this page",
    null,
    lines.map((line) => el("p", {}, line)),
    el("details", {}, el("summary", {}, "Provenance"), el("pre", {}, written(JSON.stringify(run.provenance, null, 2)))),
  );
}
