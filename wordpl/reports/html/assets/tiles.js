// Draws the tiles of a guess, on reports and on the page to play.

const MEANING = { c: "right place", i: "in the word", ".": "not in the word" };
const KIND = { c: "hit", i: "near", ".": "miss" };

/** Return the tiles of a guess with its clues; false marks are outlined, with the true one in the corner. */
function tiles(guess, clues, true_ = clues) {
  const wrong = (at) => true_ && clues[at] !== true_[at];
  const said = [...clues].map((mark, at) => `${guess[at]} ${MEANING[mark]}${wrong(at) ? `, false: ${MEANING[true_[at]]}` : ""}`).join("; ");
  const made = make("span", { class: "tiles", role: "img", "aria-label": said || guess.trim() || "a move to come" });
  [...guess].forEach((letter, at) => {
    const kind = KIND[clues[at]] || "none";
    made.append(make("span", { class: `tile ${kind}${wrong(at) ? ` turned was-${KIND[true_[at]]}` : ""}`, "aria-hidden": "true" }, letter));
  });
  return made;
}

function answerTiles(guess, secret) {
  return tiles(guess, [...guess].map((letter, at) => (letter === secret[at] ? "c" : ".")).join(""));
}

/** Return a key of the marks. */
function keyOfMarks(hasFalse) {
  const sample = (kind, text) => make("span", {}, make("span", { class: `tile small ${kind}`, "aria-hidden": "true" }), ` ${text}`);
  return make("p", { class: "key-of-marks" }, sample("hit", "right place"), sample("near", "elsewhere in the word"), sample("miss", "not in the word"),
    hasFalse ? sample("near turned was-miss", "outlined: a false mark; the small square is the true one") : null);
}
