"""WORDPL: find the secret with the smallest privacy budget, through clues that randomised response has blurred."""

import sys
from collections.abc import Sequence
from typing import Any

from wordpl.core.clues import noisy
from wordpl.core.records import Verdict
from wordpl.games.base import Draws, Game, IllegalMove, Reply, shown

LARGEST = sys.float_info.max


class Wordpl(Game):
    """The contest's noisy game.

    A move (guess, epsilon) with epsilon > 0 buys a clue of which each mark is kept with the chance
    e^(epsilon/n) / (2 + e^(epsilon/n)), n letters; a move (word, 0) proposes the answer and ends the game.
    """

    name = "wordpl/1"
    kind = "noisy"
    measure = "budget"
    clue_rule = "anywhere"
    most_guesses = 1000  # a bound on a record's size; no useful game comes near it

    def check(self, move: Any) -> tuple[str, float]:
        """Return (guess, epsilon): epsilon 0 with a word of the answers, or epsilon > 0 with a word of the guesses."""
        if not isinstance(move, (tuple, list)) or len(move) != 2:
            raise IllegalMove(f"a move is a pair (guess, epsilon), got {shown(move)}")
        epsilon = check_epsilon(move[1])
        if epsilon == 0:
            return self.check_word(move[0], self.lists.answer_set, "the answers"), 0
        return self.check_word(move[0], self.lists.guess_set, "the guesses"), epsilon

    def reply(self, secret: str, moves: Sequence[tuple], move: tuple, draws: Draws) -> Reply:
        """Return the noisy clue, or the verdict on an answer."""
        guess, epsilon = move
        if epsilon == 0:
            return Reply(verdict=Verdict.WON if guess == secret else Verdict.WRONG)
        if len(moves) + 1 == self.most_guesses:
            return Reply(verdict=Verdict.UNSOLVED, message=f"no answer within {self.most_guesses} guesses")
        return Reply(noisy(self.clue(guess, secret), epsilon, draws()))


class WordplCounted(Wordpl):
    """The noisy game with repeated letters counted as Wordle does."""

    name = "wordpl-counted/1"
    clue_rule = "counted"


def check_epsilon(value: Any) -> float:
    """Return epsilon as the number it is. Raises IllegalMove unless it is a finite number of at least 0."""
    if type(value) is int and 0 <= value <= LARGEST:
        value = float(value)
    if type(value) is float and 0 <= value <= LARGEST:
        return value
    kind = "a finite number of at least 0" if type(value) in (int, float) else "a number"
    raise IllegalMove(f"epsilon is {kind}, got {shown(value)}")
