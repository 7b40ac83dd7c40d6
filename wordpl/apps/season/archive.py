"""An archive of a season, which can be cited: one ZIP file with all facts, and with nothing that follows from them.

It has the terms, the log, the word lists, all versions, rounds and confirmations. Its bytes are the same whoever writes
it with whatever release, and whatever the file is called. After it has been unpacked, `wordpl season site` writes the
table and the pages, and `wordpl season verify` checks everything.
"""

from collections.abc import Iterator
from pathlib import Path

from wordpl.apps.season import log, terms
from wordpl.apps.season.state import SeasonState
from wordpl.apps.season.terms import CONFIRMATIONS, ROUNDS
from wordpl.core import bounded
from wordpl.core.files import temporary_folder
from wordpl.core.messages import UserError
from wordpl.run import archive
from wordpl.run.folder import LOCK

MAX_BYTES = 16 * bounded.GIB
"""The most that all files may take together: 50 rounds of 300 entries take half of it."""


def write(season: SeasonState, path: Path) -> str:
    """Write the archive of a season, and return its SHA-256.

    Raises:
        UserError: Something in the season is no regular file or too large, or the file cannot be written.
    """
    files = {file.relative_to(season.folder).as_posix(): file for file in _files(season)}
    if (n_bytes := sum(file.lstat().st_size for file in files.values())) > MAX_BYTES:
        raise UserError(f"the files of the season take {n_bytes:,} bytes, and an archive at most {MAX_BYTES:,}.")
    try:
        archive.write_zip(path, files, is_stored=True)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from None
    return bounded.digest(bounded.ARCHIVED, path)


def digest(season: SeasonState) -> str:
    """Return the SHA-256 that the archive of a season has."""
    with temporary_folder() as folder:
        return write(season, folder / "season.zip")


def _files(season: SeasonState) -> Iterator[Path]:
    """Yield all files of a season from which the others follow."""
    lists = (season.terms.answers, season.terms.guesses)
    yield from (season.folder / name for name in (terms.FILE, log.FILE, *filter(None, lists)))
    for part in (log.VERSIONS_FOLDER, ROUNDS, CONFIRMATIONS):
        for path in sorted((season.folder / part).rglob("*")):
            if path.is_symlink():
                raise UserError(f"{path.relative_to(season.folder)} is a link.")
            if path.is_file() and path.name != LOCK:
                yield path
