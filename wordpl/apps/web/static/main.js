// Routing by the fragment of the address: #/, #/new/GAME, #/daily/GAME/DAY, #/join/INVITATION, #/play/ID, #/room/ROOM.

import { request } from "./api.js";
import { dayPage, dayPath } from "./day.js";
import { h, say, show } from "./dom.js";
import { home, invitation } from "./home.js";
import { play } from "./play.js";
import { addGame, contrast, findGame, listGames } from "./storage.js";

let leave = () => {};
let n_routed = 0;

/** Start a game with a request, store its token, and open it. Back returns to the page with the button that started it,
 * but not to an address that starts a game, which the game replaces.
 */
async function begin(path, body, isAddress = false) {
  const { token, state } = await request(path, { body });
  const address = `#/play/${addGame(token, state)}`;
  if (isAddress) location.replace(address);
  else location.assign(address);
}

async function openGame(id, isCurrent) {
  const own = findGame(id);
  if (!own) throw new Error("This game was not started in this browser.");
  const state = await request("api/game", { token: own.token });
  if (isCurrent()) leave = play(own, state, () => guarded(() => begin("api/games", { game: own.game })));
}

async function openDaily(game, day, isCurrent) {
  const known = listGames().find((own) => own.mode === "daily" && own.game === game && own.day === day);
  if (known) return location.replace(`#/play/${known.id}`);
  const found = await request(dayPath(game, day ?? "today"));
  if (!found.has_epsilon) await begin("api/daily", { game, day: found.day }, true);
  else if (isCurrent()) dayPage(found, (name) => guarded(() => begin("api/daily", { game, day: found.day, name }, true)));
}

async function openInvitation(id, isCurrent) {
  const known = listGames().find((own) => own.invitation === id);
  if (known) return location.replace(`#/play/${known.id}`);
  const found = await request(`api/invitations/${encodeURIComponent(id)}`);
  if (isCurrent()) invitation(found, (name) => guarded(() => begin(`api/invitations/${encodeURIComponent(id)}`, { name }, true)));
}

/** Open a tournament. A link with a token is used once and then replaced, so that the token leaves the address. */
async function enterRoom(id, token, isCurrent) {
  const { keepToken, openRoom } = await import("./room.js").catch(() => {
    throw new Error("The tournament's page cannot be loaded. Is the server running, and does it offer tournaments?");
  });
  if (token) {
    keepToken(id, token);
    return location.replace(`#/room/${id}`);
  }
  const close = await openRoom(id, isCurrent);
  if (isCurrent()) leave = close;
  else close();
}

async function route() {
  leave();
  leave = () => {};
  const number = (n_routed += 1);
  const isCurrent = () => number === n_routed;
  const [page, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (page === "new") await begin("api/games", { game: rest.join("/") }, true);
  else if (page === "daily") await openDaily(rest.slice(0, 2).join("/"), rest[2], isCurrent);
  else if (page === "join") await openInvitation(rest[0], isCurrent);
  else if (page === "play") await openGame(rest[0], isCurrent);
  else if (page === "room") await enterRoom(rest[0], rest[1], isCurrent);
  else {
    const found = await request("api/games");
    if (isCurrent()) home(found, (body) => guarded(() => begin("api/games", body)));
  }
}

async function guarded(action) {
  try {
    await action();
  } catch (error) {
    say(error.message, true);
    if (!document.getElementById("main").childElementCount) {
      show(h("p", {}, error.message), h("p", {}, h("a", { href: "#/" }, "Start page")));
    }
  }
}

function open() {
  say("");
  show();
  guarded(route);
}

// A click must not focus a button; otherwise the next Enter, meant for the typed word, would press the button again.
document.addEventListener("mousedown", (event) => {
  if (event.target.closest("button, summary")) event.preventDefault();
});
const box = document.getElementById("contrast");
const paint = () => { document.documentElement.dataset.contrast = box.checked ? "high" : ""; };
box.checked = contrast.get();
box.addEventListener("change", () => { contrast.set(box.checked); paint(); });
paint();
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the link must not change the fragment, which names the game
  document.getElementById("main").focus();
});
addEventListener("hashchange", open);
open();
