// Lets the reader play a game of the run without a server: the secret and the noise are those that the entries met.

const WORD = (1n << 64n) - 1n;
const IV = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const SIGMA = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d", "2c6a0b834d75fe19",
  "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0", "0123456789abcdef", "ea489fd61c02b753",
].map((row) => [...row].map((digit) => parseInt(digit, 16)));
const MIXED = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];

/** Return the 64 bytes of BLAKE2b (RFC 7693) of a short text with a key, as Python's hashlib.blake2b does. */
function blake2b(key, text) {
  const data = new TextEncoder().encode(text);
  const block = new Uint8Array(256);
  block.set(key);
  block.set(data, 128);
  const state = IV.map((word, at) => (at ? word : word ^ 0x01010040n ^ (BigInt(key.length) << 8n)));
  const view = new DataView(block.buffer);
  [[0, 128, 0n], [128, 128 + data.length, WORD]].forEach(([start, size, last]) => {
    const v = [...state, ...IV];
    v[12] ^= BigInt(size);
    v[14] ^= last;
    const message = [...Array(16).keys()].map((at) => view.getBigUint64(start + 8 * at, true));
    for (const order of SIGMA) MIXED.forEach(([a, b, c, d], at) => mix(v, a, b, c, d, message[order[2 * at]], message[order[2 * at + 1]]));
    state.forEach((word, at) => { state[at] = word ^ v[at] ^ v[at + 8]; });
  });
  const digest = new DataView(new ArrayBuffer(64));
  state.forEach((word, at) => digest.setBigUint64(8 * at, word, true));
  return digest;
}

function mix(v, a, b, c, d, x, y) {
  const turned = (word, by) => (word >> by) | ((word << (64n - by)) & WORD);
  v[a] = (v[a] + v[b] + x) & WORD;
  v[d] = turned(v[d] ^ v[a], 32n);
  v[c] = (v[c] + v[d]) & WORD;
  v[b] = turned(v[b] ^ v[c], 24n);
  v[a] = (v[a] + v[b] + y) & WORD;
  v[d] = turned(v[d] ^ v[a], 16n);
  v[c] = (v[c] + v[d]) & WORD;
  v[b] = turned(v[b] ^ v[c], 63n);
}

/** Return the integers below 2^32 that randomize the clue of a round, as `GameDraws.noise` in wordpl/core/seeds.py. */
function noiseOf(board, game, round, length) {
  const key = board.hasGameKeys ? new Uint8Array(blake2b(board.key, `game/${game}/0`).buffer) : board.key;
  const digest = blake2b(key, `noise/${game}/${round}`);
  return [...Array(length).keys()].map((at) => digest.getUint32(4 * at));
}

function keepProbability(epsilon, length) {
  return 1 / (1 + 2 * Math.exp(-epsilon / length));
}

const OTHER_MARKS = { ".": "ic", i: "c.", c: ".i" };

/** Return the clue after randomized response on each mark, as `noisy` in wordpl/core/clues.py. */
function noisyClue(clues, epsilon, draws) {
  const keep = keepProbability(epsilon, clues.length);
  return [...clues].map((mark, at) => {
    if (draws[at] < keep * 2 ** 32) return mark;
    return OTHER_MARKS[mark][draws[at] >= ((1 + keep) / 2) * 2 ** 32 ? 1 : 0];
  }).join("");
}

/** Return the first hint of an earlier guess that a guess in hard mode does not use; "" if it uses all. */
function unusedHint(guess, earlier, clues) {
  for (let at = 0; at < guess.length; at++) {
    if (clues[at] === "c" && guess[at] !== earlier[at]) return `letter ${at + 1} must be ${earlier[at].toUpperCase()}`;
  }
  for (const letter of earlier) {
    const revealed = [...earlier].filter((own, at) => own === letter && clues[at] !== ".").length;
    if (guess.split(letter).length - 1 < revealed) return `the guess must contain ${letter.toUpperCase()}${revealed > 1 ? ` ${revealed} times` : ""}`;
  }
  return "";
}

/** A game of the run, played by the reader: the rules of wordpl/games. */
class OwnGame {
  constructor(board, number) {
    const [entry] = board.entries;
    Object.assign(this, { board, number, moves: [], verdict: null, left: board.answers });
    this.secret = board.hasSecret ? board.answers[entry.secrets[number]] : "";
  }

  get spent() {
    return this.moves.reduce((sum, move) => sum + (move.epsilon || 0), 0);
  }

  /** Make a move; an epsilon of 0 is the answer. Throws an Error that says why a move is not legal. */
  play(guess, epsilon = null) {
    const { board, secret, moves } = this;
    const isAnswer = board.noisy && epsilon === 0;
    if (!(isAnswer ? new Set(board.answers) : board.words).has(guess)) throw new Error(`${guess} is not a word of the ${isAnswer ? "answers" : "guesses"}.`);
    const last = moves[moves.length - 1];
    const hint = board.play.hard && last ? unusedHint(guess, last.guess, last.clues) : "";
    if (hint) throw new Error(`${guess} breaks hard mode: ${hint}.`);
    const isLast = moves.length + 1 === board.play.max;
    let clues = "";
    if (isAnswer) this.verdict = guess === secret ? "won" : "wrong";
    else if (board.noisy && isLast) this.verdict = "unsolved";
    else {
      clues = this.clues(guess, epsilon);
      if (!board.noisy && (secret ? guess === secret : !/[^c]/.test(clues))) this.verdict = "won";
      else if (!board.noisy && isLast) this.verdict = "unsolved";
    }
    moves.push({ guess, epsilon, clues });
  }

