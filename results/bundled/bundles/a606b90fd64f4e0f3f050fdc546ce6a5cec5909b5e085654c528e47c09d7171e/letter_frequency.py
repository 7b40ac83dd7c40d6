"""Guess the possible word whose letters are the most common: a strategy for pen and paper.

The idea is the letter-frequency bot's. It foresees no clue, and never guesses what cannot be the secret.
"""

from dataclasses import dataclass

from wordpl import Strategy, priors, words
from wordpl.solvers import encode, frequency, guess_rows, letters, matrix_of


@dataclass
class LetterFrequency(Strategy):
    """Words without a repeated letter first, then by their letters' counts among the answers.

    prior: how likely each answer is, which its letters' counts are multiplied by; a file, "default" or None
    """

    prior: str | None = None

    game = "wordle/1"

    def __repr__(self):
        return "LetterFrequency()" if self.prior is None else f"LetterFrequency(prior={self.prior!r})"

    def first_move(self):
        if getattr(self, "ranked_lists", None) is not self.lists:
            self.ranked_lists, self.order = self.lists, self.best_first()
        self.left = self.order
        return self.lists.answers[self.left[0]]

    def next_move(self, guess, clues):
        row = matrix_of(self.lists, self.clue_rule)[guess_rows(self.lists)[guess]]
        self.left = self.left[row[self.left] == encode(clues)]
        return self.lists.answers[self.left[0]]

    def best_first(self):
        """Return the answers' columns, the best word first; words of one score keep the order of the puzzles."""
        puzzles = {word: number for number, word in enumerate(words.bundled("puzzle-order"))}
        ties = [puzzles.get(word, len(puzzles)) for word in self.lists.answers]
        prior = None if self.prior is None else priors.load(priors.find(self.prior), self.lists.answers)
        return frequency.ranked(letters(self.lists.answers), ties, prior)


ENTRIES = [LetterFrequency()]
