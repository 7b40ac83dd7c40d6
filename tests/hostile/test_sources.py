"""No source stops the harness, whatever it was written for: it is read in a process without rights, within limits."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.helpers.apps import needed
from tests.helpers.cli import wordpl
from tests.helpers.paths import HOME
from tests.hostile import bombs
from wordpl.contest import Contest
from wordpl.core.messages import UserError
from wordpl.players import discovery, limited, source_facts
from wordpl.players.limited import ParseJob, Unread
from wordpl.players.sandbox.probe import probe
from wordpl.players.source_facts import SourceFacts, Sources
from wordpl.run.bundle import entries_in
from wordpl.run.config import RunConfig

BOMBS = dict(bombs.sources())
GOOD = bombs.BOT.replace("Bot", "Good").replace("5.0", "4.0")  # no copy of what bombs hold
SOME = {
    "names": "names a group of kernels again and again, 1,000,000 bytes",
    "deep": "adds 100,000 deep",
    "minus": "has minus signs 100,000 deep",
    "lines": "has half a million statements",
    "null": "has null bytes",
    "codec": "says that it is in zip",
}

isolated = pytest.mark.skipif(not probe().level.is_official, reason="needs Landlock or bubblewrap")


def write_bombs(folder):
    """Write some bombs, and a good entry after them; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, bomb in SOME.items():
        (folder / f"{name}.py").write_bytes(BOMBS[bomb])
    (folder / "zgood.py").write_text(GOOD)
    return folder


@pytest.mark.long
@pytest.mark.timeout(600)
def test_over_100_bombs_are_read_within_limits_and_none_hides_its_neighbours(tmp_path):
    files = []
    for number, content in enumerate([*BOMBS.values(), GOOD.encode()]):
        files.append(tmp_path / f"b{number}.py")
        files[-1].write_bytes(content)
    assert len(BOMBS) > 100
    began = time.process_time()
    found = source_facts.read([Sources(str(file)) for file in files])
    assert time.process_time() - began < 2  # of this process, which parses nothing of them
    assert list(found[-1].classes) == ["Good"]
    unread = {bomb for bomb, facts in zip(BOMBS, found, strict=False) if isinstance(facts, Unread)}
    assert {"adds 100,000 deep", "has half a million statements"} <= unread
    assert all("names" not in bomb and "mentions" not in bomb for bomb in unread)  # a comment stops no parser


@pytest.mark.slow
def test_a_bomb_neither_hides_a_class_nor_goes_unnamed(tmp_path, monkeypatch):
    write_bombs(tmp_path / "strategies")
    monkeypatch.chdir(tmp_path)
    (source,) = discovery.find_sources(["Good()"])
    assert source.file.name == "zgood.py"
    with pytest.raises(UserError, match=r"strategies/deep.py: it is nested too deep to be read"):
        discovery.find_sources(["Nobody()"])


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_run_plays_with_the_entries_that_can_be_loaded_and_names_the_others(tmp_path):
    files = entries_in(write_bombs(tmp_path / "strategies"))
    run = Contest(RunConfig(n_games=1, repeats=0, level="D", results=tmp_path / "results"), files, jobs=1).play()
    assert {"Bot", "Good"} <= {entry.info.name.partition(" ")[0] for entry in run.entries}
    result = wordpl("check", files[0].parent / "deep.py", "--isolation", "D")
    assert result.exit_code == 1
    assert "deep.py" in result.output


@pytest.mark.long
@pytest.mark.timeout(600)
@isolated
def test_bombs_stop_no_round_of_a_season(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    seasons = needed("season.season")
    from tests.apps.season.test_season import new_season, played

    season = new_season(tmp_path / "cup", players=10)
    write_bombs(season.folder / "strategies")
    added, _ = season.submit_changed()
    assert {version.label for version in added} >= {"deep@1", "zgood@1", "names@1"}
    season = played(season.folder, seasons.Season(season.folder))
    (event,) = season.played_rounds
    assert {"names@1", "zgood@1"} <= set(event.players.values())
    assert "deep@1" in event.faults


def loop(contents, argument):
    while True:
        pass


def fill(contents, argument):
    return [b"x" * (1 << 20) for _ in range(10_000)]


def reach(contents, argument):
    for attempt in (Path("/etc/hostname").read_bytes, Path("out").touch, os.fork):
        try:
            attempt()
        except PermissionError:
            continue
        raise SystemExit("it could")
    return {"can": []}


def lie(contents, argument):
    return {"author": "x" * 60_000, "classes": 5}


@pytest.fixture
def own_parsers(monkeypatch):
    """Let the process that parses find the functions of this file."""
    monkeypatch.setattr(limited, "KEPT_VARIABLES", (*limited.KEPT_VARIABLES, "PYTHONPATH"))
    monkeypatch.setenv("PYTHONPATH", str(HOME))


@pytest.mark.parametrize(
    ("function", "reason"),
    [pytest.param(loop, "too long", marks=pytest.mark.long), (fill, "too much memory"), (lie, "cannot be read")],
)
def test_even_a_parser_that_an_author_has_taken_over_has_limits(own_parsers, function, reason):
    jobs = [ParseJob([__file__]), ParseJob([__file__])]
    for found in limited.parse(f"{__name__}:{function.__name__}", SourceFacts, jobs):
        assert isinstance(found, Unread)
        assert reason in found.reason


@pytest.mark.slow
@isolated
def test_a_parser_can_open_no_file_and_start_no_process(own_parsers):
    assert limited.parse(f"{__name__}:reach", dict, [ParseJob([__file__])]) == [{"can": []}]


def parent(contents, argument):
    return os.getppid()


def seize(contents, argument):
    for file in (0, 1, 2, *range(4, 16)):
        with suppress(OSError):
            os.write(file, FORGED)
    for number in (signal.SIGKILL, signal.SIGSTOP):
        with suppress(OSError):
            os.kill(os.getppid(), number)
    os.write(limited.REPLIES, FORGED)
    return {"author": "Mallory"}


FORGED = b'{"sent":"eyJhdXRob3IiOiJNYWxsb3J5In0=","reason":""}\n' * 3  # base64 of {"author":"Mallory"}


@isolated
def test_a_parser_that_an_author_has_taken_over_answers_for_nobody_else(own_parsers, tmp_path):
    (tmp_path / "good.py").write_text(f'AUTHOR = "Ann"\n{GOOD}')
    (helper,) = limited.parse(f"{__name__}:parent", int, [ParseJob([__file__])])
    (seized,) = limited.parse(f"{__name__}:seize", SourceFacts, [ParseJob([__file__])])
    assert isinstance(seized, Unread)
    (facts,) = source_facts.read([Sources(str(tmp_path / "good.py"))])
    assert facts.author == "Ann"
    assert limited.parse(f"{__name__}:parent", int, [ParseJob([__file__])]) == [helper]  # the same process as before


@isolated
def test_a_helper_that_was_killed_is_replaced_and_no_thread_has_that_of_another(own_parsers):
    def ask():
        (found,) = limited.parse(f"{__name__}:parent", int, [ParseJob([__file__])])
        return found

    helpers = [ask()]
    os.kill(helpers[0], signal.SIGKILL)
    helpers.append(ask())
    with ThreadPoolExecutor(1) as thread:
        helpers.append(thread.submit(ask).result())
    assert ask() == helpers[1]
    assert len(set(helpers)) == 3
