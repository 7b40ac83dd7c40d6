"""Runs whose records a test appends game by game, as a runner does."""

import re
from collections.abc import Collection
from pathlib import Path

from wordpl import games
from wordpl.contest.referee import secret_of
from wordpl.contest.session import Session
from wordpl.core import words
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.games import game_class
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, RunInfo, SeedSource
from wordpl.run.records import DURATIONS_HEADER, Record, encode

ENTRIES = ("Steady(epsilon=8)", "Lucky()")


def new_run(folder: Path, n_games: int = 12) -> Run:
    """Return a run of two entries that has no records yet."""
    info = RunInfo(
        config=RunConfig(n_games=n_games, timeout_s=1.0, warmup_s=1.0, memory_mb=512, repeats=0).resolved("D"),
        seed="hand",
        seed_source=SeedSource.TYPED,
        entries=[EntryInfo(name, name[:5].lower(), game_class("wordpl/1").facts, "x.py", name, "") for name in ENTRIES],
        versions={}, machine={}, started="2026-01-31T12:00:00+00:00",
    )  # fmt: skip
    return Run.create(folder, info)


def record(run: Run, entry_index: int, number: int) -> Record:
    """Return a game of an entry: every third answer is wrong, every fifth game of the second entry crashes."""
    session = session_of(number)
    session.play(("crane", 8.0))
    session.play(("moist", 8.0 + entry_index))
    if entry_index == 1 and number % 5 == 4:
        return Record(number, session.secret, session.moves, Verdict.CRASHED, "Traceback:\nZeroDivisionError: by zero")
    answer = "zebra" if number % 3 == 2 else session.secret
    session.play((answer, 0))
    assert session.verdict is not None
    return Record(number, session.secret, session.moves, session.verdict)


def session_of(number: int) -> Session:
    """Return the game of this number before its first move."""
    game = games.make_game("wordpl/1", words.load())
    return Session(game, "hand", number, secret_of(game, number, Draws.of("hand")))


def append(run: Run, entry_index: int, numbers: range) -> None:
    """Append these games of the entry with this index, as a running process does."""
    with run.entry(run.info.entries[entry_index]).records_path.open("ab") as file:
        file.write(b"".join(encode(record(run, entry_index, number)) for number in numbers))


def finished_run(folder: Path) -> Run:
    """Return a run of 12 games of each entry that has ended."""
    run = new_run(folder / "run")
    for entry_index in range(len(ENTRIES)):
        append(run, entry_index, range(12))
    run.finish("2026-01-31T12:05:00+00:00")
    return Run(run.folder)


BOT = """
    class Bot:
        def first_move(self):
            return "{word}", {epsilon}

        def next_move(self, guess, epsilon, clues):
            return "slate", 0
"""


def write_games(run: Run, repeated: Collection[int] = ()) -> None:
    """Write the games of a run, or of a part of one, whose entries are BOT, as if it had been killed at its end.

    Args:
        run: The run; its seed is known.
        repeated: The games that were repeated, with the same moves.
    """
    draws = run.info.draws or Draws.of(run.info.seed)
    game = games.make_game(run.info.entries[0].game, run.info.config.load_lists())
    (run.folder / "repeats").mkdir(exist_ok=True)
    for entry in run.entries:
        (source,) = run.store.path(entry.info.sha256).rglob("*.py")
        word, epsilon = re.search(r'return "(\w+)", ([\d.]+)', source.read_text()).groups()
        lines = {}
        for number in entry.numbers:
            session = Session(game, run.info.seed, number, secret_of(game, number, draws))
            session.play((word, float(epsilon)))
            session.play(("slate", 0))
            lines[number] = encode(Record(number, session.secret, session.moves, session.verdict))
        entry.records_path.write_bytes(b"".join(lines.values()))
        if repeated:
            entry.repeats_path.write_bytes(b"".join(lines[number] for number in sorted(repeated)))
        durations = (f"{number};0.000083;0.000226;;0.000000\n" for number in entry.numbers)
        entry.durations_path.write_text(f"{DURATIONS_HEADER}\n" + "".join(durations))
