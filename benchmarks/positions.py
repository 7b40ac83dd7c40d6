"""Prove 30 random positions without a log: `python benchmarks/positions.py`.

A position is the result of one to three random guesses for a random answer, in normal or hard mode. `prove`, which
refutes or solves every next guess, must find the same total as `Search.best`. If few answers are left, it must also
equal the result of an exhaustive search without bounds.
"""

import sys
from functools import cache
from pathlib import Path

import click
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.solvers.search.plain import PlainGame
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES
from wordpl.solvers.search import Search
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.search.proof import prove

LISTS = words.load()
MAX_ANSWERS, MAX_PLAIN = 400, 6
counted = cache(CLUE_RULES["counted"])


def random_problem(rng: np.random.Generator, is_hard: bool) -> Problem:
    """Return a position with 2 to MAX_ANSWERS answers left."""
    while True:
        secret, *guesses = [str(rng.choice(LISTS.answers)), *map(str, rng.choice(LISTS.guesses, rng.integers(1, 4)))]
        problem = Problem(LISTS, tuple((guess, counted(guess, secret)) for guess in guesses), 6, is_hard)
        if 2 <= len(problem.position().candidates) <= MAX_ANSWERS:
            return problem


@click.command()
@click.option("--positions", default=30, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=1, show_default=True)
def main(positions: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for number in range(positions):
        problem = random_problem(rng, number % 2 == 1)
        position = problem.position()
        proved = prove(position, None, 1, lambda _: None).best.bound
        best = Search(position).best().bound
        assert proved == best, f"{problem.hints}: {proved} proved, {best} found"
        n, plain = len(position.candidates), ""
        if n <= MAX_PLAIN and not problem.is_hard:
            answers = [LISTS.answers[column] for column in position.candidates]
            game = PlainGame(LISTS.guesses, dict.fromkeys(answers, 1), counted)
            plain = f", {game.total(position.left):.0f} by trying everything"
            assert game.total(position.left) == best
        hints = " ".join(":".join(hint) for hint in problem.hints)
        mode = "hard" if problem.is_hard else "normal"
        print(f"{hints:24}{mode:8}{n:4} answers: {proved} proved, {best} found{plain}", flush=True)


if __name__ == "__main__":
    main()
