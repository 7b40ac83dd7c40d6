"""The facts of a game that records, scores and boards need, without its code.

A game declares them once. Every entry of a run carries those of its game, so that a run can be read, counted and
shown where the game's code is missing.
"""

from enum import StrEnum

import msgspec
from msgspec import UNSET, UnsetType


class MoveForm(StrEnum):
    """The form of a game's moves. An entry made for one game can play every game of the same form."""

    NOISY = "noisy"  # (guess, epsilon), where epsilon 0 proposes the answer and ends the game
    CLASSIC = "classic"  # a guess, which wins if it is the secret


class GameFacts(msgspec.Struct, frozen=True):
    """What a record, a score and a board need to know of a game.

    Attributes:
        id: The name of the game with its version; any change of the rules is a new version.
        form: The form of its moves.
        unit: The unit of the cost of a won game, in which the host reads tables.
        limit: The number of guesses within which a player has to win; None: there is no practical limit.
        loss_cost: The cost of a lost game in means; None: the host chooses it for a run.
        bins: The number of bins of a histogram of guesses: 1, 2, ... `bins`, and one for all other games; 0: none.
        has_secret: Whether a secret is drawn before the first guess. If not, records have an empty secret.
        sha256: The digest of the file that a host's own game comes from; "" for the games of the package.
        has_false_clues: Whether clues may be false, where that differs from what the form of moves suggests: they may
            be if guesses have an epsilon. The class of a game finds it from its channel.
    """

    id: str
    form: MoveForm
    unit: str
    limit: int | None = None
    loss_cost: float | None = None
    bins: int = 0
    has_secret: bool = True
    sha256: str = ""
    has_false_clues: bool | UnsetType = UNSET

    @classmethod
    def of_guesses(cls, id: str, limit: int) -> "GameFacts":
        """Return the facts of a game of `limit` guesses, where a lost game counts as one guess more.

        >>> GameFacts.of_guesses("wordle/1", 6).loss_cost
        7.0
        """
        return cls(id, MoveForm.CLASSIC, "guesses", limit, limit + 1.0, limit)

    def as_text(self) -> str:
        """Return the facts as JSON, for the cells of a table."""
        return msgspec.json.encode(self).decode()

    @property
    def has_epsilon(self) -> bool:
        """Whether guesses have an epsilon; then the cost of a game is the sum of them, otherwise its guesses."""
        return self.form is MoveForm.NOISY

    @property
    def is_exact(self) -> bool:
        """Whether clues are shown as they are."""
        return not (self.has_epsilon if self.has_false_clues is UNSET else self.has_false_clues)

    @property
    def has_answer_move(self) -> bool:
        """Whether the answer is a move of its own, so that the clues before it tell the chance that it wins."""
        return self.form is MoveForm.NOISY


def facts_from_text(text: str) -> GameFacts:
    """Return the facts that `GameFacts.as_text` wrote.

    Raises:
        ValueError: The text does not describe a game.
    """
    return msgspec.json.decode(text, type=GameFacts)


UNKNOWN_GAME = GameFacts("", MoveForm.NOISY, "")
"""Stands for the game of an entry that has not been asked for it yet."""
