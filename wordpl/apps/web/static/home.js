// The start page: unfinished games, new games, the daily puzzle, and statistics.

import { button, h, show } from "./dom.js";
import { countdown } from "./review.js";
import { clearStatistics, listGames, removeGame, statistics } from "./storage.js";

const DEADLINES = [["1", "an hour"], ["24", "a day"], ["72", "three days"], ["168", "a week"]];
const MAX_FRIENDS = 8;

function options(games) {
  return games.map((game) => h("option", { value: game.game }, game.title));
}

function select(id, label, choices) {
  return h("label", { for: id }, label, h("select", { id, name: id }, ...choices));
}

function alone(games, start) {
  const about = h("p", { class: "about" });
  const choice = select("game", "Game", options(games));
  const field = choice.querySelector("select");
  const describe = () => { about.textContent = games.find((game) => game.game === field.value).about; };
  field.addEventListener("change", describe);
  describe();
  return h("section", { class: "panel" }, h("h2", {}, "Play alone"), choice, about,
    button("Start", () => start({ game: field.value }), { id: "start", class: "main" }));
}

function together(games, start) {
  const ready = games.filter((game) => game.has_secret);
  const numbers = Array.from({ length: MAX_FRIENDS - 1 }, (_, i) => h("option", { value: i + 2 }, String(i + 2)));
  const deadlines = DEADLINES.map(([hours, text]) => h("option", { value: hours, selected: hours === "24" }, text));
  const name = h("input", { id: "name", name: "name", maxlength: 24, autocomplete: "nickname", required: true });
  const form = h("form", {}, select("friends-game", "Game", options(ready)), select("players", "Players", numbers),
    select("hours", "Ends in", deadlines), h("label", { for: "name" }, "Your name", name),
    h("button", { type: "submit", id: "invite" }, "Create an invitation"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = Object.fromEntries(new FormData(form));
    start({ game: chosen["friends-game"], players: Number(chosen.players), hours: Number(chosen.hours), name: chosen.name });
  });
  return h("section", { class: "panel" }, h("h2", {}, "Play with friends"),
    h("p", { class: "about" }, "All players get the same secret. Others see your marks, but not your letters."), form);
}

function daily(games, day) {
  const links = games.filter((game) => game.has_secret).map((game) =>
    h("li", {}, h("a", { href: `#/daily/${game.game}/${day}`, class: "daily" }, `${game.title}, ${day}${game.has_epsilon ? ", ranked by budget" : ""}`)));
  return h("section", { class: "panel" }, h("h2", {}, "Daily puzzle"),
    h("p", { class: "about" }, "The same secret for everybody, with a new one at midnight UTC."), h("ul", {}, ...links), countdown());
}

function unfinished(redraw) {
  const games = listGames().filter((game) => !game.ended);
  if (!games.length) return null;
  const rows = games.map((game) => h("li", {},
    h("a", { href: `#/play/${game.id}` }, `${game.title}${game.day ? `, ${game.day}` : ""}`), ` ${game.mode}, ${new Date(game.created).toLocaleString()} `,
    button("Remove", () => { removeGame(game.id); redraw(); }, { "aria-label": `Remove ${game.title}` })));
  return h("section", { class: "panel" }, h("h2", {}, "Unfinished games"), h("ul", {}, ...rows));
}

function mean(costs) {
  const sum = costs.reduce((a, b) => a + b, 0);
  if (!costs.length) return "–";
  return sum < Number.MAX_VALUE ? (sum / costs.length).toFixed(2) : "∞";
}

function history(redraw) {
  const all = statistics();
  if (!all.length) return null;
  const heads = ["Game", "Played", "Won", "In a row", "Mean cost"];
  const rows = all.map((own) => h("tr", {}, h("th", { scope: "row" }, own.title), h("td", {}, String(own.played)),
    h("td", {}, String(own.won)), h("td", {}, String(own.streak)), h("td", {}, mean(own.costs))));
  return h("section", { class: "panel", id: "statistics" }, h("h2", {}, "Statistics of this browser"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Statistics" },
      h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, ...rows))),
    h("p", { class: "about" }, "The cost is the number of guesses or the budget; the mean is over games won."),
    button("Clear", () => { clearStatistics(); redraw(); }, { "aria-label": "Clear the statistics" }));
}

/** Show the start page. `start` starts a game with the selected options. */
export function home({ games, day }, start) {
  const redraw = () => home({ games, day }, start);
  document.body.dataset.verdict = "";
  const parts = [unfinished(redraw), alone(games, start), daily(games, day), together(games, start), history(redraw)];
  show(h("h1", {}, "Play"), ...parts.filter((part) => part));
}

/** Show an invitation, and ask for a name. */
export function invitation(found, join) {
  const name = h("input", { id: "name", name: "name", maxlength: 24, autocomplete: "nickname", required: true });
  const form = h("form", {}, h("label", { for: "name" }, "Your name", name), h("button", { type: "submit", id: "join" }, "Join"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    join(name.value);
  });
  const n_left = found.n_players - found.n_joined;
  show(h("h1", {}, `You are invited to ${found.title}`), h("p", { class: "about" }, found.about),
    h("p", {}, `${found.n_joined} of ${found.n_players} players have joined.`), n_left > 0 ? form : h("p", {}, "This game is full."));
  name.focus();
}
