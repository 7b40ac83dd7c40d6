"""Makes posts at most once: each target gets the result of a puzzle at most once, even if the bot is killed.

The state of a post is written to disk before the request is sent. A post that is found in the state "sending" was
interrupted and may have arrived; it is reported, and only repeated if the user asks for it.
"""

from collections.abc import Callable
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path

import msgspec

from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.web.bot.errors import ShareError, UnclearError


class PostState(StrEnum):
    """The state of a post."""

    SENDING = "sending"  # may or may not have arrived
    SENT = "sent"
    FAILED = "failed"  # has not arrived


class OutboxPost(msgspec.Struct, frozen=True):
    """A post in the outbox, without addresses and credentials."""

    target: str
    key: str
    state: PostState
    text: str
    reason: str = ""


class Outbox:
    """The outbox of a bot's folder, with one file per post."""

    def __init__(self, folder: Path):
        self._folder = folder / "outbox"

    def find(self, target: str, key: str) -> OutboxPost | None:
        """Return the post with this key to this target, or None. Raises UserError if its file cannot be read."""
        path = self._path(target, key)
        if not path.exists():
            return None
        try:
            return msgspec.json.decode(path.read_bytes(), type=OutboxPost)
        except (OSError, msgspec.DecodeError) as error:
            raise UserError(f"cannot read {path}: {error}. Remove it if the result was not posted.") from None

    def post_once(self, draft: OutboxPost, send: Callable[[], None], resend: bool = False) -> PostState:
        """Send a post unless it has been sent before.

        Args:
            send: Makes the request. Raises UnclearError if the post may have arrived, ShareError if it has not.
            resend: Repeat a post that may have arrived.

        Raises:
            UnclearError: The post may have arrived, now or in an earlier attempt.
            ShareError: The post has not arrived.
        """
        earlier_post = self.find(draft.target, draft.key)
        if earlier_post and earlier_post.state == PostState.SENT:
            return PostState.SENT
        if earlier_post and earlier_post.state == PostState.SENDING and not resend:
            raise UnclearError(
                f"{draft.key} to {draft.target}: an earlier post was interrupted and may have arrived. If it has not, "
                "post again with --resend."
            )
        self._write(msgspec.structs.replace(draft, state=PostState.SENDING))
        try:
            send()
        except UnclearError as error:
            self._write(msgspec.structs.replace(draft, state=PostState.SENDING, reason=error.message))
            raise
        except ShareError as error:
            self._write(msgspec.structs.replace(draft, state=PostState.FAILED, reason=error.message))
            raise
        self._write(msgspec.structs.replace(draft, state=PostState.SENT))
        return PostState.SENT

    def _path(self, target: str, key: str) -> Path:
        digest = blake2b(target.encode(), digest_size=6).hexdigest()
        return self._folder / f"{key}.{digest}.json"

    def _write(self, post: OutboxPost) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path(post.target, post.key), msgspec.json.encode(post) + b"\n")