  clues(guess, epsilon) {
    const rule = CLUE_RULES[this.board.clues];
    if (!this.secret) return this.largestGroup(guess, rule);
    const clues = rule(guess, this.secret);
    return this.board.noisy ? noisyClue(clues, epsilon, noiseOf(this.board, this.number, this.moves.length + 1, guess.length)) : clues;
  }

  /** Return the clue of Absurdle: that of the largest group of words and, of equally large ones, the one that reveals least. */
  largestGroup(guess, rule) {
    const groups = new Map();
    for (const word of this.left) {
      const clues = rule(guess, word);
      groups.set(clues, [...(groups.get(clues) || []), word]);
    }
    const order = (clues) => [...clues].map((mark) => MARKS.indexOf(mark)).join("");
    const revealed = (clues) => [..."ci"].map((mark) => String.fromCharCode(48 + clues.split(mark).length)).join("") + order(clues);
    const [[best, left]] = [...groups].sort(([a, one], [b, other]) => other.length - one.length || (revealed(a) < revealed(b) ? -1 : 1));
    this.left = left;
    return best;
  }

  /** Return the game in the form of an entry's games, so that it can be replayed beside them. */
  asEntry() {
    const won = this.verdict === "won";
    return {
      label: "You", colour: "own", key: "", glyph: -1, messages: new Map(), replies: new Map(), moves: () => this.moves, position: (number) => number, won: () => won,
      verdict: () => this.verdict, cost: () => this.spent, lengths: { [this.number]: this.moves.length },
      secrets: this.board.entries[0].secrets,
    };
  }
}

/** The form in which the reader plays a game; `ended` is called with the game when it has ended. */
class OwnBoard {
  constructor(game, ended) {
    Object.assign(this, { game, ended });
    const { board } = game;
    const length = board.answers[0].length;
    this.list = make("ol", { class: "moves" });
    this.word = make("input", { type: "text", maxlength: length, size: length + 2, autocomplete: "off", autocapitalize: "none", spellcheck: "false", "aria-label": "Your word" });
    this.said = make("output", { class: "said", role: "status" });
    const act = (isAnswer) => (event) => { event.preventDefault(); this.move(isAnswer); };
    const button = (text, onclick) => make("button", { type: "button", onclick }, text);
    const fields = [this.word];
    if (board.noisy) {
      this.buys = make("span", { class: "note" });
      this.epsilon = make("input", { type: "number", min: 0.01, step: "any", value: 8, "aria-label": "Epsilon", oninput: () => this.price() });
      fields.push(make("label", {}, "ε ", this.epsilon), this.buys);
    }
    const buttons = [make("button", { type: "submit" }, "Guess"), ...(board.noisy ? [button("Answer", act(true))] : []), button("Give up", () => this.end("given up"))];
    this.root = make("form", { class: "own-game", onsubmit: act(false) }, this.list, make("div", { class: "filters" }, ...fields), make("div", { class: "steps" }, ...buttons), this.said);
    this.price();
  }

  price() {
    if (!this.epsilon) return;
    const epsilon = Number(this.epsilon.value);
    const keep = keepProbability(epsilon, this.word.maxLength);
    const [spent, then] = [this.game.spent, this.game.spent + epsilon].map((budget) => shortNumber(budget, 2));
    this.buys.textContent = `${percent(keep)} of marks true, all: ${percent(keep ** this.word.maxLength)} · ${spent} spent, ${then} with this guess`;
  }

  move(isAnswer) {
    const { game } = this;
    const epsilon = game.board.noisy ? (isAnswer ? 0 : Number(this.epsilon.value)) : null;
    this.said.textContent = "";
    try {
      if (epsilon !== null && !isAnswer && !(epsilon > 0)) throw new Error("The epsilon must be a number above 0.");
      game.play(this.word.value.trim().toLowerCase(), epsilon);
    } catch (error) {
      this.said.textContent = error.message;
      return;
    }
    const move = game.moves[game.moves.length - 1];
    if (game.verdict) return this.end(game.verdict);
    const row = tiles(move.guess, move.clues);
    row.classList.add("flip");
    this.list.append(make("li", {}, row, move.epsilon === null ? null : make("span", { class: "said" }, `ε ${shortNumber(move.epsilon, 2)} · ${percent(keepProbability(move.epsilon, move.guess.length))} true`)));
    this.word.value = "";
    this.word.focus();
    this.price();
  }

  end(verdict) {
    this.game.verdict = verdict;
    this.ended(this.game);
  }
}

/** Return how the reader's game compares with those of the entries. */
function standing(game) {
  const { board, number } = game;
  const cost = (one) => {
    const at = one.position(number);
    return at < 0 || !one.won(at) ? Infinity : board.noisy ? one.cost(at) : one.lengths[at];
  };
  const own = cost(game.asEntry());
  const played = board.entries.filter((entry) => entry.position(number) >= 0);
  const count = (is) => played.filter((entry) => is(cost(entry))).length;
  const result = own < Infinity ? `won with ${shortNumber(own, board.noisy ? 2 : 0)} ${board.noisy ? "spent" : "guesses"}` : game.verdict;
  return `You: ${result}. Better than ${count((one) => own < one)} of ${played.length} entries, as good as ${count((one) => own === one)}, worse than ${count((one) => own > one)}.`;
}
