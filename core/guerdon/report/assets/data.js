// The data of the page, and how its parts belong together.
async function unpack(id) {
  const packed = atob(document.getElementById(id).textContent);
  const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// The samples that the page carries, by number.
class Samples {
  constructor(rows, run, components, matches = null) {
    this.matches = matches; // of a search in the whole ledger, by key
    this.rows = rows;
    this.run = run;
    this.columns = rows.samples;
    this.count = rows.samples.id.length;
    this.components = rows.components;
    this.ranges = Object.fromEntries(components.map((one) => [one.name, one]));
    this.groups = new Map();
    this.repeats = new Map();
    this.keys = new Map();
    for (let i = 0; i < this.count; i++) {
      push(this.groups, this.groupKey(i), i);
      if (this.columns.phase[i] === "eval") push(this.repeats, this.repeatKey(i), i);
      this.keys.set(this.key(i), i);
    }
  }

  key(i) {
    const { phase, sampling, step, id } = this.columns;
    return `${phase[i]}/${sampling[i]}/${step[i]}/${id[i]}`;
  }

  groupKey(i) {
    const { phase, sampling, step, prompt } = this.columns;
    return `${phase[i]}/${sampling[i]}/${step[i]}/${prompt[i]}`;
  }

  repeatKey(i) {
    const { sampling, prompt, repetition } = this.columns;
    return `${sampling[i]}/${prompt[i]}/${repetition[i]}`;
  }

  group(i) {
    return this.groups.get(this.groupKey(i));
  }

  // The same held-out prompt at other steps, first to last.
  evaluations(i) {
    if (this.columns.phase[i] !== "eval") return [];
    return this.repeats.get(this.repeatKey(i)).toSorted((a, b) => this.columns.step[a] - this.columns.step[b]);
  }

  kind(i) {
    const { phase, sampling } = this.columns;
    return phase[i] === "train"
      ? "training"
      : phase[i] === "eval"
        ? `held-out ${sampling[i]}`
        : `${phase[i]} ${sampling[i]}`;
  }

  prompt(i) {
    return this.rows.prompts[this.columns.prompt[i]];
  }

  record(component, i) {
    const columns = this.rows.records[component];
    const text = (name) => this.rows.texts[name][columns[name][i]] ?? "";
    return {
      status: text("status"),
      cause: text("cause"),
      reason: text("reason"),
      evidence: parsed(text("evidence")),
      metrics: parsed(text("metrics")),
      value: columns.value[i],
      weight: columns.weight[i],
      contribution: columns.contribution[i],
      share: columns.advantage_share[i],
    };
  }

  value(component, i) {
    return this.rows.records[component].value[i];
  }

  status(component, i) {
    return this.rows.texts.status[this.rows.records[component].status[i]] ?? "";
  }

  // Where a value lies in the component's range, 0 to 1; null without value or bounds.
  level(component, i) {
    const range = this.ranges[component];
    const value = this.value(component, i);
    if (value === null || !range || range.low === null || range.high === null) return null;
    return range.high > range.low ? (value - range.low) / (range.high - range.low) : null;
  }

  // The outcome now less the outcome at the first evaluation; null outside the last evaluation.
  gain(i) {
    const steps = this.run.evaluations;
    const all = this.evaluations(i);
    if (!all.length || !this.run.outcome || this.columns.step[i] !== steps[steps.length - 1]) return null;
    if (all.length < 2 || this.columns.step[all[0]] !== steps[0]) return null;
    const [after, before] = [this.value(this.run.outcome, i), this.value(this.run.outcome, all[0])];
    return after === null || before === null ? null : after - before;
  }
}

function push(map, key, value) {
  if (map.has(key)) map.get(key).push(value);
  else map.set(key, [value]);
}

function parsed(text) {
  try {
    return text ? JSON.parse(text) : {};
  } catch {
    return { unreadable: text };
  }
}

// What the prompt asks, in one line.
function question(prompt) {
  const parts = [];
  for (const message of prompt.messages ?? []) {
    if (message.role !== "user") continue;
    if (typeof message.content === "string") parts.push(message.content);
    else for (const item of message.content ?? []) if (item?.type === "text") parts.push(String(item.text));
  }
  return parts.join(" ") || prompt.id;
}

function modality(prompt) {
  const declared = prompt.metadata?.modality;
  return typeof declared === "string" ? declared : (["text", "image"][prompt.images.length] ?? "images");
}
