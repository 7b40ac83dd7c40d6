// Shows the players of a game with friends, their progress, and the deadline.

import { button, copy, h } from "./dom.js";
import { squares } from "./board.js";

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
  const spent = isNoisy ? `, ${player.spent} spent` : "";
  return `${n} guess${n === 1 ? "" : "es"}${spent}${done}`;
}

/** Return the panel with the progress of all players, without letters. */
export function friends(state) {
  const isNoisy = state.has_epsilon;
  const rows = state.players.map((player) =>
    h(
      "li",
      { "data-verdict": player.verdict ?? "" },
      h("b", {}, player.name + (player.is_you ? " (you)" : "")),
      h("span", {}, progress(player, isNoisy)),
      squares(player.rows),
    ),
  );
  const n_missing = state.n_players - state.players.length;
  const panel = h(
    "section",
    { class: "panel", id: "friends", "aria-label": "Players" },
    h("h2", {}, "Players"),
    h("ul", {}, ...rows),
    h("p", {}, `The secret is shown when all players have finished, or on ${moment(state.deadline)}.`),
  );
  if (n_missing > 0) {
    const link = invitationLink(state.invitation);
    const send = button("Copy invitation", () => copy(link, send));
    const what = n_missing === 1 ? "One player has" : `${n_missing} players have`;
    panel.append(h("p", {}, `${what} not joined yet. Invitation: `, h("code", { id: "invitation" }, link)), send);
  }
  return panel;
}
