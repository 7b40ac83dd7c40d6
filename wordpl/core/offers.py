"""What an app offers to the web server of `wordpl serve`: answers to requests, independent of HTTP."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wordpl.core.messages import UserError


class RefusedError(UserError):
    """The request is refused; the message is shown to the person who plays.

    Attributes:
        status: The status of the reply, one of HTTP's.
        retry_after_s: The time after which the request may be repeated, in seconds; None if that does not help.
    """

    def __init__(self, status: int, message: str, retry_after_s: int | None = None):
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s

    def __reduce__(self) -> tuple[type["RefusedError"], tuple[int, str, int | None]]:
        """Support pickling, so that the error can be raised in another process."""
        return type(self), (self.status, self.message, self.retry_after_s)


@dataclass(frozen=True)
class Content:
    """An answer that is a file."""

    data: bytes
    media_type: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Endpoint:
    """A kind of request, and its answer.

    Attributes:
        method: GET or POST.
        path: The path, with parameters such as {id}.
        answer: Returns what is sent as JSON, or a `Content`. It is called with the parameters of the path by name, the
            `token` of the request, "" if it has none, and for a POST its `body`.
        body: The struct that the body of a POST must be.
    """

    method: str
    path: str
    answer: Callable[..., dict[str, Any] | Content]
    body: type | None = None


@dataclass(frozen=True)
class Offer:
    """What one app offers. Its answers are given in one thread, one request after the other.

    Attributes:
        endpoints: The requests that it answers.
        close: Called when the server stops.
        scripts: The texts of the scripts that it adds to the page, by their names.
    """

    endpoints: Sequence[Endpoint]
    close: Callable[[], None]
    scripts: Mapping[str, str] = field(default_factory=dict)
