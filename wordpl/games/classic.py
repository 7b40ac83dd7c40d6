"""Wordle: six guesses, true clues."""

from collections.abc import Sequence
from typing import Any

from wordpl.core.records import Verdict
from wordpl.games.base import Draws, Game, IllegalMove, Reply


class Wordle(Game):
    """Wordle: find the secret in six guesses. A move is a word of the guesses."""

    name = "wordle/1"
    kind = "classic"
    measure = "guesses"
    clue_rule = "counted"
    most_guesses = 6

    def check(self, move: Any) -> tuple[str]:
        """Return (guess,) for a word of the guesses."""
        return (self.check_word(move, self.lists.guess_set, "the guesses"),)

    def reply(self, secret: str, moves: Sequence[tuple], move: tuple, draws: Draws) -> Reply:
        """Return the clue, with the verdict when this guess ends the game."""
        clues = self.clue(move[0], secret)
        if move[0] == secret:
            return Reply(clues, Verdict.WON)
        return Reply(clues, Verdict.UNSOLVED if len(moves) + 1 == self.most_guesses else None)


class WordleHard(Wordle):
    """Wordle's hard mode: revealed hints must be used, green in its place and yellow somewhere."""

    name = "wordle-hard/1"
    share_mark = "*"

    def reply(self, secret: str, moves: Sequence[tuple], move: tuple, draws: Draws) -> Reply:
        """Return the clue as in Wordle. Raises IllegalMove that names the hint a guess leaves unused."""
        if moves and (hint := unused_hint(move[0], *moves[-1][:2])):
            raise IllegalMove(f"{move[0]!r} breaks hard mode: {hint}")
        return super().reply(secret, moves, move, draws)


def unused_hint(guess: str, earlier: str, clues: str) -> str:
    """Return the hint of an earlier guess that `guess` does not use, or an empty text.

    The last guess used all hints before it, so it is enough to hold a guess against that one.

    >>> unused_hint("crane", "slate", "..c.c")
    ''
    >>> unused_hint("crony", "slate", "..c.c")
    'letter 3 must be A, revealed by slate ..c.c'
    """
    source = f"revealed by {earlier} {clues}"
    for place, (letter, mark) in enumerate(zip(earlier, clues, strict=True)):
        if mark == "c" and guess[place] != letter:
            return f"letter {place + 1} must be {letter.upper()}, {source}"
    for letter in dict.fromkeys(earlier):
        revealed = sum(mark != "." for own, mark in zip(earlier, clues, strict=True) if own == letter)
        if guess.count(letter) < revealed:
            times = f" {revealed} times" if revealed > 1 else ""
            return f"the guess must contain {letter.upper()}{times}, {source}"
    return ""
