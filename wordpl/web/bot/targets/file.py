"""A file of results."""

import os
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.files import append
from wordpl.web.bot.errors import ShareError
from wordpl.web.bot.targets.base import Message, Target


class File(Target):
    """Appends the text, and an empty line after it."""

    name = "file"
    about = "A file that results are added to: file:PATH."

    def __init__(self, argument: str):
        if not argument:
            raise UserError("the target file needs a path: file:results.txt.")
        self._path = Path(argument)

    @property
    def identity(self) -> str:
        """The path is a part of the target's name."""
        return f"file:{self._path.resolve()}"

    def send(self, message: Message) -> None:
        """Add the text to the file."""
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                append(file, f"{message.text}\n\n".encode())
                os.fsync(file)
            finally:
                os.close(file)
        except OSError as error:
            raise ShareError(f"cannot write {self._path}: {error.strerror}.") from None
