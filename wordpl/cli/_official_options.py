"""Refuses options that cannot be combined with --official, --beacon-from and --beacon."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from wordpl.core.errors import UserError

Command = TypeVar("Command", bound=Callable[..., Any])
INCOMPATIBLE = {
    "seed": "--seed: the seed is drawn at random, so that nobody can choose it",
    "resume": "--resume: it always starts a new run",
    "number": "--replay: it always starts a new run",
    "cluster": "--cluster: each worker would know the key of all secrets, and its results could not be checked",
    "player": "--trust: a trusted entry could read the secrets",
}
"""Options that cannot be combined with --official, by parameter name, with the reason."""


def checked(command: Command) -> Command:
    """Return the command with a check that refuses options that are incompatible with --official."""

    @wraps(command)
    def with_check(**chosen: Any) -> Any:
        _check(**chosen)
        return command(**chosen)

    decorated: Any = with_check
    return decorated  # type: ignore[no-any-return]  # click decorates what wraps() made


def _check(*, official: bool, beacon_from: str | None, beacon: str | None, **chosen: Any) -> None:
    """Raise UserError if the options of official runs are incomplete or combined with incompatible ones."""
    for other, reason in INCOMPATIBLE.items():
        if official and chosen[other] not in (None, False):
            raise UserError(f"--official cannot be combined with {reason}.")
    problem = ""
    if beacon_from is not None and not (official and beacon_from.strip()):
        problem = "--beacon-from needs --official, and a description of one future public text."
    if beacon is not None and not (chosen["resume"] and beacon.strip()):
        problem = "--beacon needs --resume, and the text that the run waits for."
    if problem:
        from wordpl.contest.official import HOW_TO_USE_A_BEACON  # slow to import, and --help does not need it

        raise UserError(f"{problem}\n{HOW_TO_USE_A_BEACON}")
