// Shows the rows of a game as tiles, in sizes at which the whole board is visible.

import { h } from "./dom.js";

const MEANING = { c: "right place", i: "elsewhere in the word", ".": "not in the word" };
const NOISY = { c: "shown as right place", i: "shown as elsewhere", ".": "shown as not in the word" };
const MAX_TILE = 52;
const REVIEW_TILE = 40;
const MIN_EQUAL = 26; // in pixels: below it, earlier rows become smaller than the row that is typed
const ACTIVE_TILE = 34;
const MAX_COLUMNS = 4;
const GAP = 4;
const PRICE_EM = 6.2; // the width of a price beside a row, in the size of its text

/** Return a probability in whole percent, such as 71%; one that is not certain never looks so. */
export function percent(chance) {
  if (chance > 0 && chance < 0.005) return "<1%";
  return chance < 1 && chance >= 0.995 ? ">99%" : `${Math.round(100 * chance)}%`;
}

/** Return one tile. `mark` is "c", "i", "." or, for a letter without a mark, "". Its `truth` is the true mark, if known. */
export function tile(letter, mark, { isNoisy = false, chance, truth = mark } = {}) {
  const meaning = mark ? (isNoisy ? NOISY : MEANING)[mark] : letter ? "typed" : "empty";
  const said = [letter ? `${letter.toUpperCase()}, ${meaning}` : meaning];
  if (chance !== undefined) said.push(`true with probability ${percent(chance)}`);
  if (truth !== mark) said.push(`false: ${MEANING[truth]}`);
  const made = h(
    "span",
    { class: "tile", role: "img", "aria-label": said.join(", "), "data-letter": letter || "", "data-mark": mark, "data-truth": truth === mark ? null : truth },
    h("span", { "aria-hidden": "true" }, letter ? letter.toUpperCase() : ""),
  );
  if (chance !== undefined) {
    const bar = h("i", { class: "chance", "aria-hidden": "true" });
    bar.style.setProperty("--chance", chance);
    made.append(bar);
  }
  return made;
}

/** Return coloured squares without letters, which show the progress of other players. */
export function squares(rows) {
  const drawn = rows.map((clues) =>
    h("span", { class: "squares", "aria-hidden": "true" }, ...[...clues].map((mark) => h("i", { "data-mark": mark }))),
  );
  return h("span", { class: "mini" }, ...drawn);
}

/** Return what a row cost, and the probability with which each of its marks is true. */
function price(row) {
  const parts = [row.epsilon > 0 ? `ε ${row.epsilon}` : "", row.kept === undefined ? "" : `${percent(row.kept)} true`].filter(Boolean);
  return h("span", { class: "price" }, parts.join(" · "));
}

function played(row, number, state, chances) {
  const truth = state.review?.truth[number - 1];
  const said = [`Guess ${number}`];
  if (row.epsilon === 0) said[0] = "Answer";
  if (row.epsilon > 0) said.push(`epsilon ${row.epsilon}`);
  if (row.kept !== undefined) said.push(`${percent(row.kept)} of its marks are true`);
  const options = (place) => ({ isNoisy: !state.is_exact, chance: chances?.[place], truth: truth?.[place] });
  const tiles = [...row.guess].map((letter, place) => tile(letter, row.clues?.[place] ?? "", row.clues ? options(place) : {}));
  const attributes = { class: "row", "aria-label": said.join(", "), "data-state": "done", "data-epsilon": row.epsilon };
  return h("li", attributes, ...tiles, state.is_exact ? null : price(row));
}

/** Return the row that is typed. */
function openRow(state, typed) {
  const letters = typed.padEnd(state.length).slice(0, state.length);
  const tiles = [...letters].map((letter) => tile(letter.trim(), ""));
  return h("li", { class: "row", "aria-label": "Your next guess", "data-state": "open" }, ...tiles, state.is_exact ? null : h("span", { class: "price" }));
}

/** Return the board: the rows so far, the row being typed, and empty rows if the number of guesses is limited.
 *
 * `chances` are the probabilities that the marks of each row are true, if a hint has computed them.
 */
export function board(state, typed, chances) {
  const rows = state.rows.map((row, i) => played(row, i + 1, state, chances?.[i]));
  if (state.is_open) {
    rows.push(openRow(state, typed));
    const n_empty = state.limit ? state.limit - rows.length : 0;
    for (let i = 0; i < n_empty; i += 1) {
      const empty = Array.from({ length: state.length }, () => h("span", { class: "tile", "data-mark": "" }));
      rows.push(h("li", { class: "row", "aria-hidden": "true", "data-state": "empty" }, ...empty));
    }
  }
  return h("ol", { id: "board", class: "board", "aria-label": "Guesses", "data-state": state.is_open ? "open" : "done" }, ...rows);
}

/** Return the size of the tiles of earlier rows in pixels and the number of their columns, within this room. */
function compressed(width, height, n, length, hasPrice) {
  let best = [0, 1];
  for (let columns = 1; columns <= MAX_COLUMNS; columns += 1) {
    const high = height / Math.ceil(n / columns) - 2;
    const letters = length + (hasPrice ? 0.6 * PRICE_EM : 0); // the text of a price has .6 of the size of a tile
    const wide = (width - 12 * (columns - 1)) / columns / letters - 2;
    const size = Math.floor(Math.min(ACTIVE_TILE, high, wide));
    if (size > best[0]) best = [size, columns];
  }
  return best;
}

/** Set the sizes of a board so that it fits into its stage: equal rows if there is room, otherwise smaller earlier ones.
 *
 * The board of a finished game is as high as it needs to be.
 */
export function fit(stage) {
  const shown = stage.querySelector(".board");
  if (!shown) return;
  const rows = [...shown.children];
  const past = rows.filter((row) => row.dataset.state === "done");
  const length = rows[0]?.querySelectorAll(".tile").length ?? 0;
  const hasPrice = Boolean(shown.querySelector(".price"));
  const style = getComputedStyle(stage);
  const width = stage.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const height = shown.dataset.state === "open" ? stage.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom) : Infinity;
  const widest = Math.floor((width - (hasPrice ? 2 * PRICE_EM * 12 : 0)) / length - GAP);
  const equal = Math.min(height === Infinity ? REVIEW_TILE : MAX_TILE, Math.floor(height / rows.length - GAP), widest);
  const isEqual = equal >= MIN_EQUAL || !past.length || height === Infinity;
  const active = isEqual ? Math.max(equal, 12) : Math.min(ACTIVE_TILE, Math.floor(width / length - GAP));
  const [small, columns] = isEqual ? [active, 1] : compressed(width, height - active - 2 * GAP, past.length, length, hasPrice);
  const perColumn = isEqual ? rows.length : Math.ceil(past.length / columns);
  shown.classList.toggle("compressed", !isEqual);
  shown.style.setProperty("--tile", `${active}px`);
  shown.style.setProperty("--past", `${Math.max(small, 8)}px`);
  past.forEach((row, at) => { row.style.gridArea = isEqual ? "" : `${(at % perColumn) + 1} / ${Math.floor(at / perColumn) + 1}`; });
  rows.slice(past.length).forEach((row, at) => { row.style.gridArea = isEqual ? "" : `${perColumn + 1 + at} / 1 / auto / -1`; });
  shown.style.gridTemplateColumns = isEqual ? "" : `repeat(${columns}, auto)`;
}
