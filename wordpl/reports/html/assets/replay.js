// Replays a game move by move: two entries side by side on the same secret, with what each knew after each clue.

const N_LIKELIEST = 5;
const N_DECISIVE = 10;

class Replay {
  constructor(root, boards) {
    Object.assign(this, { root, boards, board: boards[0], number: null, step: 0, seen: new Set() });
    this.heading = make("h3", {});
    this.selects = make("div", { class: "filters" });
    this.decisive = make("div", { class: "decisive" });
    this.worst = make("div", { class: "costly" });
    this.reviewed = make("div", { class: "judged" });
    this.columns = make("div", { class: "replays" });
    this.place = make("output", { "aria-live": "polite" });
    const button = (text, label, onclick) => make("button", { type: "button", "aria-label": label, onclick }, text);
    const keys = make("span", { class: "note keys" }, make("kbd", {}, "←"), " ", make("kbd", {}, "→"), " step   ", make("kbd", {}, "↑"), " ", make("kbd", {}, "↓"), " game");
    this.ownButton = button("Play a game yourself", "Play a game yourself", () => this.playOwn());
    this.stage = make(
      "div", { class: "stage", tabindex: -1, role: "group", "aria-label": "Replay. Left and right arrow keys step through the moves, up and down change the game." },
      make("div", { class: "top" }, this.heading, this.selects),
      this.worst,
      this.decisive,
      make("div", { class: "steps" },
        button("|◀", "First move", () => this.go(0)), button("◀", "Step back", () => this.go(this.step - 1)), this.place,
        button("▶", "Step forward", () => this.go(this.step + 1)), button("▶|", "Last move", () => this.go(Infinity)),
        button("Previous game", "Previous game", () => this.change(-1)), button("Next game", "Next game", () => this.change(1)), this.ownButton, keys),
      this.reviewed,
      this.columns,
    );
    this.stage.addEventListener("keydown", (event) => this.press(event));
    root.append(this.stage);
    this.choose(this.board);
    this.openFirst();
  }

  /** Show the game with the costliest move of the leader or, if no game is reviewed, the first decisive one. */
  openFirst() {
    this.open(this.entries[0]?.worst[0]?.[0] ?? this.games[0]?.number ?? 0);
  }

