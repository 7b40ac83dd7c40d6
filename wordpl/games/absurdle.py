"""Absurdle: an adversary that delays the choice of a secret for as long as possible.

The game is by qntm (https://qntm.org/absurdle). After each guess, it groups the remaining words by the clue that they
would give, and keeps the largest group.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from wordpl.core.moves import GameFacts, Move, MoveForm, Verdict
from wordpl.core.words import WordLists
from wordpl.games.base import Draws, Reply
from wordpl.games.classic import Wordle

MAX_CACHED_POSITIONS = 1024


class Absurdle(Wordle):
    """Absurdle: there is no secret yet, and each clue keeps as many words possible as it can.

    A move is a word of the guesses. The game is won when the guess is the only word left. Of equally large groups, the
    one whose clue reveals least is kept: fewer `c`, then fewer `i`, then the clue that comes first when sorted with
    `.` before `i` before `c`. The game is deterministic and does not depend on the seed.
    """

    facts = GameFacts("absurdle/1", MoveForm.CLASSIC, "tries", loss_cost=101.0, has_secret=False)
    title = "Absurdle"
    hard_mode = ""
    max_guesses = 100  # bounds the size of a record; every useful guess reduces the number of words

    def __init__(self, lists: WordLists):
        super().__init__(lists)
        # A deterministic entry reaches the same positions in every game.
        self._cached_group = lru_cache(maxsize=MAX_CACHED_POSITIONS)(self._largest_group)

    def reply(self, secret: str, moves: Sequence[Move], move: Move, draws: Draws) -> Reply:
        """Return the clue of the largest group, with a verdict if this guess ends the game; the secret is ignored."""
        clues, _ = self._cached_group((*(earlier.guess for earlier in moves), move.guess))
        if clues == "c" * len(clues):
            return Reply(clues, Verdict.WON)
        return Reply(clues, Verdict.UNSOLVED if len(moves) + 1 == self.max_guesses else None)

    def _largest_group(self, guesses: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """Return the clue for the last of these guesses, and the words that remain after it."""
        *before, guess = guesses
        remaining = self._cached_group(tuple(before))[1] if before else self.lists.answers
        groups: dict[str, list[str]] = defaultdict(list)
        for word in remaining:
            groups[self.clue(guess, word)].append(word)
        clues = min(groups, key=lambda clues: (-len(groups[clues]), *revealed(clues)))
        return clues, tuple(groups[clues])


def revealed(clues: str) -> tuple[int, int, str]:
    """Return a sort key for clues that puts those that reveal least first.

    >>> sorted(["c....", "iii..", "..i..", ".i..."], key=revealed)
    ['..i..', '.i...', 'iii..', 'c....']
    """
    return clues.count("c"), clues.count("i"), clues.translate(_MARK_ORDER)


_MARK_ORDER = str.maketrans(".ic", "012")
