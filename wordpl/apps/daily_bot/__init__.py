"""The bot that plays a puzzle on another site's page and shares the result, and its errors."""

from typing import TypeVar

from wordpl.core import modules_in
from wordpl.core.messages import UserError

Plugin = TypeVar("Plugin")


def plugins(package: str, base: type[Plugin]) -> dict[str, type[Plugin]]:
    """Return the subclasses of `base` that the modules of a package define, by their attribute `name`, sorted."""
    classes = [member for module in modules_in(package) for member in vars(module).values() if isinstance(member, type)]
    named = {vars(found)["name"]: found for found in classes if issubclass(found, base) and "name" in vars(found)}
    return dict(sorted(named.items()))


class PageError(UserError):
    """The page is not as the adapter expects; the message names the missing element."""


class TransientPageError(PageError):
    """The page did not answer in time, or failed; another attempt may help."""


class NoGuessError(UserError):
    """No word fits the clues on the page, or the entry has no guess."""


class ShareError(UserError):
    """A result was not shared. The message contains no tokens and no addresses with secrets."""


class UnclearError(ShareError):
    """The post may or may not have arrived; `reason` says what happened, and the message also what to do."""

    def __init__(self, reason: str, step: str = "look there; if it is not there, post again with --resend"):
        super().__init__(f"{reason}: the post may have arrived, so {step}.")
        self.reason = f"{reason}."
