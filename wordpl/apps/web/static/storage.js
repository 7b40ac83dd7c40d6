// The data that this browser stores: the tokens of its games, and statistics. The server does not identify people.
//
// Every change reads the stored data again, since other tabs change them too.

const GAMES = "wordpl.games";
const STATISTICS = "wordpl.statistics";
const DRAFT = "wordpl.draft";
const MAX_GAMES = 200;
const DAY_MS = 24 * 3600 * 1000;

/** Return what is stored under a key; a browser that refuses its storage has nothing stored. */
function read(key, fallback, storage = "localStorage") {
  try {
    return JSON.parse(window[storage].getItem(key)) ?? fallback;
  } catch {
    return fallback;
  }
}

function write(key, value, storage = "localStorage") {
  try {
    window[storage].setItem(key, JSON.stringify(value));
  } catch {
    // The storage is full or disabled: the game continues, but is lost when the page is closed.
  }
}

let games = read(GAMES, []);

function changeGames(change) {
  games = change(read(GAMES, games)).slice(0, MAX_GAMES);
  write(GAMES, games);
}

/** Return the games of this browser, newest first: {id, token, game, title, mode, day, created, verdict}. */
export function listGames() {
  games = read(GAMES, games);
  return games;
}

/** Store a new game, and return its local id. */
export function addGame(token, state) {
  const id = crypto.getRandomValues(new Uint32Array(2)).join("");
  const { game, title, mode, day, invitation } = state;
  changeGames((all) => [{ id, token, game, title, mode, day, invitation, created: Date.now(), ended: false }, ...all]);
  return id;
}

/** Remove a game. */
export function removeGame(id) {
  changeGames((all) => all.filter((game) => game.id !== id));
}

/** Return the game with this local id. */
export function findGame(id) {
  return listGames().find((game) => game.id === id);
}

/** Mark a game as ended, and count it once in the statistics. */
export function endGame(id, state) {
  const game = findGame(id);
  if (!game || game.ended) return;
  changeGames((all) => all.map((one) => (one.id === id ? { ...one, ended: true, verdict: state.verdict } : one)));
  const all = read(STATISTICS, {});
  const own = (all[state.game] ??= { title: state.title, played: 0, won: 0, streak: 0, costs: [] });
  const isWon = state.verdict === "won";
  own.unit = state.unit;
  own.played += 1;
  own.streak = isWon ? own.streak + 1 : 0;
  own.best = Math.max(own.best ?? 0, own.streak);
  if (isWon) {
    own.won += 1;
    own.costs.push(state.has_epsilon ? state.spent ?? Number.MAX_VALUE : state.rows.length);
  }
  if (state.mode === "daily" && state.day > (own.day ?? "")) {
    const isNext = own.day && Date.parse(state.day) - Date.parse(own.day) === DAY_MS;
    own.days = isWon ? (isNext ? own.days ?? 0 : 0) + 1 : 0;
    own.day = state.day;
  }
  write(STATISTICS, all);
}

/** Return the statistics of each game played in this browser. */
export function statistics() {
  return Object.values(read(STATISTICS, {}));
}

/** Return the statistics of one game. */
export function statisticsOf(game) {
  return read(STATISTICS, {})[game];
}

/** Delete all statistics. */
export function clearStatistics() {
  write(STATISTICS, {});
}

/** The letters and the epsilon of a move that is not sent yet, which a reload of the tab keeps. */
export const draft = {
  get: (id) => {
    const stored = read(DRAFT, {}, "sessionStorage");
    return stored.id === id ? stored : {};
  },
  set: (id, word, epsilon) => write(DRAFT, { id, word, epsilon }, "sessionStorage"),
};

/** Tell the other tabs that a game has changed, and listen to them. */
const channel = new BroadcastChannel("wordpl.games");
export const tabs = {
  tell: (id) => channel.postMessage(id),
  listen: (changed) => { channel.onmessage = (event) => changed(event.data); },
};

/** Whether the noisy game has been explained in this browser. */
export const lesson = {
  isOver: () => read("wordpl.lesson", false),
  end: () => write("wordpl.lesson", true),
};

/** The stored setting of high contrast. */
export const contrast = {
  get: () => read("wordpl.contrast", matchMedia("(prefers-contrast: more)").matches),
  set: (value) => write("wordpl.contrast", value),
};
