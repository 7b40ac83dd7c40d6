"""The last step of `python evaluate.py`: tables, files, and the commands that replay what went wrong."""

import shlex
from collections.abc import Iterator

import numpy as np
from rich.console import Console

from wordpl import reports
from wordpl.cli import _official, _os_errors
from wordpl.cli._echo import say
from wordpl.cli._evaluation import in_words, meant
from wordpl.contest import determinism
from wordpl.core import seeds
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.records import EntryInfo, Run, RunInfo, Verdict, load_run
from wordpl.core.words import within_home
from wordpl.players.sandbox.levels import Level
from wordpl.stats import compare

VERIFY_WITH = "verify with"
FAULTS = (Verdict.CRASHED, Verdict.ILLEGAL, Verdict.MEMORY, Verdict.LATE)


def report(run: Run, against: str | None) -> None:
    """Write the run's scores.csv and LEADERBOARD.md, and show them.

    against: names an entry to compare the others with.
    """
    table, rng, known = load_run(run.folder), generator(run.info), remarks(run)
    boards = reports.boards(table, rng)
    with _os_errors.told(run.folder):
        reports.write(boards, run.folder, facts(run), known)
    console = Console()
    reports.show(boards, console)
    if against:
        for entry in chosen(against, run.info.entries):
            rivals = table[table.rules == entry.game_id]
            reports.show_against(compare.against(rivals, entry.name, rng), entry.name, console)
    for line in [*failures(run), *known]:
        say(line)
    say(in_words(run))
    for name, value in _official.facts(run.info).items():
        say(f"{name}: {value}")
    say(f"{VERIFY_WITH}: {verify_command(run)}")


def generator(info: RunInfo) -> np.random.Generator:
    """Return the generator of a report's resamples, which the run's seed decides."""
    return np.random.default_rng(int.from_bytes(seeds.draw(seeds.run_key(info.seed), b"report", 0), "big"))


def remarks(run: Run) -> list[str]:
    """Return what else is known of the entries, in sentences."""
    return list(reports.sentences(determinism.findings(run)))


def verify_command(run: Run) -> str:
    """Return the command that checks the run."""
    return f"wordpl verify {shlex.quote(within_home(run.folder))}"


def facts(run: Run) -> dict[str, str]:
    """Return what was played and how, for the head of a page."""
    info = run.info
    lists = ", ".join(f"{found['words']} {name}" for name, found in info.lists.items())
    return {
        "date": info.started[:10],
        "seed": info.seed,
        "games for each entry": str(info.n_games),
        "time for a game": f"{info.timeout_s:g} s",
        "memory": f"{info.memory_mb} MiB",
        "isolation": isolation(info),
        "word lists": lists,
        "versions": ", ".join(f"{name} {number}" for name, number in info.versions.items()),
        "machine": ", ".join(
            f"{number} {name}" if name == "processors" else f"{number}" for name, number in info.machine.items()
        ),
        **_official.facts(info),
        **({"seal": info.seal} if info.seal else {}),
        VERIFY_WITH: verify_command(run),
    }


def isolation(info: RunInfo) -> str:
    """Return where entries ran and what held them, in words."""
    if info.player == PlayerKind.TRUSTED:
        return "none: entries ran in the harness's own process (trusted)"
    if not info.level:  # runs from before there were levels
        return "a process of their own"
    level = Level(info.level)
    return f"level {level} ({level.mechanisms}): {level.meaning}"


def chosen(against: str, entries: list[EntryInfo]) -> list[EntryInfo]:
    """Return the entries that `against` names. Raises UserError where none has that name."""
    found = meant(against, entries)
    if not found:
        raise UserError(f"no entry of this run is {against!r}: there are {', '.join(entry.name for entry in entries)}.")
    return found


def failures(run: Run) -> Iterator[str]:
    """Yield, for each entry that failed, its first failure of each kind and the command that shows it move by move."""
    for entry in run.info.entries:
        records = run.read(entry)
        for verdict in FAULTS:
            failed = [record for record in records if record.verdict == verdict]
            if failed:
                yield f"{entry.name}: {len(failed)} of {len(records)} games {verdict}, the first game {failed[0].game}."
                yield from (f"    {line}" for line in failed[0].message.splitlines())
                yield f"    {replay_command(entry, failed[0].game, run.info)}\n"


def replay_command(entry: EntryInfo, number: int, info: RunInfo) -> str:
    """Return the command that plays this game of the entry again."""
    words = ["python", "evaluate.py", f"{entry.file}:{entry.make}", "--game", entry.game_id, "--seed", info.seed]
    words += ["--timeout", f"{info.timeout_s:g}", "--memory", str(info.memory_mb)]
    for option, kept in info.lists.items():
        if kept["file"] not in ("answers.txt", "valid.txt"):
            words += [f"--{option}", str(kept["file"])]
    return shlex.join([*words, "--replay", str(number)])
