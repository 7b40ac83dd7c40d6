"""An archive of a finished run: one ZIP file with all that a reader needs to check the run on another machine.

    README.md           what the archive is, for a reader who knows nothing of wordpl, and how to check it
    run/                the run's folder, with its page report.html
    lists/              the run's word lists

The same run gives the same bytes with the same release, whatever the archive is called. Reading an archive is bounded
in the number of files, their size and their paths, as whoever published it may have put anything into it.
"""

import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile, ZipInfo
from zlib import error as ZlibError

from wordpl.core import bounded, paths
from wordpl.core.files import draft_of, put_in_place, temporary_folder
from wordpl.core.messages import UserError
from wordpl.run.bundle import STORE, VERSIONS
from wordpl.run.folder import LOCK, PARTS, RUN_JSON, TRANSCRIPTS, Run

README, RUN, LISTS = "README.md", "run", "lists"
PAGE, TABLES = "report.html", ("LEADERBOARD.md", "scores.csv")
MAX_FILES = 20_000
MAX_BYTES = 4 * bounded.GIB
"""The limits of an archive that is read: its files, and their unpacked size together."""
FIRST_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every file in an archive: the first that the format can express."""
_BLOCK = 1 << 20


def write(
    run: Run,
    path: Path,
    readme: str,
    page: bytes,
    lists: dict[str, bytes],
    *,
    with_entries: bool,
    with_transcripts: bool = False,
) -> int:
    """Write the archive of a finished run, and return the number of its files.

    Args:
        run: The run.
        path: The file to write; it is replaced only when the archive is complete.
        readme: The text of README.md.
        page: The run's page.
        lists: The content of the run's word lists by their names, `answers` and `guesses`.
        with_entries: Include the files of the entries. Without them, no game can be replayed.
        with_transcripts: Include what entries without code were asked and replied.

    Raises:
        UserError: The run has not finished.
        OSError: The file cannot be written.
    """
    if not run.info.finished:
        raise UserError(f"{run.folder} has not finished: `wordpl evaluate --resume {run.folder}` plays the rest.")
    parts = [part for part in PARTS if part != STORE or with_entries] + ([TRANSCRIPTS] if with_transcripts else [])
    files = {f"{RUN}/{name}": run.folder / name for name in _names_of(run, parts)}
    texts = {README: readme.encode(), f"{RUN}/{PAGE}": page}
    texts |= {f"{LISTS}/{name}.txt": content for name, content in lists.items()}
    write_zip(path, {**files, **texts})
    return len(files) + len(texts)


def write_zip(path: Path, contents: Mapping[str, bytes | Path], *, is_stored: bool = False) -> None:
    """Write a ZIP file whose bytes depend on these names and contents alone, or also on zlib unless it is stored.

    Args:
        path: The file to write; it is replaced only when the archive is complete.
        contents: The bytes of each file, or its path, by its name in the archive.
        is_stored: Whether nothing is compressed.

    Raises:
        UserError: A file is larger than such a file may be.
        OSError: The file cannot be written.
    """
    draft, method = draft_of(path), ZIP_STORED if is_stored else ZIP_DEFLATED
    draft.unlink(missing_ok=True)  # of a power cut
    try:
        with draft.open("xb") as target, ZipFile(target, "w", method, compresslevel=9) as archive:
            for name in sorted(contents):
                _add(archive, _described(name, method), contents[name])
        put_in_place(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _names_of(run: Run, parts: Sequence[str]) -> Iterator[str]:
    """Yield the names of the run's files relative to its folder: those in these folders, and no locks."""
    yield RUN_JSON
    yield from (name for name in TABLES if (run.folder / name).is_file())
    for part in parts:
        for path in sorted((run.folder / part).rglob("*")):
            name = path.relative_to(run.folder).as_posix()
            if stat.S_ISREG(path.lstat().st_mode) and path.name != LOCK and paths.is_plain(name):
                yield name


