"""Wordle: six guesses and clues without noise."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from wordpl.core.moves import ClassicMove, GameFacts, Move, Verdict
from wordpl.games.base import Draws, Game, IllegalMoveError, Reply


class Wordle(Game):
    """Wordle: find the secret in at most six guesses. A move is a word of the guesses.

    A subclass with its own `facts` is a game of another number of guesses; with its own `channel_type`, its clues are
    shown through that channel, except for the guess that wins.
    """

    facts = GameFacts.of_guesses("wordle/1", limit=6)
    title = "Wordle"
    hard_mode = "wordle-hard/1"
    clue_rule = "counted"

    def check(self, proposal: Any) -> ClassicMove:
        """Return the move that guesses this word, which must be among the guesses."""
        return ClassicMove(self.check_word(proposal, self.lists.guess_set, "the guesses"), "")

    def reply(self, secret: str, moves: Sequence[Move], move: Move, draws: Draws) -> Reply:
        """Return the clue, with a verdict if this guess ends the game."""
        clues = self.clue(move.guess, secret)
        if move.guess == secret:
            return Reply(clues, Verdict.WON)
        if not self.is_exact:
            clues = self.channel.show(clues, move, draws())
        return Reply(clues, Verdict.UNSOLVED if len(moves) + 1 == self.max_guesses else None)


class WordleHard(Wordle):
    """Wordle's hard mode: every guess must use the revealed hints, green in place and yellow anywhere."""

    facts = replace(Wordle.facts, id=Wordle.hard_mode)
    title = "Wordle, hard mode"
    share_mark = "*"
    uses_hints = True

    def reply(self, secret: str, moves: Sequence[Move], move: Move, draws: Draws) -> Reply:
        """Return the clue as in Wordle.

        Raises:
            IllegalMoveError: The guess does not use a hint, which the message names.
        """
        if moves and (hint := unused_hint(move.guess, moves[-1].guess, moves[-1].clues)):
            raise IllegalMoveError(f"{move.guess!r} breaks hard mode: {hint}")
        return super().reply(secret, moves, move, draws)


def unused_hint(guess: str, earlier: str, clues: str) -> str:
    """Return a description of the first hint of an earlier guess that a guess does not use; "" if it uses all.

    The last guess used all earlier hints, so that it is sufficient to check the hints of that one.

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
