// The run beside other evaluations, such as base, SFT and GRPO.
function against(data) {
  const found = data.against;
  if (!found) return null;
  return section(
    "against",
    found.sides.join(" against "),
    `${found.prompts} held-out prompts that all have, ${found.sampling} decoding` +
      (found.left_out ? `; ${found.left_out} prompts left out, since not all have them` : "") +
      ". Differences are paired by prompt and clustered by picture; p by McNemar's exact test or a permutation, corrected by Holm over all lines. Detectable: the smallest true change that shows four times in five.",
    el("h3", {}, "Means"),
    meansTable(found),
    found.contrasts.map((contrast) => contrastPart(found, contrast)),
    found.without_pictures.length ? blindTable(found) : null,
  );
}

function plainTable(head, rows, kind = "comparison") {
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: kind },
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
  );
}

const isWhole = (row) => row.slice === null && row.measure === "value";

// Each component's mean on every side, from the first contrasts, which follow each other.
function meansTable(found) {
  const chain = found.contrasts.slice(0, found.sides.length - 1);
  const names = [...new Set(chain.flatMap((one) => one.rows.filter(isWhole).map((row) => row.component)))];
  const rows = names.map((name) => {
    const values = found.sides.map((_, k) => {
      const rows = (chain[k] ?? chain[k - 1]).rows;
      const row = rows.find((one) => isWhole(one) && one.component === name);
      return row ? (chain[k] ? row.before_mean : row.after_mean) : null;
    });
    const outcome = name === found.outcome;
    return el(
      "tr",
      { class: outcome ? "whole" : null },
      el("td", {}, outcome ? `${name} (outcome)` : name),
      values.map((value) => el("td", { class: "number" }, number(value))),
    );
  });
  return plainTable(["component", ...found.sides.map((name) => el("bdi", {}, written(name)))], rows);
}

function contrastPart(found, contrast) {
  const shown = contrast.rows.filter((row) => isWhole(row) || row.component === found.outcome);
  const main = shown
    .filter((row) => row.slice === null || row.measure === "value")
    .sort((a, b) => (b.component === found.outcome) - (a.component === found.outcome));
  const reach = Math.max(
    0.02,
    ...main.flatMap((row) => [row.low, row.high, row.difference].map((value) => Math.abs(value ?? 0))),
  );
  const sides = ["before", "after", "difference", "95% interval", ""];
  const head = ["component", "prompts", ...sides, "p", "detectable", "verdict"];
  return [
    el("h3", {}, el("bdi", {}, written(contrast.before)), " against ", el("bdi", {}, written(contrast.after))),
    el("p", { class: "conclusion" }, written(contrast.verdict)),
    plainTable(
      head,
      main.map((row) => contrastRow(found, row, reach)),
    ),
    contrast.regressions.length ? regressionPart(contrast) : null,
  ];
}

function contrastRow(found, row, reach) {
  const name = row.component === found.outcome ? `${row.component} (outcome)` : row.component;
  const label = row.slice
    ? `only ${row.slice.replace("modality=", "")}`
    : row.measure === "value"
      ? name
      : `${row.measure} reading`;
  return el(
    "tr",
    { class: isWhole(row) ? "whole" : null },
    el("td", {}, written(label)),
    el("td", { class: "number" }, row.prompts),
    el("td", { class: "number" }, number(row.before_mean)),
    el("td", { class: "number" }, number(row.after_mean)),
    el("td", { class: "number" }, signed(row.difference)),
    el("td", { class: "number" }, between(row)),
    el("td", {}, intervalMark({ value: row.difference, low: row.low, high: row.high }, reach, row.verdict)),
    el("td", { class: "number" }, row.p_holm !== null && row.p_holm < 0.001 ? "<.001" : number(row.p_holm)),
    el("td", { class: "number" }, number(row.detectable)),
    el("td", {}, el("span", { class: `verdict ${row.verdict.replace(" ", "-")}` }, row.verdict)),
  );
}

function regressionPart(contrast) {
  const rows = contrast.regressions.map((one) =>
    el(
      "tr",
      {},
      el("td", {}, el("bdi", {}, written(one.prompt))),
      el("td", { class: "number" }, number(one.before, 2)),
      el("td", { class: "number" }, number(one.after, 2)),
      one.answers.map((text) =>
        el("td", { class: "answer" }, el("bdi", {}, written(text.slice(0, 400))), text.length > 400 ? "…" : ""),
      ),
    ),
  );
  return el(
    "details",
    {},
    el("summary", {}, `The ${rows.length} largest regressions, with both answers`),
    plainTable(["prompt", "before", "after", "answer before", "answer after"], rows, "regressions"),
  );
}

function blindTable(found) {
  const rows = found.without_pictures.map((one) =>
    el(
      "tr",
      {},
      el("td", {}, el("bdi", {}, written(one.side))),
      el("td", { class: "number" }, one.prompts),
      el("td", { class: "number" }, number(one.sighted)),
      el("td", { class: "number" }, number(one.blind)),
      el("td", { class: "number" }, signed(one.difference)),
      el("td", { class: "number" }, between(one)),
    ),
  );
  return [
    el("h3", {}, "Without pictures (shuffled or blank)"),
    plainTable(["side", "prompts", "with pictures", "without", "difference", "95% interval"], rows),
  ];
}
