"""The manifest of a run for workers: the description of the run, and the files that a worker needs."""

import platform
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import msgspec

from wordpl.core import entry_caches, entry_files, paths
from wordpl.core.entry_files import companions as all_companions
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo, Run, RunInfo
from wordpl.players import bundled

MAX_COMPANION_BYTES = 16 << 20
OUTSIDE = "outside"


class Manifest(msgspec.Struct, frozen=True):
    """Everything that a worker needs to play a run.

    Attributes:
        run: A unique id of the run.
        info: The run's `RunInfo` as JSON, with the paths of files relative to the worker's folder.
        files: The SHA-256 of each file by its path relative to that folder.
    """

    run: str
    info: bytes
    files: dict[str, str]


class WorkerFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A worker's description of itself.

    Attributes:
        name: Its name.
        machine: Its host name, system and type of processor.
        level: The strongest sandbox level that it supports.
        missing: Why it does not support a stronger one.
        versions: The versions of the software that affects games.
        sources: The digest of the installed project.
        calibration_s: The CPU time of the calibration kernel, see `wordpl.contest.cluster.calibration`.
    """

    name: str
    machine: dict[str, str | int]
    level: str
    missing: str
    versions: dict[str, str]
    sources: str
    calibration_s: float


def make_manifest(run: Run) -> tuple[Manifest, dict[str, Path]]:
    """Return the manifest of a run, and the host's path of each file by its digest.

    Bundled files are not included, because a worker has the same ones; see `sources_digest`.

    Raises:
        UserError: An entry has no file, or a file is too large.
    """
    names: dict[str, Path] = {}
    entries = [msgspec.structs.replace(entry, file=_add_entry(entry, names)) for entry in run.entries]
    for digest in {entry.cache for entry in run.entries if entry.cache}:
        cache_folder = entry_caches.folder_of(run.folder, digest)
        for path in cache_folder.rglob("*"):
            if path.is_file():
                names[str(Path(entry_caches.FOLDER, digest, path.relative_to(cache_folder)))] = path
    lists = {name: dict(word_list) for name, word_list in run.info.lists.items()}
    for word_list in lists.values():
        file = paths.find_file(str(word_list["file"]))
        if file.parent != paths.bundled():
            word_list["file"] = _add(file, names)
    digests = {name: sha256(path.read_bytes()).hexdigest() for name, path in names.items()}
    info = msgspec.structs.replace(run.info, entries=entries, lists=lists)
    identity = sha256(f"{run.folder.resolve()} {run.info.started} {run.info.seed}".encode()).hexdigest()[:16]
    return Manifest(identity, msgspec.json.encode(info), digests), {digests[name]: names[name] for name in names}


def scaled_for_worker(info: RunInfo, slowness: float) -> RunInfo:
    """Return the description of the run with the time limits for a machine of this slowness."""
    enforced_s = info.config.cpu_limit_s
    return msgspec.structs.replace(
        info,
        timeout_s=info.timeout_s * slowness,
        enforced_s=enforced_s * slowness,
        warmup_s=info.warmup_s * max(1.0, slowness),
    )


def _add_entry(entry: EntryInfo, names: dict[str, Path]) -> str:
    if not entry.file:
        raise UserError(f"{entry.name} is an object, which cannot be sent to a cluster: put its class into a file.")
    file = paths.find_file(entry.file)
    if bundled.is_bundled(file):
        return str(file.relative_to(paths.bundled()))
    for part in [*entry_files.source_files(file), *sent_companions(file)]:
        _add(part, names)
    return _add(file, names)


def _add(file: Path, names: dict[str, Path]) -> str:
    """Add a file to the manifest, and return its path relative to the worker's folder."""
    name = paths.portable_name(file)
    if Path(name).is_absolute():
        digest = sha256(str(file.parent).encode()).hexdigest()[:12]
        name = str(Path(OUTSIDE, digest, file.parent.name, file.name))
    names[name] = file
    return name


def sent_companions(file: Path) -> list[Path]:
    """Return the companions of an entry's file that are sent to workers: those in the same folder.

    Raises:
        UserError: A companion is too large.
    """
    companions = [path for path in all_companions(file) if path.parent == file.parent]
    for path in companions:
        if path.stat().st_size > MAX_COMPANION_BYTES:
            raise UserError(f"{path}, which {file.name} uses, is larger than {MAX_COMPANION_BYTES:,} bytes.")
    return companions


def sources_digest() -> str:
    """Return the digest of the installed project: its code, its data and the bundled strategies with companions."""
    files = [path for path in paths.PACKAGE.rglob("*.py") if paths.PACKAGE / "bundled" not in path.parents]
    named = [(str(path.relative_to(paths.PACKAGE)), path) for path in [*files, *_data()]]
    folder = paths.bundled() / "strategies"
    own = [path for path in folder.glob(f"*{entry_files.PYTHON}") if bundled.is_bundled(path)]
    named += [(f"strategies/{path.name}", path) for file in own for path in [file, *sent_companions(file)]]
    lines = sorted({f"{sha256(path.read_bytes()).hexdigest()}  {name}\n" for name, path in named})
    return sha256("".join(lines).encode()).hexdigest()


def _data() -> Iterable[Path]:
    return (path for path in paths.DATA.iterdir() if path.is_file())


def machine() -> dict[str, str | int]:
    """Return the host name, system and processor of this machine."""
    return {
        "host": platform.node(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
    }


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1].strip() if match else platform.processor()
