"""A run's folder: what run.json says of a new run, and on what a run that has begun can go on."""

import os
import platform
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import chain, count
from pathlib import Path
from shutil import rmtree

from msgspec import UNSET

from wordpl.core import append_log, companions, entry_files, journal, paths, seeds, settled, words
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import Measure
from wordpl.core.record import is_torn, summarize
from wordpl.core.record_writer import RecordWriter
from wordpl.core.records import EntryInfo, Run, RunInfo
from wordpl.core.run_config import RunConfig
from wordpl.core.words import WordLists
from wordpl.players.sandbox import probe

NAME_CHARACTERS = 40


def n_processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def now() -> str:
    """Return the time as run.json holds it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def describe(config: RunConfig, entries: list[EntryInfo]) -> RunInfo:
    """Return what a new run of these entries is; draws its seed if none was chosen.

    An official run has no seed yet: what is drawn for it stays out of run.json.
    """
    if config.every_answer:
        _check_every_answer(entries)
    lists = words.load(config.answers, config.guesses)
    files = {
        "answers": config.answers or paths.bundled() / "answers.txt",
        "guesses": config.guesses or paths.bundled() / "valid.txt",
    }
    return RunInfo(
        seed=None if config.official else config.seed or seeds.new_seed(),
        n_games=len(lists.answers) if config.every_answer else config.n_games,
        every_answer=True if config.every_answer else UNSET,
        timeout_s=config.timeout_s,
        enforced_s=config.cpu_limit_s,
        warmup_s=config.warmup_s,
        memory_mb=config.memory_mb,
        limits=config.limits,
        total_s=config.total_limit_s,
        repeats=0 if config.is_trusted else config.repeats,
        loss_cost=config.loss_cost,
        player=config.player,
        level="" if config.is_trusted else config.level or probe.probe().level,
        lists={
            name: {"file": paths.portable(path), "words": len(getattr(lists, name)), "sha256": lists.sha256[name]}
            for name, path in files.items()
        },
        entries=entries,
        versions=versions(),
        machine={"system": f"{platform.system()} {platform.machine()}", "processors": n_processors()},
        started=now(),
    )


def _check_every_answer(entries: list[EntryInfo]) -> None:
    """Raise UserError where an entry's game has noise, or no secret: only in the others each answer once is exact."""
    for entry in entries:
        if entry.measure is not Measure.GUESSES:
            raise UserError(
                f"--games all is for classic games such as wordle/1, and {entry.name} plays {entry.game_id}: choose "
                "the entries, or a number of games."
            )


def new_folder(results: Path, info: RunInfo) -> Path:
    """Return a folder for the run that does not exist yet, named after the time and the seed."""
    started = datetime.fromisoformat(info.started)
    name = re.sub(r"[^A-Za-z0-9]+", "_", info.seed or "official")[:NAME_CHARACTERS]
    folder = results.resolve() / f"{started:%Y-%m-%d-%H%M%S}-{name}"
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in count(2))  # two may begin in one second
    return next(path for path in chain([folder], numbered) if not path.exists())


def versions() -> dict[str, str]:
    """Return the versions of what decides how games go."""
    return {"python": platform.python_version()} | {name: version(name) for name in ("wordpl", "numpy", "numba")}


def prepare_resume(run: Run) -> None:
    """Make a run that was interrupted ready to go on; no other harness may work on it.

    Raises:
        UserError: Another version began the run, or an entry's file has changed since.
    """
    if run.info.finished is None and run.info.versions != versions():
        raise UserError(
            f"{run.folder} was begun with {_in_words(run.info.versions)}; this is {_in_words(versions())}. Games of "
            "two versions make no run: go on with those, or start a new one."
        )
    truncate_torn_tails(run)
    for entry in run.entries:
        _check_unchanged(entry, run.info)
    if run.info.finished is None:
        take_journals(run)


def forget_begun(run: Run) -> None:
    """Remove the journals of a run in which all games have their records."""
    rmtree(run.folder / ".begun", ignore_errors=True)


def take_journals(run: Run) -> None:
    """Write the records that workers had noted when the harness ended, and list the games that they had begun."""
    for entry in run.entries:
        begun, lines = journal.read(run, entry)
        if not begun and not lines:
            continue
        is_done = settled.played(run, entry).is_done
        missing = [line for line in lines if not is_torn(line) and not is_done[summarize(line).game]]
        if missing:
            writer = RecordWriter(run, entry)
            writer.add(missing)
            writer.close()
        note_begun(run, entry, begun)
    forget_begun(run)


def note_begun(run: Run, entry: EntryInfo, begun: Iterable[int]) -> None:
    """List in run.json those of these games that have no record: they are played again, which must be known."""
    is_done = settled.played(run, entry).is_done
    before = (run.info.played_again or {}).get(entry.slug, [])
    listed = sorted({*before, *(number for number in begun if not is_done[number])})
    if listed != before:
        run.info.played_again = {**(run.info.played_again or {}), entry.slug: listed}
        run.write_info()


def _check_unchanged(entry: EntryInfo, info: RunInfo) -> None:
    if not entry.file:
        if info.finished is None:
            raise UserError(f"{entry.name} was given as an object, which no run folder keeps: start a new run.")
        return
    file = paths.find_file(entry.file)
    if not file.is_file() or entry_files.digest(file) != entry.sha256:
        raise UserError(f"{entry.file} has changed since the run began: put it back, or start a new run.")
    if changed := companions.changed(file, entry.companions):
        raise UserError(
            f"{', '.join(changed)}, which {entry.file} names, changed since the run began: put it back, or start a new "
            "run."
        )


def truncate_torn_tails(run: Run) -> None:
    """Cut off lines that a crash tore, so that the next game starts on a line of its own."""
    for kind in ("records/*.jsonl", "repeats/*.jsonl", "durations/*.csv"):
        for path in run.folder.glob(kind):
            append_log.truncate_torn_tail(path)


def lists_of(info: RunInfo) -> WordLists:
    """Return the word lists that the run is played with.

    Raises:
        UserError: A file has changed since the run began.
    """
    config = info.config
    lists = words.load(config.answers, config.guesses)
    for name, sha256 in lists.sha256.items():
        if info.lists[name]["sha256"] != sha256:
            raise UserError(f"{info.lists[name]['file']} has changed since the run began; start a new run.")
    return lists


def _in_words(found: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in found.items())
