// Shows the rows of a game as tiles.

import { h } from "./dom.js";

const MEANING = { c: "right place", i: "elsewhere in the word", ".": "not in the word" };
const NOISY = { c: "shown as right place", i: "shown as elsewhere", ".": "shown as not in the word" };

/** Return one tile. `mark` is "c", "i", "." or, for a letter without a mark, "". */
export function tile(letter, mark, isNoisy = false) {
  const meaning = mark ? (isNoisy ? NOISY : MEANING)[mark] : letter ? "typed" : "empty";
  const label = letter ? `${letter.toUpperCase()}, ${meaning}` : meaning;
  const shown = letter ? letter.toUpperCase() : "";
  return h(
    "span",
    { class: "tile", role: "img", "aria-label": label, "data-letter": letter || "", "data-mark": mark },
    h("span", { "aria-hidden": "true" }, shown),
  );
}

/** Return the tiles of a word with its marks. */
export function tiles(word, clues, isNoisy) {
  return [...word].map((letter, place) => tile(letter, clues[place] ?? "", isNoisy));
}

/** Return coloured squares without letters, which show the progress of other players. */
export function squares(rows) {
  const drawn = rows.map((clues) =>
    h("span", { class: "squares", "aria-hidden": "true" }, ...[...clues].map((mark) => h("i", { "data-mark": mark }))),
  );
  return h("span", { class: "mini" }, ...drawn);
}

function played(row, number, isNoisy) {
  const clues = row.clues || "";
  const price = row.epsilon > 0 ? h("span", { class: "price" }, `ε ${row.epsilon}`) : null;
  const label = `Guess ${number}${row.epsilon > 0 ? `, epsilon ${row.epsilon}` : ""}`;
  const attributes = { class: "row", "aria-label": label, "data-state": "done", "data-epsilon": row.epsilon };
  return h("li", attributes, ...tiles(row.guess, clues, isNoisy), price);
}

/** Return the board: the rows so far, the row being typed, and empty rows if the number of guesses is limited. */
export function board(state, typed) {
  const isNoisy = !state.is_exact;
  const rows = state.rows.map((row, i) => played(row, i + 1, isNoisy));
  if (state.is_open) {
    const letters = typed.padEnd(state.length).slice(0, state.length);
    const open = [...letters].map((letter) => tile(letter.trim(), ""));
    rows.push(h("li", { class: "row", "aria-label": "Your next guess", "data-state": "open" }, ...open));
    const n_empty = state.limit ? state.limit - rows.length : 0;
    for (let i = 0; i < n_empty; i += 1) {
      const empty = Array.from({ length: state.length }, () => h("span", { class: "tile", "data-mark": "" }));
      rows.push(h("li", { class: "row", "aria-hidden": "true", "data-state": "empty" }, ...empty));
    }
  }
  return h("ol", { id: "board", class: "board", "aria-label": "Guesses" }, ...rows);
}
