"""Entries at a Git revision, such as my_bot.py@HEAD~1."""

import os
import re
import subprocess
from hashlib import sha256
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.players import discovery

AT_REVISION = re.compile(r"(?P<file>[^@:]+)@(?P<revision>[^:]+)(?P<make>:.*)?")
MAX_BYTES = 10_000_000
"""Larger files beside an entry are not copied."""


def resolve(text: str) -> str:
    """Replace FILE@REVISION in the name of an entry by a copy of the file at that revision.

    The other files of its folder are copied from the same revision, because the entry may use them. Names without a
    revision are returned unchanged.

    Raises:
        UserError: The revision does not exist, or does not contain the file.
    """
    match = AT_REVISION.fullmatch(text)
    if match is None or Path(text).exists():
        return text
    file = _file(match["file"])
    commit = _git(file.parent, "rev-parse", "--verify", "--quiet", f"{match['revision']}^{{commit}}").strip()
    if not commit:
        raise UserError(
            f"there is no Git revision {match['revision']!r} here. To list the revisions: `git log {file.name}`."
        )
    return f"{_copy(file, commit, match['revision'])}{match['make'] or ''}"


def cache_folder() -> Path:
    """Return the cache folder for files at revisions."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wordpl" / "revisions"


def _file(name: str) -> Path:
    path = Path(name)
    if path.suffix and path.parent.is_dir() and (path.exists() or path.parent != Path()):
        return path.absolute()  # it may have been deleted since
    return discovery.find_sources([name])[0].file


def _copy(file: Path, commit: str, revision: str) -> Path:
    prefix = _git(file.parent, "rev-parse", "--show-prefix").strip()
    repository = sha256(str(file.parent.resolve()).encode()).hexdigest()[:8]
    folder = cache_folder() / repository / commit[:10]
    listed = _git(file.parent, "ls-tree", "-z", "-l", "--full-tree", commit, prefix or ".").split("\0")
    blobs = dict(map(_blob, filter(None, listed)))
    if blobs.get(file.name) is None:
        raise UserError(f"{prefix}{file.name} is not in revision {revision}. It may not have been committed then.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, digest in blobs.items():
        if digest is not None and not (folder / name).exists():
            write_atomically(folder / name, _bytes(file.parent, "cat-file", "blob", digest))
    return folder / file.name


def _blob(line: str) -> tuple[str, str | None]:
    """Return the file name in a line of `git ls-tree -l` and its blob, or None if the file is not to be copied."""
    facts, _, path = line.partition("\t")
    mode, _, digest, size = facts.split()
    is_plain = mode.startswith("100") and int(size) <= MAX_BYTES
    return Path(path).name, digest if is_plain else None


def _git(folder: Path, *words: str) -> str:
    return _bytes(folder, *words).decode(errors="replace")


def _bytes(folder: Path, *words: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise UserError("FILE@REVISION needs git, which is not installed.") from None
    if done.returncode not in (0, 1):
        raise UserError(f"git {words[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
