"""A run's records depend on its seed alone, and nothing that was played is lost."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from wordpl import runner, words
from wordpl.errors import UserError
from wordpl.records import Run, RunInfo, load_run, mend

BOT = """
    import random
    from wordpl import Strategy

    class Bot(Strategy):
        def first_move(self):
            self.left = random.randrange(4)
            return self.rng.choice(self.guesses), 5.0

        def next_move(self, guess, epsilon, clues):
            self.left -= 1
            return (self.rng.choice(self.guesses), 2.5) if self.left > 0 else (self.rng.choice(self.answers), 0)
"""


@pytest.fixture
def new_run(tmp_path, write_entry):
    def new(name, n_games=60, player="process", source=BOT, **entry):
        lists = words.load()
        info = RunInfo(
            seed="seven",
            n_games=n_games,
            timeout_s=0.5,
            warmup_s=10,
            memory_mb=512,
            player=player,
            lists={
                "answers": {"file": "answers.txt", "sha256": lists.sha256["answers"]},
                "guesses": {"file": "valid.txt", "sha256": lists.sha256["guesses"]},
            },
            entries=[write_entry(source, **entry)],
            versions={},
            machine={},
            started="",
        )
        return Run.create(tmp_path / name, info)

    return new


def play(run, jobs=1):
    runner.play_run(run, jobs, lambda progress: None)
    return run.path(run.info.entries[0]).read_bytes()


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_workers(new_run):
    alone = play(new_run("one"))
    assert play(new_run("two"), jobs=2) == alone
    assert play(new_run("trusted", player="trusted")) == alone
    assert alone.count(b"\n") == 60
    assert len(set(alone.splitlines())) == 60


def test_a_run_that_was_cut_off_anywhere_ends_with_the_same_bytes(new_run):
    run = new_run("whole")
    entry = run.info.entries[0]
    whole = play(run)
    lines = whole.splitlines(keepends=True)
    for kept in (b"", lines[3][:20], b"".join(lines[40:]) + b"".join(lines[7:20]) + lines[30][:-1]):
        run.path(entry).write_bytes(kept)
        mend(run)
        assert play(run) == whole


def test_a_finished_run_is_not_played_again(new_run):
    run = new_run("done", n_games=3)
    play(run)
    before = run.path(run.info.entries[0]).stat()
    play(run)
    after = run.path(run.info.entries[0]).stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_record_that_cannot_be_read_is_named(new_run):
    run = new_run("broken", n_games=3)
    play(run)
    path = run.path(run.info.entries[0])
    path.write_bytes(path.read_bytes().replace(b'"game":1', b'"game":"x"'))
    with pytest.raises(UserError, match=r"line 2 of .*bot\.jsonl is not a record"):
        run.read(run.info.entries[0])


def test_a_run_loads_as_a_table(new_run):
    run = new_run("table", n_games=20)
    play(run)
    table = load_run(run.folder)
    assert list(table.game) == list(range(20))
    assert set(table.entry) == {"bot"}
    won = table.verdict == "won"
    assert (table.cost[~won] == float("inf")).all()
    assert (table.n_moves == table.moves.map(len)).all()


def test_durations_stand_beside_the_records(new_run):
    run = new_run("durations", n_games=5)
    play(run)
    lines = (run.folder / "durations" / "bot.csv").read_text().splitlines()
    assert lines[0] == "game;cpu_s;wall_s"
    assert [line.split(";")[0] for line in lines[1:]] == list("01234")


def test_changed_word_lists_are_noticed(new_run):
    run = new_run("lists")
    run.info.lists["answers"]["sha256"] = "0" * 64
    with pytest.raises(UserError, match=r"answers\.txt has changed since the run began"):
        runner.lists_of(run.info)


HOSTS = {
    "hangs": "import ctypes; ctypes.CDLL(None).sleep(60)",
    "raises": "raise ValueError",
    "nonsense": "return {'a': [None]}",
    "exits": "import os; os._exit(1)",
    "allocates": "while True: self.kept = [bytes(16 << 20), getattr(self, 'kept', None)]",
}


def test_an_honest_entry_s_records_are_the_same_beside_misbehaving_ones(new_run, write_entry, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    alone = play(new_run("alone", n_games=6))
    run = new_run("together", n_games=6)
    for name, deed in HOSTS.items():
        source = f"""
        class Bot:
            def first_move(self):
                {deed}
            def next_move(self, guess, epsilon, clues):
                return "abide", 0
        """
        run.info.entries.insert(0, write_entry(source, name=name))
    run.info.warmup_s, run.info.timeout_s = 1.0, 1.0
    run.finish("")
    run = Run(run.folder)
    runner.play_run(run, 2, lambda progress: None)
    honest = run.info.entries[-1]
    assert run.path(honest).read_bytes() == alone
    verdicts = {entry.name: {str(record.verdict) for record in run.read(entry)} for entry in run.info.entries[:-1]}
    assert verdicts == {
        "hangs": {"late"},
        "raises": {"crashed"},
        "nonsense": {"illegal"},
        "exits": {"crashed"},
        "allocates": {"out of memory"},
    }
    assert not players_left(tmp_path)


def players_left(folder: Path) -> list[str]:
    """Return the working directories below `folder` of what still runs, a directory that is gone included."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            where = str((process / "cwd").readlink())
        except OSError:
            continue
        if where.startswith(str(folder)):
            found.append(where)
    return found


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_harness_killed_at_any_moment_loses_nothing_but_the_games_in_play(new_run, jobs):
    run = new_run("killed", n_games=4000)
    entry = run.info.entries[0]
    program = f"from wordpl import runner, records; runner.play_run(records.Run({str(run.folder)!r}), {jobs}, print)"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(run.folder)},  # what it cannot tidy up goes with the test
    )
    until = time.monotonic() + 30
    while not (run.path(entry).exists() and run.path(entry).stat().st_size > 2000) and time.monotonic() < until:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    mend(run)
    kept = run.read(entry)
    assert 10 < len(kept) < 4000
    reference = new_run("reference", n_games=100)
    expected = {record.game: record for record in reference_records(reference)}
    assert all(expected[record.game] == record for record in kept if record.game in expected)


def reference_records(run):
    play(run)
    return run.read(run.info.entries[0])
