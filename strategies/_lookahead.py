"""A schedule that looks two guesses ahead: the guess before the last is the one whose clues the best last guess suits.

Of the guesses whose noisy clues say most, it takes the one after which the likeliest word is most often right, and with
it the split of what is left of the budget. docs/records.md tells what this gives. It takes .1 s a game, thirty times
as long as the schedule; the name of this file keeps it out of runs that name no entry:

    wordpl evaluate strategies/_lookahead.py --games 100
"""

from dataclasses import dataclass

from strategies.schedule import Schedule
from wordpl.solvers import ClueTable
from wordpl.solvers.plans.epsilons import shifted
from wordpl.solvers.plans.search import Search
from wordpl.solvers.plans.two_guesses import best_of_two

SPLITS = (0.0, -0.36, -0.24, -0.12, 0.12, 0.24, 0.36)


@dataclass
class Lookahead(Schedule):
    """A plan's rounds, the last two of them chosen together.

    n_tried: guesses tried before the last
    n_clues: of the best of these, the clues after which the best last guess is looked for
    """

    n_tried: int = 32
    n_clues: int = 20

    def best_move(self):
        if len(self.left) != 2:
            return super().best_move()
        words = ClueTable.of(self.lists, self.clue_rule)
        search = Search(self.n_tried, self.n_clues, SPLITS)
        choice = best_of_two(words, self.posterior.probabilities, self.left, search)
        self.left = shifted(self.left, choice.moved)
        return self.lists.guesses[choice.row], self.left[0]


ENTRIES = [Lookahead("p95", 69.0)]
