"""Measure what estimates without luck promise in games that a right guess ends: `python -m benchmarks.guess_luck`.

A simulated game of an entry of the package is the one that it plays with this secret; other players are simulated word
by word. Runs are drawn from a pool of games whose luck is centred, as it has mean zero, so that the true scores are
those of the pool. Every line is also appended to benchmarks/guess_luck.csv with the date; `--part`, `--players` and
`--runs` choose a piece of the work.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import click
import numpy as np

from benchmarks.findings import ENTRIES, Moves, share_of
from benchmarks.findings import GAME as WORDLE
from benchmarks.findings import play as play_usual
from examples.fibble import Fibble
from wordpl import games
from wordpl.core import words
from wordpl.core.clues import encode
from wordpl.core.moves import ClassicMove
from wordpl.core.words import WordLists
from wordpl.games import Game
from wordpl.kernels.clue_matrix import answer_rows, matrix_of
from wordpl.solvers import entropy
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.guess_luck import WON, GuessLuck, GuessMeter, Posteriors
from wordpl.stats.hypothesis_tests import better_means, holm_step_down
from wordpl.stats.scores import scores_for

CSV = Path(__file__).with_suffix(".csv")
SCORES = {score.name: score for score in scores_for(WORDLE.facts) if score.name in ("mean_guesses", "solved_in_4")}
N_POOL = 20_000
LISTS, LIMIT, LOSS = words.load(), 6, 7.0
MATRIX, OWN = matrix_of(LISTS, "counted"), answer_rows(LISTS)


@dataclass(frozen=True, eq=False)
class Pool:
    """The games of a player from which simulated ones are drawn."""

    luck: GuessLuck

    def draw(self, rng: np.random.Generator, n: int) -> LuckCorrected:
        return LuckCorrected(np.arange(n), self.luck.take(rng.integers(0, len(self.luck.answer), n)))

    @property
    def costs(self) -> np.ndarray:
        return np.where(self.luck.answer > 0, self.luck.spent, self.luck.within.shape[1] + 1.0)

    def true(self, name: str) -> float:
        costs = self.costs
        return float(costs.mean() if name == "mean_guesses" else (costs <= 4).mean())


def pool_of(game: Game, guesses: np.ndarray, lengths: np.ndarray, secrets: np.ndarray) -> Pool:
    """Return the pool of these games.

    Args:
        game: The rules.
        guesses: The guesses as rows of the list of guesses, int[n, guesses].
        lengths: How many of them were made, int[n].
        secrets: The secrets as numbers of answers, int[n].
    """
    lists, made = game.lists, np.arange(guesses.shape[1]) < lengths[:, None]
    used, which = np.unique(guesses, return_inverse=True)
    matrix, own = matrix_of(lists, game.clue_rule), answer_rows(lists)
    clues = matrix[guesses, secrets[:, None]][made].astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    within = GuessMeter(game).measure(
        [lists.guesses[row] for row in used], which.reshape(guesses.shape)[made].astype(np.int64), clues, starts
    )
    assert within is not None
    won = guesses[np.arange(len(secrets)), np.maximum(lengths - 1, 0)] == own[secrets]
    return centred(within, starts, won & (lengths > 0))


def centred(within: np.ndarray, starts: np.ndarray, won: np.ndarray) -> Pool:
    """Return the pool of games with this luck, shifted to the mean 0 for each position of a clue."""
    counts, within = np.diff(starts), within.copy()
    position = np.arange(len(within)) - np.repeat(starts[:-1], counts)
    for number in range(int(counts.max())):
        within[position == number] -= within[position == number].mean(axis=0)
    zeros = np.zeros(len(within))
    return Pool(GuessLuck(won.astype(float), counts.astype(float), starts, within.sum(axis=1), zeros, position + 1.0,
                          within.astype(np.float32)))  # fmt: skip


@cache
def pool(player: str) -> Pool:
    """Return the pool of a player of Wordle with the bundled lists."""
    rng, n_answers = np.random.default_rng(7), len(LISTS.answers)
    if player in ENTRIES:
        secrets = np.arange(n_answers)
        moves = play_usual(player, secrets, rng)
        return pool_of(WORDLE, moves.guesses, moves.lengths, secrets)
    secrets = rng.integers(0, n_answers, N_POOL)
    if player == "random":
        moves = play_usual("random", secrets, rng)
        return pool_of(WORDLE, moves.guesses, moves.lengths, secrets)
    usual = play_usual("Entropy" if player == "loses its surest" else "LetterFrequency", secrets, rng)
    changed = PLAYERS[player](rng, usual, secrets)
    return pool_of(WORDLE, changed.guesses, changed.lengths, secrets)


def luck_so_far(moves: Moves, secrets: np.ndarray, n: int) -> np.ndarray:
    """Return the luck of the first n clues of each game, in guesses."""
    lengths = np.minimum(moves.lengths, n)
    found = pool_of(WORDLE, moves.guesses, lengths, secrets).luck
    return np.bincount(found.game, found.luck, len(secrets))


def given_up(moves: Moves, which: np.ndarray, after: int) -> Moves:
    """Return the games, where these make no more guesses after so many, unless they are won by then."""
    return replace(moves, lengths=np.where(which, np.minimum(moves.lengths, after), moves.lengths))


def lost(rng: np.random.Generator, moves: Moves, which: np.ndarray, after: int) -> Moves:
    """Return the games, where these go on with random wrong guesses after so many."""
    guesses = moves.guesses.copy()
    guesses[which, after:] = rng.integers(0, len(LISTS.guesses), (int(which.sum()), LIMIT - after))
    return Moves(guesses, np.where(which, LIMIT, moves.lengths))


def throws(rng: np.random.Generator, moves: Moves, secrets: np.ndarray) -> Moves:
    """Throw the games whose first two clues were the luckiest tenth."""
    luck = luck_so_far(moves, secrets, 2)
    return given_up(moves, luck > np.quantile(luck, 0.9), 2)


def stops(rng: np.random.Generator, moves: Moves, secrets: np.ndarray) -> Moves:
    return given_up(moves, rng.random(len(secrets)) < 0.5, 2)


def impossible(rng: np.random.Generator, moves: Moves, secrets: np.ndarray) -> Moves:
    """Begin with a random word in a third of the games, before the usual guesses."""
    first = rng.random(len(secrets)) < 1 / 3
    shifted = np.column_stack([rng.integers(0, len(LISTS.guesses), len(secrets)), moves.guesses[:, :-1]])
    lengths = np.where(first, np.minimum(moves.lengths + 1, LIMIT), moves.lengths)
    return Moves(np.where(first[:, None], shifted, moves.guesses), lengths)


def repeats(rng: np.random.Generator, moves: Moves, secrets: np.ndarray) -> Moves:
    """Make the first guess twice."""
    shifted = np.column_stack([moves.guesses[:, :1], moves.guesses[:, :-1]])
    is_longer = moves.lengths > 1
    return Moves(np.where(is_longer[:, None], shifted, moves.guesses),
                 np.where(is_longer, np.minimum(moves.lengths + 1, LIMIT), moves.lengths))  # fmt: skip


def loses_some(rng: np.random.Generator, moves: Moves, secrets: np.ndarray) -> Moves:
    return given_up(moves, rng.random(len(secrets)) < 0.01, 1)


def loses_surest(rng: np.random.Generator, moves: Moves, secrets: np.ndarray) -> Moves:
    """Give up one in 200 games: those in which the clues of the first two guesses were the luckiest."""
    luck = luck_so_far(moves, secrets, 2) * (moves.lengths > 2)
    return given_up(moves, luck >= np.sort(luck)[-len(luck) // 200], 2)


def by_memory(rng: np.random.Generator, moves: Moves, secrets: np.ndarray) -> Moves:
    return play_usual("memory", secrets, rng)


def wanders(rng: np.random.Generator, moves: Moves, secrets: np.ndarray) -> Moves:
    """Lose after the unluckiest tenth of first clues, by random guesses."""
    luck = luck_so_far(moves, secrets, 1)
    return lost(rng, moves, (luck < np.quantile(luck, 0.1)) & (moves.lengths > 1), 1)


Change = Callable[[np.random.Generator, Moves, np.ndarray], Moves]
PLAYERS: dict[str, Change] = {
    "throws after luck": throws,
    "stops early": stops,
    "guesses impossible words": impossible,
    "repeats a word": repeats,
    "plays by memory": by_memory,
    "loses 1%": loses_some,
    "loses its surest": loses_surest,
    "gives up after bad luck": wanders,
}
Line = tuple[str | float | int, ...]


def ratio(found: Pool, name: str, rng: np.random.Generator, n: int = 20_000) -> float:
    """Return the variance of the values of a score without luck, divided by that of counted ones."""
    games = found.draw(rng, n)
    costs = np.where(games.luck.answer > 0, games.luck.spent, found.luck.within.shape[1] + 1.0)
    counted = costs if name == "mean_guesses" else (costs <= 4).astype(float)
    values = games.cost(found.luck.within.shape[1] + 1.0) if name == "mean_guesses" else games.win_within(4)
    return float(values.var() / counted.var())


def variance(rng: np.random.Generator, n_runs: int, players: Sequence[str]) -> Iterator[Line]:
    """Variance of games without luck over that of counted ones: of the mean guesses, and of the share solved in 4."""
    for player in players or (*ENTRIES, "random", *OTHER_GAMES):
        found = OTHER_GAMES[player]() if player in OTHER_GAMES else pool(player)
        yield player, *(round(ratio(found, name, rng), 4) for name in SCORES)


def other_lists(name: str) -> WordLists:
    """Return other word lists by name."""
    if name == "3,158 answers":
        return words.of_words(words.bundled("answers-2023"), words.bundled("modern"))
    from benchmarks.set_values import artificial

    answers, guesses = artificial(np.random.default_rng(60), 6, 2500, 6000)
    texts = ["".join(chr(ord("a") + code) for code in word) for word in guesses.tolist()]
    return words.of_words(tuple(texts[: len(answers)]), tuple(texts))


def by_entropy(lists: WordLists, game_id: str, n: int, *, is_random: bool = False) -> Pool:
    """Return the games of a player that takes the word with the most information or, in hard mode, a possible one."""
    rng, game = np.random.default_rng(5), games.make_game(game_id, lists)
    matrix, own = matrix_of(lists, game.clue_rule), answer_rows(lists)
    secrets = rng.permutation(len(lists.answers))[:n]
    first = entropy.opening(lists, game.clue_rule)
    known: dict[tuple[int, ...], int] = {}
    guesses, lengths = np.zeros((len(secrets), LIMIT), np.int64), np.full(len(secrets), LIMIT)
    for number, secret in enumerate(secrets):
        left, path = np.arange(len(lists.answers)), ()
        for turn in range(LIMIT):
            if path not in known:
                allowed = own[left] if game_id == "wordle-hard/1" else None
                known[path] = first if not turn else entropy.best_guess(matrix, left, own[left], allowed)
            guess = int(rng.choice(own[left])) if is_random else known[path]
            guesses[number, turn] = guess
            if guess == own[secret]:
                lengths[number] = turn + 1
                break
            shown = int(matrix[guess, secret])
            left = left[matrix[guess][left] == shown]
            path = (*path, guess, shown)
    return pool_of(game, guesses, lengths, secrets)


def fibble(n: int = 400) -> Pool:
    """Return games of Fibble of a player that guesses the likeliest word, or a random one of the likeliest few."""
    game, rng = Fibble(LISTS), np.random.default_rng(9)
    states, played, won = Posteriors(game), [], []
    names = list(LISTS.guesses)
    row = {word: place for place, word in enumerate(names)}
    for _ in range(n):
        secret, posterior, moves = str(rng.choice(LISTS.answers)), states.first(), []
        for _ in range(9):
            likely = np.argsort(-posterior, kind="stable")[:5]
            guess = LISTS.answers[int(likely[0] if posterior[likely[0]] > 0.3 else rng.choice(likely))]
            if not moves:
                guess = "salet"
            if guess == secret:
                moves.append((row[guess], WON))
                break
            codes, chances = game.channel.outcomes(encode(game.clue(guess, secret)), ClassicMove(guess, ""))
            shown = int(rng.choice(codes, p=chances))
            moves.append((row[guess], shown))
            posterior = states.told(posterior, states.ask(posterior, (), guess, 0), guess, shown)
        played.append(moves)
        won.append(moves[-1][1] == WON)
    flat = np.array([move for moves in played for move in moves], np.int64)
    starts = np.cumsum([0, *map(len, played)])
    used, which = np.unique(flat[:, 0], return_inverse=True)
    within = GuessMeter(game).measure([names[number] for number in used], which, flat[:, 1], starts)
    assert within is not None
    return centred(within, starts, np.array(won))


OTHER_GAMES: dict[str, Callable[[], Pool]] = {
    "hard mode": lambda: by_entropy(LISTS, "wordle-hard/1", 2315),
    "six letters": lambda: by_entropy(other_lists("six letters"), "wordle/1", 600),
    "six letters, random": lambda: by_entropy(other_lists("six letters"), "wordle/1", 2500, is_random=True),
    "3,158 answers": lambda: by_entropy(other_lists("3,158 answers"), "wordle/1", 1000),
    "3,158 answers, random": lambda: by_entropy(other_lists("3,158 answers"), "wordle/1", 3158, is_random=True),
    "Fibble": fibble,
}


def coverage(rng: np.random.Generator, n_runs: int, players: Sequence[str]) -> Iterator[Line]:
    """Coverage of the 95% intervals in percent, and the bias in standard errors of the estimate."""
    for player in players or (*ENTRIES, "random", *PLAYERS):
        found = pool(player)
        for n in (50, 150, 1001):
            hits, estimates = dict.fromkeys(SCORES, 0), {name: [] for name in SCORES}
            for _ in range(n_runs):
                run = found.draw(rng, n)
                for name, score in SCORES.items():
                    estimate = score(score.without_luck(run), score.lost(run))
                    hits[name] += estimate.low <= found.true(name) <= estimate.high
                    estimates[name].append(estimate.value)
            for name, values in estimates.items():
                error = float(np.std(values)) or 1.0
                yield (
                    player,
                    n,
                    name,
                    share_of(hits[name], n_runs),
                    round((np.mean(values) - found.true(name)) / error, 3),
                )


def boards(rng: np.random.Generator, n_runs: int, players: Sequence[str]) -> Iterator[Line]:
    """Pairs of entries told apart by the mean number of guesses, counted and without luck, in percent of boards."""
    names = players or ENTRIES
    pools, score = [pool(name) for name in names], SCORES["mean_guesses"]
    for n in (150, 1001):
        told = np.zeros((2, len(names), len(names)))
        for _ in range(n_runs):
            games_ = rng.integers(0, len(LISTS.answers), n)
            runs = [LuckCorrected(np.arange(n), one.luck.take(games_)) for one in pools]
            counted = np.array([one.costs[games_] for one in pools])
            values = np.array([score.without_luck(run) for run in runs])
            worst = np.array([score.lost(run) for run in runs])
            told[0] += holm_step_down(score.p_values(counted), 0.05)
            told[1] += holm_step_down(score.p_values(values, worst), 0.05)
        for i, first in enumerate(names):
            for j, second in enumerate(names):
                gap = pools[j].true("mean_guesses") - pools[i].true("mean_guesses")
                if gap > 0 or (gap == 0 and i != j):
                    yield first, second, n, round(gap, 4), *(round(100 * one[i, j] / n_runs, 1) for one in told)


def equals(rng: np.random.Generator, n_runs: int, players: Sequence[str]) -> Iterator[Line]:
    """Boards of four equal entries on which any of them is shown to be better, in percent."""
    for player in players or ("LetterFrequency", "random", "loses its surest"):
        found, score = pool(player), SCORES["mean_guesses"]
        for n in (50, 150, 1001):
            wrong = 0
            for _ in range(n_runs):
                runs = [found.draw(rng, n) for _ in range(4)]  # other secrets: as different as equal entries can be
                p = better_means(np.array([-score.without_luck(run) for run in runs]), LOSS - 1,
                                 np.array([-score.lost(run) for run in runs]))  # fmt: skip
                wrong += holm_step_down(p, 0.05).any()
            yield player, n, share_of(int(wrong), n_runs)


PARTS = {"variance": variance, "coverage": coverage, "boards": boards, "equals": equals}


@click.command()
@click.option("--part", type=click.Choice(list(PARTS)), multiple=True)
@click.option("--players", multiple=True)
@click.option("--runs", default=1000)
@click.option("--seed", default=1)
def main(part: Sequence[str], players: Sequence[str], runs: int, seed: int) -> None:
    """Measure the parts, and append the lines to the CSV file."""
    for name in part or PARTS:
        for line in PARTS[name](np.random.default_rng(seed), runs, players):
            click.echo(f"{name}: {', '.join(map(str, line))}")
            with CSV.open("a", newline="") as file:
                csv.writer(file).writerow([datetime.now(UTC).date(), runs, name, *line])


if __name__ == "__main__":
    main()
