// Shows a game move by move, with seen and true clues, the budget spent, and the most likely words.

const MEANING = { c: "right place", i: "in the word", ".": "not in the word" };
const N_LIKELIEST = 3;

class Replay {
  constructor(root) {
    this.root = root;
  }

  /** Show a game of an entry, optionally next to that of another entry with the same secret. */
  show(board, entry, number, moveThere = false) {
    const others = board.entries.filter((one) => one !== entry).map((one, at) => [String(at), one.name]);
    const rivals = board.entries.filter((one) => one !== entry);
    const [label, list] = select("Compare with", [["", "no entry"], ...others], () => this.beside(board, entry, number, rivals[list.value]));
    const secret = board.answers[entry.secrets[number]];
    const heading = make("h3", { tabindex: -1 }, `Game ${number}${secret ? `, secret ${secret}` : ""}`);
    this.columns = make("div", { class: "replays" });
    const step = (by) => () => {
      const next = number + by;
      const at = entry.position(next);
      if (at >= 0 && entry.hasMoves(at)) this.show(board, entry, next, true);
    };
    this.root.replaceChildren(
      heading,
      make("p", { class: "filters" }, label,
        make("button", { type: "button", onclick: step(-1) }, "Previous game"),
        make("button", { type: "button", onclick: step(1) }, "Next game")),
      this.columns,
    );
    this.beside(board, entry, number, null);
    if (moveThere) {
      heading.focus();
      heading.scrollIntoView({ block: "nearest" });
    }
  }

  beside(board, entry, number, rival) {
    this.columns.replaceChildren(...[entry, rival].filter(Boolean).map((one) => gameOf(board, one, number)));
  }
}

/** Return one game as an element. */
function gameOf(board, entry, number) {
  const at = entry.position(number);
  const moves = at < 0 ? null : entry.moves(at);
  const made = make("article", { class: "game" }, make("h4", {}, entry.name));
  if (!moves) {
    made.append(make("p", {}, at < 0 ? "This entry has not played this game." : "This page does not contain the moves of this game."));
    return made;
  }
  const secret = board.answers[entry.secrets[number]] || "";
  const posterior = new Posterior(board.answers, board.clues);
  let spent = 0;
  const rows = moves.map((move, round) => {
    spent += move.epsilon || 0;
    return roundOf({ move, round, secret, spent, posterior, board });
  });
  const heads = ["move", "seen", ...(entry.noisy ? ["true", "epsilon", "spent"] : []), "bits left", "most likely words"];
  const table = make("table", {}, make("caption", {}, `${board.rules}, game ${number}`),
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), make("tbody", {}, ...rows));
  const said = entry.messages.get(number);
  made.append(
    make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `Moves of ${entry.name}` }, table),
    make("p", {}, `Verdict: ${entry.verdict(at)}${entry.noisy ? `, ${shortNumber(spent)} spent` : ""}.`),
  );
  if (said) made.append(make("pre", { tabindex: 0 }, said));
  return made;
}

function roundOf({ move, round, secret, spent, posterior, board }) {
  const isAnswer = board.noisy && move.epsilon === 0;
  const true_ = secret && !isAnswer ? posterior.clue(move.guess, secret) : "";
  if (move.clues) {
    if (board.noisy) posterior.update(move.guess, move.epsilon, move.clues);
    else posterior.updateTrue(move.guess, move.clues);
  }
  const seen = isAnswer ? answerTiles(move.guess, secret) : tiles(move.guess, move.clues);
  const cells = [String(round + 1), seen];
  if (board.noisy) {
    cells.push(isAnswer ? "answer" : tiles(move.guess, true_, move.clues), isAnswer ? "0" : shortNumber(move.epsilon, 2), shortNumber(spent));
  }
  cells.push(isAnswer ? "" : posterior.bits.toFixed(2), isAnswer ? "" : likeliest(posterior, board.noisy));
  return make("tr", {}, ...cells.map((cell) => make("td", {}, cell)));
}

/** Return the most likely words and, in a game with true clues, the number of words left. */
function likeliest(posterior, noisy) {
  const words = posterior.top(N_LIKELIEST).filter(([, p]) => p > 0);
  const left = noisy ? "" : ` (${posterior.nLeft.toLocaleString("en-US")} left)`;
  return words.map(([word, p]) => `${word} ${percent(p)}`).join(", ") + left;
}

/** Return the tiles of a guess; `seen` is the clue that was shown, if it may differ. */
function tiles(guess, clues, seen = clues) {
  const said = [...clues].map((mark, at) => `${guess[at]} ${MEANING[mark]}`).join(", ");
  const made = make("span", { class: "tiles", role: "img", "aria-label": said || guess });
  [...guess].forEach((letter, at) => {
    const kind = { c: "hit", i: "near", ".": "miss" }[clues[at]] || "none";
    const turned = seen[at] !== clues[at] ? " turned" : "";
    made.append(make("span", { class: `tile ${kind}${turned}`, "aria-hidden": "true" }, letter));
  });
  return made;
}

function answerTiles(guess, secret) {
  return tiles(guess, [...guess].map((letter, at) => (letter === secret[at] ? "c" : ".")).join(""));
}
