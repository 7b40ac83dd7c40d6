// Shows hints, which the server computes from the clues so far.

import { button, h } from "./dom.js";

function bar(probability) {
  return h("meter", { min: 0, max: 1, value: probability, "aria-hidden": "true" });
}

/** Return the panel with the hints. `close` hides it. */
export function hints(found, close) {
  const panel = h("section", { class: "panel", id: "hints", "aria-label": "Hints" },
    h("div", { class: "head" }, h("h2", {}, "Hints"), button("Close", close, { id: "close-hints" })));
  panel.append(...found.lines.map((line) => h("p", {}, line)));
  if (found.words.length) {
    const words = found.words.map(([word, probability]) =>
      h("li", {}, h("span", { class: "word" }, word), ...(probability === null ? [] : [probability.toFixed(3), bar(probability)])),
    );
    panel.append(h("ol", { class: "likely", "aria-label": "The likeliest words" }, ...words));
  }
  if (found.letters) {
    panel.append(h("p", { class: "about" }, "Keys: how likely the letter is in the word: grey unlikely, blue possible, purple likely."));
  }
  if (found.marks) {
    panel.append(h("p", { class: "about" }, "The bar in each tile: how likely its mark is true, given all clues."));
  }
  return panel;
}
