"""Absurdle: the adversary that settles on a secret as late as it can.

The game is qntm's (https://qntm.org/absurdle). After each guess it sorts the words that are still possible by the clue
they would give, and keeps the largest group.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from wordpl.core.game_kinds import Measure
from wordpl.core.moves import Move
from wordpl.core.records import Verdict
from wordpl.core.words import WordLists
from wordpl.games.base import Draws, Reply
from wordpl.games.classic import Wordle

POSITIONS_KEPT = 1024


class Absurdle(Wordle):
    """Absurdle: nothing is settled yet, and each clue keeps as many words possible as it can. Corner it.

    A move is a word of the guesses; the game is won when the guess is the only word left. Of two groups that are as
    large the one whose clue reveals less is kept: fewer `c`, then fewer `i`, then the clue that has a `.` before an `i`
    and that before a `c` where the two first differ. It plays the same against everybody, whatever the seed.
    """

    name = "absurdle/1"
    measure = Measure.TRIES
    max_guesses = 100  # a bound on a record's size; each guess worth making leaves fewer words
    has_secret = False

    def __init__(self, lists: WordLists):
        super().__init__(lists)
        # A deterministic entry meets the same positions in every game.
        self._after = lru_cache(maxsize=POSITIONS_KEPT)(self._kept)

    def reply(self, secret: str, moves: Sequence[Move], move: Move, draws: Draws) -> Reply:
        """Return the clue of the largest group, with the verdict when this guess ends the game; no secret is needed."""
        clues, _ = self._after((*(earlier.guess for earlier in moves), move.guess))
        if clues == "c" * len(clues):
            return Reply(clues, Verdict.WON)
        return Reply(clues, Verdict.UNSOLVED if len(moves) + 1 == self.max_guesses else None)

    def _kept(self, guesses: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """Return the clue that the last of these guesses gets, and the words that it leaves."""
        *before, guess = guesses
        left = self._after(tuple(before))[1] if before else self.lists.answers
        groups: dict[str, list[str]] = defaultdict(list)
        for word in left:
            groups[self.clue(guess, word)].append(word)
        clues = min(groups, key=lambda clues: (-len(groups[clues]), *revealed(clues)))
        return clues, tuple(groups[clues])


def revealed(clues: str) -> tuple[int, int, str]:
    """Return what orders clues by how much they reveal, the least first.

    >>> sorted(["c....", "iii..", "..i..", ".i..."], key=revealed)
    ['..i..', '.i...', 'iii..', 'c....']
    """
    return clues.count("c"), clues.count("i"), clues.translate(_IN_ORDER)


_IN_ORDER = str.maketrans(".ic", "012")
