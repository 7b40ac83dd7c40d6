"""WORDPL: find the secret with the smallest privacy budget, given clues perturbed by randomized response."""

import sys
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from wordpl.core.clues import RandomizedResponse
from wordpl.core.moves import GameFacts, Move, MoveForm, NoisyMove, Verdict
from wordpl.games.base import Draws, Game, IllegalMoveError, Reply, shown

MAX_EPSILON = sys.float_info.max


class Wordpl(Game):
    """The contest's noisy game.

    A move (guess, epsilon) with epsilon > 0 buys a clue. Each of its n marks is shown unchanged with probability
    e^(epsilon/n) / (2 + e^(epsilon/n)). A move (word, 0) proposes the answer and ends the game.
    """

    facts = GameFacts("wordpl/1", MoveForm.NOISY, "budget")
    title = "WORDPL"
    clue_rule = "anywhere"
    channel_type = RandomizedResponse
    max_guesses = 1000  # bounds the size of a record; useful games are much shorter

    def check(self, proposal: Any) -> NoisyMove:
        """Return the move of a pair (guess, epsilon); with epsilon 0, the word must be among the answers."""
        if not isinstance(proposal, (tuple, list)) or len(proposal) != 2:
            raise IllegalMoveError(f"a move is a pair (guess, epsilon), got {shown(proposal)}")
        word, value = proposal
        if type(value) is float and 0 < value <= MAX_EPSILON and type(word) is str and word in self.lists.guess_set:
            return NoisyMove(word, value, "")  # most moves
        epsilon = check_epsilon(value)
        if epsilon == 0:
            return NoisyMove(self.check_word(word, self.lists.answer_set, "the answers"), 0, "")
        return NoisyMove(self.check_word(word, self.lists.guess_set, "the guesses"), epsilon, "")

    def reply(self, secret: str, moves: Sequence[Move], move: Move, draws: Draws) -> Reply:
        """Return the noisy clue, or the verdict on an answer."""
        assert isinstance(move, NoisyMove)  # as `check` returns it
        if move.epsilon == 0:
            return Reply(verdict=Verdict.WON if move.guess == secret else Verdict.WRONG)
        if len(moves) + 1 == self.max_guesses:
            return Reply(verdict=Verdict.UNSOLVED, message=f"no answer within {self.max_guesses} guesses")
        return Reply(self.channel.show(self.clue(move.guess, secret), move, draws()))


class WordplCounted(Wordpl):
    """The noisy game with Wordle's clue rule for repeated letters."""

    facts = replace(Wordpl.facts, id="wordpl-counted/1")
    title = "WORDPL, letters counted"
    clue_rule = "counted"


def check_epsilon(value: Any) -> float:
    """Return an epsilon from untrusted code as a float.

    Raises:
        IllegalMoveError: It is not a finite number of at least 0.
    """
    if type(value) is int and 0 <= value <= MAX_EPSILON:
        value = float(value)
    if type(value) is float and 0 <= value <= MAX_EPSILON:
        return value
    kind = "a finite number of at least 0" if type(value) in (int, float) else "a number"
    raise IllegalMoveError(f"epsilon is {kind}, got {shown(value)}")
