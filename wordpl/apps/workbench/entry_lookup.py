"""Finds the entries that a user names, exactly one for each name.

A name may end with a Git revision: my_bot.py@HEAD~1.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from wordpl.contest.entries import FoundEntries, TemporaryStore, describe, load_all
from wordpl.core import paths
from wordpl.core.files import temporary_folder, write_atomically
from wordpl.core.messages import UserError
from wordpl.players import discovery
from wordpl.players.discovery import Fault
from wordpl.players.pool import PlayerPool
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo

AT_REVISION = re.compile(r"(?P<file>[^@:]+)@(?P<revision>[^:]+)(?P<make>:.*)?")
MAX_BYTES = 10_000_000
"""Larger files beside an entry are not copied."""


def entries_for(wanted: Sequence[Any], config: RunConfig) -> FoundEntries:
    """Return one entry for each name, with distinct display names.

    Args:
        wanted: Names as on the command line, where a file may have a Git revision (my_bot.py@HEAD~1), or objects with
            the methods of a strategy.
        config: The configuration. Its game replaces the games of the entries.

    Raises:
        UserError: A name matches no entry or several.
    """
    objects = [entry for entry in wanted if not isinstance(entry, str | Path)]
    if objects and len(objects) < len(wanted):
        raise UserError("give either files or objects as entries, not both, because objects run in this process.")
    store = TemporaryStore()
    texts = [str(entry) for entry in wanted]
    declared = [describe(entry) for entry in objects] if objects else _declared(texts, config, store)
    resolved_entries = discovery.resolve_entries(declared, config.game_id)
    if len(resolved_entries) < len(wanted):
        wrong = next(entry for entry in declared if entry.game.id not in {info.game.id for info in resolved_entries})
        raise UserError(f"{wrong.name} plays {wrong.game.id}, which is a different kind of game than {config.game_id}.")
    strategies = (
        {entry.slug: strategy for entry, strategy in zip(resolved_entries, objects, strict=True)} if objects else {}
    )
    return FoundEntries(resolved_entries, [], strategies, store)


def _declared(texts: Sequence[str], config: RunConfig, store: TemporaryStore) -> list[EntryInfo]:
    sources = [discovery.find_source(resolve_revision(text)) for text in texts]
    lists = config.load_lists()
    with (
        temporary_folder() as parent,
        PlayerPool(lists, Path(parent), [config.results], store) as pool,
    ):
        return [_only(text, load_all([source], pool, config)) for text, source in zip(texts, sources, strict=True)]


def _only(text: str, replies: Sequence[EntryInfo | Fault]) -> EntryInfo:
    for reply in replies:
        if isinstance(reply, Fault):
            raise UserError(f"{text} could not be loaded:\n{reply.message}")
    entries = discovery.entries_of(replies)
    if len(entries) > 1:
        file = text.partition(":")[0]
        choices = "\n".join(f"    '{file}:{entry.make}'  {entry.name}" for entry in entries)
        raise UserError(f"{text} declares {len(entries)} entries. Choose one of\n{choices}")
    return entries[0]


def resolve_revision(text: str) -> str:
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
    if not _in_repository(file.parent):
        raise UserError(
            f"{text} names a Git revision, but {paths.relative_to_cwd(file.parent)} is not in a Git repository. Begin "
            f"one (`git init`, then commit {file.name}), or compare with a copy of the older file: wordpl match "
            f"{file.name} {file.stem}_old{file.suffix}"
        )
    commit = _git(file.parent, "rev-parse", "--verify", "--quiet", f"{match['revision']}^{{commit}}").strip()
    if not commit:
        raise UserError(
            f"there is no Git revision {match['revision']!r} here. To list the revisions: `git log {file.name}`."
        )
    return f"{_copy(file, commit, match['revision'])}{match['make'] or ''}"


NO_PROGRAMS = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_COUNT": "2",
} | {
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.hooksPath",
    "GIT_CONFIG_VALUE_1": os.devnull,
}
"""Variables with which git runs no program that a repository names, in its settings, hooks or missing objects."""


def cache_folder() -> Path:
    """Return the cache folder for files at revisions."""
    return paths.xdg_folder("cache") / "revisions"


def _file(name: str) -> Path:
    path = Path(name)
    if path.suffix and path.parent.is_dir() and (path.exists() or path.parent != Path()):
        return path.absolute()  # it may have been deleted since
    return discovery.find_source(name).file


def _copy(file: Path, commit: str, revision: str) -> Path:
    prefix = _git(file.parent, "rev-parse", "--show-prefix").strip()
    repository = sha256(str(file.parent.resolve()).encode()).hexdigest()[:8]
    folder = cache_folder() / repository / commit[:10]
    trees = [
        _git(file.parent, "ls-tree", *recursive, "-z", "-l", "--full-tree", commit, path)
        for recursive, path in (((), prefix or "."), (("-r",), f"{prefix}{file.name}/"))
    ]
    blobs = dict(_blob(line, prefix) for line in "".join(trees).split("\0") if line)
    if not any(digest and (name == file.name or name.startswith(f"{file.name}/")) for name, digest in blobs.items()):
        raise UserError(f"{prefix}{file.name} is not in revision {revision}. It may not have been committed then.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, digest in blobs.items():
        if digest is not None and not (target := paths.inside(folder, name)).exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, _git_bytes(file.parent, "cat-file", "blob", digest))
    return folder / file.name


def _blob(line: str, prefix: str) -> tuple[str, str | None]:
    """Return the file name in a line of `git ls-tree -l` and its blob, or None if the file is not to be copied.

    The name is relative to `prefix`, the folder of the entry.
    """
    facts, _, path = line.partition("\t")
    mode, _, digest, size = facts.split()
    if size == "BAD":  # as in a partial clone
        raise UserError(f"git has not fetched {path} at this revision: `git cat-file blob {digest}` does.")
    is_plain = mode.startswith("100") and int(size) <= MAX_BYTES
    name = path.removeprefix(prefix)
    return name, digest if is_plain and paths.is_plain(name) else None


def _in_repository(folder: Path) -> bool:
    try:
        _git(folder, "rev-parse", "--is-inside-work-tree")
    except UserError:
        if shutil.which("git"):
            return False
        raise
    return True


def _git(folder: Path, *words: str) -> str:
    return _git_bytes(folder, *words).decode(errors="replace")


def _git_bytes(folder: Path, *words: str) -> bytes:
    try:
        process = subprocess.run(
            ["git", "-C", str(folder), *words],
            capture_output=True,
            env=os.environ | NO_PROGRAMS,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise UserError("FILE@REVISION needs git, which is not installed.") from None
    if process.returncode not in (0, 1):
        raise UserError(f"git {words[0]}: {process.stderr.decode(errors='replace').strip()}")
    return process.stdout
