// How often each prompt is answered rightly, early and late.
function profile(data) {
  const { classes, sides } = data.profile;
  if (!sides.length) return null;
  const kinds = [...new Set(sides.map((one) => one.kind))];
  const tables = kinds.map((kind) => {
    const mine = sides.filter((one) => one.kind === kind);
    const sources = [...new Set(mine.flatMap((one) => one.parts.map((part) => part.source)))];
    const rows = sources.flatMap((source) =>
      mine.flatMap((side) => {
        const part = side.parts.find((one) => one.source === source);
        return part ? [profileRow(source, side.when, part)] : [];
      }),
    );
    const head = ["prompts of", "when", "prompts", "pass rate", "spread", ...classes];
    return [
      el("h3", {}, kind === "training" ? "Training" : `${kind[0].toUpperCase()}${kind.slice(1)}`),
      el(
        "div",
        { class: "scroll" },
        el(
          "table",
          { class: "profile" },
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
    ];
  });
  return section(
    "profile",
    "Pass rate by prompt",
    `Prompts sorted by the mean of the outcome ${data.run.outcome} over their completions, as a share of its range. A run that learns moves prompts to the right; where most are at either end, there is little left to learn from them.`,
    tables,
  );
}

function profileRow(source, when, part) {
  const key = (k) =>
    svg(
      "svg",
      { class: "key", viewBox: "0 0 8 8", "aria-hidden": "true" },
      svg("rect", { class: `rate rate-${k}`, width: 8, height: 8 }),
    );
  const bar = svg("svg", { viewBox: "0 0 200 14", class: "profile-bar", "aria-hidden": "true" });
  let left = 0;
  part.counts.forEach((count, k) => {
    const width = (200 * count) / part.prompts;
    bar.append(svg("rect", { class: `rate rate-${k}`, x: left, y: 0, width, height: 14 }));
    left += width;
  });
  return el(
    "tr",
    { class: source === null ? "whole" : null },
    el("td", {}, source === null ? "all sources" : el("bdi", {}, written(source))),
    el("td", {}, when),
    el("td", { class: "number" }, part.prompts),
    el("td", { class: "number" }, number(part.rate)),
    el("td", {}, bar),
    part.counts.map((count, k) =>
      el("td", { class: "number" }, key(k), ` ${count}`),
    ),
  );
}
