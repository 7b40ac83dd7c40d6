// Hints, which the server computes from the clues so far, in steps: a letter, a word, all words.

import { percent } from "./board.js";
import { button, h } from "./dom.js";

export const [LETTER, WORD, ALL] = [1, 2, 3];

/** Return what the first two steps say. */
export function hintText(found, step, isExact) {
  if (step === WORD) return found.lines.at(-1);
  const [letter, chance] = found.letter;
  return `${letter.toUpperCase()} is in ${isExact ? `${percent(chance)} of the words that are left` : `the word with probability ${percent(chance)}`}.`;
}

/** Return the line that offers the steps. `ask` is called with the step. */
export function hintSteps(ask) {
  return h("div", { class: "hint-steps", role: "group", "aria-label": "Hints" }, h("span", {}, "Hint"),
    button("a letter", () => ask(LETTER), { id: "hint-letter" }), button("a word", () => ask(WORD), { id: "hint-word" }),
    button("all words", () => ask(ALL), { id: "hint-all" }), h("output", { id: "hint-text", "aria-live": "polite" }));
}

function bar(probability) {
  return h("meter", { min: 0, max: 1, value: probability, "aria-hidden": "true" });
}

/** Return the panel with all words. `close` hides it. */
export function hints(found, close) {
  const panel = h("section", { class: "panel", id: "hints", "aria-label": "Hints" },
    h("div", { class: "head" }, h("h2", {}, "Hints"), button("Close", close, { id: "close-hints" })));
  panel.append(...found.lines.map((line) => h("p", {}, line)));
  if (found.words.length) {
    const words = found.words.map(([word, probability]) =>
      h("li", {}, h("span", { class: "word" }, word), ...(probability === null ? [] : [percent(probability), bar(probability)])),
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
