"""What does not go with the options of official runs."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from wordpl.core.errors import UserError

Command = TypeVar("Command", bound=Callable[..., Any])
UNFIT = {
    "seed": "--seed: the seed is drawn, so that nobody chooses it",
    "resume": "--resume: it begins a run",
    "number": "--replay: it begins a run",
    "cluster": "--cluster: each worker would hold the key of all secrets, and what it returns is believed",
    "player": "--trust, with which an entry could read the secrets",
}
"""Options that don't go with --official, by their parameter, and why."""


def checked(command: Command) -> Command:
    """Return the command so that it is not called with options that would undo --official."""

    @wraps(command)
    def with_check(**chosen: Any) -> Any:
        _check(**chosen)
        return command(**chosen)

    decorated: Any = with_check
    return decorated  # type: ignore[no-any-return]  # click decorates what wraps() made


def _check(*, official: bool, beacon_from: str | None, beacon: str | None, **chosen: Any) -> None:
    """Raise UserError where options for official runs meet others that would undo them."""
    for other, reason in UNFIT.items():
        if official and chosen[other] not in (None, False):
            raise UserError(f"--official goes without {reason}.")
    wrong = ""
    if beacon_from is not None and not (official and beacon_from.strip()):
        wrong = "--beacon-from needs --official, and words that name one text to come."
    if beacon is not None and not (chosen["resume"] and beacon.strip()):
        wrong = "--beacon needs --resume, and the text that a run waits for."
    if wrong:
        from wordpl.contest.official import HOW_TO_USE_A_BEACON  # slow to import, and help does not need it

        raise UserError(f"{wrong}\n{HOW_TO_USE_A_BEACON}")
