// Small helpers for building the page. Text is always set as text, never as HTML.

/** Return a new element. `attributes` may hold handlers (`onclick`), properties of data (`data-x`) and plain attributes. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Show a message to everybody, screen readers included. `status` is the server's, where it refused a request. */
export function say(text, isError = false, status = "") {
  const line = document.getElementById("message");
  line.dataset.kind = isError ? "error" : "news";
  line.dataset.status = status;
  line.textContent = text;
}

/** Tell screen readers what the page shows already. */
export function speak(text) {
  say(text);
  document.getElementById("message").dataset.kind = "spoken";
}

/** Replace what the main part of the page shows. */
export function show(...children) {
  document.getElementById("main").replaceChildren(...children);
}

/** Return a button. */
export function button(label, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, label);
}

/** Copy text; where the browser refuses, show it in a field to be copied by hand. */
export async function copy(text, beside) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    const field = h("textarea", { readonly: true, rows: 6, "aria-label": "Text to copy" }, text);
    beside.after(field);
    field.select();
    say("Copy the text that is selected.");
  }
}
