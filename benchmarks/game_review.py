"""Compare reviews of games with a second, plain computation: `python -m benchmarks.game_review`.

The second computation shares no code with `wordpl.stats.game_review`. It writes clues by the rule, multiplies the
probabilities of all answers with those of all shown clues, and takes entropies and maxima of the columns; a set of
possible words is a list. For the games of each entry of a run it computes again what the game was worth before and
after each move, what the move and the best candidate were worth, price and luck. For some games it finds the
candidates and the best of them itself. It also measures the CPU time of a review.
"""

import csv
import time
from collections.abc import Iterator, Sequence
from functools import cache
from math import exp, log, log2
from pathlib import Path
from typing import Any

import click
import numpy as np

from wordpl import games
from wordpl.core.moves import Verdict
from wordpl.games import Game
from wordpl.run.folder import Run
from wordpl.stats.game_review import WIN_WEIGHTS, GameReview, Reviewer
from wordpl.stats.set_values import WEIGHTS

ALL_MARKS = np.array([[code // 3**place % 3 for place in (4, 3, 2, 1, 0)] for code in range(243)])
FOUND_EVERY = 250
"""The candidates are found again in one game of so many."""


@cache
def clue(guess: str, secret: str) -> str:
    """Return the clue of Wordle."""
    spare = [s for g, s in zip(guess, secret, strict=True) if g != s]
    marks = ""
    for g, s in zip(guess, secret, strict=True):
        marks += "c" if g == s else "i" if g in spare else "."
        if marks[-1] == "i":
            spare.remove(g)
    return marks


class PlainReview:
    """Reviews games of five letters the plain way."""

    def __init__(self, game: Game):
        self.game, self.answers = game, list(game.lists.answers)
        self.places = {word: place for place, word in enumerate(self.answers)}
        self.has_epsilon = game.facts.has_epsilon
        self.true_marks = cache(self._true_marks)
        self.value_of_guess = cache(self._value_of_guess)
        self.known = cache(self._known)

    def _true_marks(self, guess: str) -> np.ndarray:
        """Return the marks of a guess for each answer, int[answers, 5]."""
        if self.game.clue_rule == "counted":
            texts = [clue.__wrapped__(guess, answer) for answer in self.answers]
        else:
            texts = ["".join("c" if g == a else "i" if g in answer else "." for g, a in zip(guess, answer, strict=True))
                     for answer in self.answers]  # fmt: skip
        return np.array([[".ic".index(mark) for mark in text] for text in texts], np.int8)

    def _known(self, past: tuple[tuple[Any, ...], ...]) -> Any:
        """Return the probability of each answer or, where clues are true, the list of the possible ones."""
        if not self.has_epsilon:
            return [a for a in self.answers if all(clue(guess, a) == clues for guess, clues in past)]
        logs = np.zeros(len(self.answers))
        for guess, epsilon, clues in past:
            shown = np.array([".ic".index(mark) for mark in clues])
            logs += (epsilon / 5) * (self.true_marks(guess) == shown).sum(axis=1)
        weights = np.exp(logs - logs.max())
        return weights / weights.sum()

    def worth(self, known: Any, n_made: int, later: Sequence[float]) -> float:
        if not self.has_epsilon:
            return self.cost(self.shares(known), n_made)
        positive = known[known > 0]
        return float(chance_to_win(float(-(positive * np.log2(positive)).sum()), float(known.max()), later))

    def _value_of_guess(
        self, past: tuple[tuple[Any, ...], ...], guess: str, epsilon: float, later: tuple[float, ...]
    ) -> float:
        known, n_made = self.known(past), len(past) + 1
        if not self.has_epsilon:
            parts: dict[str, list[str]] = {}
            for answer in known:
                parts.setdefault(clue(guess, answer), []).append(answer)
            costs = (len(part) * (n_made if text == "ccccc" else self.cost(self.shares(part), n_made))
                     for text, part in parts.items())  # fmt: skip
            return sum(costs) / len(known)
        likely = known > 1e-12 * known.max()
        known, true = known[likely], self.true_marks(guess)[likely]
        agreeing = np.zeros((len(known), 243), np.int8)
        for place in range(5):
            agreeing += true[:, place, None] == ALL_MARKS[None, :, place]
        chances = np.exp(epsilon / 5 * np.arange(6)) / (2 + exp(epsilon / 5)) ** 5
        joint = known[:, None] * chances[agreeing]
        total = joint.sum(axis=0)
        after = joint / total
        with np.errstate(divide="ignore", invalid="ignore"):
            entropies = -np.nansum(after * np.log2(after), axis=0)
        return sum(total[y] * chance_to_win(entropies[y], after[:, y].max(), later) for y in range(243))

    def shares(self, words: Sequence[str]) -> list[float]:
        """Return the chances that a word of a list is found within 0, 1, ... 5 more guesses, by the value model."""
        n = len(words)
        probed = words if n <= 8 else [words[number * n // 8] for number in range(8)]
        m = max(len({clue(probe, word) for word in words}) for probe in probed)
        found = [0.0, 1 / n]
        for weights in WEIGHTS.tolist():
            features = (1, log2(n), log2(n / m), m / n, 1 / n)
            chance = 1.0 if m == n else min(1.0, max(0.0, sum(w * f for w, f in zip(weights, features, strict=True))))
            found.append(max(found[-1], chance))
        return found

    def cost(self, shares: Sequence[float], n_made: int) -> float:
        """Return the mean number of guesses, where a game that is not won within 6 counts as 7."""
        within = [0.0 if number <= n_made else shares[min(number - n_made, 5)] for number in range(1, 7)]
        ends = np.diff([0.0, *within])
        return float(sum(number * share for number, share in enumerate(ends, 1)) + 7 * (1 - within[-1]))

    def candidates(self, past: tuple[tuple[Any, ...], ...]) -> list[str]:
        known = self.known(past)
        chances = (dict(zip(self.answers, known.tolist(), strict=True)) if self.has_epsilon
                   else dict.fromkeys(known, 1 / len(known)))  # fmt: skip
        ranked = sorted(chances, key=lambda word: (-chances[word], self.places[word]))
        ranked = [word for word in ranked if chances[word] > 1e-9 * chances[ranked[0]]]
        kept, shares = list(ranked), [chances[word] for word in ranked]
        if len(kept) > 200:
            below, total = 0.0, sum(shares)
            drawn = list[str]()
            for word, share in zip(kept, shares, strict=True):
                below += share / total
                while len(drawn) < 200 and (len(drawn) + 0.5) / 200 <= round(below, 9):
                    drawn.append(word)
            kept, shares = drawn, [1 / 200] * 200
        places = [self.places[word] for word in kept]
        alike = {}
        for guess in self.game.lists.guesses:
            numbers = self.true_marks(guess)[places] @ [81, 27, 9, 3, 1]
            alike[guess] = round(float((np.bincount(numbers, shares) ** 2).sum()), 9)
        return [*ranked[:100], *sorted(alike, key=lambda guess: alike[guess])[:100]]


def chance_to_win(entropy: float, top: float, later: Sequence[float]) -> float:
    """Return the chance to win with guesses at these prices to come."""
    if not later:
        return top
    bits = 0.0
    for epsilon in later:
        keep = exp(epsilon / 5) / (2 + exp(epsilon / 5))
        false = 1 / (2 + exp(epsilon / 5))
        bits += 5 * (log2(3) + keep * log2(keep) + 2 * false * log2(false))
    w = WIN_WEIGHTS[min(3, len(later)) - 1]
    score = w[0] + w[1] * entropy + w[2] * bits + w[3] * (log(top) - log(max(1 - top, 1e-12)))
    return max(top, 1 / (1 + exp(-score)))


def differences(plain: PlainReview, review: GameReview, *, finds: bool = False) -> Iterator[tuple[str, float]]:
    """Yield by how much the numbers of a review differ from those of the second computation, with their names.

    Args:
        plain: The second computation.
        review: The review.
        finds: Whether to find the candidates and the best of them.
    """
    past: tuple[tuple[Any, ...], ...] = ()
    prices = [move.epsilon for move in review.moves if move.seen and move.epsilon]
    yield "start", abs(plain.worth(plain.known(()), 0, prices) - review.start)
    for place, move in enumerate(review.moves):
        if move.epsilon == 0:
            known = plain.known(past)
            own, best = known[plain.places[move.guess]], known.max()
            yield "expected", abs(own - move.expected)
            yield "price", abs(best - own - move.price)
            break
        later = tuple(prices[place + 1 :])
        before = plain.worth(plain.known(past), place, prices[place:])
        expected = plain.value_of_guess(past, move.guess, move.epsilon or 0.0, later)
        best = plain.value_of_guess(past, move.best, move.epsilon or 0.0, later)
        if finds:
            values = [plain.value_of_guess(past, word, move.epsilon or 0.0, later) for word in plain.candidates(past)]
            best = max(*values, expected) if plain.has_epsilon else min(*values, expected)
        past = (*past, (move.guess, move.epsilon, move.seen) if plain.has_epsilon else (move.guess, move.seen))
        is_won = not plain.has_epsilon and review.won and place == len(review.moves) - 1
        after = float(place + 1) if is_won else plain.worth(plain.known(past), place + 1, later)
        sign = 1 if plain.has_epsilon else -1
        yield "before", abs(before - move.before)
        yield "expected", abs(expected - move.expected)
        yield "best found" if finds else "best", abs(best - move.best_expected)
        yield "price", abs(sign * (best - expected) - move.price)
        yield "after", abs(after - move.after)
        yield "luck", abs(sign * (after - expected) - move.luck)


NAMES = ("start", "before", "expected", "best", "best found", "price", "after", "luck")


@click.command()
@click.option("--run", "folder", default="results/bundled", type=click.Path(path_type=Path))
@click.option("--games", "n_games", default=500, help="Games of each entry.")
@click.option("--every", default=FOUND_EVERY, help="The candidates are found again in one game of so many.")
@click.option("--entries", default="", help="Only entries whose names begin like this.")
@click.option("-o", "output", default="", help="A CSV file for the results, which gets a row for each entry.")
def main(folder: Path, n_games: int, every: int, entries: str, output: str) -> None:
    """Print the largest differences from the second computation, and the CPU seconds of a review."""
    run = Run(folder)
    lists = run.info.config.load_lists()
    rows, known = [], dict[str, PlainReview]()
    for entry in run.info.entries:
        if not entry.name.startswith(entries):
            continue
        game = games.make_game(entry.game, lists)
        reviewer, plain = Reviewer(game), known.setdefault(entry.game.id, PlainReview(game))
        largest, n_moves, used_s = dict[str, float](), 0, 0.0
        for record in run.entry(entry).read()[:n_games]:
            start = time.process_time()
            moves = [move.arguments for move in record.moves]
            review = reviewer.review(moves, record.secret, won=record.verdict is Verdict.WON)
            used_s += time.process_time() - start
            n_moves += len(review.moves)
            for name, size in differences(plain, review, finds=record.game % every == every // 2):
                largest[name] = max(largest.get(name, 0.0), size)
        sizes = [f"{largest[name]:.1e}" if name in largest else "" for name in NAMES]
        n_done = min(n_games, run.info.config.n_games)
        rows.append([entry.name, n_done, n_moves, *sizes, f"{used_s / n_done:.3f}"])
        click.echo("; ".join(map(str, rows[-1])))
        if output:
            with Path(output).open("w", newline="") as file:
                head = ["entry", "games", "moves", *NAMES, "CPU seconds of a review"]
                csv.writer(file, lineterminator="\n").writerows([head, *rows])


if __name__ == "__main__":
    main()
