"""Reading and writing the indented JSON files of a tournament."""

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically

FORMAT = 1
T = TypeVar("T", bound=msgspec.Struct)


def write(file: Path, page: msgspec.Struct) -> None:
    """Write the file atomically: after a crash, it has either the old or the new content."""
    try:
        write_atomically(file, msgspec.json.format(msgspec.json.encode(page), indent=2) + b"\n")
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}.") from None


def read(file: Path, kind: type[T], made_by: str) -> T:
    """Return the content of the file.

    Args:
        file: The file.
        kind: The type of its content.
        made_by: The command that makes such files, for error messages.

    Raises:
        UserError: The file cannot be read or has another format.
    """
    try:
        data = file.read_bytes()
        found: Any = msgspec.json.decode(data)
        if isinstance(found, dict) and found.get("format", FORMAT) != FORMAT:
            raise UserError(f"{file} has format {found['format']}; this version of wordpl reads format {FORMAT}.")
        return msgspec.convert(found, kind)
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}.") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UserError(f"{file} was not made by `{made_by}`: {error}.") from None
