// Searching the whole ledger on its server.
const SETS = {
  "": "every set",
  "train/sampled": "training",
  "eval/greedy": "held-out greedy",
  "eval/sampled": "held-out sampled",
  "blind/greedy": "without pictures, greedy",
  "blind/sampled": "without pictures, sampled",
};

class Live {
  constructor(data, show) {
    this.show = show;
    this.asked = 0;
    this.page = 0;
    const option = (value, text = value) => el("option", { value }, text);
    const names = data.components.map((one) => one.name);
    const statuses = ["ok", "abstain", "error", "timeout"];
    const limit = (text, label) => el("input", { type: "number", step: "any", placeholder: text, "aria-label": label });
    this.text = el("input", {
      type: "search",
      placeholder: "Text in the whole ledger",
      "aria-label": "Search the whole ledger",
    });
    this.set = el(
      "select",
      { "aria-label": "Set in the whole ledger" },
      Object.entries(SETS).map(([value, text]) => option(value, text)),
    );
    this.step = el("input", { type: "number", min: 0, placeholder: "step", "aria-label": "Step in the whole ledger" });
    const choice = (what, values) =>
      el(
        "select",
        { "aria-label": `${what} in the whole ledger` },
        option("", `any ${what.toLowerCase()}`),
        values.map((value) => option(value)),
      );
    this.component = choice("Component", names);
    this.status = choice("Status", statuses);
    this.low = limit("from", "Lowest score in the whole ledger");
    this.high = limit("to", "Highest score in the whole ledger");
    this.said = el("output", { class: "count", "aria-live": "polite" });
    this.back = el("button", { type: "button", onclick: () => this.search(this.page - 1) }, "Newer");
    this.next = el("button", { type: "button", onclick: () => this.search(this.page + 1) }, "Older");
    const onsubmit = (event) => {
      event.preventDefault();
      this.search(0);
    };
    this.node = el(
      "form",
      { class: "filters live", role: "search", onsubmit },
      el("h3", {}, "Search the whole ledger"),
      el(
        "div",
        { class: "row" },
        [this.text, this.set, this.step, this.component, this.status, this.low, this.high],
        el("button", { type: "submit" }, "Search"),
      ),
      el("div", { class: "row pager" }, this.said, this.back, this.next),
    );
    this.told(data.live);
  }

  asks() {
    const [phase, sampling] = this.set.value.split("/");
    const fields = { phase, sampling, text: this.text.value.trim() };
    for (const name of ["step", "component", "status", "low", "high"]) fields[name] = this[name].value;
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
  }

  search(page) {
    return this.ask({ ...this.asks(), page });
  }

  // The group of one sample, by its key; whether it is there.
  find(key) {
    const [phase, sampling, step, ...id] = key.split("/");
    return this.ask({ phase, sampling, step, sample: id.join("/") });
  }

  async ask(fields) {
    this.asked += 1;
    const mine = this.asked;
    this.said.textContent = "Searching …";
    const answer = await fetch(`api/samples?${new URLSearchParams(fields)}`).catch(() => null);
    if (mine !== this.asked) return false; // a later search is under way
    if (!answer?.ok) {
      this.said.textContent = answer
        ? `The server answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`
        : "The server does not answer.";
      return false;
    }
    const found = await answer.json();
    this.show(found.rows, found.pictures, new Set(found.live.matches));
    this.told(found.live);
    return found.live.hits > 0;
  }

  told({ hits, groups, page, size, matches }) {
    this.page = page;
    const last = Math.max(0, Math.ceil(groups / size) - 1);
    this.said.textContent = matches.length
      ? `${hits} samples in ${groups} groups match; groups ${page * size + 1} to ` +
        `${Math.min(groups, (page + 1) * size)} are below, the last steps first`
      : "No sample of the ledger is like that.";
    this.back.disabled = page === 0;
    this.next.disabled = page >= last;
  }
}
