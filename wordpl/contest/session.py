"""A game in progress between the rules and a person."""

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
    """One game being played, with the moves and clues so far.

    seed, number: what decides the noise, and the secret unless one was chosen
    moves: each with the clues that it got
    verdict: None while the game goes on
    """

    game: Game
    seed: str
    number: int
    secret: str
    moves: list[Move] = field(default_factory=list)
    verdict: Verdict | None = None

    def play(self, proposal: Any) -> Reply:
        """Make a move and return the reply. Raises IllegalMoveError, which leaves the game as it was."""
        move = self.game.check(proposal)
        reply = self._reply(move)
        self.moves.append(move.with_clues(reply.clues))
        self.verdict = reply.verdict
        return reply

    def allows(self, guess: str) -> bool:
        """Return whether this word can be guessed now, in a game of true clues."""
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
        """Whether a guess has a price and its clues may lie."""
        return self.game.kind == GameKind.NOISY

    @property
    def spent(self) -> float:
        """The budget spent so far."""
        return total_epsilon(self.moves)

    @property
    def again(self) -> str:
        """The options that give the same game again."""
        return f"--seed {shlex.quote(self.seed)}" + (f" --number {self.number}" if self.number else "")

    @property
    def clued(self) -> list[Move]:
        """The moves that got clues: all but a proposed answer."""
        return [move for move in self.moves if move.clues]
