// Functions that build the page. Text is always set as text, never as HTML.

/** Return a new element. `attributes` may contain handlers (`onclick`), data attributes (`data-x`) and other attributes. */
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

/** Show a message, also to screen readers. `status` is the HTTP status if the server refused a request.
 *
 * In a game, it appears below the row that is typed, which shakes if the message is an error.
 */
export function say(text, isError = false, status = "") {
  const line = document.getElementById("message");
  line.dataset.kind = isError ? "error" : "news";
  line.dataset.status = status;
  line.textContent = text;
  const row = document.querySelector("#board [data-state=open]");
  line.style.top = row && document.body.dataset.view === "game" ? `${row.getBoundingClientRect().bottom + 3}px` : "";
  if (row && isError) {
    row.classList.remove("shake");
    void row.offsetWidth; // a repeated error shakes the row again
    row.classList.add("shake");
  }
}

/** Read a text to screen readers that the page shows elsewhere. */
export function speak(text) {
  say(text);
  document.getElementById("message").dataset.kind = "spoken";
}

/** Replace the contents of the main part of the page; the focus stays on the element of the same id. */
export function show(...children) {
  const focused = document.activeElement?.id;
  document.body.dataset.view = "";
  document.getElementById("title").replaceChildren();
  document.getElementById("main").replaceChildren(...children);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/** Return a button. */
export function button(label, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, label);
}

/** Copy text; if the browser refuses, show it in a field to copy it manually. */
export async function copy(text, beside) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    const field = h("textarea", { readonly: true, rows: 6, "aria-label": "Text to copy" }, text);
    beside.after(field);
    field.select();
    say("Copy the selected text.");
  }
}

/** Share text by the system's dialog; where there is none, copy it. */
export async function share(text, beside) {
  if (!navigator.share) return copy(text, beside);
  try {
    await navigator.share({ text });
  } catch (error) {
    if (error.name !== "AbortError") await copy(text, beside); // the user closed the dialog
  }
}
