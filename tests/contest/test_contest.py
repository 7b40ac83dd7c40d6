"""A contest is played, observed and resumed without a command line."""

import inspect
import json
import os
import random
from functools import partial
from textwrap import dedent

import pytest

from tests.helpers.runs import DRAWS_ALL, new_run, resume
from tests.helpers.written_runs import BOT, write_games
from wordpl import Strategy
from wordpl.contest import Contest, Observer, official, run_folder
from wordpl.contest.contest import clear_up
from wordpl.contest.parts import given, prepare
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.reports import RunReport
from wordpl.run import records
from wordpl.run.config import Limits, PlayerKind, RunConfig
from wordpl.run.entry import Journal
from wordpl.run.folder import Run, RunRecords, exclusive
from wordpl.run.info import Part
from wordpl.run.records import Record, encode

DRAWS = Draws.of("seven")

N_GAMES = 20


class Guesser(Strategy):
    def __init__(self, epsilon=30.0):
        self.epsilon = epsilon

    def first_move(self):
        return str(self.rng.choice(self.guesses)), self.epsilon

    def next_move(self, guess, epsilon, clues):
        return str(self.rng.choice(self.answers)), 0


class Drawing:
    def first_move(self):
        return random.choice(["crane", "slate", "abide"]), random.uniform(1, 30)

    def next_move(self, guess, epsilon, clues):
        return random.choice(["crane", "slate", "abide"]), 0


class Classic(Strategy):
    game = "wordle/1"

    def first_move(self):
        return "slate"

    def next_move(self, guess, clues):
        return str(self.rng.choice(self.answers))


class Events(Observer):
    """Keeps the names of what happened, and the last progress of each entry."""

    def __init__(self):
        self.names, self.played = [], {}

    def started(self, run):
        self.names.append("started")

    def progress(self, progress):
        self.played[progress.entry.name] = progress.n_played

    def repeated(self, n_done, n_games):
        self.repeats = n_done, n_games

    def no_entry(self, fault):
        self.names.append(f"no entry from {fault.source.file.name}")

    def stopped(self, run, n_played):
        self.names.append(f"stopped after {n_played}")

    def finished(self, run):
        self.names.append("finished")


@pytest.mark.slow
def test_classes_and_objects_play_in_this_process_as_the_board_states(tmp_path):
    events = Events()
    config = RunConfig(n_games=N_GAMES, seed="7", results=tmp_path)
    run = Contest(config, [Guesser, Guesser(5.0), Classic()]).play(events)
    assert events.names == ["started", "finished"]
    assert events.played == {"Guesser(epsilon=30.0)": N_GAMES, "Guesser(epsilon=5.0)": N_GAMES, "Classic()": N_GAMES}
    assert run.to_frame().groupby("entry").size().to_dict() == events.played
    assert json.loads((run.folder / "run.json").read_text())["config"]["player"] == "trusted"
    assert "own process (trusted)" in RunReport(RunRecords(run)).markdown()


@pytest.mark.slow
def test_objects_play_the_same_games_as_their_file(tmp_path):
    (tmp_path / "drawing.py").write_text(dedent(inspect.getsource(Drawing)).replace("class", "import random\nclass", 1))
    config = RunConfig(n_games=N_GAMES, seed="7", results=tmp_path, level="D", repeats=2)
    events = Events()
    object_run, file_run = (
        Contest(config, entries, jobs=1).play(events) for entries in ([Drawing], [tmp_path / "drawing.py"])
    )
    assert object_run.info.config.player != file_run.info.config.player
    assert object_run.entries[0].read() == file_run.entries[0].read()
    assert events.repeats == (2, 2)


def test_the_observer_is_notified_of_a_file_without_an_entry(tmp_path):
    (tmp_path / "broken.py").write_text("import nothing_of_that_name")
    (tmp_path / "good.py").write_text(
        "class Bot:\n    def first_move(self): return 'crane', 0\n    def next_move(self, *asked): return 'crane', 0\n"
    )
    events = Events()
    Contest(trusted_config(tmp_path), [tmp_path / name for name in ("broken.py", "good.py")]).play(events)
    assert events.names == ["no entry from broken.py", "started", "finished"]


def test_a_game_is_replayed_without_writing_anything(tmp_path):
    config = RunConfig(seed="7", n_games=N_GAMES, results=tmp_path)
    (played,) = Contest(config, [Guesser]).replay(3)
    assert list(tmp_path.iterdir()) == []
    run = Contest(config, [Guesser]).play()
    assert encode(run.entries[0].read()[3]) == encode(played.record)


