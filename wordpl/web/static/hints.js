// Shows hints, which the server computes from the clues so far.

import { h } from "./dom.js";

function bar(probability) {
  return h("meter", { min: 0, max: 1, value: probability, "aria-hidden": "true" });
}

/** Return the panel with the hints. */
export function hints(found) {
  const panel = h("section", { class: "panel", id: "hints" }, h("h2", {}, "Hints"));
  panel.append(...found.lines.map((line) => h("p", {}, line)));
  if (found.words.length) {
    const words = found.words.map(([word, probability]) =>
      h("li", {}, h("span", { class: "word" }, word), ...(probability === null ? [] : [probability.toFixed(3), bar(probability)])),
    );
    panel.append(h("ul", { class: "likely" }, ...words));
  }
  if (found.letters) {
    panel.append(h("p", { class: "about" }, "The colour of each key shows how likely the letter is in the word: grey unlikely, blue possible, purple likely."));
  }
  return panel;
}
