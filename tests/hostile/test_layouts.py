"""No player of an official run can read the run or its seed, wherever results, entries and state are."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

import pytest
from msgspec.structs import replace

from wordpl.contest import isolation, official, run_folder, run_worker, runner
from wordpl.core.seeds import Draws
from wordpl.games import game_class
from wordpl.players.sandbox import levels, probe
from wordpl.players.sandbox.levels import Level
from wordpl.run.bundle import Bundle
from wordpl.run.config import Limits, RunConfig
from wordpl.run.folder import Run, exclusive
from wordpl.run.info import EntryInfo

SPY = """
    import os

    class Bot:
        def first_move(self):
            found = [number for number, path in enumerate(KNOWN) if opens(path)]
            raise ValueError(f"opened {found} of {len(KNOWN)}")

        def next_move(self, guess, epsilon, clues):
            return guess, 0

    def opens(path):
        try:
            return bool(os.listdir(path)) if os.path.isdir(path) else bool(open(path).read() or "empty")
        except OSError:
            return False
"""
DRAWS = Draws.of("layouts")
OFFICIAL = [level for level in Level if level.is_official and level >= probe.probe().level]
QUICK = {("home", Level.A), ("environment", Level.B)}


@dataclass
class Layout:
    """The folders of a run.

    Attributes:
        also: other paths to the results or to the seeds
    """

    bots: Path
    results: Path
    also: list[Path] = field(default_factory=list)


@pytest.fixture
def mount():
    """Yield a function that mounts a folder at a second place until the end of the test."""
    places = []

    def bind(folder: Path, place: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid():
            pytest.skip("only the superuser can make a bind mount")
        place.mkdir(parents=True)
        if subprocess.run(["mount", "--bind", folder, place], capture_output=True).returncode:
            pytest.skip("this superuser may not mount")
        places.append(place)
        return place

    yield bind
    for place in reversed(places):
        subprocess.run(["umount", "-l", place], check=True)
        place.rmdir()


@pytest.fixture
def layout(request, tmp_path, monkeypatch, mount):
    """Yield the layout with this name."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    bots = tmp_path / "bots"
    run_layout = {
        "beside": lambda: Layout(tmp_path, tmp_path / "results"),
        "strategies": lambda: Layout(tmp_path / "strategies", tmp_path / "strategies" / "results"),
        "home": lambda: Layout(tmp_path / "home", tmp_path / "home" / "results"),
        "environment": lambda: Layout(bots, Path(sys.prefix) / f"wordpl-{tmp_path.name}"),
        "state in the environment": lambda: Layout(bots, tmp_path / "results"),
        "link": lambda: _linked(bots, tmp_path / "elsewhere"),
        "mounted results": lambda: Layout(
            bots, tmp_path / "results", [mount(tmp_path / "results", bots / "mirror"), bots / "mirror"]
        ),
        "results seen through a mount": lambda: Layout(bots, mount(bots / "own", tmp_path / "results"), [bots / "own"]),
        "mounted state": lambda: Layout(bots, tmp_path / "results", [mount(tmp_path / "state", bots / "mirror")]),
        "mounted in the environment": lambda: Layout(
            bots, tmp_path / "results", [mount(tmp_path / "results", Path(sys.prefix) / f"wordpl-{tmp_path.name}")]
        ),
    }[request.param]()
    if request.param == "home":
        monkeypatch.delenv("XDG_STATE_HOME")
    if request.param == "state in the environment":
        monkeypatch.setenv("XDG_STATE_HOME", str(Path(sys.prefix) / "state"))
    if run_layout.results.is_relative_to(sys.prefix) and not os.access(sys.prefix, os.W_OK):
        pytest.skip("this user cannot write to the environment")
    for folder in (run_layout.bots, run_layout.results):
        folder.mkdir(parents=True, exist_ok=True)
    for folder in (*tmp_path.parents[:2], tmp_path):
        folder.chmod(0o755)
    yield run_layout
    if request.param == "environment":
        shutil.rmtree(run_layout.results)


