"""What every target is, and how a request is made whose fate is known afterwards."""

import logging
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx

from wordpl.core.errors import UserError
from wordpl.web.bot.errors import ShareError
from wordpl.web.bot.outbox import UnclearError

TIMEOUT_S = 20.0
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL)
"""What is raised before anything of a request has been sent."""


@dataclass(frozen=True)
class Message:
    """What is shared; key: the same for the same puzzle; picture: a PNG, or None."""

    text: str
    key: str
    picture: Path | None = None


class Target(ABC):
    """Somewhere to post. Credentials come from the environment and are never shown."""

    name: ClassVar[str]
    about: ClassVar[str]
    """What the target is, and what it needs."""

    @abstractmethod
    def __init__(self, argument: str):
        """Raises UserError where something is missing."""

    @property
    def identity(self) -> str:
        """The name that the outbox knows the target by."""
        return self.name

    @abstractmethod
    def send(self, message: Message) -> None:
        """Post the message. Raises UnclearError when it may have arrived, ShareError when it has not."""


def from_environment(name: str, what: str) -> str:
    """Return a variable of the environment. Raises UserError, which names the variable, where it is not set."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise UserError(f"{name} should be set in the environment: {what}.")
    return value


def web_address(name: str, what: str) -> str:
    """Return a URL from the environment. Raises UserError, which does not show it, for anything else."""
    value = from_environment(name, what)
    if urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).hostname:
        raise UserError(f"{name} should be a URL that begins with https://.")
    return value


def request(method: str, url: str, **options: Any) -> httpx.Response:
    """Make a request and return its reply, which is a success. Redirections are not followed.

    Raises:
        UnclearError: it may have been carried out: no whole reply came, or the server failed.
        ShareError: it was refused, or never sent.
    """
    for noisy in ("httpx", "httpcore"):  # they log addresses, and a webhook's address is its password
        logging.getLogger(noisy).setLevel(logging.WARNING)
    host = urlsplit(url).hostname
    try:
        response = httpx.request(method, url, timeout=TIMEOUT_S, follow_redirects=False, **options)
    except NOT_SENT as error:
        raise ShareError(f"{host} could not be reached ({type(error).__name__}).") from None
    except httpx.HTTPError as error:
        raise UnclearError(f"{host} gave no whole reply ({type(error).__name__}): the post may have arrived.") from None
    if response.status_code >= 500:
        raise UnclearError(f"{host} failed with {response.status_code}: the post may have arrived.")
    if not response.is_success:
        raise ShareError(f"{host} refused the post with {response.status_code}.")
    return response
