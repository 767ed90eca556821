// Puts the page together.
function theme() {
  const root = document.documentElement;
  const dark = () =>
    root.dataset.theme === "dark" || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  return el(
    "button",
    {
      type: "button",
      class: "theme",
      onclick: () => {
        root.dataset.theme = dark() ? "light" : "dark";
      },
    },
    "Light / dark",
  );
}

// The keys move whatever list and sample are shown: a live page shows others after a search.
function shortcuts(shown) {
  const keys = {
    j: () => shown.table?.move(1),
    k: () => shown.table?.move(-1),
    "]": () => shown.table?.aside(1),
    "[": () => shown.table?.aside(-1),
    b: () => shown.detail?.toggle(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
      return;
    if (event.key === "/") {
      event.preventDefault();
      shown.table?.filters.search.focus();
    } else {
      keys[event.key]?.();
    }
  });
}

// The list and one sample, of these rows.
function browser(data, rows, pictures, matches) {
  if (!rows.samples.id.length) return { nodes: [el("p", {}, "No sample of the ledger is like that.")] };
  const samples = new Samples(rows, data.run, data.components, matches);
  const found = { samples };
  found.detail = new Detail(samples, pictures, (i) => found.table.select(i));
  found.table = new Table(samples, found.detail);
  const scatter = new Scatter(samples, found.table);
  found.nodes = [scatter.node, el("div", { class: "browser" }, found.table.node, found.detail.node)];
  return found;
}

const addressed = () => (location.hash.startsWith("#sample=") ? decodeURIComponent(location.hash.slice(8)) : null);

function samplesSection(data, pictures) {
  if (!data.rows.samples.id.length && !data.live)
    return { node: section("samples", "Samples", "The ledger has no samples yet."), start: () => {} };
  const shown = {};
  const place = el("div", {});
  const show = (rows, pictures, matches) => {
    Object.assign(shown, { samples: null, table: null, detail: null }, browser(data, rows, pictures, matches));
    place.replaceChildren(...shown.nodes);
    shown.detail?.show(shown.table.found[0] ?? 0);
    shown.table?.draw();
  };
  const live = data.live ? new Live(data, show) : null;
  const open = () => {
    const wanted = addressed();
    const i = shown.samples?.keys.get(wanted);
    if (i !== undefined && i !== shown.detail.current) shown.table.select(i);
    if (i === undefined && wanted !== null) live?.find(wanted).then((there) => there && open());
    if (wanted !== null) document.getElementById("samples").scrollIntoView();
  };
  shortcuts(shown);
  addEventListener("hashchange", open);
  const note =
    "Click a row, or use the keys: j and k for the next and previous sample, [ and ] within its group, b for the boxes, / to search. The bar under a score is its place in the component's range. The address of a sample can be shared with the file.";
  show(data.rows, pictures, data.live ? new Set(data.live.matches) : null);
  return { node: section("samples", "Samples", note, live?.node, place), start: open };
}

async function main() {
  const [data, pictures] = await Promise.all([unpack("data"), unpack("pictures")]);
  const parts = [
    words(data),
    alarms(data),
    against(data),
    heldOut(data),
    proxies(data),
    components(data),
    profile(data),
    health(data),
  ].filter(Boolean);
  const samples = samplesSection(data, pictures);
  parts.push(samples.node, footer(data));
  const links = parts.map((part) => el("a", { href: `#${part.id}` }, part.querySelector("h2").textContent));
  const app = document.getElementById("app");
  app.replaceChildren(header(data), el("nav", { "aria-label": "Sections" }, links, theme()), el("main", {}, parts));
  app.removeAttribute("aria-busy");
  samples.start();
}

main().catch((error) => {
  document
    .getElementById("app")
    .replaceChildren(
      el(
        "p",
        { class: "warning" },
        `The page could not be drawn: ${error.message}. It needs a browser from 2024 or later.`,
      ),
    );
  throw error;
});
