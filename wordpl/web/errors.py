"""The error for requests that the server refuses."""

from wordpl.core.errors import UserError


class RefusedError(UserError):
    """The request is refused; the message is shown to the person who plays.

    Attributes:
        retry_after_s: The time after which the request may be repeated, in seconds; None if that does not help.
    """

    def __init__(self, status: int, message: str, retry_after_s: int | None = None):
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s

    def __reduce__(self) -> tuple[type["RefusedError"], tuple[int, str, int | None]]:
        """Support pickling, so that the error can be raised in another process."""
        return type(self), (self.status, self.message, self.retry_after_s)
