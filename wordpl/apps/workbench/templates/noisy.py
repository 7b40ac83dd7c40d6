"""NAME: one sentence on the idea, and its author."""

from dataclasses import dataclass

from wordpl import Posterior, Strategy


@dataclass
class CLASS(Strategy):
    """Guesses at random, and proposes a word once it is likely enough.

    Fields of a dataclass are parameters:
    `wordpl evaluate "CLASS(epsilon=8.0)"` sets one.
    """

    # The budget of each guess: more of it makes each mark more reliable.
    epsilon: float = 10.0
    # Propose the likeliest word once it has this probability.
    certainty: float = 0.5

    def first_move(self):
        """Begin a game: return a guess and its epsilon."""
        # Every answer is equally likely.
        self.posterior = Posterior.uniform(self.lists, self.clue_rule)
        return "crane", self.epsilon

    def next_move(self, guess: str, epsilon: float, clues: str):
        """Return the next guess and its epsilon after `guess` got `clues`.

        Epsilon 0 proposes the answer.
        """
        self.posterior.update(guess, epsilon, clues)
        word, probability = self.posterior.best()
        if probability >= self.certainty:
            return word, 0
        # self.rng repeats its numbers when a game is replayed.
        return self.rng.choice(self.guesses), self.epsilon


# The entries that play when this file is evaluated, at most three.
ENTRIES = [CLASS()]