def trusted_config(tmp_path, **settings):
    return RunConfig(n_games=4, seed="7", results=tmp_path / "results", player=PlayerKind.TRUSTED, **settings)


def test_one_game_is_played_at_a_time_unless_processes_play(tmp_path):
    assert Contest(trusted_config(tmp_path)).jobs == 1
    assert Contest(trusted_config(tmp_path), jobs=3).jobs == 3
    assert Contest(RunConfig()).jobs == run_folder.n_processors()
    assert Contest(RunConfig(), ["entropy"], jobs=3).jobs == 3
    assert Contest(RunConfig(), [Guesser], jobs=3).jobs == 1


def test_only_objects_change_the_configuration(tmp_path):
    config = RunConfig(level="D")
    assert Contest(config, ["entropy", tmp_path]).config is config
    assert Contest(config, [Guesser]).config.is_trusted
    assert Contest().config == RunConfig()


def test_a_contest_opens_one_run_without_games(tmp_path):
    contest = Contest(trusted_config(tmp_path), [Guesser])
    assert not (tmp_path / "results").exists()
    run = contest.open()
    assert contest.open() is run
    assert (run.info.finished, run.info.config.n_games, run.entries[0].read()) == (None, 4, [])
    assert contest.play().folder == run.folder == tmp_path / "results" / run.folder.name
    assert [folder.name for folder in (tmp_path / "results").iterdir()] == [run.folder.name]


def test_a_finished_run_is_sealed_and_does_not_change_when_resumed(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, player="trusted", level="", n_games=5, repeats=2)
    events = Events()
    played_run = resume(run, jobs=1).play(events)
    assert (events.names, events.played, events.repeats) == (["started", "finished"], {"bot": 5}, (2, 2))
    assert played_run.info.finished and played_run.info.seal
    assert not (run.folder / ".begun").exists()
    contents = {path: path.read_bytes() for path in run.folder.rglob("*") if path.is_file()}
    run.entries[0].begin_journal(1, [4])  # as if it had been killed before it was cleared up
    events_of_resumed = Events()
    resume(run, jobs=1).play(events_of_resumed)
    assert {path: path.read_bytes() for path in run.folder.rglob("*") if path.is_file()} == contents
    assert (events_of_resumed.names, events_of_resumed.played) == (["started", "finished"], {"bot": 5})
    assert not run.entries[0].journal_files()


def test_a_resumed_contest_has_the_settings_and_entries_of_its_run(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL, "other": DRAWS_ALL}, n_games=5, timeout_s=0.7)
    contest = resume(run, jobs=2)
    assert (contest.entries, contest.found.faults, contest.jobs) == (run.info.entries, [], 2)
    assert (contest.config.n_games, contest.config.timeout_s) == (5, 0.7)
    assert contest.open().folder == run.folder


def test_without_repeats_no_game_is_repeated(tmp_path):
    events = Events()
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, player="trusted", level="", n_games=3, repeats=0)
    resume(run, jobs=1).play(events)
    assert not hasattr(events, "repeats")
    assert not (run.folder / "repeats").exists()


def test_an_interrupted_run_says_how_many_games_of_all_entries_are_kept(tmp_path):
    class Impatient(Events):
        def progress(self, progress):
            super().progress(progress)
            if progress.entry.slug == "other" and progress.n_played:
                raise KeyboardInterrupt

    run = new_run(tmp_path, {"bot": DRAWS_ALL, "other": DRAWS_ALL}, player="trusted", level="", n_games=5)
    impatient = Impatient()
    with pytest.raises(KeyboardInterrupt):
        resume(run).play(impatient)
    n_kept = sum(len(entry.read()) for entry in run.entries)
    assert 5 < n_kept < 10
    assert impatient.names == ["started", f"stopped after {n_kept}"]
    assert Run(run.folder).info.finished is None
    patient = Events()
    assert [len(entry.read()) for entry in resume(run).play(patient).entries] == [5, 5]
    assert patient.names == ["started", "finished"]


def test_a_run_in_use_is_not_played_by_another_process(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, player="trusted", level="", n_games=3)
    with exclusive(run.folder), pytest.raises(UserError, match="in use"):
        resume(run).play()


def test_a_game_of_each_entry_is_replayed_under_one_seed(tmp_path):
    contest = Contest(RunConfig(n_games=4, results=tmp_path / "results"), [Guesser, Guesser(5.0)])
    first, second = contest.replay(2)
    assert (first.entry.name, second.entry.name) == ("Guesser(epsilon=30.0)", "Guesser(epsilon=5.0)")
    assert first.seed == second.seed
    assert (first.record.game, first.record.secret) == (2, second.record.secret)


