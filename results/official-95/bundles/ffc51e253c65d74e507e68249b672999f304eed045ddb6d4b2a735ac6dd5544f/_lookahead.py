"""A schedule that looks two guesses ahead: the guess before the last is the one whose clues the best last guess suits.

Of the guesses whose noisy clues say most, it takes the one after which the likeliest word is most often right, and with
it the split of what is left of the budget. docs/records.md tells what this gives. It takes some 14 ms a game, three
times as long as the schedule; the name of this file keeps it out of runs that name no entry:

    wordpl evaluate strategies/_lookahead.py --games 100
"""

from dataclasses import dataclass

from strategies.schedule import Schedule
from wordpl.solvers import ClueTable
from wordpl.solvers.plans import quick_best_of_two, shifted


@dataclass
class Lookahead(Schedule):
    """A plan's rounds, the last two of them chosen together."""

    def best_move(self):
        if len(self.left) != 2:
            return super().best_move()
        words = ClueTable.of(self.lists, self.clue_rule)
        choice = quick_best_of_two(words, self.posterior.probabilities, self.left)
        self.left = shifted(self.left, choice.moved)
        return self.lists.guesses[choice.row], self.left[0]


ENTRIES = [Lookahead("p95", 68.65)]
