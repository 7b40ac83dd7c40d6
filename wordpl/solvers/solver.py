"""The solver for words: it takes guesses with their clues and returns the next guess."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordpl.core import priors, words
from wordpl.core.clues import read_clues
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.solvers import search
from wordpl.solvers.search.position import spread
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.trees import Tree

Clues = Mapping[str, str] | Iterable[tuple[str, str]]
Prior = Mapping[str, float] | str | Path


@dataclass(frozen=True)
class RatedGuess:
    """A guess with its rating.

    Attributes:
        guess: The word.
        expected: The expected number of guesses from here on, including this one; None if some answers would take more
            guesses than are left.
        bits: The expected information of its clue, in bits.
        worst: The largest number of answers that remain possible after its clue.
        is_candidate: Whether it can be the answer.
    """

    guess: str
    expected: float | None
    bits: float
    worst: int
    is_candidate: bool


class Solver:
    """Finds the guess that minimizes the expected number of guesses in Wordle.

    >>> words = ["brown", "crown", "drown", "frown", "grown", "crane", "badge", "fudge"]
    >>> solver = Solver(words[:5], words)
    >>> solver.best({"badge": "....."})
    'crown'
    >>> solver.candidates({"badge": "....."})
    ('crown', 'frown')
    >>> [suggestion.guess for suggestion in solver.rank(n_guesses=2)]
    ['badge', 'fudge']
    """

    def __init__(
        self,
        answers: Sequence[str] | None = None,
        guesses: Sequence[str] | None = None,
        *,
        hard: bool = False,
        limit: int | None = 6,
        prior: Prior | None = None,
        width: int = 10,
        exact: bool = False,
    ):
        """Create a solver for these words.

        Args:
            answers: The words that can be the secret. If neither list is given, the contest's word lists are used.
            guesses: The words that can be guessed, including all answers; by default only the answers.
            hard: Hard mode, in which revealed hints must be used.
            limit: The largest number of guesses in a game; None for any number.
            prior: The probability of each answer, a file of these, or "default"; None if all are equally likely.
            width: How many of the most promising guesses to try at every step of the search.
            exact: Try all guesses at every step; this proves that the suggestions are optimal.

        Raises:
            UserError: A word or the prior is invalid.
        """
        self.lists = _lists_of(answers, guesses)
        self._hard, self._limit, self._width = hard, limit, None if exact else width
        self._prior = None if prior is None else _probabilities(prior, self.lists)

    def __repr__(self) -> str:
        """Return the size of the lists, and the rules."""
        rules = [f"{len(self.lists.answers):,} answers", f"{len(self.lists.guesses):,} guesses"]
        rules += ["hard mode"] if self._hard else []
        rules += [f"at most {self._limit} guesses a game"] if self._limit else []
        return f"Solver({', '.join(rules)}; {'exact' if self._width is None else f'width {self._width}'})"

    def best(self, clues: Clues = ()) -> str:
        """Return the best next guess; the order of the lists decides between equally good ones.

        Args:
            clues: The clue of each guess, like `{"tares": "....i"}`; letters BYG and coloured squares work too.

        Raises:
            UserError: A guess or a clue is invalid, no answer gives these clues, or no guesses are left.
        """
        row = search.best_guess(self._problem(clues).position(), self._width)
        return self.lists.guesses[row]

    def rank(self, clues: Clues = (), n_guesses: int = 10) -> list[RatedGuess]:
        """Return the best guess found and the most promising others, best first; ties are broken as by `best`.

        Args:
            clues: As for `best`.
            n_guesses: How many guesses to return.

        Raises:
            UserError: As for `best`.
        """
        position = self._problem(clues).position()
        ranking = search.best_guesses(search.ClassicSearch(position, self._width), n_guesses)
        return [self._rated(position, rating) for rating in ranking.ratings]

    def candidates(self, clues: Clues = ()) -> tuple[str, ...]:
        """Return the answers that are consistent with these clues."""
        columns = self._problem(clues).position().candidates
        return tuple(self.lists.answers[column] for column in columns)

    def tree(self, clues: Clues = ()) -> Tree:
        """Return the decision tree from here on, with a guess for every clue; see `wordpl.trees`.

        Its total does not depend on the order of the lists, but which of several equally good trees it is does.

        Raises:
            UserError: As for `best`, or the search found no tree that solves every answer within the limit.
        """
        problem = self._problem(clues)
        tree_search = search.ClassicSearch(problem.position(), self._width)
        best = tree_search.best()
        if best.guess < 0 or best.bound >= search.INFEASIBLE:
            raise UserError(f"no tree within {self._limit} guesses was found: increase the limit or the width.")
        return problem.tree(tree_search, best.guess)

    def _problem(self, clues: Clues) -> Problem:
        pairs = clues.items() if isinstance(clues, Mapping) else clues
        hints = tuple((self._guess(guess), read_clues(clue, self.lists.length)) for guess, clue in pairs)
        return Problem(self.lists, hints, self._limit, self._hard, self._prior)

    def _guess(self, guess: str) -> str:
        if guess.lower() not in self.lists.guess_set:
            raise UserError(f"{guess[:30]!r} is not a word of the guesses.")
        return guess.lower()

    def _rated(self, position: search.Position, rating: search.Rating) -> RatedGuess:
        bits, worst = spread(position, rating.guess)
        total = len(position.candidates) if position.weights is None else int(position.weights.sum())
        return RatedGuess(
            self.lists.guesses[rating.guess],
            rating.bound / total if rating.bound < search.INFEASIBLE else None,
            max(0.0, bits),
            worst,
            bool(np.isin(rating.guess, position.own)),
        )


def _lists_of(answers: Sequence[str] | None, guesses: Sequence[str] | None) -> WordLists:
    if answers is None:
        if guesses is not None:
            raise UserError("give the answers too: guesses alone do not say which words can be the secret.")
        return words.load()
    return words.of_words(*(tuple(word.lower() for word in part) for part in (answers, guesses or answers)))


def _probabilities(prior: Prior, lists: WordLists) -> np.ndarray:
    """Return the probability of each answer, float64[n_answers]."""
    if not isinstance(prior, Mapping):
        return priors.load(priors.find(str(prior)), lists.answers)
    probabilities: np.ndarray = np.array([float(prior.get(answer, 0.0)) for answer in lists.answers])
    if not (np.isfinite(probabilities).all() and probabilities.min() >= 0 and probabilities.sum() > 0):
        raise UserError("a prior must give each answer a number of at least 0, and at least one answer more than 0.")
    probabilities /= probabilities.sum()
    return probabilities
