"""A game before any player is forked, of a strategy that is part of the harness.

When a process loads a strategy and asks it for a move for the first time, Python compiles patterns, looks games up and
imports modules. Done before the fork, this is not part of the start of each player.
"""

import sys
from collections.abc import Callable
from io import BytesIO
from typing import BinaryIO

from wordpl.players import shared_kernels
from wordpl.players.fork_client import Request
from wordpl.players.sandbox.levels import SandboxPolicy
from wordpl.strategy import DEFAULT_RULES, Strategy


class FirstWord(Strategy):
    """Guesses the first word and then answers with it."""

    game = DEFAULT_RULES

    def first_move(self) -> tuple[str, float]:
        """Return a guess."""
        return self.lists.guesses[0], 1.0

    def next_move(self, guess: str, epsilon: float, clues: str) -> tuple[str, float]:
        """Return the answer."""
        return guess, 0.0


def rehearse(policy: SandboxPolicy, play: Callable[[Request, BinaryIO, BinaryIO], None]) -> None:
    """Play a game in this process, and remove the strategy again.

    Args:
        policy: The sandbox policy of the players that will be forked, which does not apply to this process.
        play: Loads a strategy and answers requests.
    """
    requests = b'{"new_game":{"seed":0}}\n{"move":["' + b"a" * 5 + b'",1.0],"clues":"....."}\n'
    play(Request(policy, __file__, f"{FirstWord.__name__}()", DEFAULT_RULES), BytesIO(requests), BytesIO())
    for name in [name for name in sys.modules if name.partition(".")[0] == "strategies"]:
        del sys.modules[name]
    shared_kernels.freeze_objects()
