"""A strategy for Fibble: guess the likeliest word that is still possible."""

from wordpl import Strategy


class Likeliest(Strategy):
    """Keeps the probability of every answer, and guesses the likeliest one."""

    game = "fibble/1"

    def first_move(self):
        """Return a fixed first guess."""
        self.posterior = self.new_posterior()
        return "slate"

    def next_move(self, guess: str, clues: str):
        """Return the likeliest answer."""
        self.posterior.update(guess, clues)
        word, _ = self.posterior.best()
        return word
