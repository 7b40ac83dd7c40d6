"""The solver with an interface for words: from guesses with their clues to the next guess."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordpl.core import priors, words
from wordpl.core.clue_notation import read_clues
from wordpl.core.errors import UserError
from wordpl.core.words import WordLists
from wordpl.solvers import search
from wordpl.solvers.search.position import spread
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.trees import Tree

Clues = Mapping[str, str] | Iterable[tuple[str, str]]
Prior = Mapping[str, float] | str | Path


@dataclass(frozen=True)
class RatedGuess:
    """A guess and its value.

    Attributes:
        guess: the word
        expected: the expected number of further guesses, including this one; None if some answer needs more guesses
            than are left
        bits: the expected information of its clue in bits
        worst: the maximum number of answers that are left after its clue
        is_candidate: whether it can be the answer
    """

    guess: str
    expected: float | None
    bits: float
    worst: int
    is_candidate: bool


class Solver:
    """Finds the guess with the smallest expected number of further guesses, for Wordle's clue rule.

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
        """Create a solver.

        Args:
            answers: the words that can be the secret; None: the bundled lists
            guesses: the words that can be guessed, including all answers; None: the answers
            hard: whether to play in hard mode, in which every guess must use the revealed hints
            limit: the maximum number of guesses in the game; None: no limit
            prior: the probability of each answer, or a prior file, or "default"; None: equal probabilities
            width: the number of the most promising guesses to try at each step of the search
            exact: whether to try all guesses at each step, so that suggestions are proved to be optimal

        Raises:
            UserError: A word or the prior is invalid.
        """
        self.lists = _lists_of(answers, guesses)
        self._hard, self._limit, self._width = hard, limit, None if exact else width
        self._prior = None if prior is None else _probabilities(prior, self.lists)

    def best(self, clues: Clues = ()) -> str:
        """Return the best next guess.

        Args:
            clues: the clue of each earlier guess, as in `{"tares": "....i"}`; the letters B, Y and G and coloured
                squares are also accepted

        Raises:
            UserError: A guess or a clue is invalid, or no answer is consistent with the clues.
        """
        row = search.best_guess(self._problem(clues).position(), self._width)
        return self.lists.guesses[row]

    def rank(self, clues: Clues = (), n_guesses: int = 10) -> list[RatedGuess]:
        """Return the most promising guesses with their values, the best first.

        Args:
            clues: as for `best`
            n_guesses: the number of guesses

        Raises:
            UserError: As for `best`.
        """
        position = self._problem(clues).position()
        ranking = search.best_guesses(search.Search(position, self._width), n_guesses)
        return [self._rated(position, rating) for rating in ranking.ratings]

    def candidates(self, clues: Clues = ()) -> tuple[str, ...]:
        """Return the answers that are consistent with these clues."""
        columns = self._problem(clues).position().candidates
        return tuple(self.lists.answers[column] for column in columns)

    def tree(self, clues: Clues = ()) -> Tree:
        """Return a decision tree for the rest of the game; see `wordpl.trees`.

        Raises:
            UserError: As for `best`, or no tree was found that finds every answer within the limit.
        """
        problem = self._problem(clues)
        found = search.Search(problem.position(), self._width)
        best = found.best()
        if best.guess < 0 or best.bound >= search.INFEASIBLE:
            raise UserError(f"found no tree within {self._limit} guesses: raise the limit or the width.")
        return problem.tree(found, best.guess)

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
            raise UserError("give the answers as well: the guesses do not show which words can be the secret.")
        return words.load()
    return words.of_words(*(tuple(word.lower() for word in part) for part in (answers, guesses or answers)))


def _probabilities(prior: Prior, lists: WordLists) -> np.ndarray:
    """Return the probability of each answer, float64[n_answers]."""
    if not isinstance(prior, Mapping):
        return priors.load(priors.find(str(prior)), lists.answers)
    found: np.ndarray = np.array([float(prior.get(answer, 0.0)) for answer in lists.answers])
    if not (np.isfinite(found).all() and found.min() >= 0 and found.sum() > 0):
        raise UserError("a prior must give each answer a number of at least 0, and at least one answer more than 0.")
    found /= found.sum()
    return found
