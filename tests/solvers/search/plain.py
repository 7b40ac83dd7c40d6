"""A plain search: every guess for every group, without bounds or ordering; each group is searched once."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

from wordpl.games.classic import unused_hint


@dataclass(frozen=True)
class PlainGame:
    """A game for the plain search: all words, and the answers with their weights.

    The methods' argument `left` is the number of guesses left.
    """

    guesses: Sequence[str]
    weights: dict[str, int]
    clue: Callable[[str, str], str]
    is_hard: bool = False
    totals: dict = field(default_factory=dict)

    def total(self, left: float = inf) -> float:
        """Return the least weighted sum of guesses over all answers; inf where `left` guesses are not enough."""
        return self._least(tuple(self.weights), tuple(self.guesses), left)

    def total_after(self, guess: str, left: float = inf) -> float:
        """Return the least sum when this guess comes first."""
        return self._after(guess, tuple(self.weights), tuple(self.guesses), left)

    def _least(self, answers, guesses, left):
        if left <= 0:
            return inf
        if len(answers) == 1:
            return self.weights[answers[0]]
        key = (answers, guesses if self.is_hard else (), left)
        if key not in self.totals:
            self.totals[key] = self._search(answers, guesses, left)
        return self.totals[key]

    def _search(self, answers, guesses, left):
        splitting = [
            guess for guess in guesses if guess in answers or len({self.clue(guess, answer) for answer in answers}) > 1
        ]
        return min(self._after(guess, answers, guesses, left) for guess in splitting)

    def _after(self, guess, answers, guesses, left):
        parts = defaultdict(list)
        for answer in answers:
            parts[self.clue(guess, answer)].append(answer)
        total = sum(self.weights[answer] for answer in answers)
        for clue, part in parts.items():
            if part != [guess]:
                allowed = [word for word in guesses if not unused_hint(word, guess, clue)] if self.is_hard else guesses
                total += self._least(tuple(part), tuple(allowed), left - 1)
        return total
