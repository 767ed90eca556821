// What another rule makes of a run.
function table(head, rows) {
  const cell = (value) =>
    el("td", { class: typeof value === "string" && /^[+−±\d–-]/.test(value) ? "number" : null }, value);
  return el(
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
      el(
        "tbody",
        {},
        rows.map((row) => el("tr", {}, row.map(cell))),
      ),
    ),
  );
}

function meanUpdate(data, side, name) {
  const known = data.steps.map((step) => step[side].update[name]).filter((value) => value !== undefined);
  return known.length ? known.reduce((sum, one) => sum + one, 0) / known.length : null;
}

function changes(data) {
  const steps = data.steps.map((step) => step.step);
  const line = (name, value, style) => ({ name, steps, value: data.steps.map(value), style });
  const chart = (label, series) => lineChart({ label, series, height: 150, width: 380, zero: true });
  const ratio = (part, whole) => (whole ? part / whole : null);
  return [
    chart("advantages that change sign, share", [
      line("change sign", (step) => ratio(step.flips, step.samples), "plain"),
    ]),
    chart("pairs of a group whose order turns round, share", [
      line("turn round", (step) => ratio(step.reversed, step.ordered), "plain"),
    ]),
    chart("groups with another best completion, share", [
      line("another comes first", (step) => ratio(step.winners, step.groups), "plain"),
    ]),
    chart("correlation of the advantages, before and after", [
      line("correlation", (step) => step.correlation, "plain"),
    ]),
    chart("total reward, mean", [
      line("before", (step) => step.before.total, "c1"),
      line("after", (step) => step.after.total, "c0"),
    ]),
    chart("groups that teach nothing, share", [
      line("before", (step) => ratio(step.before.constant, step.groups), "c1"),
      line("after", (step) => ratio(step.after.constant, step.groups), "c0"),
    ]),
  ];
}

unpack("data").then((data) => {
  const names = Object.keys(data.weights);
  const components = names.map((name) => [
    name === data.outcome ? `${name} (outcome)` : name,
    ...data.weights[name],
    share(meanUpdate(data, "before", name)),
    share(meanUpdate(data, "after", name)),
  ]);
  const flips = data.flips.map((flip) => [
    String(flip.step),
    signed(flip.before),
    signed(flip.after),
    ...names.map((name) => number(flip.values[name])),
    el("bdi", {}, written(flip.sample_id)),
  ]);
  const parts = [
    section(
      "words",
      "In plain words",
      null,
      el(
        "ul",
        { class: "words" },
        data.sentences.map((text) => el("li", {}, written(text))),
      ),
    ),
    section(
      "weights",
      "Components",
      "Of the update: the component's share in the advantages that the policy is trained on, mean over steps.",
      table(["component", "weight before", "after", "of the update before", "after"], components),
    ),
    section("steps", "Step by step", null, el("div", { class: "charts" }, changes(data))),
    section(
      "flips",
      "Advantages that change sign",
      "The largest changes first, with the scores of each component.",
      flips.length ? table(["step", "before", "after", ...names, "sample"], flips) : el("p", {}, "None does."),
    ),
  ];
  const app = document.getElementById("app");
  app.replaceChildren(
    el(
      "header",
      {},
      el(
        "h1",
        {},
        data.run,
        el("span", { class: "kind" }, ` reweighted: advantage ${data.modes[0]} before, ${data.modes[1]} after`),
      ),
    ),
    el("main", {}, parts),
  );
  app.removeAttribute("aria-busy");
});
