// Shows the players of a game with friends: their progress, and their ranking when all have finished.

import { button, copy, h } from "./dom.js";
import { squares } from "./board.js";
import { spentText } from "./price.js";

/** Return a time in the format of this browser. */
export function moment(iso) {
  return new Date(iso).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

/** Return the link that invites a friend. */
export function invitationLink(invitation) {
  return new URL(`#/join/${invitation}`, location.href.split("#")[0]).href;
}

function progress(player, isNoisy) {
  const done = player.verdict ? `, ${player.verdict}` : "";
  const n = player.rows.length;
  const spent = isNoisy ? `, ${spentText(player.spent)} spent` : "";
  return `${n} guess${n === 1 ? "" : "es"}${spent}${done}`;
}

/** Return the cost of a player's game; infinite unless it was won. */
function cost(player, state) {
  if (player.verdict !== "won") return Infinity;
  return state.has_epsilon ? player.spent ?? Number.MAX_VALUE : player.rows.length;
}

/** Return the players with their ranks, the best first; equal costs share a rank. */
export function ranked(state) {
  const costs = state.players.map((player) => cost(player, state));
  return state.players
    .map((player, at) => ({ player, cost: costs[at], rank: 1 + costs.filter((other) => other < costs[at]).length }))
    .sort((a, b) => a.cost - b.cost);
}

function ranking(state) {
  const rows = ranked(state).map(({ player, rank, cost: own }) =>
    h("tr", {}, h("td", { class: "n" }, String(rank)), h("th", { scope: "row" }, player.name + (player.is_you ? " (you)" : "")),
      h("td", { class: "n" }, Number.isFinite(own) ? String(own) : "–"), h("td", {}, squares(player.rows))));
  const heads = ["Rank", "Player", state.has_epsilon ? "Budget" : "Guesses", "Marks"];
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Ranking" },
    h("table", { id: "ranking" }, h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, ...rows)));
}

function average({ n, n_won, mean }, unit) {
  return `${n_won} of ${n} won${mean === null ? "" : `, ${mean.toFixed(1)} ${unit} on average`}`;
}

/** Return how difficult the puzzle was for everybody who played it here, beside the other puzzles of the server. */
export function difficulty(state) {
  if (!state.review.difficulty) return null; // somebody played alone
  const { here, others, gap } = state.review.difficulty;
  if (here.n < 2) return null;
  const of = state.has_epsilon ? "budget of games won" : "guesses";
  const parts = [`This puzzle: ${average(here, of)}.`];
  if (others.n) parts.push(`Other puzzles of this server: ${average(others, of)}.`);
  if (gap) parts.push(`Difficulty: ${gap[0] < 0 ? "−" : "+"}${Math.abs(gap[0]).toFixed(1)} ± ${gap[1].toFixed(1)} (95%).`);
  return h("p", { id: "difficulty" }, parts.join(" "));
}

/** Return the panel with the progress of all players, without letters, or with their ranking. */
export function friends(state) {
  const panel = h("section", { class: "panel", id: "friends", "aria-label": "Players" }, h("h2", {}, state.review ? "Ranking" : "Players"));
  if (state.review) {
    panel.append(ranking(state));
    return panel;
  }
  const rows = state.players.map((player) =>
    h("li", { "data-verdict": player.verdict ?? "" }, h("b", {}, player.name + (player.is_you ? " (you)" : "")),
      h("span", {}, progress(player, state.has_epsilon)), squares(player.rows)));
  panel.append(h("ul", {}, ...rows), h("p", {}, `The secret is shown when all players have finished, or on ${moment(state.deadline)}.`));
  const n_missing = state.n_players - state.players.length;
  if (n_missing > 0) {
    const link = invitationLink(state.invitation);
    const send = button("Copy invitation", () => copy(link, send));
    const what = n_missing === 1 ? "One player has" : `${n_missing} players have`;
    panel.append(h("p", {}, `${what} not joined yet. Invitation: `, h("code", { id: "invitation" }, link)), send);
  }
  return panel;
}
