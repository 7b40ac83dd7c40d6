// The review of a finished game: what it was worth after each move as a curve, and what each move cost.
//
// It only draws what wordpl/reports/game_reviews.py computes: the numbers come with their texts.

const CURVE = { height: 190, top: 22, bottom: 48, left: 10, right: 92 };
const MANY_MOVES = 7;

/** The review of one game, perhaps with the curve of another entry in the same game.
 *
 * `games` are {label, colour, glyph, review}; the moves of the first one are judged. `onmove` is called with the number
 * of a move that the reader chooses.
 */
class GameReviewPanel {
  constructor(games, onmove = () => {}) {
    Object.assign(this, { games, onmove, review: games[0].review });
    const { review } = this;
    const find = review.dearest === null ? null : make("button", { type: "button", class: "costliest", onclick: () => this.findDearest() }, "Go to the costliest move");
    const hasFalse = review.moves.some((move) => move.seen !== move.true);
    this.rows = review.moves.map((move, at) => this.row(move, at));
    const heads = ["guess, marks as shown", review.unit === "chance" ? "spent" : "guess", "what the move was worth", "luck of the marks"];
    this.root = make("section", { class: "review", "aria-label": "Review of the game" },
      make("p", { class: "headline" }, review.headline, " ", find),
      this.curve(),
      make("table", { class: "reviewed" }, make("caption", {}, "The moves, and what they cost"),
        make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), make("tbody", {}, ...this.rows)),
      make("p", { class: "sums" }, review.sums), keyOfMarks(hasFalse),
      make("p", { class: "note" }, review.unit === "chance"
        ? "The chance to win follows from what the clues say and from what the game still spent. A guess is worth the mean over its possible clues; luck is what its clue added. "
        : "The curve shows the expected number of guesses of the whole game. A guess is worth the mean over its possible clues; luck is what its clue saved. ", review.candidates));
  }

  row(move, at) {
    const { review } = this;
    const isAnswer = move.epsilon === 0;
    const isDearest = at === review.dearest;
    const shown = isAnswer ? (review.secret ? answerTiles(move.guess, review.secret) : tiles(move.guess, "")) : tiles(move.guess, move.seen, move.true);
    const [before, expected, after] = move.texts;
    const worth = isAnswer ? null : make("span", { class: "finer" }, review.unit === "chance"
      ? `chance to win ${before} → ${expected} expected → ${after}` : `guesses in all ${before} → ${expected} expected → ${after}`);
    const nFalse = [...move.seen].filter((mark, place) => mark !== move.true[place]).length;
    const falsely = nFalse ? `${nFalse} false mark${nFalse === 1 ? "" : "s"}` : null;
    const likely = move.chances.length ? make("span", { class: "finer" }, `then: ${move.chances.slice(0, 3).map(([word, chance]) => `${word.toUpperCase()} ${chance}`).join(", ")}`) : null;
    const text = make(move.dear ? "b" : "span", {}, move.text);
    const parts = [isDearest ? make("span", { class: "pill dearest" }, "costliest move") : null, text, falsely ? ` · ${falsely}` : null, worth, isAnswer ? null : likely];
    const sign = move.luck > 0 ? "good" : move.luck < 0 ? "bad" : "";
    return make("tr", { class: isDearest ? "is-dearest" : null, tabindex: -1 },
      make("td", {}, shown), make("td", { class: "spent" }, isAnswer ? "answer" : review.unit === "chance" ? shortNumber(move.spent) : String(at + 1)),
      make("td", { class: "worth" }, ...parts), make("td", { class: `luck ${sign}` }, move.luck_text));
  }

  /** Go to the move that cost most. */
  findDearest() {
    const at = this.review.dearest;
    this.onmove(at + 1);
    this.mark(at + 1);
    this.rows[at].focus({ preventScroll: true });
    this.rows[at].scrollIntoView({ block: "nearest" });
  }

  /** Mark the row and the point of a move; 0 for the start. */
  mark(step) {
    this.rows.forEach((row, at) => row.classList.toggle("is-now", at === step - 1));
    this.root.querySelectorAll(".point").forEach((point) => point.classList.toggle("is-now", Number(point.dataset.step) === step));
  }

  /** Return the curve of what the game was worth, with those of other entries dashed. */
  curve() {
    const { review, games } = this;
    const isChance = review.unit === "chance";
    const values = games.map((game) => [game.review.start, ...game.review.moves.map((move) => move.after)]);
    const every = values.flat();
    const [low, high] = isChance ? [0, 1] : [Math.floor(Math.min(...every)), Math.ceil(Math.max(...every, Math.min(...every) + 0.01))];
    const nSteps = Math.max(1, ...values.map((one) => one.length - 1));
    const x = (step) => CURVE.left + ((CURVE.right - CURVE.left) * step) / nSteps;
    const share = (value) => (value - low) / (high - low || 1);
    const y = (value) => CURVE.top + (isChance ? 1 - share(value) : share(value)) * (CURVE.height - CURVE.top - CURVE.bottom);
    const at = (value) => `${value.toFixed(2)}%`;
    const parts = [];
    const ticks = isChance ? [0, 0.5, 1] : Array.from({ length: high - low + 1 }, (_, i) => low + i).filter((_, i, all) => all.length < 6 || i % Math.ceil(all.length / 5) === 0);
    for (const tick of ticks) {
      parts.push(drawn("line", { class: "grid", x1: at(CURVE.left), x2: "100%", y1: y(tick), y2: y(tick) }),
        drawn("text", { class: "tick end", x: at(CURVE.left), dx: -10, y: y(tick) + 4 }, isChance ? `${100 * tick}%` : String(tick)));
    }
    if (review.dearest !== null) {
      parts.push(drawn("rect", { class: "fall", x: at(x(review.dearest)), width: at(x(review.dearest + 1) - x(review.dearest)), y: CURVE.top - 8, height: CURVE.height - CURVE.top - CURVE.bottom + 16 }));
    }
    games.forEach((game, number) => {
      const own = values[number];
      const line = own.slice(1).map((value, step) => drawn("line", { x1: at(x(step)), y1: y(own[step]), x2: at(x(step + 1)), y2: y(value) }));
      parts.push(drawn("g", { class: `worth-line ${game.colour || "own"}${number ? " other" : ""}` }, ...line));
    });
    const labels = [["start", review.start_text], ...review.moves.map((move) => [move.guess.toUpperCase(), move.texts[2]])];
    values[0].forEach((value, step) => {
      const isDearest = review.dearest !== null && step === review.dearest + 1;
      const kept = isDearest || step === 0 || step === values[0].length - 1;
      const name = `point ${games[0].colour || "own"}${isDearest ? " is-dearest" : ""}${values[0].length > MANY_MOVES && !kept ? (values[0].length > 2 * MANY_MOVES || step % 2 ? " dense" : " rare") : ""}`;
      const label = (dy, text) => drawn("text", { class: "middle", x: at(x(step)), y: CURVE.height - CURVE.bottom + dy }, text);
      parts.push(drawn("g", { class: name, "data-step": step, onclick: () => { this.onmove(step); this.mark(step); } },
        drawn("circle", { cx: at(x(step)), cy: y(value), r: 5 }), label(24, labels[step][0]), label(39, labels[step][1])));
    });
    const said = `${isChance ? "Chance to win" : "Expected guesses of the game"}: ${labels.map(([word, text]) => `${word} ${text}`).join(", ")}`;
    const names = games.length > 1 ? make("figcaption", {}, ...games.map((game, number) => make("span", { class: `${game.colour || "own"}${number ? " other" : ""}` }, make("i", { "aria-hidden": "true" }), game.label))) : null;
    return make("figure", { class: "worths" }, make("p", { class: "axis" }, isChance ? "Chance to win after each move" : "Expected guesses of the game after each move; fewer is better"),
      drawn("svg", { width: "100%", height: CURVE.height, role: "img", "aria-label": said }, ...parts), names);
  }
}
