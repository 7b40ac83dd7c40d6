// The day of a noisy game: entering under a name, the ranking beside strategies, and the commitment to the seed.

import { request } from "./api.js";
import { h, show } from "./dom.js";
import { spentText } from "./price.js";

const POLL_MS = 3000;

/** Return the address of a day's page in the API. */
export function dayPath(game, day) {
  return `api/daily/${game}/${encodeURIComponent(day)}`;
}

function hours(seconds) {
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
}

/** Return the name of a strategy's class, and below it the parameters. */
function named(name) {
  const [kind, parameters = ""] = name.replace(/\)$/, "").split(/\((.*)/s);
  return [kind, h("small", {}, `strategy${parameters && `: ${parameters}`}`)];
}

function ranking(found) {
  const rows = found.ranking.map((line) => h("tr", { class: line.is_you ? "own" : "" },
    h("td", { class: "n" }, line.verdict === "won" ? String(line.place) : "–"),
    h("th", { scope: "row" }, ...(line.is_strategy ? named(line.name) : [line.name + (line.is_you ? " (you)" : "")])),
    h("td", { class: "n" }, spentText(line.spent)), h("td", { class: "n wide" }, String(line.n_guesses)), h("td", {}, line.verdict ?? "not finished")));
  const heads = ["#", "Player", "Budget", "Guesses", "Result"].map((text, i) => h("th", { scope: "col", class: ["n", "", "n", "n wide", ""][i] }, text));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Ranking" },
    h("table", { id: "day-ranking" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows)));
}

/** Return a sentence about the strategies that the player has beaten, "" if there are none. */
function beaten(found) {
  const own = found.ranking.find((line) => line.is_you);
  if (!own || own.verdict !== "won") return "";
  const strategies = found.ranking.filter((line) => line.is_strategy);
  const kinds = new Map();
  for (const { name, place } of strategies) {
    const kind = name.replace(/\(.*/, "");
    const [n, n_beaten] = kinds.get(kind) ?? [0, 0];
    kinds.set(kind, [n + 1, n_beaten + (place > own.place)]);
  }
  const names = [...kinds].filter(([, [, n_beaten]]) => n_beaten).map(([kind, [n, n_beaten]]) => (n > 1 ? `${kind} (${n_beaten} of ${n})` : kind));
  if (!strategies.length) return "";
  return names.length ? `You beat ${names.join(", ")}.` : "No strategy needed more budget than you.";
}

function commitments(found) {
  const coming = Object.entries(found.commitments).filter(([day]) => day > found.day);
  const list = [[found.day, found.commitment], ...(found.is_over ? [] : coming)].map(([day, digest]) => h("p", {}, `${day}: `, h("code", { class: "link" }, digest)));
  const seed = found.seed ? [h("p", {}, "Seed: ", h("code", { class: "link", id: "day-seed" }, found.seed))] : [];
  return h("details", {}, h("summary", {}, "Commitment to the seed"),
    h("p", {}, "It is published before the day, and the seed after the day, so that anybody can check that the secret and the noise were fixed."), ...list, ...seed);
}

function contents(found) {
  const parts = [h("h2", {}, `Ranking of ${found.day}`)];
  if (found.secret) parts.push(h("p", {}, "Secret: ", h("b", { id: "day-secret" }, found.secret.toUpperCase()), "."));
  else if (!found.is_future) parts.push(h("p", {}, `The secret and the seed are shown at midnight ${found.zone}, in ${hours(found.ends_in_s)}.`));
  if (found.ranking?.length) {
    const said = beaten(found);
    if (said) parts.push(h("p", { id: "beaten" }, said));
    parts.push(ranking(found));
  } else parts.push(h("p", {}, found.ranking ? "Nobody finished." : `${found.n_players - found.n_open} finished, ${found.n_open} still playing. The ranking is shown to players who have finished.`));
  if (found.is_waiting) parts.push(h("p", { class: "about" }, "Strategies are playing the same game …"));
  return [...parts, commitments(found)];
}

/** Return the panel of a day, which updates itself until the strategies have played. */
export function dayPanel(found, token) {
  const panel = h("section", { class: "panel", id: "day", "aria-label": "Day" }, ...contents(found));
  const again = () => setTimeout(async () => {
    if (!panel.isConnected) return;
    const newer = await request(dayPath(found.game, found.day), { token }).catch(() => null);
    if (newer) panel.replaceChildren(...contents(newer));
    if (newer?.is_waiting ?? true) again();
  }, POLL_MS);
  if (found.is_waiting) again();
  return panel;
}

/** Show the page of a day. `start` starts the game under a name. */
export function dayPage(found, start) {
  const parts = [h("h1", {}, `${found.title}, ${found.day}`)];
  if (!found.is_over && !found.is_future) {
    const name = h("input", { id: "name", name: "name", maxlength: 24, autocomplete: "nickname", required: true });
    const form = h("form", {}, h("label", { for: "name" }, "Your name", name), h("button", { type: "submit", id: "enter-day", class: "main" }, "Play"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      start(name.value);
    });
    parts.push(h("p", { class: "about" }, `Everybody gets the same secret and the same noise; the smallest budget wins. The day ends at midnight ${found.zone}.`), form);
  } else if (found.is_over) {
    parts.push(h("p", {}, "This day is over. You can still play its game, outside of the ranking."), h("button", { type: "button", id: "enter-day", onclick: () => start("") }, "Play"));
  } else parts.push(h("p", {}, `This day begins at midnight ${found.zone}.`));
  show(...parts, dayPanel(found));
}
