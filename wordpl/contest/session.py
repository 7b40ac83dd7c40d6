"""A game that a person is playing."""

import shlex
from dataclasses import dataclass, field
from typing import Any

from wordpl.core import seeds
from wordpl.core.game_kinds import GameKind
from wordpl.core.moves import Move, total_epsilon
from wordpl.core.records import Verdict
from wordpl.games import Game, IllegalMoveError, Reply


@dataclass
class Session:
    """A game in progress, with the moves and clues so far.

    Attributes:
        game: The rules.
        seed, number: The seed and the number of the game, which determine the noise and, unless it was chosen, the
            secret.
        secret: The secret.
        moves: The moves with their clues.
        verdict: How the game ended; None while it continues.
    """

    game: Game
    seed: str
    number: int
    secret: str
    moves: list[Move] = field(default_factory=list)
    verdict: Verdict | None = None

    def play(self, proposal: Any) -> Reply:
        """Make a move and return the reply.

        Raises:
            IllegalMoveError: The rules do not allow the move; the game is unchanged.
        """
        move = self.game.check(proposal)
        reply = self._reply(move)
        self.moves.append(move.with_clues(reply.clues))
        self.verdict = reply.verdict
        return reply

    def allows(self, guess: str) -> bool:
        """Return whether this word can be guessed now, in a game without noise."""
        try:
            self._reply(self.game.check(guess))
        except IllegalMoveError:
            return False
        return True

    def _reply(self, move: Move) -> Reply:
        def draws() -> tuple[int, ...]:
            return seeds.noise(seeds.run_key(self.seed), self.number, len(self.moves) + 1, self.game.lists.length)

        return self.game.reply(self.secret, self.moves, move, draws)

    @property
    def is_noisy(self) -> bool:
        """Whether guesses cost budget and clues have noise."""
        return self.game.kind == GameKind.NOISY

    @property
    def spent(self) -> float:
        """The budget spent so far."""
        return total_epsilon(self.moves)

    @property
    def options_to_repeat(self) -> str:
        """The command-line options that start the same game again."""
        return f"--seed {shlex.quote(self.seed)}" + (f" --number {self.number}" if self.number else "")

    @property
    def moves_with_clues(self) -> list[Move]:
        """The moves with clues: all but a proposed answer."""
        return [move for move in self.moves if move.clues]
