"""The targets to which results can be posted. Each file in this folder is loaded automatically."""

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx

from wordpl.apps.daily_bot import ShareError, UnclearError, plugins
from wordpl.core.messages import UserError, sanitize_untrusted_text

TIMEOUT_S = 20.0
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL)
"""Errors that are raised before a request is sent."""


@dataclass(frozen=True)
class ShareMessage:
    """A result to share.

    Attributes:
        text: The heading and a row of squares for each guess, without letters.
        key: The key of the game.
        picture: A PNG file, or None.
        words: The guesses, if they are to be shared; each target hides them in its own way.
        link: The address of the picture, which is linked instead of attached; "" for none.
    """

    text: str
    key: str
    picture: Path | None = None
    words: tuple[str, ...] = ()
    link: str = ""

    def with_words(self, mark: str = "") -> str:
        """Return the text with each word after its row, between marks that hide it, and with the link.

        >>> ShareMessage("Wordle 3 2/6\\n\\n⬛🟨\\n🟩🟩", "key", words=("ab", "ba")).with_words("||").splitlines()[2:]
        ['⬛🟨 ||ab||', '🟩🟩 ||ba||']
        """
        lines = self.text.split("\n")
        first = len(lines) - len(self.words)
        shown = [
            *lines[:first],
            *(f"{row} {mark}{word}{mark}" for row, word in zip(lines[first:], self.words, strict=True)),
        ]
        return "\n".join([*shown, *(["", self.link] if self.link else [])])


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
    def send(self, message: ShareMessage) -> str:
        """Post the message, and return the id under which the target has it.

        Raises:
            UnclearError: It may have arrived.
            ShareError: It has not.
        """


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


LATER = "run again later"
STEPS = {
    400: "look at the text that --post would share",
    401: "check the credentials",
    403: "check the credentials and what they allow",
    404: "check the address",
    410: "the address is gone: make a new one",
    413: "leave the picture out with --no-picture",
    422: "look at the text that --post would share",
    429: LATER,
}
"""What to do next after a refusal, by its status."""
MAX_REASON = 200


def host_of(url: str) -> str:
    """Return the host of an address, whose other parts may be secret."""
    return urlsplit(url).hostname or "the target"


def request(method: str, url: str, steps: Mapping[int, str] = STEPS, **options: Any) -> httpx.Response:
    """Make a request and return its successful response. Redirects are not followed.

    Args:
        method: GET or POST.
        url: The address.
        steps: What to do next after a refusal, by its status; STEPS has the others.
        options: Of `httpx.request`.

    Raises:
        UnclearError: The request may have arrived: the response was incomplete, or the server failed.
        ShareError: The request was refused, or could not be sent.
    """
    for noisy in ("httpx", "httpcore"):  # they log addresses, and the address of a webhook is a secret
        logging.getLogger(noisy).setLevel(logging.WARNING)
    host = host_of(url)
    try:
        response = httpx.request(method, url, timeout=TIMEOUT_S, follow_redirects=False, **options)
    except NOT_SENT as error:
        if "certificate" in str(error).lower():
            raise ShareError(f"{host} could not be reached: its certificate is not valid. Check the address.") from None
        raise ShareError(f"{host} could not be reached ({type(error).__name__}): {LATER}.") from None
    except httpx.HTTPError as error:
        raise UnclearError(f"no response from {host} ({type(error).__name__})") from None
    status = response.status_code
    if status >= 500:
        raise UnclearError(f"{host} failed with {status}")
    if response.is_redirect:
        raise ShareError(f"{host} refused the post with {status}: the address has moved. Set the new one.")
    if not response.is_success:
        step = steps.get(status) or STEPS.get(status) or "see what the target needs"
        if status == 429 and (wait_s := response.headers.get("retry-after", "")[:10]).isdigit():
            step = f"run again after {wait_s} s"
        raise ShareError(f"{host} refused the post with {status}{_said(response)}: {step}.")
    return response


def _said(response: httpx.Response) -> str:
    """Return the short message of a refusal, " (text)", or "" if it has none."""
    try:
        body = response.json()
    except ValueError:
        return ""
    found = next((body[name] for name in ("error", "message") if isinstance(body.get(name), str)), "") if isinstance(
        body, dict) else ""  # fmt: skip
    text = " ".join(sanitize_untrusted_text(found, MAX_REASON).split())
    return f" ({text})" if text else ""


def is_a_page(response: httpx.Response) -> bool:
    """Return whether a response is a page for people, as of a login or a captive network."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind in ("text/html", "application/xhtml+xml") or response.content.lstrip()[:1] == b"<"


def id_in(response: httpx.Response) -> str:
    """Return the id in the JSON of a response. Raises UnclearError if it has none: then nobody knows what happened."""
    host, status = host_of(str(response.request.url)), response.status_code
    if is_a_page(response):
        raise UnclearError(f"{host} answered with a page for people instead of JSON (status {status})")
    try:
        body = response.json()
    except ValueError:
        raise UnclearError(f"{host} answered with something else than JSON (status {status})") from None
    found = body.get("id") if isinstance(body, dict) else None
    if not isinstance(found, (str, int)) or isinstance(found, bool) or not str(found):
        raise UnclearError(f"{host} answered without the id of the post (status {status})")
    return sanitize_untrusted_text(str(found), 60)


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