def _linked(bots: Path, elsewhere: Path) -> Layout:
    bots.mkdir()
    (elsewhere / "results").mkdir(parents=True)
    (bots / "results").symlink_to(elsewhere / "results")
    (bots / "shortcut").symlink_to(elsewhere)
    return Layout(bots, bots / "results", [bots / "shortcut" / "results"])


def layouts():
    """Yield each layout at each level; all but a few are marked as long."""
    for name in ("beside", "strategies", "home", "environment", "state in the environment", "link", "mounted results",
                 "results seen through a mount", "mounted state", "mounted in the environment"):  # fmt: skip
        for level in OFFICIAL:
            yield pytest.param(name, level, marks=pytest.mark.slow if (name, level) in QUICK else pytest.mark.long)


def begin_run(layout: Layout, level: Level) -> Run:
    """Return a new official run of a spy that knows all paths."""
    file = layout.bots / "spy.py"
    file.write_text(dedent(SPY))
    unknown = "0" * 64  # until it is known
    entry = EntryInfo("spy", "spy", game_class("wordpl/1").facts, str(file), "Bot()", unknown, uses=[])
    limits = Limits(wall_s=3.0)
    config = RunConfig(n_games=1, repeats=0, official=True, level=level, warmup_s=10.0, limits=limits)
    info = run_folder.describe(config, [entry])
    run = official.new_run(run_folder.new_folder(layout.results, info), info)
    seed = official.find(run)
    known_paths = [run.folder / name for name in ("run.json", ".lock", "records", "records/spy.jsonl", ".begun/spy")]
    known_paths += [run.folder / "bundles", file, layout.bots / "rival.py", layout.bots / "rival.json"]
    known_paths += [layout.results, layout.results / run.folder.name / "run.json", seed, seed.parent]
    known_paths += [place / run.folder.name / "run.json" for place in layout.also]
    known_paths += [place / "wordpl" / "seeds" / seed.name for place in layout.also]
    for name in ("rival.py", "rival.json"):
        (layout.bots / name).write_text("{}")
    (layout.bots / "spy.json").write_text(json.dumps([str(path) for path in known_paths]))
    file.write_text(f"KNOWN = {[str(path) for path in known_paths]}\n{dedent(SPY)}")
    digest = run.store.add(Bundle.of(file))
    run.info.entries[:] = [replace(entry, sha256=digest)]
    run.write_info()
    return run


def play(run: Run, level: Level) -> str:
    """Play the run's game at the level after checking hidden files; return the spy's message."""
    with exclusive(run.folder), run_worker.local(run, DRAWS, 1) as workers:
        isolation.require_hidden(run, workers.task.parent)
        run.info.config = replace(run.info.config, level=level)
        run.write_info()
        runner.play_remaining(run, workers, lambda progress: None)
    return run.entries[0].read()[0].message


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("layout", "level"), list(layouts()), indirect=["layout"])
def test_no_player_can_open_the_run_or_its_seed_in_any_layout(layout, level):
    run = begin_run(layout, level)
    seed = official.find(run)
    try:
        assert stat.S_IMODE(seed.stat().st_mode) == 0o600
        for root in (*levels.roots(), layout.results):
            assert not any(path.is_relative_to(root.resolve()) for path in levels.aliases([seed]))
        assert "ValueError: opened [] of" in play(run, level)
        assert official.read(Run(run.folder)) == seed.read_text().strip()
    finally:
        official.remove(run)
    assert not seed.exists()


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["link"], indirect=True)
def test_the_spy_can_open_these_files_without_a_sandbox(layout):
    run = begin_run(layout, OFFICIAL[-1])
    known_paths = json.loads((layout.bots / "spy.json").read_text())
    match = re.search(r"opened \[(.*)\] of", play(run, Level.D))
    opened = {known_paths[int(number)] for number in match[1].split(", ")}
    shortcut = layout.also[0] / run.folder.name / "run.json"
    assert opened >= {
        str(path) for path in (run.folder / "run.json", run.folder / ".lock", official.find(run), shortcut)
    }


@pytest.mark.slow
def test_a_run_in_the_folder_of_its_entry_is_hidden_from_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    layout = Layout(tmp_path / "results", tmp_path / "results")
    layout.bots.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert "ValueError: opened [] of" in play(begin_run(layout, OFFICIAL[-1]), OFFICIAL[-1])
