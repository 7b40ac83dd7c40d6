"""What a worker needs to play a run, and what it says of itself: files, versions, and the speed of its machine."""

import platform
import re
import time
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np

from wordpl.core import paths
from wordpl.core.clues import counted
from wordpl.core.messages import UserError
from wordpl.games import OwnGame, bound
from wordpl.run.bundle import PYTHON, STORE, shipped_tree
from wordpl.run.folder import Run
from wordpl.run.info import RunInfo

OUTSIDE = "outside"


class Manifest(msgspec.Struct, frozen=True):
    """Everything that a worker needs to play a run.

    Attributes:
        run: A unique id of the run.
        info: The run's `RunInfo` as JSON, with the paths of files relative to the worker's folder.
        files: The SHA-256 of each file by its path relative to that folder.
        games: The host's own games.
    """

    run: str
    info: bytes
    files: dict[str, str]
    games: tuple[OwnGame, ...] = ()


class WorkerFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A worker's description of itself.

    Attributes:
        name: Its name.
        machine: Its host name, system and type of processor.
        level: The strongest sandbox level that it supports.
        missing: Why it does not support a stronger one.
        versions: The versions of the software that affects games.
        sources: The digest of the installed project.
        calibration_s: The CPU time of the calibration kernel, see `calibrate`.
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

    Raises:
        UserError: An entry has no file, or its files are not stored.
    """
    names: dict[str, Path] = {}
    for entry in run.info.entries:
        if not entry.file:
            raise UserError(f"{entry.name} is an object, which cannot be sent to a cluster: put its class into a file.")
        for digest in entry.digests:
            files = run.store.tree(digest).files
            names |= {f"{STORE}/{digest}/{name}": path for name, path in files.items()}
    word_files = run.info.config.word_files
    for name, word_file in word_files.items():
        file = run.info.config.list_path(name)
        if file is not None and file.parent not in (paths.bundled(), paths.DATA):  # each worker has those
            word_files[name] = msgspec.structs.replace(word_file, file=_add(file, names))
    digests = {name: sha256(path.read_bytes()).hexdigest() for name, path in names.items()}
    config = msgspec.structs.replace(run.info.config, **word_files)
    info = msgspec.structs.replace(run.info, config=config)
    identity = sha256(f"{run.folder.resolve()} {run.info.started} {run.info.seed}".encode()).hexdigest()[:16]
    manifest = Manifest(identity, info.to_json(), digests, bound())
    return manifest, {digests[name]: names[name] for name in names}


def scaled_for_worker(info: RunInfo, slowness: float) -> RunInfo:
    """Return the description of the run with the time limits for a machine of this slowness."""
    config = info.config
    scaled_config = msgspec.structs.replace(
        config,
        timeout_s=config.timeout_s * slowness,
        enforced_s=config.cpu_limit_s * slowness,
        warmup_s=config.warmup_s * max(1.0, slowness),
    )
    return msgspec.structs.replace(info, config=scaled_config)


def _add(file: Path, names: dict[str, Path]) -> str:
    """Add a file to the manifest, and return its path relative to the worker's folder."""
    name = paths.portable_name(file)
    if Path(name).is_absolute():
        digest = sha256(str(file.parent).encode()).hexdigest()[:12]
        name = str(Path(OUTSIDE, digest, file.parent.name, file.name))
    names[name] = file
    return name


def sources_digest() -> str:
    """Return the digest of the installed project: its code, its data and the strategies that it ships."""
    files = [path for path in paths.PACKAGE.rglob("*.py") if paths.PACKAGE / "bundled" not in path.parents]
    named = [(str(path.relative_to(paths.PACKAGE)), path) for path in [*files, *_data()]]
    shipped = shipped_tree().files.items()  # without their tables, which are shorter in an installed package
    named += [(f"strategies/{name}", path) for name, path in shipped if path.suffix == PYTHON]
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


N_ROUNDS = 200
N_CLUES = 250
N_UPDATES = 30
N_WORDS = 2_315
MAX_SLOWNESS = 4.0
TOLERANCE = 0.1
"""Machines whose times differ by at most this share count as equally fast, as measurements vary about as much."""
DIGITS = 4


def calibrate() -> float:
    """Return the CPU time of a fixed kernel in seconds, by which a worker's time limits are scaled.

    The kernel resembles the work of entries: one half computes clues in plain Python, the other half updates a
    distribution over 2,315 words with NumPy. The fastest of many short rounds counts, because other load on the machine
    only slows rounds down, and usually leaves some of them undisturbed.
    """
    return round(min(_round() for _ in range(N_ROUNDS)), 2 + DIGITS)


def slowness(calibration_s: float, reference_s: float) -> float:
    """Return the factor for the time limits on a machine; 1 if it is about as fast as the reference.

    Args:
        calibration_s: The CPU time of the kernel on the machine.
        reference_s: The CPU time of the kernel on the reference machine.
    """
    ratio = calibration_s / reference_s
    return 1.0 if abs(ratio - 1) <= TOLERANCE else round(ratio, DIGITS)


def _round() -> float:
    words = ("crane", "sleet", "abide", "mamma", "vivid", "robot", "eerie")
    began = time.thread_time()
    for index in range(N_CLUES):
        counted(words[index % 7], words[index % 5])
    _update()
    return time.thread_time() - began


def _update() -> float:
    distances = np.arange(N_WORDS, dtype=float) % 6
    chances = np.full(N_WORDS, 1 / N_WORDS)
    for step in range(N_UPDATES):
        chances = chances * np.exp(-0.1 * ((distances + step) % 6))
        chances /= chances.sum()
    return float(chances.max())
