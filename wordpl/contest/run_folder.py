"""The folder of a run: describing a new run, and preparing an interrupted run to be resumed."""

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

from wordpl.core import entry_files, journal, paths, played_games, seeds, words
from wordpl.core.errors import UserError
from wordpl.core.files import truncate_torn_tail
from wordpl.core.game_kinds import Measure
from wordpl.core.journal import RecordWriter
from wordpl.core.record import is_torn, summarize
from wordpl.core.records import EntryInfo, Run, RunInfo
from wordpl.core.run_config import RunConfig
from wordpl.core.words import WordLists
from wordpl.players.sandbox import probe

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
            name: {"file": paths.portable_name(path), "words": len(getattr(lists, name)), "sha256": lists.sha256[name]}
            for name, path in files.items()
        },
        entries=entries,
        versions=versions(),
        machine={"system": f"{platform.system()} {platform.machine()}", "processors": n_processors()},
        started=now(),
    )


def _check_every_answer(entries: list[EntryInfo]) -> None:
    """Check that all games are classic games with a secret, for which playing every answer once gives exact results.

    Raises:
        UserError: A game has noise, or no secret.
    """
    for entry in entries:
        if entry.measure is not Measure.GUESSES:
            raise UserError(
                f"--games all works only for classic games such as wordle/1, but {entry.name} plays {entry.game_id}: "
                "choose other entries, or a number of games."
            )


def new_folder(results: Path, info: RunInfo) -> Path:
    """Return the path of a new folder for the run, named after its start time and seed."""
    started = datetime.fromisoformat(info.started)
    name = re.sub(r"[^A-Za-z0-9]+", "_", info.seed or "official")[:MAX_NAME_CHARACTERS]
    folder = results.resolve() / f"{started:%Y-%m-%d-%H%M%S}-{name}"
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in count(2))  # two runs may start in one second
    return next(path for path in chain([folder], numbered) if not path.exists())


def versions() -> dict[str, str]:
    """Return the versions of the software that affects games."""
    return {"python": platform.python_version()} | {name: version(name) for name in ("wordpl", "numpy", "numba")}


def prepare_resume(run: Run) -> None:
    """Prepare an interrupted run to be resumed. The caller must hold the lock of the run.

    Raises:
        UserError: The run was started with other versions, or an entry's file has changed.
    """
    if run.info.finished is None and run.info.versions != versions():
        raise UserError(
            f"{run.folder} was started with {_in_words(run.info.versions)}, but this is {_in_words(versions())}. All "
            "games of a run must be played with the same versions: install the former ones, or start a new run."
        )
    truncate_torn_tails(run)
    for entry in run.entries:
        _check_unchanged(entry, run.info)
    if run.info.finished is None:
        collect_journals(run)


def remove_journals(run: Run) -> None:
    """Remove the journals of a run whose records are complete."""
    rmtree(run.folder / ".begun", ignore_errors=True)


def collect_journals(run: Run) -> None:
    """Move records from the journals of an interrupted run to its record files, and list the games that had begun."""
    for entry in run.entries:
        begun, lines = journal.read(run, entry)
        if not begun and not lines:
            continue
        is_done = played_games.find_played(run, entry).is_done
        missing = [line for line in lines if not is_torn(line) and not is_done[summarize(line).game]]
        if missing:
            writer = RecordWriter(run, entry)
            writer.add(missing)
            writer.close()
        list_restarted(run, entry, begun)
    remove_journals(run)


def list_restarted(run: Run, entry: EntryInfo, begun: Iterable[int]) -> None:
    """List those of these games that have no record in run.json, because they will be restarted."""
    is_done = played_games.find_played(run, entry).is_done
    before = (run.info.played_again or {}).get(entry.slug, [])
    played_again = sorted({*before, *(number for number in begun if not is_done[number])})
    if played_again != before:
        run.info.played_again = {**(run.info.played_again or {}), entry.slug: played_again}
        run.write_info()


def _check_unchanged(entry: EntryInfo, info: RunInfo) -> None:
    if not entry.file:
        if info.finished is None:
            raise UserError(f"{entry.name} was an object, so its run cannot be resumed: start a new run.")
        return
    file = paths.find_file(entry.file)
    if not file.is_file() or entry_files.digest(file) != entry.sha256:
        raise UserError(f"{entry.file} has changed since the run started: restore it, or start a new run.")
    if changed := entry_files.changed_companions(file, entry.companions):
        raise UserError(
            f"{', '.join(changed)}, which {entry.file} uses, changed since the run started: restore it, or start a new "
            "run."
        )


def truncate_torn_tails(run: Run) -> None:
    """Remove incomplete last lines, which a crash may have left, from all files of the run."""
    for kind in ("records/*.jsonl", "repeats/*.jsonl", "durations/*.csv"):
        for path in run.folder.glob(kind):
            truncate_torn_tail(path)


def lists_of(info: RunInfo) -> WordLists:
    """Return the word lists of a run.

    Raises:
        UserError: A word list has changed since the run started.
    """
    config = info.config
    lists = words.load(config.answers, config.guesses)
    for name, sha256 in lists.sha256.items():
        if info.lists[name]["sha256"] != sha256:
            raise UserError(f"{info.lists[name]['file']} has changed since the run started: start a new run.")
    return lists


def _in_words(version_numbers: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in version_numbers.items())
