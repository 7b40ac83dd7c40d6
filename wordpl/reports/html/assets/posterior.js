// The exact posterior of the answers, as in wordpl/kernels/posterior.py.

const MAX_ADDED = 1000; // above it, a sum would round what earlier clues say, so that the likeliest word adds nothing

class Posterior {
  constructor(answers, clueRule) {
    this.answers = answers;
    this.clue = CLUE_RULES[clueRule];
    this.logs = new Float64Array(answers.length);
  }

  /** Update with a noisy clue: each mark that agrees with a word makes the word e^(epsilon / length) times as likely. */
  update(guess, epsilon, clues) {
    const perMark = epsilon / guess.length;
    const agreed = this.answers.map((answer) => {
      const marks = this.clue(guess, answer);
      let n = 0;
      for (let place = 0; place < clues.length; place++) n += marks[place] === clues[place];
      return n;
    });
    let [most, best, top] = [0, -Infinity, -Infinity];
    for (let at = 0; perMark > MAX_ADDED && at < agreed.length; at++) {
      const weight = this.logs[at] + perMark * agreed[at];
      if (weight > best) [best, most] = [weight, agreed[at]];
    }
    for (let at = 0; at < agreed.length; at++) {
      this.logs[at] += perMark * (agreed[at] - most);
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

  /** Return the remaining entropy in bits, the `n` most likely words with their probabilities, and the words left. */
  state(n) {
    const p = this.probabilities;
    const first = [];
    let [sum, nLeft] = [0, 0];
    for (let at = 0; at < p.length; at++) {
      if (p[at] === 0) continue;
      nLeft++;
      sum -= p[at] * Math.log2(p[at]);
      if (first.length === n && p[at] <= p[first[n - 1]]) continue; // ties are in the order of the list
      let place = first.length;
      while (place > 0 && p[first[place - 1]] < p[at]) place--;
      first.splice(place, 0, at);
      if (first.length > n) first.pop();
    }
    return { bits: Math.max(0, sum), top: first.map((at) => [this.answers[at], p[at]]), nLeft };
  }
}
