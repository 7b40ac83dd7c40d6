"""What rewards without luck are worth to a learner: the variance of gradients, learning curves, and that none is
biased.

    python -m benchmarks.rewards variance    # a few minutes; writes reward_variance.csv
    python -m benchmarks.rewards curves      # 20 seeds for each reward; writes reward_curves.csv
    python -m benchmarks.rewards evaluation    # what 100 games say of a policy; writes reward_evaluation.csv
    python -m benchmarks.rewards bias        # 200,000 games of each of six policies; writes reward_bias.csv

The policies are softmax policies over 100 words: those of examples/reinforce.py and, in the noisy game, one that also
decides when to answer. The variance is the trace of the covariance of a game's gradient, relative to that of the cost
of the whole game minus its mean. A critic is a regression on what is left, of the other half of the games.
"""

import csv
import sys
from datetime import date
from pathlib import Path

import gymnasium
import numpy as np

import wordpl
from examples.reinforce import N_FEATURES, Policy, play, to_go, train
from wordpl import words
from wordpl.apps.envs import WordVectorEnv
from wordpl.kernels.clue_matrix import agreement_table
from wordpl.stats.estimates import without_luck

FOLDER = Path(__file__).parent
WORDS = words.load().answers[:2300:23]
LISTS = {"answers": WORDS, "guesses": WORDS}
N_WORDS, EPSILON = len(WORDS), 10.0
FEW = WORDS[::3]
"""The words of many games."""
AT_ONCE = 2048
MANY_WORDS = 1000
"""The number of words from which gradients are not kept."""


class Seen(Policy):
    """The policy of the example, which keeps what a critic may know: the entropy of what is left."""

    entropies = ()

    def belief(self, seen):
        belief = super().belief(seen)
        self.entropy = np.log2(np.maximum((belief > 0).sum(axis=1), 1))
        return belief

    def act(self, seen, rng):
        if len(self.words) < MANY_WORDS:
            actions, gradients = super().act(seen, rng)
        else:
            chances, _ = self.probabilities(seen)
            drawn = (chances.cumsum(axis=1) < rng.random((len(chances), 1))).sum(axis=1)
            actions, gradients = np.minimum(drawn, len(self.words) - 1), np.zeros((len(chances), 1))
        self.entropies = [*self.entropies, self.entropy]
        return actions, gradients


class Hidden(Seen):
    """Draws once for each game, hidden from the environment, whether to play well or at random."""

    def act(self, seen, rng):
        if not seen["letters"].any():
            self.coin = rng.random(len(seen["letters"])) < 0.5
        actions, gradients = super().act(seen, rng)
        others, gradients_of_others = Seen(self.words, self.theta * 0).act(seen, rng)
        return (
            np.where(self.coin, actions, others),
            np.where(self.coin[:, None], gradients, gradients_of_others),
        )


class Throwing(Seen):
    """Makes an illegal move after clues that left few words: it throws the games in which it was lucky."""

    def act(self, seen, rng):
        actions, gradients = super().act(seen, rng)
        throws = (self.entropy < 2) & (rng.random(len(actions)) < 0.7) & seen["letters"].any(axis=(1, 2))
        return np.where(throws, -1, actions), gradients * ~throws[:, None]