  press(event) {
    if (event.target.matches("select, input") || this.isPlaying || event.altKey || event.ctrlKey || event.metaKey) return;
    const acts = {
      ArrowLeft: () => this.go(this.step - 1), ArrowRight: () => this.go(this.step + 1), Home: () => this.go(0),
      End: () => this.go(Infinity), ArrowUp: () => this.change(-1), ArrowDown: () => this.change(1),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  /** Show the games of a board, by default those of its two leaders. */
  choose(board, entries = board.entries.slice(0, 2)) {
    this.board = board;
    this.ownButton.hidden = !board.play;
    this.entries = entries;
    const option = (at) => (one, place) => [String(place), one.label + (at && one === entries[0] ? " (the same)" : "")];
    const change = (at, list) => () => {
      this.entries[at] = this.board.entries[list.value];
      this.choose(this.board, this.entries.filter(Boolean));
      this.open(this.number);
      this.remember();
    };
    const fields = [];
    if (this.boards.length > 1) {
      const [label, list] = select("Game", this.boards.map((one, at) => [String(at), one.title]), () => {
        this.choose(this.boards[list.value]);
        this.openFirst();
      });
      list.value = String(this.boards.indexOf(board));
      fields.push(label);
    }
    ["Entry", "Compare with"].forEach((name, at) => {
      const options = board.entries.map(option(at));
      const [label, list] = select(name, at ? [["", "no entry"], ...options] : options, () => change(at, list)());
      list.value = entries[at] ? String(board.entries.indexOf(entries[at])) : "";
      fields.push(label);
    });
    this.selects.replaceChildren(...fields);
    this.games = entries.length > 1 ? decisiveGames(entries[0], entries[1]) : [];
    const chips = (games) => games.map((game) =>
      make("button", { type: "button", "data-game": game.number, title: game.why, onclick: () => { this.open(game.number); this.remember(); } }, String(game.number)));
    this.decisive.replaceChildren(...(this.games.length ? ["Decisive games ", ...chips(this.games)] : []));
    const worst = entries.length ? entries[0].worst.map(([number, why]) => ({ number, why })) : [];
    this.worst.replaceChildren(...(worst.length ? [`Costliest moves of ${entries[0].label} `, ...chips(worst)] : []));
  }

  /** Show a game of an entry, beside the entry that it is compared with. */
  show(board, entry, number, moveThere = false) {
    const rival = this.entries.find((one) => one !== entry && board.entries.includes(one)) || board.entries.find((one) => one !== entry);
    this.choose(board, [entry, rival].filter(Boolean));
    this.open(number);
    this.remember();
    if (moveThere) this.focus();
  }

  focus() {
    this.stage.focus();
    this.root.scrollIntoView({ block: "start" });
  }

  /** Show the game of this number, with all its moves. */
  open(number) {
    this.number = number;
    this.seen.add(number);
    this.playing(false);
    const [first] = this.entries;
    const secret = first ? this.board.answers[first.secrets[number]] : "";
    this.heading.replaceChildren(`Game ${number}`, make("span", {}, secret ? `, secret ${secret}` : ""));
    this.shown = this.entries.map((entry) => new ReplayedGame(this.board, entry, number));
    this.columns.replaceChildren(...this.shown.map((one) => one.root));
    this.stage.querySelectorAll(".decisive button, .costly button").forEach((chip) => chip.setAttribute("aria-pressed", String(Number(chip.dataset.game) === number)));
    this.drawReview();
    this.step = this.nSteps;
    this.draw(false);
  }

  /** Show the review of the game, if the page has it, with the curve of the entry beside it. */
  drawReview() {
    const [first, ...others] = this.entries.map((entry) => ({ label: entry.label, colour: entry.colour, review: entry.reviews.get(this.number) }));
    this.panel = first?.review ? new GameReviewPanel([first, ...others.filter((one) => one.review)], (step) => this.go(step)) : null;
    const { command } = this.board;
    const note = command && this.entries.length && !this.panel ? make("p", { class: "note" }, "This page judges the moves of the games with the costliest ones. For this game: ", make("code", {}, `${command} ${this.number}`)) : null;
    this.reviewed.replaceChildren(...[this.panel?.root ?? note].filter(Boolean));
  }

  playing(isPlaying) {
    this.isPlaying = isPlaying;
    this.stage.classList.toggle("playing", isPlaying);
  }

  /** Let the reader play a game that was not shown before. */
  playOwn() {
    const [entry] = this.entries;
    const numbers = entry.stored().map((at) => entry.number(at));
    const unseen = numbers.filter((number) => !this.seen.has(number));
    const from = unseen.length ? unseen : numbers;
    this.number = from[Math.floor(Math.random() * from.length)];
    this.playing(true);
    this.reviewed.replaceChildren();
    this.heading.replaceChildren(`Game ${this.number}`, make("span", {}, ": your turn, with the secret and the noise that the entries met"));
    const own = new OwnBoard(new OwnGame(this.board, this.number), (game) => this.compare(game));
    this.columns.replaceChildren(own.root);
    own.word.focus();
  }

  /** Show the reader's game beside those of all entries. */
  compare(game) {
    this.open(game.number);
    const entries = [game.asEntry(), ...this.board.entries.filter((entry) => entry.position(game.number) >= 0)];
    this.shown = entries.map((entry) => new ReplayedGame(this.board, entry, game.number));
    this.columns.replaceChildren(make("p", { class: "standing", role: "status" }, standing(game)), ...this.shown.map((one) => one.root));
    this.go(Infinity);
    this.focus();
  }

  get nSteps() {
    return Math.max(0, ...this.shown.map((one) => one.moves.length));
  }

  go(step) {
    const before = this.step;
    this.step = Math.max(0, Math.min(this.nSteps, step));
    this.draw(this.step === before + 1);
  }

  draw(flips) {
    this.place.textContent = this.step ? `move ${this.step} of ${this.nSteps}` : "before the first move";
    this.shown.forEach((one) => one.draw(this.step, flips));
    this.panel?.mark(this.step);
  }

  /** Go to the next or previous game whose moves the page contains. */
  change(by) {
    const [entry] = this.entries;
    for (let number = this.number + by; number >= 0 && number <= entry.number(entry.n - 1); number += by) {
      const at = entry.position(number);
      if (at >= 0 && entry.isKept(at)) {
        this.open(number);
        return this.remember();
      }
    }
    return null;
  }

  /** Write the game into the address, so that it can be linked to. */
  remember() {
    const names = this.entries.map((entry) => entry.key).join(",");
    address.write({ game: this.number, entries: names });
  }

  /** Show the games of two entries of a board, which a reader has chosen there. */
  compareEntries(names) {
    const board = this.boards.find((one) => names.every((name) => one.entries.some((entry) => entry.name === name)));
    if (!board) return;
    this.choose(board, names.map((name) => board.entries.find((entry) => entry.name === name)));
    this.open(this.games.length ? this.games[0].number : this.number);
  }

  /** Open the game that the address names, as in #game=17; return whether it names one. */
  read() {
    const state = address.read();
    const number = /^\d+$/.exec(state.get("game") || "");
    if (!number) return false;
    const keys = (state.get("entries") || "").split(",").filter(Boolean).map(Number);
    const board = this.boards.find((one) => one.entries.some((entry) => keys.includes(entry.key)));
    if (board) this.choose(board, keys.map((key) => board.entries.find((entry) => entry.key === key)).filter(Boolean));
    this.open(Number(number[0]));
    this.focus();
    return true;
  }
}

/** Return games on the page that one entry wins and the other loses or, if there are none, whose costs differ most. */
function decisiveGames(first, second) {
  const found = [];
  for (let at = 0; at < first.n; at++) {
    const number = first.number(at);
    const other = second.position(number);
    if (other < 0 || !first.isKept(at) || !second.isKept(other)) continue;
    const wins = first.won(at) - second.won(other);
    const gap = Math.abs(first.cost(at) - second.cost(other));
    if (wins || gap) found.push({ number, wins, gap: wins ? 0 : gap });
  }
  found.sort((a, b) => Math.abs(b.wins) - Math.abs(a.wins) || b.gap - a.gap || a.number - b.number);
  const why = ({ wins, gap }) => (wins ? `only ${(wins > 0 ? first : second).label} wins` : `costs differ by ${shortNumber(gap)}`);
  return found.slice(0, N_DECISIVE).map((game) => ({ ...game, why: why(game) })).sort((a, b) => a.number - b.number);
}

/** One game of one entry, drawn up to a move. */
class ReplayedGame {
  constructor(board, entry, number) {
    Object.assign(this, { board, entry });
    const at = entry.position(number);
    const stored = at < 0 ? null : entry.moves(at);
    this.moves = stored || [];
    this.secret = board.answers[entry.secrets[number]] || "";
    const won = at >= 0 && entry.won(at);
    const cost = at < 0 ? "" : board.noisy ? ` · ${shortNumber(entry.cost(at))} spent` : ` · ${entry.lengths[at]} guesses`;
    this.pill = make("span", { class: `pill${won ? " won" : ""}` }, at < 0 ? "" : entry.verdict(at) + cost);
    this.list = make("ol", { class: "moves" });
    this.beliefs = make("div", { class: "beliefs" });
    this.states = stored ? statesOf(board, stored) : [];
    const why = stored && !this.states.length && stored.length ? "This page does not contain what was known in this game." : stored ? null : at < 0 ? "This entry has not played this game." : "This page does not contain the moves of this game.";
    const said = entry.messages.get(number);
    this.replies = entry.replies.get(number) || new Map();
    const refused = this.replies.get(this.moves.length + 1);
    this.root = make("article", { class: `game ${entry.colour}` }, make("h4", {}, glyphOf(entry.glyph), entry.label, this.pill),
      why ? make("p", {}, why) : null, this.list, refused === undefined ? null : reply(refused), this.beliefs, said ? make("pre", { tabindex: 0 }, said) : null);
  }

  draw(step, flips) {
    const n = Math.min(step, this.moves.length);
    this.pill.hidden = n < this.moves.length;
    let spent = 0;
    this.list.replaceChildren(...this.moves.map((move, round) => {
      if (round >= n) return make("li", {}, tiles(" ".repeat(move.guess.length), ""));
      spent += move.epsilon || 0;
      return this.row(move, round, spent, flips && round === n - 1);
    }));
    this.drawBeliefs(this.states[n]);
  }

  row(move, round, spent, flips) {
    const isAnswer = this.board.noisy && move.epsilon === 0;
    const true_ = this.board.marks && this.secret && !isAnswer ? CLUE_RULES[this.board.marks](move.guess, this.secret) : move.clues;
    const shown = isAnswer ? answerTiles(move.guess, this.secret) : tiles(move.guess, move.clues, true_);
    if (flips) shown.classList.add("flip");
    const said = [];
    if (isAnswer) said.push(`answer · ${shortNumber(spent)} spent`);
    else if (this.board.noisy) said.push(`ε ${shortNumber(move.epsilon, 2)} · ${shortNumber(spent)} spent`);
    const state = this.states[round + 1];
    if (state && !isAnswer) said.push(`${state.bits.toFixed(2)} bits left${state.nLeft ? ` (${state.nLeft.toLocaleString("en-US")} left)` : ""}`);
    const text = this.replies.get(round + 1);
    return make("li", {}, shown, make("span", { class: "said" }, said[0] || "", said[1] ? make("br") : null, said[1] || null),
      text === undefined ? null : reply(text));
  }

  drawBeliefs(state) {
    if (!state) return this.beliefs.replaceChildren();
    const rows = state.top.map(([word, p]) => meterRow(word, p, percent(p), word === this.secret ? "is-secret" : null));
    rows.push(meterRow("bits left", state.bits / this.states[0].bits, state.bits.toFixed(2), "entropy"));
    const caption = make("caption", { class: "hidden" }, "The most likely words");
    return this.beliefs.replaceChildren(make("table", {}, caption, make("tbody", {}, ...rows)));
  }
}

/** Return the reply of a model, which is always shown as text. */
function reply(text) {
  return make("pre", { class: "reply", tabindex: 0, "aria-label": "Reply of the model" }, text);
}

function meterRow(name, share, text, kind) {
  const meter = drawn("svg", { class: "meter", "aria-hidden": "true" },
    drawn("rect", { class: "track", width: "100%", height: "100%", rx: 4 }),
    drawn("rect", { class: "full", width: `${Math.max(0, Math.min(100, 100 * share)).toFixed(2)}%`, height: "100%", rx: 4 }));
  return make("tr", { class: kind }, make("th", { scope: "row" }, name), make("td", {}, meter), make("td", {}, text));
}

/** Return what is known before the first move and after each one: bits, the most likely words, the number of words. */
function statesOf(board, moves) {
  if (moves.length && moves[0].state) {
    const bits = Math.log2(board.answers.length);
    return [{ bits, top: [], nLeft: 0 }, ...moves.map((move) => move.state)];
  }
  if (!board.clues) return [];
  const posterior = new Posterior(board.answers, board.clues);
  const state = () => ({ ...posterior.state(N_LIKELIEST), ...(board.noisy ? { nLeft: 0 } : {}) });
  const states = [state()];
  for (const move of moves) {
    if (!move.clues) states.push(states[states.length - 1]);
    else {
      if (board.noisy) posterior.update(move.guess, move.epsilon, move.clues);
      else posterior.updateTrue(move.guess, move.clues);
      states.push(state());
    }
  }
  return states;
}
