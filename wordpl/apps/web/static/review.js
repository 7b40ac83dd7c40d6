// The end of a game: its review, the result to share, statistics of this browser, and the time until the next daily puzzle.

import { board } from "./board.js";
import { button, h, share } from "./dom.js";
import { difficulty, moment } from "./friends.js";
import { GameReviewPanel } from "./game_review.js";
import { spentText } from "./price.js";
import { statisticsOf } from "./storage.js";

const N_BINS = 8;
const WIDTHS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const DAY_S = 24 * 3600;

/** Return a sentence that says how the game ended. */
export function outcome(state) {
  const n = state.rows.filter((row) => row.clues).length;
  const cost = state.has_epsilon ? `budget ${spentText(state.spent)}, ` : "";
  const guesses = `${cost}${n} guess${n === 1 ? "" : "es"}`;
  switch (state.verdict) {
    case "won": return `You won: ${guesses}.`;
    case "wrong": return `Wrong answer: ${guesses}.`;
    case "unsolved": return `Not solved: ${guesses}.`;
    case "given up": return `You gave up after ${guesses}.`;
    default: return "The deadline has passed.";
  }
}

/** Return the numbers of wins by their cost, as [text, count, whether it contains `own`]. */
export function distribution(costs, hasEpsilon, bins, own) {
  const most = Math.max(bins || 1, ...costs);
  const width = hasEpsilon ? WIDTHS.find((one) => most / one <= N_BINS) ?? most / N_BINS : 1;
  const at = (cost) => Math.max(0, Math.ceil(cost / width) - 1);
  const counts = Array.from({ length: Math.min(at(most) + 1, 40) }, () => 0);
  costs.forEach((cost) => { counts[Math.min(at(cost), counts.length - 1)] += 1; });
  const text = (i) => (width === 1 && !hasEpsilon ? `${i + 1}` : `≤ ${+((i + 1) * width).toPrecision(6)}`);
  return counts.map((count, i) => [text(i), count, own !== undefined && at(own) === i]);
}

function bar([text, count, isOwn], most) {
  const filled = h("i", { "aria-hidden": "true", class: isOwn ? "own" : null });
  filled.style.width = `${(100 * count) / most}%`;
  return h("tr", {}, h("th", { scope: "row" }, text), h("td", {}, filled, h("span", {}, String(count))));
}

/** Return the statistics of this browser for the game, with the distribution of the costs of games won. */
function statistics(state) {
  const own = statisticsOf(state.game);
  if (!own) return null;
  const facts = [["Played", own.played], ["Won", `${Math.round((100 * own.won) / own.played)}%`], ["In a row", own.streak], ["Most in a row", own.best ?? own.streak]];
  if (own.day) facts.push(["Days in a row", own.days]);
  const cost = state.verdict === "won" ? (state.has_epsilon ? state.spent ?? Number.MAX_VALUE : state.rows.length) : undefined;
  const rows = [...(own.costs.length || state.bins ? distribution(own.costs, state.has_epsilon, state.bins, cost) : []), ["lost", own.played - own.won, state.verdict !== "won"]];
  const most = Math.max(1, ...rows.map((row) => row[1]));
  return h("section", { class: "panel", id: "own-statistics" }, h("h2", {}, "Your games in this browser"),
    h("dl", { class: "facts" }, ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, String(value))))),
    h("table", { class: "bars" }, h("caption", {}, `Games by ${state.has_epsilon ? "budget" : "guesses"}`), h("tbody", {}, ...rows.map((row) => bar(row, most)))));
}

/** Return the time until the next daily puzzle, at midnight UTC, which counts down. */
export function countdown() {
  const time = h("time", { id: "countdown", role: "timer" });
  const tick = () => {
    const left = DAY_S - (Math.floor(Date.now() / 1000) % DAY_S);
    time.textContent = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60].map((n) => String(n).padStart(2, "0")).join(":");
    if (time.isConnected) setTimeout(tick, 1000 - (Date.now() % 1000));
  };
  setTimeout(tick, 0);
  return h("p", {}, "Next daily puzzle in ", time, ".");
}

function nFalse(state) {
  const played = state.rows.filter((row) => row.clues);
  return played.reduce((sum, row, i) => sum + [...row.clues].filter((mark, place) => mark !== state.review.truth[i][place]).length, 0);
}

/** Return the text to share: the result, and where and when it was played. */
function shared(state) {
  const where = state.mode === "daily" ? `daily/${state.game}/${state.day}` : `new/${state.game}`;
  const day = state.day ? "" : `${new Date().toISOString().slice(0, 10)} `;
  return `${state.share}\n\n${day}${location.origin}${location.pathname}#/${where}`;
}

/** Return the panels of a finished game. `again` starts a new game. */
export function review(state, again) {
  const panel = h("section", { class: "panel", id: "review", "data-verdict": state.verdict ?? "late" },
    h("h2", {}, outcome(state)));
  if (state.review) {
    const { secret, n_left } = state.review;
    if (secret) panel.append(h("p", {}, "Secret: ", h("b", { id: "secret" }, secret.toUpperCase()), "."));
    else panel.append(h("p", {}, `The game had not settled on a secret: ${n_left} words were left.`));
  } else if (!state.is_ranked) {
    panel.append(h("p", { id: "waiting" }, `The secret is shown when all players have finished, or on ${moment(state.deadline)}.`));
  }
  if (state.rows.length) panel.append(h("div", { class: "stage" }, board(state, "")));
  if (state.review && !state.is_exact) {
    const n = nFalse(state);
    panel.append(h("p", { class: "about" }, `${n} mark${n === 1 ? " was" : "s were"} false${n ? ": outlined, with the true colour in the corner" : ""}.`));
  }
  const buttons = h("div", { class: "buttons" });
  if (state.share) {
    const send = button(navigator.share ? "Share result" : "Copy result", () => share(shared(state), buttons), { class: "main", id: "send" });
    buttons.append(send);
  }
  if (again) buttons.append(button("Play again", again, { id: "again" }));
  panel.append(buttons);
  if (state.share) panel.append(h("pre", { id: "share", tabindex: "0", "aria-label": "Result to share" }, shared(state)));
  if (state.review) panel.append(...[difficulty(state)].filter(Boolean));
  if (state.mode === "daily") panel.append(countdown());
  return [panel, state.review ? h("section", { class: "panel", id: "judged", hidden: true }) : null, statistics(state)].filter(Boolean);
}

/** Show what each move was worth, which the server computes once the game has ended. */
export async function showWorths(fetched) {
  const panel = document.getElementById("judged");
  const { review: found } = await fetched;
  if (!panel?.isConnected || !found?.moves.length) return;
  panel.replaceChildren(h("h2", {}, "What your moves were worth"), new GameReviewPanel([{ label: "You", review: found }]).root);
  panel.hidden = false;
}
