// The data that this browser stores: the tokens of its games, and statistics. The server does not identify people.

const GAMES = "wordpl.games";
const STATISTICS = "wordpl.statistics";
const MAX_GAMES = 200;

function read(key, fallback) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? fallback;
  } catch {
    return fallback;
  }
}

function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is full or disabled: the game continues, but is lost when the page is closed.
  }
}

let games = read(GAMES, []);

/** Return the games of this browser, newest first: {id, token, game, title, mode, day, created, verdict}. */
export function listGames() {
  return games;
}

/** Store a new game, and return its local id. */
export function addGame(token, state) {
  const id = crypto.getRandomValues(new Uint32Array(2)).join("");
  const { game, title, mode, day, invitation } = state;
  games = [{ id, token, game, title, mode, day, invitation, created: Date.now(), ended: false }, ...games];
  games = games.slice(0, MAX_GAMES);
  write(GAMES, games);
  return id;
}

/** Remove a game. */
export function removeGame(id) {
  games = games.filter((game) => game.id !== id);
  write(GAMES, games);
}

/** Return the game with this local id. */
export function findGame(id) {
  return games.find((game) => game.id === id);
}

/** Mark a game as ended, and count it once in the statistics. */
export function endGame(id, state) {
  const game = findGame(id);
  if (!game || game.ended) return;
  game.ended = true;
  game.verdict = state.verdict;
  write(GAMES, games);
  const all = read(STATISTICS, {});
  const own = (all[state.game] ??= { title: state.title, played: 0, won: 0, streak: 0, costs: [] });
  own.played += 1;
  own.streak = state.verdict === "won" ? own.streak + 1 : 0;
  if (state.verdict === "won") {
    own.won += 1;
    own.costs.push(state.has_epsilon ? state.spent : state.rows.length);
  }
  write(STATISTICS, all);
}

/** Return the statistics of each game played in this browser. */
export function statistics() {
  return Object.values(read(STATISTICS, {}));
}

/** Delete all statistics. */
export function clearStatistics() {
  write(STATISTICS, {});
}

/** The stored setting of high contrast. */
export const contrast = {
  get: () => read("wordpl.contrast", matchMedia("(prefers-contrast: more)").matches),
  set: (value) => write("wordpl.contrast", value),
};
