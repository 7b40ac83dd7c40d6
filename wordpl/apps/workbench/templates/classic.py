"""NAME: one sentence on the idea, and its author."""

from wordpl import Strategy, clues


class CLASS(Strategy):
    """Guesses a random word that agrees with all clues so far."""

    game = "GAME"  # the game that this strategy is for

    def first_move(self):
        """Begin a game: return a guess."""
        self.left = list(self.answers)  # the words that can still be the secret
        return "crane"

    def next_move(self, guess: str, seen: str):
        """Return the next guess, now that `guess` got the clue `seen`: c right place, i in the word, . not in it."""
        self.left = [word for word in self.left if clues.counted(guess, word) == seen]
        return self.rng.choice(self.left)  # self.rng repeats its numbers when a game is replayed


# The entries that play when this file is evaluated, at most three.
ENTRIES = [CLASS()]
