// Creates elements. Texts from entries are untrusted and only put into text nodes.

const SVG = "http://www.w3.org/2000/svg";

/** Return an element with attributes and children; children are elements or text. */
function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Return an element of a drawing. */
function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** Return a copy of the shape that the page draws for an entry, in its colour. */
function glyphOf(key) {
  const shape = document.querySelector(`svg.glyph[data-number="${key}"]`);
  if (!shape) return null;
  const copy = shape.cloneNode(true);
  copy.classList.remove("aside", "chosen");
  return copy;
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const FORMATS = [];

function shortNumber(value, digits = 1) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "–";
  FORMATS[digits] ||= new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return FORMATS[digits].format(value);
}

function percent(share) {
  if (share > 0 && share < 0.0005) return "<0.1%";
  if (share < 1 && share >= 0.9995) return ">99.9%";
  return `${(100 * share).toFixed(1)}%`;
}

function select(label, options, onchange) {
  const list = make("select", { onchange }, ...options.map(([value, text]) => make("option", { value }, text)));
  return [make("label", {}, `${label} `, list), list];
}

function textField(label, attributes, oninput) {
  const field = make("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes, oninput });
  return [make("label", {}, `${label} `, field), field];
}
