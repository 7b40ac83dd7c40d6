"""A contest is played, observed and resumed without a command line."""

import inspect
import json
import random
import subprocess
import sys
from textwrap import dedent

import pytest

from tests.helpers.paths import HOME
from tests.helpers.runs import DRAWS_ALL, new_run, resume
from wordpl import Strategy
from wordpl.contest import Contest, Observer, run_folder
from wordpl.core.messages import UserError
from wordpl.reports import RunReport
from wordpl.run.config import PlayerKind, RunConfig
from wordpl.run.folder import Run, RunRecords, exclusive
from wordpl.run.records import encode

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


def test_an_interrupted_contest_keeps_its_games_and_is_resumed(tmp_path):
    class Impatient(Events):
        def progress(self, progress):
            if progress.n_played > 3:
                raise KeyboardInterrupt

    run = new_run(tmp_path, {"bot": DRAWS_ALL}, player="trusted", level="", n_games=N_GAMES)
    impatient, patient = Impatient(), Events()
    with pytest.raises(KeyboardInterrupt):
        resume(run).play(impatient)
    assert impatient.names[0] == "started"
    assert impatient.names[1].startswith("stopped after ")
    n_kept = len(run.entries[0].read())
    assert 3 < n_kept < N_GAMES
    resume(run).play(patient)
    assert len(run.entries[0].read()) == N_GAMES
    assert patient.names == ["started", "finished"]


def test_non_strategies_and_mixed_files_and_objects_are_refused():
    with pytest.raises(UserError, match="a strategy is an object with the methods"):
        Contest(entries=[object()]).entries  # noqa: B018
    with pytest.raises(UserError, match="either all files or all objects"):
        Contest(entries=[Guesser, "entropy"]).entries  # noqa: B018
    with pytest.raises(UserError, match="Did you mean 'wordle/1'"):
        Contest(RunConfig(game_id="wordle"), [Guesser]).entries  # noqa: B018


@pytest.mark.slow
def test_the_observer_is_notified_of_a_file_without_an_entry(tmp_path):
    (tmp_path / "broken.py").write_text("import nothing_of_that_name")
    (tmp_path / "good.py").write_text(
        "class Bot:\n    def first_move(self): return 'crane', 0\n    def next_move(self, *asked): return 'crane', 0\n"
    )
    events = Events()
    config = RunConfig(n_games=1, repeats=0, level="D", results=tmp_path / "results")
    Contest(config, [tmp_path / name for name in ("broken.py", "good.py")], jobs=1).play(events)
    assert events.names == ["no entry from broken.py", "started", "finished"]


def test_a_game_is_replayed_without_writing_anything(tmp_path):
    config = RunConfig(seed="7", n_games=N_GAMES, results=tmp_path)
    (played,) = Contest(config, [Guesser]).replay(3)
    assert list(tmp_path.iterdir()) == []
    run = Contest(config, [Guesser]).play()
    assert encode(run.entries[0].read()[3]) == encode(played.record)


def test_the_contest_library_does_not_import_click():
    program = "import sys, wordpl.contest; print('click' in sys.modules)"
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=HOME)
    assert process.stdout.strip() == "False", process.stderr


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
    events_of_resumed = Events()
    resume(run, jobs=1).play(events_of_resumed)
    assert {path: path.read_bytes() for path in run.folder.rglob("*") if path.is_file()} == contents
    assert (events_of_resumed.names, events_of_resumed.played) == (["started", "finished"], {"bot": 5})


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
