"""How somebody else's puzzle is solved: lists, filters, prior, rules and effort, kept by name in a readable file."""

import os
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically

CONTEST = "contest"
"""The name of the contest's own lists, answers.txt and valid.txt."""
LAST = "last"
"""The setup that was used last; it is kept without being asked."""
GAMES = ("wordle/1", "wordle-hard/1", "wordpl/1", "wordpl-counted/1")
MAX_GUESSES, MAX_WIDTH, MAX_TOP = 63, 20_000, 200
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_REMARKS = {
    "answers": "words that can be the secret: contest, a list that comes with wordpl, or a file",
    "guesses": "words that can be guessed",
    "filters": "applied to the answers from first to last, as in wordpl words build --filter",
    "prior": "how probable each answer is: empty, default, or a CSV file",
    "past": "answers of earlier puzzles: keep, strike, or weigh (multiply their probability by past_weight)",
    "order": "of the answers left: probability or alphabet",
    "limit": "guesses in all; 0 is no limit",
    "width": "guesses tried at every step of the search",
    "top": "guesses that are rated",
    "tree": "a decision tree to follow, as wordpl solve writes it",
}


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to be solved and how; the remarks in a setup's file say what each field means."""

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
    def is_noisy(self) -> bool:
        """Whether clues may lie, each guess at the price of an epsilon."""
        return self.game.startswith("wordpl")

    @property
    def is_hard(self) -> bool:
        """Whether a guess must use what was revealed."""
        return self.game == "wordle-hard/1"


def check(setup: Setup) -> Setup:
    """Return the setup. Raises UserError that names the field that is out of bounds."""
    if setup.game not in GAMES:
        raise UserError(f"game is one of {', '.join(GAMES)}, not {setup.game!r}.")
    bounds = {"limit": (0, MAX_GUESSES), "width": (1, MAX_WIDTH), "top": (1, MAX_TOP), "past_weight": (0, 1)}
    for name, (least, most) in bounds.items():
        if not least <= getattr(setup, name) <= most:
            raise UserError(f"{name} should be a number from {least} to {most}, not {getattr(setup, name)!r}.")
    return setup


def changed(setup: Setup, **fields: Any) -> Setup:
    """Return the setup with these fields, checked. Raises UserError for a value of the wrong kind."""
    try:
        values = {name: getattr(setup, name) for name in setup.__struct_fields__}
        return check(msgspec.convert(values | fields, Setup))
    except msgspec.ValidationError as error:
        raise UserError(f"this is no setup: {error}.") from None


def folder() -> Path:
    """Return the folder of the setups: wordpl/setups below XDG_CONFIG_HOME, by default ~/.config."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "wordpl" / "setups"


def names() -> list[str]:
    """Return the names of the setups that are kept, in alphabetical order."""
    return sorted(path.stem for path in folder().glob("*.toml")) if folder().is_dir() else []


def load(name: str) -> Setup:
    """Return the setup of this name. Raises UserError where there is none, or its file is none."""
    path = _path(name)
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        there_are = f" There are {', '.join(names())}." if names() else ""
        raise UserError(f"there is no setup called {name!r} in {folder()}.{there_are}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"cannot read the setup {path}: {error}.") from None
    try:
        return check(msgspec.convert(fields, Setup))
    except (msgspec.ValidationError, UserError) as error:
        raise UserError(f"{path} is no setup: {error}") from None


def save(name: str, setup: Setup) -> Path:
    """Keep the setup under this name, and return its file. Raises UserError where it can't be written."""
    path = _path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, as_toml(setup).encode())
    except OSError as error:
        raise UserError(f"cannot write the setup {path}: {error.strerror}.") from None
    return path


def as_toml(setup: Setup) -> str:
    """Return the setup as its file holds it, with remarks.

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
    """Return a TOML value: numbers, booleans, lists and escaped texts are written as in JSON."""
    return msgspec.json.encode(value).decode()


def _path(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise UserError(f"a setup's name has letters, digits, dots and dashes, at most 40, not {name[:40]!r}.")
    return folder() / f"{name}.toml"
