"""The steps of `python evaluate.py`: find entries, open a run, play it, report."""

import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent

import click

from wordpl import games
from wordpl.cli import _official, _os_errors, _progress, _resume
from wordpl.cli._echo import say
from wordpl.contest import determinism, runner
from wordpl.core import commitments, seeds, words
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.records import EntryInfo, Limits, Run, RunInfo
from wordpl.core.words import HOME, within_home
from wordpl.players import clock, discovery
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox import probe


@dataclass(frozen=True)
class Settings:
    """What a host chooses for a run."""

    n_games: int
    rules: str | None
    timeout_s: float
    warmup_s: float
    memory_mb: int
    seed: str | None
    answers: Path | None
    guesses: Path | None
    trust: bool
    isolation: str | None
    limits: Limits
    repeats: int
    results: Path
    official: bool = False
    beacon_from: str | None = None
    beacon: str | None = None

    @property
    def enforced_s(self) -> float:
        """The CPU time at which a game is ended."""
        return clock.enforced_s(self.timeout_s)

    @property
    def player(self) -> str:
        """Where entries run."""
        return PlayerKind.TRUSTED if self.trust else PlayerKind.PROCESS

    @property
    def level(self) -> str:
        """How far entries are walled off: as chosen, else as far as this machine can."""
        return self.isolation or probe.probe().level


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def find_entries(wanted: Sequence[str], settings: Settings, against: str | None = None) -> list[EntryInfo]:
    """Return the entries that the command line names, all of strategies/ when it names none; show what has none.

    against: one to compare the others with; it is added unless it is among them.
    """
    if settings.rules is not None:
        games.game_class(settings.rules)  # a wrong name should not wait for players
    sources = discovery.find_sources(wanted)
    lists = words.load(settings.answers, settings.guesses)
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as parent,
        PlayerPool(lists, Path(parent), [settings.results]) as pool,
    ):
        found = discovery.ask(sources, pool, settings)
        if against and not meant(against, discovery.entries_of(found)):
            found += discovery.ask(discovery.find_sources([against]), pool, settings)
    for fault in (one for one in found if isinstance(one, discovery.Fault)):
        say(f"{fault.source.file.name}: no entry from it.\n{indent(fault.message, '    ')}", err=True)
    entries = discovery.resolve_entries(discovery.entries_of(found), settings.rules)
    if not entries:
        kind = f" for {settings.rules}" if settings.rules else ""
        others = ", ".join(f"{one.name} plays {one.game_id}" for one in discovery.entries_of(found))
        wrong = f"there is no entry{kind} to play" + (f": {others}" if others else "")
        raise UserError(f"{wrong}. README.md shows how to write one.")
    return entries


def meant(text: str, entries: Sequence[EntryInfo]) -> list[EntryInfo]:
    """Return the entries that `text` names: by their name on the board, their file, or the class with its arguments."""
    return [
        entry
        for entry in entries
        if text in (entry.name, entry.make, Path(entry.file).stem, Path(entry.file).name)
        or entry.name.startswith(f"{text}(")
        or Path(text).resolve() == (HOME / entry.file).resolve()
    ]


def list_entries(entries: list[EntryInfo]) -> None:
    """Show the entries with the game each plays and the file it comes from."""
    for entry in entries:
        say(f"{entry.name}  {entry.game_id}  {entry.file}")


def describe(entries: list[EntryInfo], settings: Settings) -> RunInfo:
    """Return what a run of these entries under these settings is; draws its seed if none was chosen.

    An official run has none yet: what is drawn for it stays out of run.json.
    """
    lists = words.load(settings.answers, settings.guesses)
    files = {"answers": settings.answers or HOME / "answers.txt", "guesses": settings.guesses or HOME / "valid.txt"}
    return RunInfo(
        seed=None if settings.official else settings.seed or seeds.new_seed(),
        n_games=settings.n_games,
        timeout_s=settings.timeout_s,
        enforced_s=settings.enforced_s,
        warmup_s=settings.warmup_s,
        memory_mb=settings.memory_mb,
        limits=settings.limits,
        repeats=0 if settings.trust else settings.repeats,
        player=settings.player,
        level="" if settings.trust else settings.level,
        lists={
            name: {"file": within_home(path), "words": len(getattr(lists, name)), "sha256": lists.sha256[name]}
            for name, path in files.items()
        },
        entries=entries,
        versions=_resume.versions(),
        machine={"system": f"{platform.system()} {platform.machine()}", "processors": processors()},
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def new_run(entries: list[EntryInfo], settings: Settings) -> Run:
    """Return a run of these entries in a new folder of results/, held until the command ends."""
    info = describe(entries, settings)
    now = datetime.fromisoformat(info.started)
    name = re.sub(r"[^A-Za-z0-9]+", "_", info.seed or "official")[:40]
    folder = _resume.unused(settings.results / f"{now:%Y-%m-%d-%H%M%S}-{name}")
    if not settings.official:
        return _resume.held(Run.create(folder, info))
    run = _official.new_run(folder, info, settings.beacon_from)
    _official.show(run, _resume.resume_command(run))
    return _resume.held(run)


def play(run: Run, jobs: int, beacon: str | None = None) -> None:
    """Play what is left of the run under a progress bar for each entry; Ctrl-C says how to go on, and ends.

    beacon: the text that an official run waits for
    """
    key = _official.begin(run, beacon)
    say(in_words(run), err=True)
    try:
        with _os_errors.told(run.folder), _progress.bars(run) as shown, runner.workers(jobs) as parent:
            runner.play_left(run, parent, jobs, shown.show, key)
            if run.info.repeats:
                determinism.play_repeats(run, parent, jobs, shown.show_repeats, key)
            finish(run)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None
    finally:
        if run.info.finished is None:
            n_played = sum(len(run.read(entry)) for entry in run.info.entries)
            click.echo(f"{n_played} games are kept. To play the rest:\n    {_resume.resume_command(run)}", err=True)


def finish(run: Run) -> None:
    """Note that all games have been played, unless that stands there already; an official run then tells its seed."""
    if run.info.finished is None:
        _official.reveal(run)
        commitments.finish(run, datetime.now(UTC).isoformat(timespec="seconds"))
    _official.forget(run)


def in_words(run: Run) -> str:
    """Return in a line where the run is kept and what is played."""
    seed = "a seed that nobody knows yet" if run.info.seed is None else f"seed {run.info.seed}"
    return f"{within_home(run.folder)}: {run.info.n_games} games for each entry, {seed}"
