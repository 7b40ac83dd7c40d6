"""Find the word with a small budget: this bot asks twice, and names the word that fits best."""

from wordpl import Posterior, Strategy


class MyBot(Strategy):
    """Two guesses, then an answer."""

    def first_move(self):
        """Return the first guess and its epsilon, the budget that its clues cost."""
        self.posterior = Posterior.uniform()
        self.n_guesses = 1
        return "crane", 12.0

    def next_move(self, guess, epsilon, clues):
        """Return the next guess with its epsilon, or the answer with epsilon 0."""
        self.posterior.update(guess, epsilon, clues)
        word, _ = self.posterior.best()
        if self.n_guesses == 2:
            return word, 0
        self.n_guesses += 1
        return "moist", 12.0
