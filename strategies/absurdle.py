"""Corner the adversary that keeps as many words possible as it can: foresee its clues, which nothing can change.

Absurdle is qntm's. It is known to be won in four guesses at best; a search finds such words in a moment.
"""

from dataclasses import dataclass

from strategies.entropy import ByHints
from wordpl import games
from wordpl.solvers import absurdle

MAX_FORESEEN = 3


@dataclass
class Cornering(ByHints):
    """Against the adversary, the fewest guesses that a search finds; elsewhere the guess that leaves the fewest words.

    width: the guesses that the search tries at each step; 0 plays against the adversary as elsewhere
    """

    width: int = 20

    game = "absurdle/1"

    def choose(self, matrix, left, own):
        if not games.game_class(self.rules).facts.has_secret:
            places = absurdle.in_order(self.lists.length)
            for n_guesses in range(1, MAX_FORESEEN + 1):
                if found := absurdle.cornered(matrix, left, n_guesses, places, self.width):
                    return found[0]
        return absurdle.best_guess(matrix, left, own, self.allowed(own))


ENTRIES = [Cornering()]
