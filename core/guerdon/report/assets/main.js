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

function shortcuts(table, detail) {
  const keys = {
    j: () => table.move(1),
    k: () => table.move(-1),
    "]": () => table.aside(1),
    "[": () => table.aside(-1),
    b: () => detail.toggle(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
      return;
    if (event.key === "/") {
      event.preventDefault();
      table.filters.search.focus();
    } else {
      keys[event.key]?.();
    }
  });
}

function samplesSection(data, pictures) {
  if (!data.rows.samples.id.length) return section("samples", "Samples", "The ledger has no samples yet.");
  const samples = new Samples(data.rows, data.run, data.components);
  let table = null;
  const detail = new Detail(samples, pictures, (i) => table.select(i));
  table = new Table(samples, detail);
  shortcuts(table, detail);
  const open = () => {
    const wanted = samples.keys.get(decodeURIComponent(location.hash.replace(/^#sample=/, "")));
    if (wanted !== undefined && wanted !== detail.current) table.select(wanted);
    return wanted;
  };
  addEventListener("hashchange", open);
  const note =
    "Click a row, or use the keys: j and k for the next and previous sample, [ and ] within its group, b for the boxes, / to search. The bar under a score is its place in the component's range. The address of a sample can be shared with the file.";
  const node = section("samples", "Samples", note, el("div", { class: "browser" }, table.node, detail.node));
  return {
    node,
    start: () =>
      open() === undefined ? detail.show(table.found[0] ?? 0) : document.getElementById("samples").scrollIntoView(),
    table,
  };
}

async function main() {
  const [data, pictures] = await Promise.all([unpack("data"), unpack("pictures")]);
  const parts = [words(data), heldOut(data), proxies(data), components(data), health(data)].filter(Boolean);
  const samples = samplesSection(data, pictures);
  parts.push(samples.node ?? samples, footer(data));
  const links = parts.map((part) => el("a", { href: `#${part.id}` }, part.querySelector("h2").textContent));
  const app = document.getElementById("app");
  app.replaceChildren(header(data), el("nav", { "aria-label": "Sections" }, links, theme()), el("main", {}, parts));
  app.removeAttribute("aria-busy");
  samples.start?.();
  samples.table?.draw();
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
