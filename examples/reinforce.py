"""Train a small policy by REINFORCE in numpy, on words that it is not tested with, and write it as an entry.

    python examples/reinforce.py                     # about two minutes; writes trained/
    wordpl evaluate trained LetterFrequency Entropy --games 100 --game wordle/1 \\
        --answers trained/test.txt --guesses trained/words.txt

The policy is a softmax over words: each has a bias, and what its clue would tell in bits, whether it can still be the
secret, and both at the last guess, have a weight.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from numba import njit

from wordpl import words
from wordpl.apps.envs import WordVectorEnv
from wordpl.solvers import letters, matrix_of

N_FEATURES = 4


@njit
def bits(table, belief):
    """What the clue of each word tells of the secret in bits, float[n, words], given how likely each word is."""
    told = np.zeros((len(belief), len(table)))
    counts = np.zeros(table.max() + 1)
    for row in range(len(belief)):
        left = np.flatnonzero(belief[row])
        for word in range(len(table)):
            for answer in left:
                counts[table[word, answer]] += belief[row, answer]
            for answer in left:
                share = counts[table[word, answer]]
                if share > 0:
                    told[row, word] -= share * np.log2(share)
                    counts[table[word, answer]] = 0.0
    return told


class Policy:
    """A softmax over words, from what the environment shows."""

    def __init__(self, word_list, theta=None, answers=None):
        self.words = tuple(word_list)
        self.prior = np.isin(self.words, self.words if answers is None else answers).astype(float)
        coded = letters(self.words)
        self.table = matrix_of(words.of_words(self.words, self.words), "counted").astype(np.int64)
        self.theta = np.zeros(len(self.words) + N_FEATURES) if theta is None else theta
        self._powers = 27 ** np.arange(coded.shape[1])
        names = (coded.astype(np.int64) + 1) @ self._powers
        self._order = np.argsort(names)
        self._names = names[self._order]
        self._known = {}

    def belief(self, seen):
        """How likely each word is the secret, float[n, words]."""
        n, n_rows, length = seen["letters"].shape
        belief = np.tile(self.prior, (n, 1))
        for row in range(n_rows):
            made = np.flatnonzero(seen["letters"][:, row, 0])
            if not len(made):
                break
            names = seen["letters"][made, row].astype(np.int64) @ self._powers
            guesses = self._order[np.searchsorted(self._names, names)]
            codes = (seen["marks"][made, row].astype(np.int64) - 1) @ 3 ** np.arange(length - 1, -1, -1)
            belief[made] *= self.table[guesses] == codes[:, None]
        return belief / np.maximum(belief.sum(axis=1, keepdims=True), 1)

    def features(self, seen):
        """The features of each word, float[n, words, N_FEATURES]."""
        belief = self.belief(seen)
        keys = [row.tobytes() for row in np.packbits(belief > 0, axis=1)]
        new = [place for place, key in enumerate(keys) if key not in self._known]
        if new:
            self._known.update(zip((keys[place] for place in new), bits(self.table, belief[new]), strict=True))
        told = np.array([self._known[key] for key in keys])
        is_last = (seen["letters"][:, -2, 0] > 0)[:, None]
        possible = (belief > 0).astype(float)
        return np.stack([told, possible, told * is_last, possible * is_last], axis=2)

    def probabilities(self, seen):
        """The probability of each word, float[n, words], and the features."""
        features = self.features(seen)
        logits = self.theta[: len(self.words)] + features @ self.theta[len(self.words) :]
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True), features

    def act(self, seen, rng):
        """Random actions for n games, int[n], and the gradient of the logarithm of their probabilities, float[n, d]."""
        chances, features = self.probabilities(seen)
        drawn = (chances.cumsum(axis=1) < rng.random((len(chances), 1))).sum(axis=1)
        actions = np.minimum(drawn, len(self.words) - 1)
        every = np.arange(len(actions))
        biases = -chances
        biases[every, actions] += 1
        weights = features[every, actions] - np.einsum("nw,nwf->nf", chances, features)
        return actions, np.concatenate([biases, weights], axis=1)

    def __call__(self, seen, rng):
        """The likeliest word: what the trained policy plays in a contest."""
        chances, _ = self.probabilities({name: array[None] for name, array in seen.items()})
        return int(chances[0].argmax())

    def save(self, path):
        np.savez(path, words=np.array(self.words), theta=self.theta)

    @classmethod
    def load(cls, path, answers):
        with np.load(path) as stored:
            return cls(stored["words"].tolist(), stored["theta"], answers)


def play(env, policy, rng, **options):
    """Play one game in each environment: rewards, costs, luck and the gradients of all moves, each [moves, n, ...]."""
    seen, _ = env.reset(**options)
    over, moves = np.zeros(env.num_envs, bool), []
    before = np.zeros(env.num_envs)
    while not over.all():
        actions, gradients = policy.act(seen, rng)
        seen, rewards, done, _, infos = env.step(actions)
        made = ~over
        costs = np.where(made, infos["cost"] - before, 0.0)
        luck = np.where(made, infos.get("luck", np.zeros(len(made))), 0.0)
        moves.append((np.where(made, rewards, 0.0), costs, luck, gradients * made[:, None], made))
        before = np.where(made, infos["cost"], before)
        over |= done
    return [np.array(part) for part in zip(*moves, strict=True)]


def to_go(values):
    """What is still to come at each move, the move included."""
    return values[::-1].cumsum(axis=0)[::-1]


def train(env, policy, rng, n_batches, step=0.1, seed=0, report=None):
    """Train a policy, and return the mean cost of each batch; steps are normalized by squared gradients (RMSprop)."""
    scale, mean_costs = 1e-12, []
    for batch in range(n_batches):
        games = {"game": batch * env.num_envs + np.arange(env.num_envs)}
        rewards, costs, _, gradients, made = play(env, policy, rng, seed=seed, options=games)
        returns = to_go(rewards)
        baseline = (returns * made).sum(axis=1) / np.maximum(made.sum(axis=1), 1)
        gradient = ((returns - baseline[:, None]) * made)[:, :, None] * gradients
        gradient = gradient.sum(axis=(0, 1)) / env.num_envs
        scale = 0.9 * scale + 0.1 * (gradient**2).mean()
        policy.theta += step * gradient / np.sqrt(scale / (1 - 0.9 ** (batch + 1)))
        mean_costs.append(costs.sum(axis=0).mean())
        if report:
            report(batch, mean_costs[-1])
    return mean_costs


ENTRY = '''"""A policy that REINFORCE trained: see examples/reinforce.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from policy import Policy  # noqa: E402