class Noisy(Seen):
    """A policy for the noisy game: how likely it answers depends on the largest posterior probability."""

    def __init__(self, word_list, theta):
        super().__init__(word_list, theta)
        self.n = len(self.words)
        self.differing = 5 - agreement_table(5).astype(np.int64)

    def belief(self, seen):
        logs = np.zeros((len(seen["letters"]), self.n))
        for row in range(seen["letters"].shape[1]):
            made = np.flatnonzero(seen["marks"][:, row, 0])
            if not len(made):
                break
            names = seen["letters"][made, row].astype(np.int64) @ self._powers
            guesses = self._order[np.searchsorted(self._names, names)]
            codes = (seen["marks"][made, row].astype(np.int64) - 1) @ 3 ** np.arange(4, -1, -1)
            logs[made] -= seen["epsilons"][made, row, None] / 5 * self.differing[self.table[guesses], codes[:, None]]
        odds = np.exp(logs - logs.max(axis=1, keepdims=True))
        belief = odds / odds.sum(axis=1, keepdims=True)
        self.entropy = -(belief * np.log2(np.maximum(belief, 1e-300))).sum(axis=1)
        return belief

    def act(self, seen, rng):
        belief, every = self.belief(seen), np.arange(len(seen["letters"]))
        logits = self.theta[: self.n] + self.theta[self.n] * np.log(np.maximum(belief, 1e-12))
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances = odds / odds.sum(axis=1, keepdims=True)
        words = np.minimum((chances.cumsum(axis=1) < rng.random((len(every), 1))).sum(axis=1), self.n - 1)
        known = np.stack([belief.max(axis=1) * 10 - 5, np.ones(len(every))], axis=1)
        answer_chance = 1 / (1 + np.exp(-known @ self.theta[self.n + 1 : self.n + 3]))
        answers = rng.random(len(every)) < answer_chance
        biases = -chances
        biases[every, words] += 1
        logs = np.log(np.maximum(belief, 1e-12))
        weight = (logs[every, words] - (chances * logs).sum(axis=1))[:, None]
        gradients = np.concatenate(
            [biases * ~answers[:, None], weight * ~answers[:, None], known * (answers - answer_chance)[:, None],
             np.zeros((len(every), N_FEATURES - 3))], axis=1)  # fmt: skip
        guesses = np.where(answers, belief.argmax(axis=1), words)
        self.entropies = [*self.entropies, self.entropy]
        return {"guess": guesses, "epsilon": np.where(answers, 0.0, EPSILON)}, gradients


def theta_of(*weights, n_words=N_WORDS):
    """Parameters without biases."""
    return np.concatenate([np.zeros(n_words), weights, np.zeros(N_FEATURES - len(weights))])


POLICIES = {
    ("wordle/1", "near random"): Seen(WORDS, theta_of(0.0, 0.0)),
    ("wordle/1", "half trained"): Seen(WORDS, theta_of(1.0, 4.0)),
    ("wordle/1", "near entropy"): Seen(WORDS, theta_of(6.0, 7.0, -6.0, 6.0)),
    ("wordle-hard/1", "near random"): Seen(WORDS, theta_of(0.0, 2.0)),
    ("wordle-hard/1", "half trained"): Seen(WORDS, theta_of(0.5, 4.0)),
    ("wordle-hard/1", "near entropy"): Seen(WORDS, theta_of(4.0, 9.0, -4.0, 6.0)),
    ("wordpl/1", "near random"): Noisy(WORDS, theta_of(0.0, 0.1, -2.0)),
    ("wordpl/1", "half trained"): Noisy(WORDS, theta_of(0.0, 0.5, -2.0)),
    ("wordpl/1", "good"): Noisy(WORDS, theta_of(0.0, 2.0, -3.0)),
}


def games_of(game, policy, n_games, seed, first=0, at_once=AT_ONCE):
    """Games of a policy: rewards without luck, costs, luck, gradients, moves made, entropies; [moves, games, ...]."""
    env, rng, parts = (
        WordVectorEnv(at_once, game, reward="luck-free", coefficient=1.0, answers=policy.words, guesses=policy.words),
        np.random.default_rng([seed, first]),
        [],
    )
    for start in range(0, n_games, at_once):
        policy.entropies = ()
        part = play(env, policy, rng, options={"seed": seed, "game": first + start + np.arange(at_once)})
        parts.append([*part, np.array(policy.entropies)])
    longest = max(len(part[0]) for part in parts)
    padded = [[np.pad(array, [(0, longest - len(array))] + [(0, 0)] * (array.ndim - 1)) for array in part]
              for part in parts]  # fmt: skip
    return [np.concatenate(arrays, axis=1)[:, :n_games] for arrays in zip(*padded, strict=True)]


def centred(values, made):
    """Values minus their mean at each move."""
    return values - ((values * made).sum(axis=1) / np.maximum(made.sum(axis=1), 1))[:, None]


def minus_critic(values, made, entropy):
    """Values minus their regression on what is left before each move, fitted to the other half of the games."""
    n_moves = min(len(values), 12)
    move = np.minimum(np.arange(len(values)), n_moves - 1)
    known = np.stack([entropy, entropy**2, 2.0**-entropy, entropy < 0.5, (entropy > 0.5) & (entropy < 1.1)], axis=2)
    places = np.broadcast_to(np.eye(n_moves)[move][:, None], (*values.shape, n_moves))
    design = np.concatenate([known, places, known[..., :1] * places], axis=2)
    left = values.copy()
    for half in (0, 1):
        fit, used = np.zeros_like(made), np.zeros_like(made)
        fit[:, half::2], used[:, 1 - half :: 2] = made[:, half::2], made[:, 1 - half :: 2]
        x = design[fit]
        weights = np.linalg.solve(x.T @ x + 1e-3 * np.eye(x.shape[1]), x.T @ values[fit])
        left[used] -= design[used] @ weights
    return left


