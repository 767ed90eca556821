// One sample with everything that was said about it.
const SHOWN = 4000; // characters of a text before "Show all"

class Detail {
  constructor(samples, pictures, select) {
    this.samples = samples;
    this.pictures = pictures;
    this.select = select;
    this.boxes = true;
    this.node = el("article", { id: "detail", "aria-live": "polite", tabindex: -1, "aria-label": "Sample" });
  }

  show(i) {
    const { samples } = this;
    this.current = i;
    const records = samples.components.map((name) => [name, samples.record(name, i)]);
    this.node.replaceChildren(
      this.head(i),
      el(
        "div",
        { class: "upper" },
        this.images(i, records),
        el("div", {}, this.prompt(i), this.completion(i, records), this.truth(i)),
      ),
      this.scores(i, records),
      this.evaluations(i) ?? "",
      this.group(i) ?? "",
    );
  }

  head(i) {
    const { columns } = this.samples;
    const facts = [
      this.samples.kind(i),
      `step ${columns.step[i]}`,
      columns.token_count[i] === null ? null : `${columns.token_count[i]} tokens`,
      columns.truncated[i] ? "cut at the length limit" : null,
      columns.phase[i] === "train" ? `total ${number(columns.total[i])}` : null,
      columns.phase[i] === "train" ? `advantage ${signed(columns.advantage[i])}` : null,
      columns.phase[i] === "train" && !columns.trained[i] ? "took no part in the update" : null,
    ];
    return el(
      "h3",
      { class: "sample-head" },
      el("bdi", {}, written(columns.id[i])),
      el("span", { class: "quiet" }, ` ${facts.filter(Boolean).join(" · ")}`),
    );
  }

  images(i, records) {
    const prompt = this.samples.prompt(i);
    if (!prompt.images.length) return null;
    const frames = prompt.images.map((name, k) => this.picture(prompt, name, k, k === 0 ? records : []));
    const drawn = records.filter(([, record]) => boxesOf(record.evidence).length);
    const key = drawn.length && [
      el(
        "span",
        {},
        svg(
          "svg",
          { class: "swatch", viewBox: "0 0 22 12" },
          svg("rect", { class: "box true", x: 2, y: 2, width: 18, height: 8 }),
        ),
        "true",
      ),
      el(
        "span",
        {},
        svg(
          "svg",
          { class: "swatch", viewBox: "0 0 22 12" },
          svg("rect", { class: "box predicted", x: 2, y: 2, width: 18, height: 8 }),
        ),
        "predicted",
      ),
      el("button", { type: "button", "aria-pressed": this.boxes, onclick: () => this.toggle() }, "Boxes (b)"),
    ];
    return el(
      "div",
      { class: `pictures${this.boxes ? "" : " bare"}` },
      frames,
      key ? el("div", { class: "legend" }, key) : null,
    );
  }

