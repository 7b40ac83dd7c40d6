// The exact posterior of the answers, as in wordpl/kernels/posterior.py.

class Posterior {
  constructor(answers, clueRule) {
    this.answers = answers;
    this.clue = CLUE_RULES[clueRule];
    this.logs = new Float64Array(answers.length);
  }

  /** Update with a noisy clue: each mark that agrees with a word makes the word e^(epsilon / length) times as likely. */
  update(guess, epsilon, clues) {
    const perMark = epsilon / guess.length;
    let top = -Infinity;
    for (let at = 0; at < this.answers.length; at++) {
      const true_ = this.clue(guess, this.answers[at]);
      let agreed = 0;
      for (let place = 0; place < clues.length; place++) agreed += true_[place] === clues[place];
      this.logs[at] += perMark * agreed;
      top = Math.max(top, this.logs[at]);
    }
    for (let at = 0; at < this.logs.length; at++) this.logs[at] -= top;
  }

  /** Update with a true clue, which rules out all words that give a different one. */
  updateTrue(guess, clues) {
    for (let at = 0; at < this.answers.length; at++) {
      if (this.logs[at] > -Infinity && this.clue(guess, this.answers[at]) !== clues) this.logs[at] = -Infinity;
    }
  }

  get probabilities() {
    let top = -Infinity;
    for (const log of this.logs) top = Math.max(top, log);
    if (top === -Infinity) return new Float64Array(this.logs.length);
    const weights = this.logs.map((log) => Math.exp(log - top));
    let total = 0;
    for (const weight of weights) total += weight;
    return weights.map((weight) => weight / total);
  }

  /** The remaining entropy in bits. */
  get bits() {
    let sum = 0;
    for (const p of this.probabilities) if (p > 0) sum -= p * Math.log2(p);
    return Math.max(0, sum);
  }

  /** Return the most likely words with their probabilities; ties are in the order of the list. */
  top(n) {
    const p = this.probabilities;
    const order = [...p.keys()].sort((a, b) => p[b] - p[a] || a - b);
    return order.slice(0, n).map((at) => [this.answers[at], p[at]]);
  }

  get nLeft() {
    return this.probabilities.reduce((n, p) => n + (p > 0), 0);
  }
}