from wordpl import words  # noqa: E402
from wordpl.apps.envs import as_strategy  # noqa: E402

POLICY = Policy.load(Path(__file__).parent / "theta.npz", words.here().answers)
ENTRIES = [as_strategy(POLICY, "Trained")]
'''


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--reward", default="luck-free", choices=["cost", "win", "luck-free"])
    options.add_argument("--words", type=int, default=300, help="how many of the answers play a part")
    options.add_argument("--batches", type=int, default=150)
    options.add_argument("--folder", type=Path, default=Path("trained"))
    chosen = options.parse_args()
    known = words.load().answers[:: max(1, 2315 // chosen.words)][: chosen.words]
    make = {"answers": known, "guesses": known, "test_share": 0.3}
    env = WordVectorEnv(64, reward=chosen.reward, part="train", autoreset_mode="NextStep", **make)
    policy = Policy(known, answers=env.task.lists.answers)

    def report(batch, cost):
        if batch % 10 == 0:
            sys.stdout.write(f"batch {batch:4}  mean guesses {cost:.2f}\n")

    train(env, policy, np.random.default_rng(0), chosen.batches, report=report)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    policy.save(chosen.folder / "theta.npz")
    (chosen.folder / "policy.py").write_text(Path(__file__).read_text())
    (chosen.folder / f"{chosen.folder.name}.py").write_text(ENTRY)
    test = WordVectorEnv(1, part="test", **make).task.lists
    (chosen.folder / "test.txt").write_text(words.as_text(test.answers))
    (chosen.folder / "words.txt").write_text(words.as_text(known))


if __name__ == "__main__":
    main()
