"""Appends results to a file."""

import os
from pathlib import Path

from wordpl.apps.daily_bot import ShareError
from wordpl.apps.daily_bot.targets import ShareMessage, ShareTarget
from wordpl.core.files import append
from wordpl.core.messages import UserError
from wordpl.run.bundle import SHARED, shared_names


class File(ShareTarget):
    """Appends the text and an empty line."""

    name = "file"
    about = "A file to which results are appended: file:PATH."

    def __init__(self, argument: str):
        if not argument:
            raise UserError("the target file needs a path: file:results.txt.")
        self._path = Path(argument)
        if self._path.name == SHARED and shared_names(self._path.parent):
            raise UserError(
                f"{argument} declares the modules that entries share: choose another name, as file:results.txt."
            )

    @property
    def identity(self) -> str:
        """The name of the target, with the path."""
        return f"file:{self._path.resolve()}"

    def send(self, message: ShareMessage) -> str:
        """Append the text to the file, and return its name."""
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                append(file, f"{message.with_words()}\n\n".encode())
                os.fsync(file)
            finally:
                os.close(file)
        except OSError as error:
            raise ShareError(f"cannot write {self._path}: {error.strerror}. Choose another path.") from None
        return self._path.name