def test_games_that_a_worker_has_ended_are_kept_when_a_run_is_interrupted(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, player="trusted", level="", n_games=9)

    class Impatient(Events):
        def progress(self, progress):
            if progress.n_played:
                (number,) = DRAWS.order(9)[-1:]
                journal = Journal(run.entries[0].journal_path(99), number)
                journal.add(encode(Record(number, "crane", [], Verdict.LATE)), None)
                journal.close()
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        resume(run).play(Impatient())
    assert Verdict.LATE in {record.verdict for record in run.entries[0].read()}
    assert not run.entries[0].journal_files()


def test_a_run_that_readers_would_not_accept_is_not_created(tmp_path):
    with pytest.raises(UserError, match="a new run: the limit wall_s is"):
        Contest(trusted_config(tmp_path, limits=Limits(wall_s=2e9)), [Guesser]).open()
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    "begin", [Contest.resume, Contest.of, partial(Contest.part, text="1/2"), partial(Contest.add, entries=["x.py"])]
)
def test_whoever_opens_a_run_says_how_many_games_he_accepts(tmp_path, begin):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=60)
    more = {"results": tmp_path} if getattr(begin, "func", begin) == Contest.add else {}
    with pytest.raises(UserError, match="60 games of all entries together, and readers accept 59"):
        begin(run.folder, level="D", max_games=59, **more)


def test_a_part_is_prepared_by_whoever_chose_its_isolation_and_a_beacon_by_one_process_alone(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=6, beacon_from="round 5")
    with pytest.raises(UserError, match="resume it with --isolation D"):
        Contest.part(run.folder, "1/2", beacon="00ff")
    with exclusive(run.folder), pytest.raises(UserError, match="in use"):
        Contest.part(run.folder, "1/2", beacon="00ff", level="D")
    assert not (run.folder / "parts").exists()


TELLS_ITS_PROCESS = """
    import os

    class Bot:
        def first_move(self):
            raise ValueError(f"process {os.getpid()}")

        def next_move(self, guess, epsilon, clues):
            return "abide", 0
"""


def test_a_run_that_says_that_its_entries_are_trusted_is_replayed_in_other_processes(tmp_path):
    run = new_run(tmp_path, {"bot": TELLS_ITS_PROCESS}, player="trusted", level="", n_games=1, timeout_s=5.0)
    resume(run).play()
    assert run.entries[0].read()[0].message.endswith(f"process {os.getpid()}")
    contest = Contest.of(run.folder, level="D")
    assert (contest.config.is_trusted, contest.config.level) == (False, "D")
    (replayed,) = contest.replay(0)
    assert "process " in replayed.record.message
    assert not replayed.record.message.endswith(f"process {os.getpid()}")
    run.entries[0].records_path.write_text("")
    with pytest.raises(UserError, match="is damaged"):
        Contest.of(run.folder, level="D")


def test_what_a_finished_run_needs_no_more_is_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    run = new_run(tmp_path, {"bot": BOT.format(word="crane", epsilon=5.0)}, n_games=4, player="trusted", level="")
    prepare(run, 1, 2)
    write_games(run)
    run.entries[0].begin_journal(1, [0])
    run.info.commitment, run.info.drawn_seed = "c0ffee", "drawn"
    seed = official.write("drawn", "c0ffee", run.folder)
    monkeypatch.setattr(records.compress, "__defaults__", (1,))
    run.info.part = Part(1, 1, 0, 4)
    clear_up(run)
    assert run.entries[0].records_path.exists()  # as a join reads it
    run.info.part = None
    clear_up(run)
    assert records.compressed_path(run.entries[0].records_path).exists()
    assert not run.entries[0].records_path.exists()
    assert not run.entries[0].journals_path.exists()
    assert not seed.exists()
    assert not given(run)


def test_players_are_not_started_if_they_could_read_the_run(tmp_path, monkeypatch):
    run = new_run(tmp_path, {"bot": BOT.format(word="crane", epsilon=5.0)}, n_games=2, level="A")
    write_games(run)
    (run.folder / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(run.folder / "tmp"))
    with pytest.raises(UserError, match="it is in a folder that they must not read"):
        resume(run, jobs=1).play()
    assert Run(run.folder).info.finished is None


def test_the_sources_of_a_run_can_be_read_once_it_has_finished(tmp_path):
    run = new_run(tmp_path, {"bot": BOT.format(word="crane", epsilon=5.0)}, n_games=2, player="trusted", level="")
    write_games(run)
    assert run.store.folder.stat().st_mode & 0o777 == 0o700
    resume(run).play()
    assert run.store.folder.stat().st_mode & 0o777 == 0o755
