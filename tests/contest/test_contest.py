"""A contest is played, watched and resumed without a command line."""

import inspect
import json
import random
import subprocess
import sys
from textwrap import dedent

import pytest

from tests.helpers.paths import HOME
from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl import Strategy
from wordpl.contest import Contest, Observer
from wordpl.core.errors import UserError
from wordpl.core.records import encode
from wordpl.core.run_config import RunConfig
from wordpl.core.run_records import RunRecords
from wordpl.reports import RunReport

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
def test_classes_and_objects_play_in_this_process_and_the_result_says_so(tmp_path):
    events = Events()
    config = RunConfig(n_games=N_GAMES, seed="7", results=tmp_path)
    run = Contest(config, [Guesser, Guesser(5.0), Classic()]).play(events)
    assert events.names == ["started", "finished"]
    assert events.played == {"Guesser(epsilon=30.0)": N_GAMES, "Guesser(epsilon=5.0)": N_GAMES, "Classic()": N_GAMES}
    assert run.to_frame().groupby("entry").size().to_dict() == events.played
    assert json.loads((run.folder / "run.json").read_text())["player"] == "trusted"
    assert "own process (trusted)" in RunReport(RunRecords(run)).leaderboard()


def test_objects_play_the_same_games_as_their_file(tmp_path):
    (tmp_path / "drawing.py").write_text(dedent(inspect.getsource(Drawing)).replace("class", "import random\nclass", 1))
    config = RunConfig(n_games=N_GAMES, seed="7", results=tmp_path, level="D", repeats=2)
    events = Events()
    given, named = (Contest(config, entries, jobs=1).play(events) for entries in ([Drawing], [tmp_path / "drawing.py"]))
    assert given.info.player != named.info.player
    assert given.read(given.entries[0]) == named.read(named.entries[0])
    assert events.repeats == (2, 2)


def test_an_interrupted_contest_keeps_its_games_and_is_resumed(tmp_path):
    class Impatient(Events):
        def progress(self, progress):
            if progress.n_played > 3:
                raise KeyboardInterrupt

    run = new_run(tmp_path, {"bot": DRAWS_ALL}, player="trusted", level="", n_games=N_GAMES)
    impatient, patient = Impatient(), Events()
    with pytest.raises(KeyboardInterrupt):
        Contest.resume(run.folder).play(impatient)
    assert impatient.names[0] == "started"
    assert impatient.names[1].startswith("stopped after ")
    n_kept = len(run.read(run.entries[0]))
    assert 3 < n_kept < N_GAMES
    Contest.resume(run.folder).play(patient)
    assert len(run.read(run.entries[0])) == N_GAMES
    assert patient.names == ["started", "finished"]


def test_what_is_no_strategy_and_what_cannot_be_mixed_is_refused():
    with pytest.raises(UserError, match="object is not a strategy"):
        Contest(entries=[object()]).entries  # noqa: B018
    with pytest.raises(UserError, match="either all files or all objects"):
        Contest(entries=[Guesser, "entropy"]).entries  # noqa: B018
    with pytest.raises(UserError, match="Did you mean 'wordle/1'"):
        Contest(RunConfig(game_id="wordle"), [Guesser]).entries  # noqa: B018


@pytest.mark.slow
def test_a_file_without_an_entry_is_told_to_the_observer(tmp_path):
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
    assert encode(run.read(run.entries[0])[3]) == encode(played.record)


def test_the_library_needs_no_click():
    program = "import sys, wordpl.contest; print('click' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=HOME)
    assert done.stdout.strip() == "False", done.stderr
