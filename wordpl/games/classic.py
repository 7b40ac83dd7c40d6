"""Wordle: six guesses, true clues."""

from collections.abc import Sequence
from typing import Any

from wordpl.core.game_kinds import CLASSIC_GUESSES, GameKind, Measure
from wordpl.core.moves import ClassicMove, Move
from wordpl.core.records import Verdict
from wordpl.games.base import Draws, Game, IllegalMoveError, Reply


class Wordle(Game):
    """Wordle: find the secret in six guesses. A move is a word of the guesses."""

    name = "wordle/1"
    kind = GameKind.CLASSIC
    measure = Measure.GUESSES
    clue_rule = "counted"
    max_guesses = CLASSIC_GUESSES

    def check(self, proposal: Any) -> ClassicMove:
        """Return the move that guesses a word of the guesses."""
        return ClassicMove(self.check_word(proposal, self.lists.guess_set, "the guesses"), "")

    def reply(self, secret: str, moves: Sequence[Move], move: Move, draws: Draws) -> Reply:
        """Return the clue, with the verdict when this guess ends the game."""
        clues = self.clue(move.guess, secret)
        if move.guess == secret:
            return Reply(clues, Verdict.WON)
        return Reply(clues, Verdict.UNSOLVED if len(moves) + 1 == self.max_guesses else None)


class WordleHard(Wordle):
    """Wordle's hard mode: revealed hints must be used, green in its place and yellow somewhere."""

    name = "wordle-hard/1"
    share_mark = "*"

    def reply(self, secret: str, moves: Sequence[Move], move: Move, draws: Draws) -> Reply:
        """Return the clue as in Wordle.

        Raises:
            IllegalMoveError: the guess leaves a hint unused, which the message names.
        """
        if moves and (hint := unused_hint(move.guess, moves[-1].guess, moves[-1].clues)):
            raise IllegalMoveError(f"{move.guess!r} breaks hard mode: {hint}")
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
