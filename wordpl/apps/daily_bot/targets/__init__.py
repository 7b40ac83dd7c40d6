"""The targets to which results can be posted. Each file in this folder is loaded automatically."""

import logging
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx

from wordpl.apps.daily_bot import ShareError, UnclearError, plugins
from wordpl.core.messages import UserError

TIMEOUT_S = 20.0
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL)
"""Errors that are raised before a request is sent."""


@dataclass(frozen=True)
class ShareMessage:
    """A result to share.

    Attributes:
        key: The key of the puzzle.
        picture: A PNG file, or None.
    """

    text: str
    key: str
    picture: Path | None = None


class ShareTarget(ABC):
    """A place to post results. Credentials are read from the environment and never shown."""

    name: ClassVar[str]
    about: ClassVar[str]
    """A description of the target and its environment variables."""

    @abstractmethod
    def __init__(self, argument: str):
        """Create the target. Raises UserError if an argument or a variable is missing."""

    @property
    def identity(self) -> str:
        """The name of the target in the outbox."""
        return self.name

    @abstractmethod
    def send(self, message: ShareMessage) -> None:
        """Post the message. Raises UnclearError if it may have arrived, ShareError if it has not."""


def from_environment(name: str, what: str) -> str:
    """Return an environment variable. Raises UserError if it is not set."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise UserError(f"set {name} in the environment: {what}.")
    return value


def web_address(name: str, what: str) -> str:
    """Return a URL from the environment. Raises UserError, without the value, if it is not a URL."""
    value = from_environment(name, what)
    if urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).hostname:
        raise UserError(f"{name} must be a URL that starts with https://.")
    return value


def request(method: str, url: str, **options: Any) -> httpx.Response:
    """Make a request and return its successful response. Redirects are not followed.

    Raises:
        UnclearError: The request may have arrived: the response was incomplete, or the server failed.
        ShareError: The request was refused, or could not be sent.
    """
    for noisy in ("httpx", "httpcore"):  # they log addresses, and the address of a webhook is a secret
        logging.getLogger(noisy).setLevel(logging.WARNING)
    host = urlsplit(url).hostname
    try:
        response = httpx.request(method, url, timeout=TIMEOUT_S, follow_redirects=False, **options)
    except NOT_SENT as error:
        raise ShareError(f"{host} could not be reached ({type(error).__name__}).") from None
    except httpx.HTTPError as error:
        raise UnclearError(f"no response from {host} ({type(error).__name__}): the post may have arrived.") from None
    if response.status_code >= 500:
        raise UnclearError(f"{host} failed with {response.status_code}: the post may have arrived.")
    if not response.is_success:
        raise ShareError(f"{host} refused the post with {response.status_code}.")
    return response


@cache
def _targets() -> dict[str, type[ShareTarget]]:
    return plugins(__name__, ShareTarget)  # type: ignore[type-abstract]  # https://github.com/python/mypy/issues/4717


def names() -> list[str]:
    """Return the names of all kinds of targets."""
    return list(_targets())


def target_of(text: str) -> ShareTarget:
    """Return the target with this name, which may have an argument after `:`.

    Raises:
        UserError: There is no such target, or its environment variables are missing.
    """
    _, _, argument = text.partition(":")
    return _targets()[name_of(text)](argument)


def name_of(text: str) -> str:
    """Return the name of a target, without the argument; no environment variable is read.

    Raises:
        UserError: There is no such target.
    """
    name = text.partition(":")[0]
    if name not in _targets():
        raise UserError(f"there is no target called {name[:40]!r}. Targets: {', '.join(names())}.")
    return name


def target_table() -> list[tuple[str, str]]:
    """Return the name and the description of each kind of target."""
    return [(name, target.about) for name, target in _targets().items()]
