"""Guess by a tree search: the word after which the fewest further guesses are expected, whatever the secret is.

Alex Selby was the first to prove which tree is the best for the original words.
"""

from dataclasses import dataclass

import numpy as np

from strategies.entropy import ByHints
from wordpl import games
from wordpl.solvers import entropy, letters, search

OPENERS = {"f40e47975cf360ff": "salet"}
"""The best first guess by the beginning of the answers' SHA-256: a search for it takes minutes."""

MANY = 60
MAX_RATED = 3000
"""The guesses that are looked at where more than `MANY` words are left, those that say most: it keeps a move short."""


@dataclass
class TreeSearch(ByHints):
    """The best guess that a search finds which tries the `width` most promising guesses for each group of words."""

    width: int = 10

    def choose(self, matrix, left, own):
        if not self.hints:
            opener = OPENERS.get(self.lists.sha256["answers"][:16])
            return self.lists.guesses.index(opener) if opener else entropy.opening(self.lists, self.clue_rule)
        if len(left) <= 2:
            return own[0]
        rules = games.game_class(self.rules)
        position = search.Position(
            matrix,
            left,
            own,
            guesses=self.worth_rating(matrix, left, self.allowed(own)),
            left=rules.facts.limit - len(self.hints) if rules.facts.limit else None,
            letters=letters(self.lists.guesses) if rules.uses_hints else None,
        )
        return search.best_guess(position, self.width)

    def worth_rating(self, matrix, left, allowed):
        rows = np.arange(len(matrix)) if allowed is None else allowed
        if len(left) <= MANY or len(rows) <= MAX_RATED:
            return allowed
        bits = entropy.information(matrix, left, rows)
        return rows[np.argsort(-bits, kind="stable")[:MAX_RATED]]


ENTRIES = [TreeSearch()]