def slope(luck, costs):
    """The coefficient of the luck, as the environment fits it."""
    x, y = luck - luck.mean(), -(costs - costs.mean())
    return float(np.clip(x @ y / max(x @ x, 1e-12), 0, 2))


def gradients_by(advantages, gradients, made):
    """The gradient of each game, float[games, d]."""
    return np.einsum("mg,mgd->gd", advantages * made, gradients)


def estimators(rewards, costs, luck, gradients, made, entropy):
    """The gradients of each game by how its moves are paid, float[games, d]."""
    paid = -costs
    b = slope((luck * made).sum(axis=0), costs.sum(axis=0))
    mixed = b * rewards + (1 - b) * paid
    of_game = {
        "cost of the whole game": np.broadcast_to(paid.sum(axis=0), paid.shape),
        "game without luck": np.broadcast_to(rewards.sum(axis=0), paid.shape),
        "game, fitted": np.broadcast_to(mixed.sum(axis=0), paid.shape),
    }
    found = {name: gradients_by(values - values[0].mean(), gradients, made) for name, values in of_game.items()}
    found["cost to go"] = gradients_by(centred(to_go(paid), made), gradients, made)
    found["cost to go, critic"] = gradients_by(minus_critic(to_go(paid), made, entropy), gradients, made)
    found["without luck"] = gradients_by(centred(to_go(rewards), made), gradients, made)
    found["fitted"] = gradients_by(centred(to_go(mixed), made), gradients, made)
    found["fitted, critic"] = gradients_by(minus_critic(to_go(mixed), made, entropy), gradients, made)
    return found, b


def header():
    versions = f"wordpl {wordpl.__version__}, numpy {np.__version__}, gymnasium {gymnasium.__version__}"
    return f"# {date.today()}; {versions}\n"


def write(name, fields, rows):
    with (FOLDER / name).open("w") as file:
        file.write(header())
        table = csv.writer(file, lineterminator="\n")
        table.writerow(fields)
        table.writerows(rows)


def variance(n_games=4096, n_blocks=16):
    rows = []
    for (game, name), policy in POLICIES.items():
        data = games_of(game, policy, n_games, 1)
        found, b = estimators(*data)
        mean_cost = data[1].sum(axis=0).mean()
        blocks = {way: np.array([part.var(axis=0).sum() for part in np.array_split(by_game, n_blocks)])
                  for way, by_game in found.items()}  # fmt: skip
        whole = blocks["cost of the whole game"]
        for way, values in blocks.items():
            ratio = values.mean() / whole.mean()
            error = (values - ratio * whole).std(ddof=1) / np.sqrt(n_blocks) / whole.mean()
            rows.append([game, name, f"{mean_cost:.2f}", way, f"{b:.2f}", f"{ratio:.3f}", f"{error:.3f}"])
            print(*rows[-1], sep="\t", flush=True)
    write("reward_variance.csv", ["game", "policy", "mean_cost", "paid", "coefficient", "variance", "error"], rows)


def curves(n_seeds=20, n_batches=80, every=10):
    rows = []
    for reward, coefficient in (("win", 0.0), ("cost", 0.0), ("luck-free", 1.0), ("luck-free", None)):
        costs = np.zeros((n_seeds, n_batches))
        for seed in range(n_seeds):
            env = WordVectorEnv(32, reward=reward, coefficient=coefficient, **LISTS)
            policy = Policy(WORDS)
            costs[seed] = train(env, policy, np.random.default_rng(seed), n_batches, seed=seed)
        smooth = costs.reshape(n_seeds, -1, every).mean(axis=2)
        mean, error = smooth.mean(axis=0), smooth.std(axis=0, ddof=1) / np.sqrt(n_seeds)
        name = reward if coefficient is None or reward != "luck-free" else f"{reward}, coefficient {coefficient:g}"
        for place, (cost, half) in enumerate(zip(mean, 2.09 * error, strict=True)):
            rows.append([name, 32 * every * (place + 1), f"{cost:.3f}", f"{cost - half:.3f}", f"{cost + half:.3f}"])
            print(*rows[-1], sep="\t", flush=True)
    write("reward_curves.csv", ["reward", "games", "mean_guesses", "low", "high"], rows)


