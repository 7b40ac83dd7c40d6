"""Describes new runs, and prepares interrupted runs to be resumed.

Also the command lines that resume, verify or replay a run.
"""

import os
import platform
import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from itertools import chain, count
from pathlib import Path

import msgspec

from wordpl import games
from wordpl.contest import hosted
from wordpl.core import bounded, paths, seeds
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError
from wordpl.games import option_of
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level
from wordpl.run import records
from wordpl.run.bundle import STORE, Bundle, find_place
from wordpl.run.config import RunConfig
from wordpl.run.folder import TRANSCRIPTS, Run, not_created
from wordpl.run.info import EntryInfo, RunInfo, SeedSource

EVALUATE = ("wordpl", "evaluate")
"""The command that evaluates entries; in a checkout, `python evaluate.py` does the same."""


def resume_command(run: Run) -> str:
    """Return the command that plays the remaining games of the run."""
    config = run.info.config
    level = ["--isolation", config.level] if config.level and not Level(config.level).is_official else []
    choice = ["--trust"] if config.is_trusted else level
    return shlex.join([*EVALUATE, "--resume", paths.relative_to_cwd(run.folder), *choice, *hosted.options(run)])


def verify_command(folder: Path) -> str:
    """Return the command that verifies the run in this folder."""
    return shlex.join(["wordpl", "verify", paths.relative_to_cwd(folder)])


def page_commands(folder: Path, info: RunInfo) -> list[str]:
    """Return the commands that play the run again, verify it, and write its page."""
    place = paths.relative_to_cwd(folder)
    files = dict.fromkeys(entry.file for entry in info.entries if entry.file)
    options = ["--games", str(info.config.n_games), *info.game_config.game_options()]
    return [
        shlex.join([*EVALUATE, *files, *options]),
        shlex.join(["wordpl", "verify", place]),
        shlex.join(["wordpl", "report", place, "-o", "report.html"]),
    ]


def replay_command(entry: EntryInfo, number: int, info: RunInfo, folder: Path | None = None) -> str:
    """Return the command that replays one game of an entry under the terms of the run.

    It is empty if the entry was passed as an object, which the command line cannot name.

    Args:
        folder: The run's folder, if the game is replayed with the files that the run stores; None: with those of the
            author.
    """
    if entry.is_hosted:  # none of its games can be played again
        return "" if folder is None else shlex.join(["wordpl", "replay", paths.relative_to_cwd(folder), str(number)])
    if not entry.file:
        return ""
    if folder is not None and info.seed is not None and not info.config.is_trusted:
        place = paths.relative_to_cwd(folder)
        own_game = option_of(entry.game.id)
        game = ["--game", own_game] if own_game != entry.game.id else []
        return shlex.join([*EVALUATE, entry.name, "--run", place, *game, "--number", str(number)])
    config = msgspec.structs.replace(info.game_config, game_id=option_of(entry.game.id))
    options = [*config.game_options(), "--number", str(number)]
    return shlex.join([*EVALUATE, f"{entry.file}:{entry.make}", *options])


MAX_NAME_CHARACTERS = 40


def n_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def now() -> str:
    """Return the current time in the format of run.json."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def describe(config: RunConfig, entries: list[EntryInfo]) -> RunInfo:
    """Return the description of a new run of these entries, with a new seed if the configuration has none.

    The description of an official run has no seed, as its seed is secret.
    """
    if config.every_answer:
        _check_every_answer(entries)
    level = ""
    if not (config.is_trusted or config.level):
        level = probe.probe().level if config.official else probe.level_since_boot()
    source = SeedSource.TYPED if config.seed else SeedSource.DRAWN
    return RunInfo(
        config=config.resolved(level=level),
        seed=None if config.official else config.seed or seeds.new_seed(),
        seed_source=SeedSource.OFFICIAL if config.official else source,
        entries=entries,
        versions=versions(),
        machine=machine(),
        started=now(),
    )


def _check_every_answer(entries: list[EntryInfo]) -> None:
    """Check that all games are classic games with a secret, for which playing every answer once gives exact results.

    Raises:
        UserError: A game has noise, or no secret.
    """
    for entry in entries:
        if not entry.game.is_exact or not entry.game.has_secret:
            raise UserError(
                f"--games all works only for classic games such as wordle/1, but {entry.name} plays {entry.game.id}: "
                "choose other entries, or a number of games."
            )


def copy_games(base: Run, folder: Path) -> None:
    """Copy the games of all entries of a finished run into the folder of a new one, before it is created.

    In the new run, these entries have the same slugs.

    Raises:
        UserError: A file is not a regular file, or cannot be copied.
    """
    for entry in base.entries:
        transcripts = base.folder / TRANSCRIPTS / entry.records_path.name
        for path in (entry.records_path, entry.repeats_path, entry.durations_path, transcripts):
            for source in (path, records.compressed_path(path)):
                target = folder / path.parent.name / source.name
                if source.is_symlink():
                    raise UserError(f"{source} is a link: a run has regular files only.")
                if not source.exists():
                    continue
                try:
                    target.parent.mkdir(exist_ok=True)
                    write_atomically(target, bounded.read_blocks(bounded.SEALED, source))
                except OSError as error:
                    raise not_created(folder, error) from None


def new_folder(results: Path, info: RunInfo, taken: Collection[str] = ()) -> Path:
    """Return the path of a new folder for the run, named after its start time and seed, and not one of `taken`."""
    started = datetime.fromisoformat(info.started)
    name = re.sub(r"[^A-Za-z0-9]+", "_", info.seed or "official")[:MAX_NAME_CHARACTERS]
    folder = results.resolve() / f"{started:%Y-%m-%d-%H%M%S}-{name}"
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in count(2))  # two runs may start in one second
    return next(path for path in chain([folder], numbered) if path.name not in taken and not path.exists())


def machine() -> dict[str, str | int]:
    """Return the system and the number of processors of this machine."""
    return {"system": f"{platform.system()} {platform.machine()}", "processors": n_processors()}


RULES = ("games", "contest/referee.py", "core/clues.py", "core/moves.py", "core/seeds.py", "core/words.py")
"""The parts of the package that decide what happens in a game."""
LIBRARY = ("__init__.py", "strategy.py", "core", "games", "kernels", "players", "solvers")
"""The parts of the package that entries import, and that their processes run."""
DIGEST_CHARACTERS = 16


def versions() -> dict[str, str]:
    """Return the versions of the software that affects games: releases, and digests of this package's own code."""
    own_code = {"rules": _digest_of(RULES), "library": _digest_of(LIBRARY)}
    return {"python": platform.python_version()} | _released() | own_code


