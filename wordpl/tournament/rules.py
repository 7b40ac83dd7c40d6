"""The rules of a tournament, read from a TOML file."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from wordpl import games
from wordpl.core import bounded, paths
from wordpl.core.errors import UserError

Amount = Annotated[float, Meta(ge=0, le=1e6)]
Amounts = Annotated[tuple[Amount, ...], Meta(min_length=1, max_length=1000)]
"""One amount for each guess of the game."""
MAX_PUZZLES = 1000
"""The most puzzles of a tournament, so that a file made by others cannot take long to check."""


class MicroPoints(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How guesses score micro points; wordpl/data/tournament.toml explains each setting."""

    count: bool
    unsolved: bool
    divide_by: Annotated[float, Meta(gt=0, le=1e6)]
    grey: Amount
    yellow: Amount
    green: Amount
    duplicates: Literal["classic", "naive"]
    grey_for: Literal["absent_only", "any"]
    grey_repeat: Literal["each", "once"]


class TournamentRules(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The rules of a tournament; wordpl/data/tournament.toml explains each setting."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    game: str
    rounds: Annotated[int, Meta(ge=1, le=100)]
    puzzles: Annotated[int, Meta(ge=1, le=MAX_PUZZLES)]
    bank_minutes: Annotated[float, Meta(gt=0, le=100_000)]
    break_minutes: Annotated[float, Meta(ge=0, le=100_000)]
    base_points: Amount
    times_base: Amounts
    bonus_seconds: Amounts
    micro_points: MicroPoints

    @property
    def bank_s(self) -> float:
        """The time bank of each player at the start of a round, in seconds."""
        return 60 * self.bank_minutes

    @property
    def n_games(self) -> int:
        """The number of puzzles in all rounds."""
        return self.rounds * self.puzzles

    def points(self, n_guesses: int) -> float:
        """Return the points for a puzzle solved in this many guesses."""
        return self.base_points * self.times_base[n_guesses - 1]


def load_rules(file: Path | None = None) -> TournamentRules:
    """Return the rules in this file, by default the published rules.

    Raises:
        UserError: The file cannot be read, or a setting is missing or invalid.
    """
    try:
        settings = bounded.read_toml(bounded.RULES, file or paths.DATA / "tournament.toml")
        rules = msgspec.convert(settings, TournamentRules)
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}.") from None
    except msgspec.ValidationError as error:
        raise UserError(f"{file}: {_in_words(error)}. wordpl/data/tournament.toml is an example.") from None
    check_rules(rules)
    return rules


def check_rules(rules: TournamentRules) -> None:
    """Raise UserError if there are too many puzzles, or unless a tournament supports the game of these rules."""
    if rules.n_games > MAX_PUZZLES:
        raise UserError(
            f"a tournament has at most {MAX_PUZZLES:,} puzzles; "
            f"these rules have {rules.rounds} rounds of {rules.puzzles}."
        )
    game = games.game_class(rules.game).facts
    if game.has_epsilon or not game.limit or not game.has_secret:
        raise UserError(f"the game of a tournament must have a secret and a limit of guesses; {game.id} has not.")
    for name in ("times_base", "bonus_seconds"):
        if len(amounts := getattr(rules, name)) != game.limit:
            raise UserError(f"{name} needs {game.limit} amounts, one per guess of {game.id}; got {len(amounts)}.")


def _in_words(error: msgspec.ValidationError) -> str:
    text = str(error).replace("Object contains unknown field", "there is no setting called")
    text = text.replace("Object missing required field", "there must be a setting called").replace("`", "'")
    return text.replace(" - at '$.", " - at '").replace("Expected `array`", "Expected a list")
