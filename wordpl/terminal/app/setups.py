"""Setups of Solve: word lists, filters, prior, rules and effort, which are saved by name in TOML files."""

import os
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from wordpl import games
from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically

CONTEST = "contest"
"""The name of the contest's own lists, answers.txt and valid.txt."""
LAST = "last"
"""The name of the setup that was used last, which is saved automatically."""
_SOLVED = [facts for facts in (games.game_class(name).facts for name in games.names()) if facts.has_secret]
GAMES = tuple(facts.id for facts in sorted(_SOLVED, key=lambda facts: facts.has_epsilon))
"""The games whose puzzles can be solved: those that have a secret."""
MAX_GUESSES, MAX_WIDTH, MAX_TOP = 63, 20_000, 200
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_REMARKS = {
    "answers": "words that can be the secret: contest, a bundled list, or a file",
    "guesses": "words that can be guessed",
    "filters": "filters of the answers, applied in order, as in wordpl words build --filter",
    "prior": "probability of each answer: empty, default, or a CSV file",
    "past": "answers of earlier puzzles: keep, strike, or weigh (multiply their probability by past_weight)",
    "order": "order of the remaining answers: probability or alphabet",
    "limit": "maximum number of guesses; 0 is no limit",
    "width": "number of guesses tried at each step of the search",
    "top": "number of guesses to rate",
    "tree": "decision tree to follow, such as one from wordpl solve",
}


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How puzzles are solved. The comments in a setup's file describe the fields."""

    game: str = "wordle/1"
    answers: str = CONTEST
    guesses: str = CONTEST
    filters: tuple[str, ...] = ()
    prior: str = ""
    past: Literal["keep", "strike", "weigh"] = "keep"
    past_answers: str = "past-answers"
    past_weight: float = 0.05
    order: Literal["probability", "alphabet"] = "probability"
    limit: int = 6
    width: int = 50
    exact: bool = False
    top: int = 20
    tree: str = ""

    @property
    def has_epsilon(self) -> bool:
        """Whether guesses have an epsilon, so that clues may be false."""
        return games.game_class(self.game).facts.has_epsilon

    @property
    def is_hard(self) -> bool:
        """Whether guesses must use all revealed hints."""
        return games.game_class(self.game).uses_hints


def check(setup: Setup) -> Setup:
    """Return the setup. Raises UserError if a field is out of bounds."""
    if setup.game not in GAMES:
        raise UserError(f"game must be one of {', '.join(GAMES)}, not {setup.game!r}.")
    bounds = {"limit": (0, MAX_GUESSES), "width": (1, MAX_WIDTH), "top": (1, MAX_TOP), "past_weight": (0, 1)}
    for name, (min_value, max_value) in bounds.items():
        if not min_value <= getattr(setup, name) <= max_value:
            raise UserError(f"{name} must be a number from {min_value} to {max_value}, not {getattr(setup, name)!r}.")
    return setup


def changed(setup: Setup, **fields: Any) -> Setup:
    """Return the setup with these fields changed. Raises UserError for an invalid value."""
    try:
        values = {name: getattr(setup, name) for name in setup.__struct_fields__}
        return check(msgspec.convert(values | fields, Setup))
    except msgspec.ValidationError as error:
        raise UserError(f"invalid setup: {error}.") from None


def folder() -> Path:
    """Return the folder of the setups: wordpl/setups in XDG_CONFIG_HOME, by default in ~/.config."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "wordpl" / "setups"


def names() -> list[str]:
    """Return the names of the saved setups, in alphabetical order."""
    return sorted(path.stem for path in folder().glob("*.toml")) if folder().is_dir() else []


def load(name: str) -> Setup:
    """Return the setup of this name. Raises UserError if there is none, or its file is invalid."""
    path = _path(name)
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        available = f" Setups: {', '.join(names())}." if names() else ""
        raise UserError(f"there is no setup called {name!r} in {folder()}.{available}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"cannot read the setup {path}: {error}.") from None
    try:
        return check(msgspec.convert(fields, Setup))
    except (msgspec.ValidationError, UserError) as error:
        raise UserError(f"{path} is not a valid setup: {error}") from None


def save(name: str, setup: Setup) -> Path:
    """Save the setup under this name, and return its file. Raises UserError if it cannot be written."""
    path = _path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, as_toml(setup).encode())
    except OSError as error:
        raise UserError(f"cannot write the setup {path}: {error.strerror}.") from None
    return path


def as_toml(setup: Setup) -> str:
    """Return the setup as TOML, with comments.

    >>> print(as_toml(Setup()).splitlines()[0])
    game = "wordle/1"
    """
    lines = []
    for name in setup.__struct_fields__:
        if remark := _REMARKS.get(name):
            lines.append(f"# {remark}")
        lines.append(f"{name} = {_as_value(getattr(setup, name))}")
    return "\n".join(lines) + "\n"


def _as_value(value: str | float | bool | Sequence[str]) -> str:
    """Return a TOML value. TOML writes numbers, booleans, lists and strings as JSON does."""
    return msgspec.json.encode(value).decode()


def _path(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise UserError(
            f"the name of a setup must be at most 40 letters, digits, dots, dashes and underscores, not {name[:40]!r}."
        )
    return folder() / f"{name}.toml"
