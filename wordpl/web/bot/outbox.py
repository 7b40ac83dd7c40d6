"""Posts that are to be made once: each target gets a puzzle's result at most once, even if the bot is killed meanwhile.

A post's state is on disk before the request is sent. A post found in the state "sending" was interrupted: it may have
arrived, so it is reported and not repeated unless that is asked for.
"""

from collections.abc import Callable
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path

import msgspec

from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.web.bot.errors import ShareError


class PostState(StrEnum):
    """What is known of a post."""

    SENDING = "sending"  # begun; whether it arrived is unclear
    SENT = "sent"
    FAILED = "failed"  # certainly not posted


class UnclearError(ShareError):
    """A post that may or may not have arrived."""


class Post(msgspec.Struct, frozen=True):
    """A post as the outbox keeps it: no address and no credential."""

    target: str
    key: str
    state: PostState
    text: str
    reason: str = ""


class Outbox:
    """The posts of a bot's folder, a file each."""

    def __init__(self, folder: Path):
        self._folder = folder / "outbox"

    def find(self, target: str, key: str) -> Post | None:
        """Return the post of this key to this target. Raises UserError for a file that cannot be read."""
        path = self._path(target, key)
        if not path.exists():
            return None
        try:
            return msgspec.json.decode(path.read_bytes(), type=Post)
        except (OSError, msgspec.DecodeError) as error:
            raise UserError(f"cannot read {path}: {error}. Remove it if the result was not posted.") from None

    def post_once(self, draft: Post, send: Callable[[], None], resend: bool = False) -> PostState:
        """Send a post, unless it has been sent.

        Args:
            draft: the target, the puzzle's key and the text.
            send: makes the request; raises UnclearError when it may have arrived, ShareError when it has not.
            resend: send a post again whose fate is unclear.

        Raises:
            UnclearError: the post was begun before, or just now, and nobody knows whether it arrived.
            ShareError: the post was certainly not made.
        """
        known = self.find(draft.target, draft.key)
        if known and known.state == PostState.SENT:
            return PostState.SENT
        if known and known.state == PostState.SENDING and not resend:
            raise UnclearError(
                f"{draft.key} to {draft.target}: an earlier post was interrupted and may have arrived. Look there; "
                "--resend posts it again."
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

    def _write(self, post: Post) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path(post.target, post.key), msgspec.json.encode(post) + b"\n")
