// Building elements. Text from a run only ever becomes a text node; nothing here parses markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("aria-")) node.setAttribute(name, String(value));
    else if (value === false) continue;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Control, zero-width and direction-changing characters are shown by their code: they must neither
// hide anything nor turn the text around them.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

function written(text) {
  const nodes = [];
  let last = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > last) nodes.push(text.slice(last, match.index));
    const code = match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    nodes.push(el("span", { class: "unseen" }, `U+${code}`));
    last = match.index + match[0].length;
  }
  if (last < text.length) nodes.push(text.slice(last));
  return nodes;
}

function number(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? Math.min(digits, 1) : digits);
}

// With as many digits as it takes, for rates and losses of any size.
function precise(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  return size !== 0 && (size < 0.001 || size >= 100000) ? value.toExponential(1) : number(value);
}

function signed(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  return (value > 0 ? "+" : value < 0 ? "−" : "±") + number(Math.abs(value), digits);
}

function between(estimate) {
  if (estimate.low === null) return "no interval";
  return `${signed(estimate.low)} to ${signed(estimate.high)}`;
}

function share(value) {
  return value === null || value === undefined ? "–" : `${Math.round(value * 100)}%`;
}
