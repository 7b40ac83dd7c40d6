// The review of a finished game.

import { button, copy, h } from "./dom.js";
import { tiles } from "./board.js";
import { moment } from "./friends.js";

/** Return a sentence that says how the game ended. */
export function outcome(state) {
  const n = state.rows.filter((row) => row.clues).length;
  const cost = state.has_epsilon ? `budget ${state.spent}, ` : "";
  const guesses = `${cost}${n} guess${n === 1 ? "" : "es"}`;
  switch (state.verdict) {
    case "won": return `You won: ${guesses}.`;
    case "wrong": return `Wrong answer: ${guesses}.`;
    case "unsolved": return `Not solved: ${guesses}.`;
    case "given up": return `You gave up after ${guesses}.`;
    default: return "The deadline has passed.";
  }
}

function rows(state) {
  const isNoisy = !state.is_exact;
  return state.rows.filter((row) => row.clues).map((row, i) => {
    const truth = state.review.truth[i];
    const n_false = [...row.clues].filter((mark, place) => mark !== truth[place]).length;
    const cells = [h("td", {}, h("span", { class: "row" }, ...tiles(row.guess, row.clues, isNoisy)))];
    if (isNoisy) {
      cells.push(h("td", {}, h("span", { class: "row" }, ...tiles(row.guess, truth))));
      if (state.has_epsilon) cells.push(h("td", {}, String(row.epsilon)));
      cells.push(h("td", {}, String(n_false)));
    }
    return h("tr", {}, ...cells);
  });
}

function table(state) {
  const heads = state.is_exact ? ["Your guesses"]
    : ["Seen", "True", ...(state.has_epsilon ? ["ε"] : []), "False marks"];
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Review" },
    h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...rows(state))),
  );
}

/** Return the panel of a finished game. `again` starts a new game. */
export function review(state, again) {
  const panel = h("section", { class: "panel", id: "review", "data-verdict": state.verdict ?? "late" },
    h("h2", {}, outcome(state)));
  if (state.review) {
    const { secret, n_left } = state.review;
    if (secret) panel.append(h("p", {}, "Secret: ", h("b", { id: "secret" }, secret.toUpperCase()), "."));
    else panel.append(h("p", {}, `The game had not settled on a secret: ${n_left} words were left.`));
    if (state.rows.length) panel.append(table(state));
  } else if (!state.is_ranked) {
    panel.append(h("p", {}, `The secret is shown when all players have finished, or on ${moment(state.deadline)}.`));
  }
  if (state.share) {
    const send = button("Copy result", () => copy(state.share, send));
    panel.append(h("pre", { id: "share", "aria-label": "Result to share" }, state.share), send);
  }
  if (again) panel.append(button("Play again", again));
  return panel;
}