@cache
def _released() -> dict[str, str]:
    return {name: version(name) for name in ("wordpl", "numpy", "numba")}


def is_same_software(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Return whether games are the same under these versions: releases of this package may differ, its code may not."""
    if "rules" in one and "rules" in other:
        one, other = ({name: number for name, number in found.items() if name != "wordpl"} for found in (one, other))
    return one == other


@cache
def _digest_of(parts: tuple[str, ...]) -> str:
    package = paths.PACKAGE
    files = [
        path
        for part in parts
        for path in ((package / part).rglob("*.py") if (package / part).is_dir() else [package / part])
    ]
    lines = [
        f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(package).as_posix()}\n" for path in sorted(files)
    ]
    return sha256("".join(lines).encode()).hexdigest()[:DIGEST_CHARACTERS]


def prepare_resume(run: Run) -> None:
    """Prepare an interrupted run to be resumed. The caller must hold the lock of the run.

    Raises:
        UserError: The run has a format that is only read, or was started with other versions; the stored files of an
            entry have changed; or a finished run is not as it was sealed.
    """
    if run.info.finished is None:
        run.info.require_written_format(str(run.folder))
    if run.info.finished is None and not is_same_software(run.info.versions, versions()):
        raise UserError(
            f"{run.folder} was started with {_in_words(run.info.versions)}, but this is {_in_words(versions())}. All "
            "games of a run must be played with the same versions: install the former ones, or start a new run."
        )
    if not run.info.entries:
        raise UserError(f"{run.folder} has no entries: there is nothing to play.")
    missing = [run.folder / part for part in ("records", "durations") if not (run.folder / part).is_dir()]
    if missing == [run.folder / "records"] and not any(entry.cpu_used_s() for entry in run.entries):
        missing.pop().mkdir()  # no game was played, and git, for example, keeps no empty folder
    if missing:
        raise UserError(f"{missing[0]} is missing: restore it, or start a new run.")
    if run.info.finished is None:
        run.remove_torn()
    for entry in run.info.entries:
        games.game_class(entry.game)  # a host's own game must be bound
        _check_stored(entry, run)
    if run.info.finished is None:
        run.info.machine = machine() if run.info.part else run.info.machine
        run.collect_journals()
    else:
        run.require_as_sealed()  # no game is played again to tell


def _check_stored(entry: EntryInfo, run: Run) -> None:
    if not entry.file:
        if run.info.finished is None:
            raise UserError(f"{entry.name} was an object, so its run cannot be resumed: start a new run.")
        return
    for digest in entry.digests:
        if not run.store.holds(digest):
            raise UserError(
                f"{run.store.path(digest)}, with the files of {entry.name}, is missing or has changed: restore it, "
                "or start a new run."
            )


def changed_files(entries: Iterable[EntryInfo]) -> list[str]:
    """Return a sentence for each file of these entries of a run that its author has changed since.

    Only files below the current folder and bundled ones are looked at: run.json cannot name others.
    """
    digests = {entry.file: entry.sha256 for entry in entries if entry.file}
    return [
        f"{file} has changed since the run: this is the version that the run stores in {STORE}/{digest[:12]}..."
        for file, digest in digests.items()
        if not Path(file).is_absolute()
        and ".." not in Path(file).parts
        and find_place(file).exists()
        and not _is_unchanged(find_place(file), digest)
    ]


def _is_unchanged(place: Path, digest: str) -> bool:
    try:
        return Bundle.of(place).digest == digest
    except UserError:
        return False


def _in_words(version_numbers: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in version_numbers.items())
