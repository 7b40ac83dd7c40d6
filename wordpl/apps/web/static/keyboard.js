// The on-screen keyboard, and key presses of the physical keyboard.

import { percent } from "./board.js";
import { h } from "./dom.js";

const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const ORDER = ".ic";

/** Return the most informative mark of each letter, in a game with true clues. */
export function marksSeen(rows) {
  const best = {};
  for (const { guess, clues } of rows) {
    [...guess].forEach((letter, i) => {
      const mark = clues[i] ?? ".";
      if (!(letter in best) || ORDER.indexOf(mark) > ORDER.indexOf(best[letter])) best[letter] = mark;
    });
  }
  return best;
}

const SAID = { c: "right place", i: "elsewhere", ".": "not in the word" };

function key(name, label, press, mark, chance) {
  let said = label;
  if (mark) said += `, ${SAID[mark]}`;
  if (chance !== undefined) said += `, in the word with probability ${percent(chance)}`;
  const element = h(
    "button",
    { type: "button", class: "key", "data-key": name, "data-mark": mark, "aria-label": said, onclick: () => press(name) },
    name.length === 1 ? name.toUpperCase() : label,
  );
  if (chance !== undefined) element.dataset.shade = String(Math.min(4, Math.floor(chance * 5)));
  return element;
}

/** Return the keyboard. `chances` are the probabilities of the letters, if a hint has computed them. */
export function keyboard(state, chances, press) {
  const marks = state.is_exact ? marksSeen(state.rows) : {};
  const rows = ROWS.map((letters, i) => {
    const keys = [...letters].map((letter) => key(letter, letter.toUpperCase(), press, marks[letter], chances?.[letter]));
    if (i === 2) {
      keys.unshift(key("Enter", "Enter", press));
      keys.push(key("Backspace", "Delete", press));
    }
    return h("div", { class: "keys" }, ...keys);
  });
  return h("div", { id: "keyboard", role: "group", "aria-label": "Keyboard" }, ...rows);
}

/** Return the key of the game for a key press, or "" if the game does not handle it. */
export function keyOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return "";
  const target = event.target;
  const isText = target.matches?.("textarea, select, input:not([type=radio]):not([type=checkbox])");
  if (isText) return "";
  if (event.key === "Enter" && target.matches?.("button, a, summary")) return "";
  if (event.key === "Enter") return event.shiftKey ? "Answer" : "Enter";
  if (event.key === "Backspace") return "Backspace";
  return /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() : "";
}
