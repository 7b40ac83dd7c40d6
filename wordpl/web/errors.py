"""What the server refuses, with the HTTP status that says so."""

from wordpl.core.errors import UserError


class RefusedError(UserError):
    """A request that is refused; the message is meant for the person who plays.

    Attributes:
        status: the HTTP status of the reply.
        retry_after_s: after how many seconds the request may be repeated, None where that does not help.
    """

    def __init__(self, status: int, message: str, retry_after_s: int | None = None):
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s

    def __reduce__(self) -> tuple[type["RefusedError"], tuple[int, str, int | None]]:
        """Return what makes the same error in another process."""
        return type(self), (self.status, self.message, self.retry_after_s)
