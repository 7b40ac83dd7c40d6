"""The steps of `python evaluate.py`: find entries, open a run, play it, report."""

import os
import platform
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent

import click

from wordpl import games, runner, seeds, words
from wordpl.errors import UserError
from wordpl.players import scan
from wordpl.players.house import PROCESS, TRUSTED, House
from wordpl.records import EntryInfo, Run, RunInfo, mend
from wordpl.words import HOME, within_home


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
    results: Path

    @property
    def player(self) -> str:
        """Where entries run."""
        return TRUSTED if self.trust else PROCESS


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def find_entries(wanted: Sequence[str], settings: Settings, against: str | None = None) -> list[EntryInfo]:
    """Return the entries that the command line names, all of strategies/ when it names none; show what has none.

    against: one to compare the others with; it is added unless it is among them.
    """
    if settings.rules is not None:
        games.rules_of(settings.rules)  # a wrong name should not wait for players
    sources = scan.find_sources(wanted)
    lists = words.load(settings.answers, settings.guesses)
    with TemporaryDirectory(ignore_cleanup_errors=True) as parent, House(lists, Path(parent)) as house:
        found = scan.ask(sources, house, settings)
        if against and not meant(against, scan.entries_of(found)):
            found += scan.ask(scan.find_sources([against]), house, settings)
    for fault in (one for one in found if isinstance(one, scan.Fault)):
        click.echo(f"{fault.source.file.name}: no entry from it.\n{indent(fault.message, '    ')}", err=True)
    entries = scan.seated(scan.entries_of(found), settings.rules)
    if not entries:
        kind = f" for {settings.rules}" if settings.rules else ""
        raise UserError(f"there is no entry{kind} to play. README.md shows how to write one.")
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
        click.echo(f"{entry.name}  {entry.rules}  {entry.file}")


def describe(entries: list[EntryInfo], settings: Settings) -> RunInfo:
    """Return what a run of these entries under these settings is; draws its seed if none was chosen."""
    lists, seed = words.load(settings.answers, settings.guesses), settings.seed or seeds.new_seed()
    files = {"answers": settings.answers or HOME / "answers.txt", "guesses": settings.guesses or HOME / "valid.txt"}
    return RunInfo(
        seed=seed,
        n_games=settings.n_games,
        timeout_s=settings.timeout_s,
        warmup_s=settings.warmup_s,
        memory_mb=settings.memory_mb,
        player=settings.player,
        lists={
            name: {"file": within_home(path), "words": len(getattr(lists, name)), "sha256": lists.sha256[name]}
            for name, path in files.items()
        },
        entries=entries,
        versions={"python": platform.python_version()} | {name: version(name) for name in ("wordpl", "numpy", "numba")},
        machine={"system": f"{platform.system()} {platform.machine()}", "processors": processors()},
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def new_run(entries: list[EntryInfo], settings: Settings) -> Run:
    """Return a run of these entries in a new folder of results/."""
    info = describe(entries, settings)
    now = datetime.fromisoformat(info.started)
    return Run.create(settings.results / f"{now:%Y-%m-%d-%H%M%S}-{re.sub(r'[^A-Za-z0-9]+', '_', info.seed)[:40]}", info)


def resumed(folder: Path) -> Run:
    """Return the run in `folder`, ready to play what is left. Raises UserError if an entry's file has changed since."""
    run = Run(folder)
    mend(run)
    for entry in run.info.entries:
        file = HOME / entry.file
        if not file.is_file() or sha256(file.read_bytes()).hexdigest() != entry.sha256:
            raise UserError(f"{entry.file} has changed since the run began: put it back, or start a new run.")
    return run


def play(run: Run, jobs: int) -> None:
    """Play what is left of the run under a progress bar for each entry; Ctrl-C says how to go on, and ends."""
    from tqdm import tqdm

    click.echo(f"{within_home(run.folder)}: {run.info.n_games} games for each entry, seed {run.info.seed}", err=True)
    bars: dict[str, tqdm] = {}
    width = max(len(entry.name) for entry in run.info.entries)

    def show(progress: runner.Progress) -> None:
        name, total = progress.entry.name, run.info.n_games
        if name not in bars:
            start = {"total": total, "initial": progress.n_played, "desc": name.ljust(width)}
            bars[name] = tqdm(**start, unit="game", dynamic_ncols=True)
        bars[name].set_postfix_str(f"{progress.n_won} won", refresh=False)
        bars[name].update(progress.n_played - bars[name].n)
        if progress.n_played == total:
            bars[name].close()

    try:
        runner.play_run(run, jobs, show)
        run.finish(datetime.now(UTC).isoformat(timespec="seconds"))
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None
    finally:
        for bar in bars.values():
            bar.close()
        if run.info.finished is None:
            n_played = sum(len(run.read(entry)) for entry in run.info.entries)
            click.echo(f"{n_played} games are kept. To play the rest:\n    {resume_command(run)}", err=True)


def resume_command(run: Run) -> str:
    """Return the command that plays what is left of the run."""
    folder = within_home(run.folder) if Path.cwd() == HOME else str(run.folder)
    return f"python evaluate.py --resume {shlex.quote(folder)}"
