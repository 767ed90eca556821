// Which samples the table lists.
const PRESETS = [
  ["matches", "Matches of the search", (samples, i) => samples.matches.has(samples.key(i))],
  ["all", "All samples", () => true],
  ["worse", "Held-out: got worse", (samples, i) => (samples.gain(i) ?? 0) < 0],
  ["better", "Held-out: got better", (samples, i) => (samples.gain(i) ?? 0) > 0],
  [
    "paid",
    "Rewarded though wrong",
    (samples, i) =>
      samples.columns.phase[i] === "train" &&
      samples.columns.advantage[i] > 0 &&
      (samples.level(samples.run.outcome, i) ?? 1) < 0.5,
  ],
  [
    "failed",
    "Failed gradings",
    (samples, i) => samples.components.some((name) => ["error", "timeout"].includes(samples.status(name, i))),
  ],
];

const HELP = {
  worse: "the outcome is lower after training than before, same prompt",
  better: "the outcome is higher after training than before, same prompt",
  paid: "a positive advantage in training, though the outcome is in the lower half of its range",
  failed: "some component ended in error or timeout",
};

// Each value with how often it occurs, in the order of its first place.
function counted(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts];
}

class Filters {
  constructor(samples, changed) {
    this.samples = samples;
    this.presets = PRESETS.filter(([name]) => name !== "matches" || samples.matches);
    this.start = this.presets[0][0];
    this.preset = this.start;
    this.region = null; // of the scatter: {x: [component, low, high], y: likewise}
    this.haystack = new Map();
    const { columns } = samples;
    const all = [...Array(samples.count).keys()];
    const kinds = counted(all.map((i) => samples.kind(i)));
    const steps = counted(columns.step).sort(([a], [b]) => a - b);
    const kindsOfPrompt = counted(all.map((i) => modality(samples.prompt(i)))).sort();
    const statuses = counted(samples.components.flatMap((name) => all.map((i) => samples.status(name, i))));
    const options = (values, all) => [
      el("option", { value: "" }, all),
      values.map(([value, count]) => el("option", { value }, count === null ? value : `${value} (${count})`)),
    ];
    const input = (attributes) => el("input", { ...attributes, oninput: changed });
    const choice = (label, values, all) =>
      el("select", { "aria-label": label, onchange: changed }, options(values, all));
    this.search = input({
      type: "search",
      placeholder: "Search the texts",
      "aria-label": "Search prompt and completion",
      id: "search",
    });
    this.kind = choice("Set", kinds, "every set");
    this.step = choice("Step", steps, "every step");
    this.modality = choice("Modality", kindsOfPrompt, "every modality");
    this.component = choice(
      "Component",
      samples.components.map((name) => [name, null]),
      "any component",
    );
    this.status = choice(
      "Status",
      ["ok", "abstain", "error", "timeout"].map((name) => [name, new Map(statuses).get(name) ?? 0]),
      "any status",
    );
    this.low = input({ type: "number", step: "any", placeholder: "from", "aria-label": "Score from" });
    this.high = input({ type: "number", step: "any", placeholder: "to", "aria-label": "Score to" });
    this.buttons = this.presets.map(([name, label]) =>
      el(
        "button",
        {
          type: "button",
          title: HELP[name],
          "aria-pressed": name === this.start,
          "data-preset": name,
          onclick: () => this.choose(name, changed),
        },
        label,
      ),
    );
    const row = el("div", { class: "row" }, this.search, this.kind, this.step, this.modality);
    const scores = el(
      "div",
      { class: "row" },
      el("span", { class: "quiet" }, "score of"),
      this.component,
      this.status,
      this.low,
      this.high,
      el("button", { type: "button", onclick: () => this.clear(changed) }, "Clear"),
    );
    this.node = el(
      "form",
      { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
      el("div", { class: "row presets" }, this.buttons),
      row,
      scores,
    );
  }

  choose(name, changed) {
    this.preset = name;
    for (const button of this.buttons) button.setAttribute("aria-pressed", button.dataset.preset === name);
    changed();
  }

  clear(changed) {
    this.node.reset();
    this.region = null;
    this.choose(this.start, changed);
  }

  inRegion(i, region) {
    return [region.x, region.y].every(([name, low, high]) => {
      const value = this.samples.value(name, i);
      return value !== null && value >= low && value <= high;
    });
  }

  // The numbers of the samples that pass.
  passing(region = this.region) {
    const { samples } = this;
    const preset = PRESETS.find(([name]) => name === this.preset)[2];
    const wanted = this.search.value.trim().toLowerCase();
    const names = this.component.value ? [this.component.value] : samples.components;
    const low = this.low.value === "" ? null : Number(this.low.value);
    const high = this.high.value === "" ? null : Number(this.high.value);
    const inRange = (value) => value !== null && (low === null || value >= low) && (high === null || value <= high);
    const found = [];
    for (let i = 0; i < samples.count; i++) {
      if (this.kind.value && samples.kind(i) !== this.kind.value) continue;
      if (this.step.value && String(samples.columns.step[i]) !== this.step.value) continue;
      if (this.modality.value && modality(samples.prompt(i)) !== this.modality.value) continue;
      if (!preset(samples, i)) continue;
      if (region && !this.inRegion(i, region)) continue;
      if (
        !names.some(
          (name) =>
            (!this.status.value || samples.status(name, i) === this.status.value) &&
            ((low === null && high === null) || inRange(samples.value(name, i))),
        )
      )
        continue;
      if (wanted && !this.text(i).includes(wanted)) continue;
      found.push(i);
    }
    return found;
  }

  text(i) {
    if (!this.haystack.has(i))
      this.haystack.set(
        i,
        `${question(this.samples.prompt(i))}\n${this.samples.columns.completion[i]}\n${this.samples.columns.id[i]}`.toLowerCase(),
      );
    return this.haystack.get(i);
  }
}
