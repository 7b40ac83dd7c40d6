"""The rules of a tournament, read from a TOML file."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from wordpl import games
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import CLASSIC_GUESSES, GameKind

Amount = Annotated[float, Meta(ge=0, le=1e6)]
Amounts = Annotated[tuple[Amount, ...], Meta(min_length=CLASSIC_GUESSES, max_length=CLASSIC_GUESSES)]


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
    rounds: Annotated[int, Meta(ge=1, le=10_000)]
    bank_minutes: Annotated[float, Meta(gt=0, le=100_000)]
    base_points: Amount
    times_base: Amounts
    bonus_seconds: Amounts
    micro_points: MicroPoints

    @property
    def bank_s(self) -> float:
        """The initial time bank of each player, in seconds."""
        return 60 * self.bank_minutes

    def points(self, n_guesses: int) -> float:
        """Return the points for a puzzle solved in this many guesses."""
        return self.base_points * self.times_base[n_guesses - 1]


def load_rules(file: Path | None = None) -> TournamentRules:
    """Return the rules in this file, by default the published rules.

    Raises:
        UserError: The file cannot be read, or a setting is missing or invalid.
    """
    source = file or files("wordpl").joinpath("data/tournament.toml")
    try:
        rules = msgspec.convert(tomllib.loads(source.read_text(encoding="utf-8")), TournamentRules)
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{file} is not a TOML file: {error}.") from None
    except msgspec.ValidationError as error:
        raise UserError(f"{file}: {_in_words(error)}. wordpl/data/tournament.toml is an example.") from None
    check_game(rules)
    return rules


def check_game(rules: TournamentRules) -> None:
    """Raise UserError unless a tournament supports the game of these rules."""
    game = games.game_class(rules.game)
    if game.kind != GameKind.CLASSIC or game.max_guesses != CLASSIC_GUESSES or not game.has_secret:
        raise UserError(f"the game of a tournament must be wordle/1 or wordle-hard/1; got {rules.game}.")


def _in_words(error: msgspec.ValidationError) -> str:
    text = str(error).replace("Object contains unknown field", "there is no setting called")
    text = text.replace("Object missing required field", "there must be a setting called").replace("`", "'")
    return text.replace(" - at '$.", " - at '").replace("Expected `array`", "Expected a list")