  picture(prompt, name, k, records) {
    const picture = this.pictures[name];
    const caption = prompt.images.length > 1 ? el("figcaption", {}, `picture ${k + 1}`) : null;
    if (!picture)
      return el(
        "figure",
        { class: "missing" },
        name ? "This picture is left out." : "This picture could not be read.",
        caption,
      );
    const known = k === 0 ? [prompt.metadata?.image_width, prompt.metadata?.image_height] : [];
    const [width, height] =
      known.every((size) => size > 0) && known.length === 2 ? known : [picture.width, picture.height];
    const drawing = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      class: `picture${picture.width < 200 ? " tiny" : ""}`,
      role: "img",
      "aria-label": `picture ${k + 1} of the prompt`,
    });
    drawing.append(svg("image", { href: picture.url, width, height, preserveAspectRatio: "none" }));
    for (const [, record] of records) {
      for (const { box, label, side } of boxesOf(record.evidence)) {
        const [x1, y1, x2, y2] = box;
        const place = { x: x1, y: y1, width: Math.max(x2 - x1, 0), height: Math.max(y2 - y1, 0) };
        drawing.append(
          svg(
            "rect",
            { class: `box ${side}`, ...place },
            svg(
              "title",
              {},
              `${side}${label ? `: ${label}` : ""} [${box.map((value) => number(value, 1)).join(", ")}]`,
            ),
          ),
        );
      }
      for (const [x, y] of record.evidence.predicted_points ?? [])
        drawing.append(svg("circle", { class: "box predicted", cx: x, cy: y, r: Math.max(width, height) / 80 }));
    }
    return el("figure", {}, drawing, caption);
  }

  toggle() {
    this.boxes = !this.boxes;
    if (this.current !== undefined) this.show(this.current);
  }

  prompt(i) {
    const lines = [];
    for (const message of this.samples.prompt(i).messages ?? []) {
      const content =
        typeof message.content === "string"
          ? [message.content]
          : (message.content ?? []).map((item) =>
              item?.type === "text" ? String(item.text) : `[${item?.type ?? "?"}]`,
            );
      lines.push(
        el(
          "p",
          {},
          el("span", { class: "role" }, String(message.role)),
          " ",
          el(
            "bdi",
            {},
            content.map((text) => [written(text), " "]),
          ),
        ),
      );
    }
    return el("div", { class: "prompt" }, el("h4", {}, "Prompt"), lines);
  }

  completion(i, records) {
    const { columns } = this.samples;
    const text = columns.completion[i];
    const body = el("pre", { class: "completion", dir: "auto" });
    const draw = (limit) => body.replaceChildren(...marked(text, spansOf(records), limit));
    draw(SHOWN);
    const more =
      text.length > SHOWN &&
      el(
        "button",
        {
          type: "button",
          onclick: (event) => {
            draw(Infinity);
            event.target.remove();
          },
        },
        `Show all ${text.length} characters`,
      );
    const cut = columns.cut[i]
      ? el("p", { class: "note" }, `${columns.cut[i]} further characters are in the ledger.`)
      : null;
    return el("div", {}, el("h4", {}, "Completion"), body, more || null, cut);
  }

  truth(i) {
    const reference = this.samples.prompt(i).reference;
    if (!reference) return null;
    const { type, answer, ...rest } = reference;
    return el(
      "div",
      {},
      el("h4", {}, "Truth"),
      el(
        "p",
        {},
        el(
          "bdi",
          {},
          written(typeof answer === "string" ? answer : answer === undefined ? "" : JSON.stringify(answer)),
        ),
        type ? el("span", { class: "quiet" }, ` (${type})`) : null,
      ),
      Object.keys(rest).length ? el("details", {}, el("summary", {}, "Reference"), json(rest)) : null,
    );
  }

  scores(i, records) {
    const { run, columns } = this.samples;
    const trained = columns.phase[i] === "train";
    const rows = records.map(([name, record]) =>
      el(
        "tr",
        { class: name === run.outcome ? "whole" : null },
        el("td", {}, name, name === run.outcome ? " (outcome)" : ""),
        el(
          "td",
          {},
          el("span", { class: `status ${record.status}` }, record.status, record.cause ? ` (${record.cause})` : ""),
        ),
        el("td", { class: "number" }, number(record.value)),
        el("td", { class: "number" }, record.weight === null ? "–" : short(record.weight)),
        el("td", { class: "number" }, number(record.contribution)),
        el("td", { class: "number" }, trained ? signed(record.share) : "–"),
        el(
          "td",
          {},
          el("bdi", { class: "reason" }, written(record.reason)),
          Object.keys(record.evidence).length || Object.keys(record.metrics).length
            ? el(
                "details",
                {},
                el("summary", {}, "evidence"),
                json({
                  ...record.evidence,
                  ...(Object.keys(record.metrics).length ? { metrics: record.metrics } : {}),
                }),
              )
            : null,
        ),
      ),
    );
    const head = ["component", "status", "value", "weight", "adds", "of the advantage", "reason"];
    return el(
      "div",
      { class: "scroll" },
      el("h4", {}, "Scores"),
      el(
        "table",
        { class: "scores" },
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

  evaluations(i) {
    const all = this.samples.evaluations(i);
    if (all.length < 2) return null;
    return el(
      "div",
      {},
      el("h4", {}, "The same prompt at each evaluation"),
      el(
        "div",
        { class: "siblings" },
        all.map((one) => this.sibling(one, i, `step ${this.samples.columns.step[one]}`)),
      ),
    );
  }

  group(i) {
    const group = this.samples.group(i);
    if (group.length < 2) return null;
    return el(
      "div",
      {},
      el("h4", {}, `The group: ${group.length} completions of this prompt at step ${this.samples.columns.step[i]}`),
      el(
        "div",
        { class: "siblings" },
        group.map((one) => this.sibling(one, i, `advantage ${signed(this.samples.columns.advantage[one], 2)}`)),
      ),
    );
  }

  sibling(one, current, label) {
    const { samples } = this;
    const text = samples.columns.completion[one];
    const chips = samples.components.map((name) =>
      el(
        "span",
        { class: `chip ${name === samples.run.outcome ? "main" : ""}` },
        `${name} `,
        el(
          "b",
          {},
          samples.value(name, one) === null ? samples.status(name, one) : number(samples.value(name, one), 2),
        ),
      ),
    );
    return el(
      "button",
      {
        type: "button",
        class: "sibling",
        "aria-current": one === current ? "true" : null,
        onclick: () => this.select(one),
      },
      el("span", { class: "label" }, label),
      el("span", { class: "text", dir: "auto" }, written(text.slice(0, 280)), text.length > 280 ? "…" : ""),
      el("span", { class: "chips" }, chips),
    );
  }
}

function json(value) {
  return el("pre", { class: "json" }, written(JSON.stringify(value, null, 1)));
}

function isBox(value) {
  return (
    Array.isArray(value) && value.length === 4 && value.every((one) => typeof one === "number" && Number.isFinite(one))
  );
}

// Boxes of a record's evidence, in pixels of the original picture.
function boxesOf(evidence) {
  const found = [];
  for (const side of ["true", "predicted"]) {
    if (!Array.isArray(evidence?.[side])) continue;
    evidence[side].forEach(
      (box, k) => isBox(box) && found.push({ box, side, label: String(evidence[`${side}_labels`]?.[k] ?? "") }),
    );
  }
  return found;
}

// Every {span: [start, end]} in the evidence, with the component that gave it.
function spansOf(records) {
  const found = [];
  const walk = (value, component, depth) => {
    if (value === null || typeof value !== "object" || depth > 4) return;
    const span = value.span;
    if (Array.isArray(span) && span.length === 2 && span.every(Number.isInteger) && span[0] < span[1])
      found.push({ start: span[0], end: span[1], component });
    for (const item of Object.values(value)) walk(item, component, depth + 1);
  };
  for (const [name, record] of records) walk(record.evidence, name, 0);
  return found;
}

// The text with its evidence marked. Spans count code points, as Python does.
function marked(text, spans, limit) {
  const points = /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
  const end = Math.min(points.length, limit);
  const slice = (a, b) => (typeof points === "string" ? points.slice(a, b) : points.slice(a, b).join(""));
  const edges = [...new Set([0, end, ...spans.flatMap((one) => [one.start, one.end])])]
    .filter((edge) => edge >= 0 && edge <= end)
    .sort((a, b) => a - b);
  const nodes = [];
  for (let k = 0; k + 1 < edges.length; k++) {
    const inside = spans.filter((one) => one.start <= edges[k] && one.end >= edges[k + 1]).map((one) => one.component);
    const pieces = written(slice(edges[k], edges[k + 1]));
    if (inside.length) nodes.push(el("mark", { title: `evidence of ${[...new Set(inside)].join(", ")}` }, pieces));
    else nodes.push(...pieces);
  }
  if (points.length > end) nodes.push("…");
  return nodes;
}
