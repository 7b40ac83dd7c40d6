// Reads the games of the page, which wordpl/reports/html/page_data.py packs.

const TYPES = { B: Uint8Array, H: Uint16Array, I: Uint32Array, d: Float64Array };

/** Return the facts of the block, with a function `column(n)` that returns its arrays. */
async function readBlock(base64) {
  const text = atob(base64);
  const packed = new Uint8Array(text.length); // a loop, since from() uses an iterator and is much slower
  for (let at = 0; at < text.length; at++) packed[at] = text.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const block = await new Response(stream).arrayBuffer();
  const length = Number(new DataView(block).getBigUint64(0, true));
  const facts = JSON.parse(new TextDecoder().decode(new Uint8Array(block, 8, length)));
  const start = 8 + length;
  facts.column = (number) => {
    const [type, offset, size] = facts.arrays[number];
    return new TYPES[type](block, start + offset, size);
  };
  return facts;
}

/** Split concatenated words of `length` letters. */
function wordsOf(text, length) {
  const words = [];
  for (let at = 0; at < text.length; at += length) words.push(text.slice(at, at + length));
  return words;
}

/** The games of one entry: verdicts, costs, and the moves that the page contains. */
class EntryGames {
  constructor(facts, board, entry, length) {
    this.name = entry.name;
    this.label = entry.label;
    this.glyph = entry.number;
    this.colour = `e${entry.number % 8}`;
    this.noisy = entry.noisy;
    this.n = entry.n;
    this.kept = entry.kept;
    this.verdictNames = facts.verdicts;
    this.faults = facts.verdicts.map((name) => facts.faults.includes(name));
    this.verdicts = facts.column(entry.verdicts);
    this.lengths = facts.column(entry.lengths);
    this.numbers = entry.numbers === undefined ? null : facts.column(entry.numbers);
    this.messages = new Map(entry.messages);
    this.replies = new Map((entry.replies || []).map(([game, texts]) => [game, new Map(texts)]));
    this.secrets = facts.column(board.secrets);
    this.wordLength = length;
    this.read = { facts, entry };
    this.worst = entry.worst || [];
    this.reviews = new Map((entry.reviews || []).map(([number, review]) => [number, review]));
    if (entry.noisy) this.costs = costsOf(facts, entry);
  }

  number(at) {
    return this.numbers ? this.numbers[at] : at;
  }

  /** Return the position of a game number, or -1 if the entry has not played it. */
  position(number) {
    return this.numbers ? this.numbers.indexOf(number) : number < this.n ? number : -1;
  }

  verdict(at) {
    return this.verdictNames[this.verdicts[at]];
  }

  won(at) {
    return this.verdicts[at] === 0;
  }

  /** Return the cost of a game or, if it was lost, the budget spent. */
  cost(at) {
    return this.noisy ? this.costs(at) : this.lengths[at];
  }

  hasMoves(at) {
    return this.moves(at) !== null;
  }

  /** Return the moves {guess, epsilon, clues} of a game, or null if the page does not contain them. */
  moves(at) {
    if (!this.starts) this.decode();
    return this.starts.get(at) || this.reviews.get(this.number(at))?.moves.map(({ guess, epsilon, seen }) => ({ guess, epsilon, clues: seen })) || null;
  }

  isFault(at) {
    return this.faults[this.verdicts[at]];
  }

  isKept(at) {
    return this.number(at) < this.kept || this.isFault(at);
  }

  /** Return the games whose moves the page contains, in the order in which they are stored. */
  stored() {
    const [faults, others] = [[], []];
    for (let at = 0; at < this.n; at++) if (this.isKept(at)) (this.isFault(at) ? faults : others).push(at);
    return faults.concat(others);
  }

  decode() {
    const { facts, entry } = this.read;
    const [same, words, clues] = [entry.same, entry.words, entry.clues].map(facts.column);
    const prices = this.noisy ? facts.column(entry.prices) : null;
    const epsilons = this.noisy ? facts.column(entry.epsilons) : null;
    const before = new Map();
    let [bit, stored, shown] = [0, 0, 0];
    this.starts = new Map();
    const state = entry.states && statesReader(facts, entry.states, this.answers);
    let n = 0;
    for (const at of this.stored()) {
      const moves = [];
      let history = "";
      for (let round = 0; round < this.lengths[at]; round++, bit++) {
        let move = before.get(history);
        if (!((same[bit >> 3] >> (bit & 7)) & 1)) {
          move = [words[stored], prices ? prices[stored] : 0];
          before.set(history, move);
          stored++;
        }
        const epsilon = epsilons ? epsilons[move[1]] : null;
        const code = epsilon === 0 ? 0 : clues[shown++];
        const isAnswer = epsilon === 0;
        moves.push({
          guess: facts.guesses[move[0]],
          epsilon,
          clues: isAnswer ? "" : decodeClue(code, this.wordLength),
          ...(state && n < entry.states.n ? { state: state() } : {}),
        });
        history += `${move[0]},${move[1]},${code};`;
      }
      this.starts.set(at, moves);
      n++;
    }
  }
}

/** Return a function that returns what was known after the next move, as it was computed when the page was written. */
function statesReader(facts, states, answers) {
  const [bits, words, chances] = [states.bits, states.words, states.chances].map(facts.column);
  const nWords = bits.length ? words.length / bits.length : 0;
  let next = 0;
  return () => {
    const from = nWords * next;
    const top = [...Array(nWords).keys()].map((at) => [answers[words[from + at]], chances[from + at]]);
    return { bits: bits[next++], top: top.filter(([, p]) => p > 0), nLeft: 0 };
  };
}

/** Return a function that returns the cost of a game. */
function costsOf(facts, entry) {
  const costs = facts.column(entry.costs);
  if (entry.values === undefined) return (at) => (costs[at] / 65535) * entry.most;
  const values = facts.column(entry.values);
  return (at) => values[costs[at]];
}