def bias(n_games=200_000):
    entropy = theta_of(6.0, 7.0, -6.0, 6.0, n_words=len(FEW))
    policies = {
        "random": ("wordle/1", Seen(FEW, theta_of(0.0, n_words=len(FEW)))),
        "half trained": ("wordle/1", Seen(FEW, theta_of(1.0, 4.0, n_words=len(FEW)))),
        "near entropy": ("wordle/1", Seen(FEW, entropy)),
        "hidden randomness": ("wordle/1", Hidden(FEW, entropy)),
        "throws games after lucky clues": ("wordle/1", Throwing(FEW, entropy)),
        "noisy": ("wordpl/1", Noisy(FEW, theta_of(0.0, 0.5, -2.0, n_words=len(FEW)))),
    }
    rows = []
    for name, (game, policy) in policies.items():
        n, sums, squares, mean = 0, 0.0, 0.0, 0.0
        for start in range(0, n_games, 4 * AT_ONCE):
            data = games_of(game, policy, min(4 * AT_ONCE, n_games - start), 1, start)
            rewards, costs, _, gradients, made, _ = data
            paid = -costs
            differences = np.concatenate(
                [(rewards - paid).sum(axis=0)[:, None],
                 gradients_by(to_go(rewards - paid), gradients, made)], axis=1)  # fmt: skip
            sums, squares = sums + differences.sum(axis=0), squares + (differences**2).sum(axis=0)
            n, mean = n + len(differences), mean + costs.sum()
        error = np.sqrt(np.maximum(squares / n - (sums / n) ** 2, 0) / n)
        z = np.abs(sums / n) / np.maximum(error, 1e-12)
        used = error > 1e-9
        rows.append([name, game, n, f"{mean / n:.3f}", f"{sums[0] / n:+.5f}", f"{error[0]:.5f}", f"{z[0]:.2f}",
                     int(used[1:].sum()), f"{z[1:][used[1:]].max():.2f}",
                     f"{np.sqrt((z[1:][used[1:]] ** 2).mean()):.2f}"])  # fmt: skip
        print(*rows[-1], sep="\t", flush=True)
    fields = ["policy", "game", "games", "mean_cost", "difference", "error", "z", "gradient_size", "largest_z", "rms_z"]
    write("reward_bias.csv", fields, rows)


def evaluation(n_samples=10, n_games=100):
    """What 100 games say of a policy: the width of 95% intervals, and how many games counting needs for the same."""
    answers, rows = words.load().answers, []
    for name, weights in (
        ("words that are possible", (0.0, 20.0)),
        ("information, loosely", (4.0, 12.0)),
        ("information", (30.0, 16.0)),
    ):
        policy = Seen(answers, theta_of(*weights, n_words=len(answers)))
        _, costs, luck, *_ = games_of("wordle/1", policy, n_samples * n_games, 2, at_once=100)
        costs, luck = costs.sum(axis=0), luck.sum(axis=0)
        truth, widths, covered = (costs + luck).mean(), [], 0
        for sample in range(n_samples):
            some = slice(sample * n_games, (sample + 1) * n_games)
            values = without_luck(costs[some], luck[some, None])
            half = 1.984 * values.std(ddof=1) / np.sqrt(n_games)
            widths.append(half)
            covered += abs(values.mean() - truth) <= half
        counted = 1.96 * costs.std(ddof=1) / np.sqrt(n_games)
        half = float(np.median(widths))
        needed = n_games * (counted / half) ** 2
        rows.append([name, f"{truth:.3f}", f"{counted:.3f}", f"{half:.3f}", f"{needed:.0f}", f"{covered}/{n_samples}"])
        print(*rows[-1], sep="\t", flush=True)
    write("reward_evaluation.csv", ["policy", "mean", "counted", "without_luck", "games_to_count", "covered"], rows)


if __name__ == "__main__":
    {"variance": variance, "curves": curves, "bias": bias, "evaluation": evaluation}[sys.argv[1]](
        *map(int, sys.argv[2:])
    )