def _described(name: str, method: int) -> ZipInfo:
    described = ZipInfo(name, FIRST_DATE)
    described.compress_type, described.external_attr = method, (stat.S_IFREG | 0o644) << 16
    described.create_system = 3  # Unix, on every machine
    return described


def _add(archive: ZipFile, described: ZipInfo, content: bytes | Path) -> None:
    """Add a file to the archive: the bytes, or those of the file at a path.

    Raises:
        UserError: The file is larger than such a file may be.
    """
    if isinstance(content, bytes):
        archive.writestr(described, content)
        return
    parts = PurePosixPath(described.filename).parts
    if STORE in parts or parts[0] == VERSIONS:
        kind = bounded.BUNDLE_FILE
    else:
        kind = bounded.RUN_JSON if parts[-1] == RUN_JSON else bounded.ARCHIVED
    described.file_size = content.lstat().st_size  # decides which form of the format is needed
    with archive.open(described, "w") as stored:
        for block in bounded.read_blocks(kind, content):
            stored.write(block)


def is_archive(path: Path) -> bool:
    """Return whether a path is that of an archive, by its name."""
    return path.suffix == ".zip"


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """Yield the folder of a run, or of the run in an archive, which is unpacked until the context ends.

    Raises:
        UserError: See `unpacked`.
    """
    if is_archive(path) and not path.is_dir():
        with unpacked(path) as folder:
            yield folder / RUN
    else:
        yield path


def list_beside(folder: Path, name: str) -> Path | None:
    """Return the word list that an archive has beside the folder of its run; None if there is none."""
    file = folder.parent / LISTS / f"{name}.txt"
    return file if folder.name == RUN and file.is_file() else None


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Unpack an archive into a temporary folder, and yield that folder; it is removed when the context ends.

    Raises:
        UserError: It is not an archive of a run, is damaged, or exceeds a limit.
    """
    with temporary_folder() as folder:
        try:
            with bounded.open_file(bounded.ARCHIVE, path) as file, ZipFile(file) as archive:
                for described in _checked(path, archive.infolist()):
                    target = paths.inside(folder, described.filename)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with archive.open(described) as packed, target.open("xb") as copy:
                        copyfileobj(packed, copy, _BLOCK)  # never more than the size that was checked
        except (BadZipFile, LargeZipFile, ZlibError, NotImplementedError, RuntimeError, EOFError) as error:
            raise UserError(f"{path} is not a ZIP archive, or is damaged: {error}.") from None
        if not (folder / RUN / RUN_JSON).is_file():
            raise UserError(f"{path} is not an archive of `wordpl publish`: it has no {RUN}/{RUN_JSON}.")
        yield folder


def _checked(path: Path, files: list[ZipInfo]) -> list[ZipInfo]:
    """Return the files of an archive, all of which may be unpacked; folders are left out."""
    files = [described for described in files if not described.is_dir()]
    if len(files) > MAX_FILES:
        raise UserError(f"{path} has {len(files):,} files, and readers accept {MAX_FILES:,}.")
    n_bytes = sum(described.file_size for described in files)
    if n_bytes > MAX_BYTES:
        raise UserError(f"{path} unpacks to {n_bytes:,} bytes, and readers accept {MAX_BYTES:,}.")
    names = [described.filename for described in files]
    for described in files:
        _require_plain(path, described)
    folded = {name.casefold() for name in names}
    parents = {str(parent).casefold() for name in names for parent in PurePosixPath(name).parents}
    if len(folded) < len(names) or folded & parents:
        raise UserError(f"{path} has two files of one name.")
    return files


def _require_plain(path: Path, described: ZipInfo) -> None:
    """Check that a file of an archive is a regular one with a plain relative path below one of its folders."""
    name, kind = described.filename, stat.S_IFMT(described.external_attr >> 16)
    if not paths.is_plain(name) or not (name == README or name.startswith((f"{RUN}/", f"{LISTS}/"))):
        raise UserError(f"{path} has a file {name[:60]!r}, which does not belong into the archive of a run.")
    if kind not in (0, stat.S_IFREG):
        raise UserError(f"{path}: {name} is {bounded.kind_of(kind)}.")
