// The list of samples: filters, sorting, pages, keyboard.
const PAGE = 25;

class Table {
  constructor(samples, detail) {
    this.samples = samples;
    this.detail = detail;
    this.page = 0;
    this.sort = null;
    this.filters = new Filters(samples, () => this.refresh());
    this.body = el("tbody", { onkeydown: (event) => this.key(event) });
    this.count = el("output", { class: "count" });
    this.head = el("tr", {});
    this.back = el("button", { type: "button", onclick: () => this.turn(-1) }, "Back");
    this.next = el("button", { type: "button", onclick: () => this.turn(1) }, "Next");
    this.node = el(
      "div",
      { class: "list" },
      this.filters.node,
      el("div", { class: "row pager" }, this.count, this.back, this.next),
      el("div", { class: "scroll" }, el("table", { class: "samples" }, el("thead", {}, this.head), this.body)),
    );
    const { columns } = samples;
    this.columns = [
      ["step", (i) => columns.step[i]],
      ["set", (i) => samples.kind(i).replace("held-out ", "")],
      ["prompt", (i) => question(samples.prompt(i))],
      ...samples.components.map((name) => [name, (i) => samples.value(name, i), name]),
      ["advantage", (i) => (columns.phase[i] === "train" ? columns.advantage[i] : null)],
    ];
    this.refresh();
  }

  refresh() {
    this.found = this.filters.passing();
    if (this.sort) {
      const [column, direction] = this.sort;
      const value = this.columns[column][1];
      const keyed = this.found.map((i) => [value(i), i]);
      keyed.sort(([a, i], [b, j]) => compare(a, b) * direction || i - j);
      this.found = keyed.map(([, i]) => i);
    }
    this.page = 0;
    this.draw();
    this.refreshed?.();
  }

  order(column) {
    const direction = this.sort?.[0] === column ? -this.sort[1] : -1;
    this.sort = [column, direction];
    this.refresh();
  }

  turn(by) {
    this.page += by;
    this.draw();
  }

  draw() {
    const last = Math.max(0, Math.ceil(this.found.length / PAGE) - 1);
    this.page = Math.max(0, Math.min(last, this.page));
    const from = this.page * PAGE;
    const shown = this.found.slice(from, from + PAGE);
    this.count.textContent = this.found.length
      ? `${from + 1} to ${from + shown.length} of ${this.found.length} samples`
      : "No sample passes the filters.";
    this.back.disabled = this.page === 0;
    this.next.disabled = this.page === last;
    this.head.replaceChildren(...this.columns.map(([name], k) => this.heading(name, k)));
    this.body.replaceChildren(...shown.map((i) => this.row(i)));
  }

  heading(name, k) {
    const sorted = this.sort?.[0] === k ? (this.sort[1] > 0 ? "ascending" : "descending") : "none";
    const arrow = { ascending: " ▲", descending: " ▼", none: "" }[sorted];
    return el(
      "th",
      { scope: "col", "aria-sort": sorted },
      el("button", { type: "button", onclick: () => this.order(k) }, name, arrow),
    );
  }

  row(i) {
    const current = i === this.detail.current;
    const cells = this.columns.map(([name, value, component]) => {
      if (component) return this.scoreCell(component, i);
      if (name === "prompt") return el("td", { class: "question" }, el("bdi", {}, written(value(i).slice(0, 90))));
      const shown = value(i);
      return el(
        "td",
        { class: typeof shown === "number" ? "number" : null },
        name === "advantage" ? signed(shown, 2) : shown,
      );
    });
    return el(
      "tr",
      {
        tabindex: current || (this.detail.current === undefined && i === this.found[0]) ? 0 : -1,
        "aria-selected": current,
        "data-sample": i,
        onclick: () => this.select(i),
      },
      cells,
    );
  }

  scoreCell(component, i) {
    const status = this.samples.status(component, i);
    const value = this.samples.value(component, i);
    if (status !== "ok")
      return el("td", { class: `number status ${status}` }, status, value === null ? "" : ` ${number(value, 2)}`);
    const level = this.samples.level(component, i);
    const cell = el("td", { class: "number level" }, number(value, 2));
    cell.style.setProperty("--level", `${Math.round((level ?? 0) * 100)}%`);
    return cell;
  }

  select(i, focus = false) {
    this.detail.show(i);
    const place = this.found.indexOf(i);
    if (place >= 0) this.page = Math.floor(place / PAGE);
    this.draw();
    if (focus) this.body.querySelector("[aria-selected=true]")?.focus();
    history.replaceState(null, "", `#sample=${encodeURIComponent(this.samples.key(i))}`);
  }

  move(by, focus = false) {
    const place = this.found.indexOf(this.detail.current);
    const next = this.found[place < 0 ? 0 : place + by];
    if (next !== undefined) this.select(next, focus);
  }

  // The neighbour in the group or among the evaluations of the prompt.
  aside(by) {
    const i = this.detail.current;
    if (i === undefined) return;
    const group = this.samples.group(i);
    const row = group.length > 1 ? group : this.samples.evaluations(i);
    const next = row[row.indexOf(i) + by];
    if (next !== undefined) this.select(next);
  }

  key(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      this.move(by, true);
    } else if (event.key === "Enter") {
      this.select(Number(event.target.closest("tr").dataset.sample), true);
    }
  }
}

function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return -1;
  if (b === null || b === undefined) return 1;
  return typeof a === "string" ? a.localeCompare(b) : a - b;
}
