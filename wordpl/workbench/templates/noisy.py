"""NAME: one sentence on the idea, and whose it is."""

from dataclasses import dataclass

from wordpl import Posterior, Strategy


@dataclass
class CLASS(Strategy):
    """Guesses at random, and proposes a word as soon as it is likely enough.

    Fields of a dataclass are parameters: `wordpl evaluate "CLASS(epsilon=8.0)"` sets one.
    """

    epsilon: float = 10.0  # the budget of each guess: more of it makes each mark of the clue more reliable
    certainty: float = 0.5  # propose the likeliest word once it has this probability

    def first_move(self):
        """Begin a game: return a guess and its epsilon."""
        self.posterior = Posterior.uniform(self.lists, self.clue_rule)  # every answer is equally likely
        return "crane", self.epsilon

    def next_move(self, guess, epsilon, clues):
        """Return the next guess and its epsilon, now that `guess` got `clues`; epsilon 0 proposes the answer."""
        self.posterior.update(guess, epsilon, clues)
        word, probability = self.posterior.best()
        if probability >= self.certainty:
            return word, 0
        return self.rng.choice(self.guesses), self.epsilon  # self.rng repeats its numbers when a game is replayed


ENTRIES = [CLASS()]  # what plays when this file is evaluated, three at most
