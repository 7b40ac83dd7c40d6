"""A hostile published run, given to every command that takes one: nothing of it runs or writes outside the sandbox.

Each hostile run is copied for each command. A command may end in any way but with a traceback; what matters is that
nothing outside its own output is changed, that no private file is shown, and that the run's code never leaves the
sandbox. `tests/hostile/as_ordinary_user.sh` runs this file as another user than root.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from textwrap import dedent

import click
import pytest

from tests.helpers.apps import needed
from tests.helpers.cli import all_commands, wordpl
from tests.helpers.runs import new_run, resume
from wordpl.contest.session import Session
from wordpl.core.words import load as load_words
from wordpl.games import make_game
from wordpl.players.sandbox import probe
from wordpl.reports.run_report import RunReport
from wordpl.run.folder import MAX_READ_GAMES, Run, RunRecords

pytestmark = pytest.mark.skipif(not probe.probe().level.is_official, reason="needs Landlock or bubblewrap")
SECRET = "private text of the reader, 8d1f0a"
CODE = """
    import os

    def write(place):
        for path in ({trace!r}, os.path.expanduser("~/trace"), "trace", {trace!r} + "-" + str(os.getpid())):
            try:
                with open(path, "a") as file:
                    file.write(place)
            except OSError:
                pass

    write("import")

    class {name}:
        def __init__(self):
            write("init")
        def __repr__(self):
            return "{name}()"
        def first_move(self):
            write("game")
            return "crane", 5.0
        def next_move(self, guess, epsilon, clues):
            return "abide", 0
"""
HONEST = """
class Added:
    def first_move(self): return "crane", 2.0
    def next_move(self, guess, epsilon, clues): return "abide", 0
"""
N_GAMES = 4
Edit = Callable[[Path, Path], None]
"""Spoils a run, given its folder and a folder of the reader with private files."""


def facts(**values) -> Edit:
    """Return an edit of run.json."""

    def edit(run: Path, outside: Path) -> None:
        path = run / "run.json"
        text = json.dumps(json.loads(path.read_text()) | values)
        path.write_text(text.replace("OUTSIDE", str(outside)))

    return edit


def config(**values) -> Edit:
    """Return an edit of the configuration in run.json."""

    def edit(run: Path, outside: Path) -> None:
        facts(config=json.loads((run / "run.json").read_text())["config"] | values)(run, outside)

    return edit


def entry(**values) -> Edit:
    """Return an edit of the first entry in run.json."""

    def edit(run: Path, outside: Path) -> None:
        entries = json.loads((run / "run.json").read_text())["entries"]
        facts(entries=[entries[0] | values, *entries[1:]])(run, outside)

    return edit


def unfinished(edit: Edit) -> Edit:
    """Return an edit after which the run can also be resumed: half of its games are missing."""

    def both(run: Path, outside: Path) -> None:
        described = json.loads((run / "run.json").read_text())
        described["finished"] = described["seal"] = None
        (run / "run.json").write_text(json.dumps(described))
        for path in [*run.glob("records/*"), *run.glob("durations/*")]:
            path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
        edit(run, outside)

    return both


def links(*names: str, target: str = "OUTSIDE/private") -> Edit:
    """Return an edit that puts links in place of parts of the run; `*` stands for each file of a folder."""

    def edit(run: Path, outside: Path) -> None:
        for path in _places(run, names):
            path.symlink_to(target.replace("OUTSIDE", str(outside)))

    return edit


def pipes(*names: str) -> Edit:
    """Return an edit that puts pipes in place of parts of the run."""

    def edit(run: Path, outside: Path) -> None:
        for path in _places(run, names):
            os.mkfifo(path)

    return edit


def sparse(*names: str) -> Edit:
    """Return an edit that makes parts of the run 3 GB large."""

    def edit(run: Path, outside: Path) -> None:
        for path in _places(run, names):
            with path.open("wb") as file:
                file.truncate(3 << 30)

    return edit


def _places(run: Path, names: tuple[str, ...]) -> Iterator[Path]:
    """Yield the places with these names, which are empty afterwards."""
    for name in names:
        for path in sorted(run.glob(name)) or [run / name]:
            if path.is_symlink() or path.is_file():
                path.unlink()
            elif path.is_dir():
                shutil.rmtree(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            yield path


def other_code(run: Path, outside: Path) -> None:
    """Replace the stored files of the entries by others, with digests that fit."""
    for path in run.glob("bundles/*/*.py"):
        path.chmod(0o644)
        path.write_text(path.read_text().replace('"crane", 5.0', '"slate", 5.0'))


def nonsense(run: Path, outside: Path) -> None:
    """Fill the tables with other columns, values and lengths."""
    for name in ("scores.csv", "LEADERBOARD.md"):
        (run / name).write_text(f"strategy;rules;p05;p50\na\0;wordpl/1;x;\nb;wordpl/1\n{'c' * 200_000};wordpl/1;1;2\n")


def deep(run: Path, outside: Path) -> None:
    (run / "run.json").write_text("[" * 100_000 + "]" * 100_000)


def many_files(run: Path, outside: Path) -> None:
    (bundle,) = sorted(run.glob("bundles/*"))[:1]
    for folder, n_files in ((bundle, 1001), (run / "fingerprints", 300), (run / "records", 300)):
        for number in range(n_files):
            (folder / f"more{number}").touch()


EVERY_PART = ("records/*", "durations/*", "fingerprints/*", "repeats/*", "scores.csv", "LEADERBOARD.md")
HIDDEN = (
    ".lock",
    ".scores.csv.new",
    ".LEADERBOARD.md.new",
    ".run.json.new",
    "match.json",
    "tune.json",
    "tournament.json",
)
FOLDERS = ("records", "durations", "fingerprints", "repeats", "bundles", ".begun")
HOSTILE: dict[str, Edit] = {
    "code at level D": config(level="D"),
    "trusted code": config(level="", player="trusted"),
    "code to resume": unfinished(config(level="D")),
    "code to resume at level A": unfinished(config(level="A")),
    "trusted code to resume": unfinished(config(level="", player="trusted")),
    "another file": entry(file="OUTSIDE/bot.py"),
    "another expression": entry(make="__import__('os').system('touch OUTSIDE/trace') or Bot()"),
    "a deep expression": entry(make="(" * 5000 + ")" * 5000),
    "another author's file of the same digest": other_code,
    "links to a private file": links(*EVERY_PART),
    "links to a private file, to resume": unfinished(links(*EVERY_PART[:4], ".begun/bot/1", ".begun/other/2")),
    "links where commands write": links(*HIDDEN, "report.html", "scores.csv", "LEADERBOARD.md"),
    "links where commands write, to resume": unfinished(links(*HIDDEN, ".run.json.new")),
    "folders that are links": links(*FOLDERS, target="OUTSIDE"),
    "folders that are links, to resume": unfinished(links(*FOLDERS, target="OUTSIDE")),
    "a bundle that is a link": links("bundles/*", target="OUTSIDE"),
    "files of a bundle that are links": links("bundles/*/*.py"),
    "run.json is endless": links("run.json", target="/dev/zero"),
    "records are endless": links("records/*", "fingerprints/*", target="/dev/zero"),
    "a word list is endless": config(answers={"file": "/dev/zero", "words": 3, "sha256": "0" * 64}),
    "a word list is private": config(answers={"file": "OUTSIDE/private", "words": 3, "sha256": "0" * 64}),
    "a word list is a pipe": config(guesses={"file": "OUTSIDE/pipe", "words": 3, "sha256": "0" * 64}),
    "pipes": pipes(*EVERY_PART, *HIDDEN),
    "pipes to resume": unfinished(pipes(*EVERY_PART[:2], ".begun/bot/1", ".lock")),
    "a pipe as run.json": pipes("run.json"),
    "sparse files": sparse(*EVERY_PART),
    "a sparse run.json": sparse("run.json"),
    "a sparse bundle": sparse("bundles/*/*.py", "match.json", "tune.json"),
    "a deep run.json": deep,
    "tables of nonsense": nonsense,
    "too many files": many_files,
    "very many games": config(n_games=300_000_000),
    "very many repeats": config(repeats=300_000_000),
    "negative counts": config(n_games=-5, repeats=-5),
    "limits without limit": unfinished(config(enforced_s=86400.0, timeout_s=80000.0, memory_mb=10**7, level="A")),
    "names that climb": entry(slug="../../outside/private", name="../../outside/private"),
    "names that write": entry(name="\x1b]0;x\x07<script>alert(1)</script>=1+1"),
    "a version that climbs": facts(versions={"../../outside": "1"}, workers={"../../outside/private": {}}),
}
QUICK = ("code at level D", "links to a private file", "pipes")
READING: dict[str, tuple] = {
    "report": ("report", "RUN", "-o", "OUT/page.html"),
    "verify": ("verify", "RUN"),
    "verify as JSON": ("verify", "RUN", "--json", "--full"),
    "replay": ("verify", "RUN", "--replay", "2"),
    "export": ("export", "RUN", "--parquet", "OUT/run.parquet"),
    "site": ("site", "RESULTS", "-o", "OUT/site"),
    "analyse": ("analyse", "RUN", "Bot()", "--valued", "1", "--plot", "OUT/plot.svg"),
    "publish": ("publish", "RUN", "-o", "OUT/run.zip", "--with-entries"),
    "record": ("record", "RUN"),
    "judge a claim": ("record", "RUN", "--quantile", "0.5", "--budget", "36", "--against", "Bot()"),
    "rank": ("tournament", "rank", "RUN"),
    "games of a run": ("replay", "RUN", "--lost"),
    "a game of a run": ("replay", "RUN", "1"),
    "replay a game": ("evaluate", "--run", "RUN", "--number", "1"),
}
"""Commands that only read a run, with the words OUT for their own output, RESULTS for the folder of runs."""
WRITING: dict[str, tuple] = {
    "boards": ("report", "RUN", "--boards"),
    "resume": ("evaluate", "--resume", "RUN", "--quiet"),
    "add an entry": ("evaluate", "--add", "RUN", "OUT/../added.py", "--results", "OUT", "--quiet"),
    "join": ("join", "RUN", "RUN", "--quiet"),
    "estimate": ("estimate", "--run", "RUN", "--quiet"),
    "resume a match": ("match", "--resume", "RUN"),
    "resume a search": ("tune", "--resume", "RUN"),
}
"""Commands that may change the folder of a run."""
SEASON: dict[str, tuple] = {
    "standings": ("season", "standings", "-C", "SEASON"),
    "standings as JSON": ("season", "standings", "--json", "-C", "SEASON"),
    "pages": ("season", "site", "-o", "OUT/site", "-C", "SEASON"),
    "check": ("season", "verify", "-C", "SEASON"),
    "sample": ("season", "sample", "OUT/../added.py", "--games", "4", "--quiet", "-C", "SEASON"),
    "check of pages": ("season", "verify", "--site", "ROUND", "-C", "SEASON"),
    "submit": ("season", "submit", "OUT/../added.py", "-C", "SEASON"),
    "withdraw": ("season", "withdraw", "bot", "-C", "SEASON"),
    "disqualify": ("season", "disqualify", "bot@1", "--reason", "why", "-C", "SEASON"),
    "confirm": ("season", "confirm", "other", "--score", "p_win", "-C", "SEASON"),
    "next round": ("season", "round", "--quiet", "-C", "SEASON"),
    "closing round": ("season", "end", "--quiet", "-C", "SEASON"),
    "doctor": ("season", "doctor", "-C", "SEASON"),
    "seed": ("season", "doctor", "--load-seed", "ROUND", "-C", "SEASON"),
    "bridge": ("season", "bridge", "-C", "SEASON"),
    "void": ("season", "void", "--reason", "why", "-C", "SEASON"),
    "anonymize": ("season", "anonymize", "other", "-C", "SEASON"),
    "archive": ("season", "archive", "OUT/season.zip", "-C", "SEASON"),
    "ban": ("season", "ban", "other", "--reason", "why", "-C", "SEASON"),
    "gate": ("season", "gate", "OUT/../added.py", "--by", "ann", "-C", "SEASON"),
    "accept": ("season", "accept", "ROUND", "-C", "BEFORE"),
}
"""Commands for a season, one round of which is hostile: it is in SEASON, or offered to BEFORE in the folder ROUND."""
IN_OTHER_TESTS = {("serve", "results")}
"""Parameters of commands that serve pages or open a screen, which have tests of their own."""
NO_RUNS = {("record", "evidence"), ("record", "checked"), ("season sample", "files"), ("season submit", "file")}
"""Parameters that take another folder or file: evidence, or entries."""
WITHOUT_LIMIT = ("rank", "estimate", "resume a match", "resume a search")
"""Commands without --max-games, or with one that means something else; the usual limit holds there."""


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A finished run of two entries whose code writes to the reader's files wherever it can, and what it wrote."""
    folder = tmp_path_factory.mktemp("published")
    trace = folder / "trace"
    sources = {name.lower(): dedent(CODE).format(trace=str(trace), name=name) for name in ("Bot", "Other")}
    run = new_run(folder, sources, n_games=N_GAMES)
    described = json.loads((run.folder / "run.json").read_text())
    for one, name in zip(described["entries"], ("Bot()", "Other()"), strict=True):
        one |= {"make": name, "name": name}
    (run.folder / "run.json").write_text(json.dumps(described))
    resume(Run(run.folder), jobs=1).play()
    RunReport(RunRecords(Run(run.folder))).write()
    assert trace.exists(), "the code would write, if it could"
    for path in folder.glob("trace*"):
        path.unlink()
    return run.folder, trace


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """The folder of a reader who has private files, with a working folder and a home of its own."""
    for name in ("home", "work", "outside", "cache"):
        (tmp_path / name).mkdir()
    (tmp_path / "outside" / "private").write_text(SECRET)
    (tmp_path / "outside" / "bot.py").write_text(f"raise SystemExit({SECRET!r})")
    os.mkfifo(tmp_path / "outside" / "pipe")
    (tmp_path / "home" / ".profile").write_text("own")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def contents(folder: Path, own: tuple[Path, ...]) -> dict[str, str]:
    """Return what is in a folder, without what a command may change: the kind and the digest of each file."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if not any(path.is_relative_to(one) for one in own):
            is_plain = path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 20
            found[str(path)] = f"{path.lstat().st_mode:o} " + (
                sha256(path.read_bytes()).hexdigest() if is_plain else ""
            )
    return found


_watched: list[Path] = []
_executed: list[str] = []


def _audit(event: str, arguments: tuple) -> None:
    if _watched and event in ("exec", "compile"):
        source = getattr(arguments[0], "co_filename", arguments[1] if event == "compile" else "")
        if isinstance(source, str) and any(str(folder) in source for folder in _watched):
            _executed.append(source)


sys.addaudithook(_audit)


@contextmanager
def nothing_executed_of(*folders: Path) -> Iterator[None]:
    """Check that this process compiles and executes no file of these folders."""
    _watched.extend(folders)
    _executed.clear()
    try:
        yield
        assert _executed == []
    finally:
        _watched.clear()


def give(name: str, words: tuple, reader: Path, places: dict[str, Path], own_folder: Path | None = None) -> None:
    """Give a run to a command and check what the command leaves behind, and says.

    places: what the words of the command stand for
    own_folder: the folder that the command may change beside its output
    """
    out = reader / "out"
    out.mkdir()
    (reader / "added.py").write_text(HONEST)
    own = (out, reader / "cache", reader / "state", *([own_folder] if own_folder else []))
    before = contents(reader, own)
    arguments = [str(places.get(word, word.replace("OUT", str(out)))) for word in words]
    with nothing_executed_of(*places.values()):
        result = wordpl(*arguments)
    check(name, before, contents(reader, own), result.output + _written(out))


def check(name: str, before: dict[str, str], after: dict[str, str], shown: str) -> None:
    assert after == before, name
    assert SECRET not in shown, name
    assert sha256(SECRET.encode()).hexdigest() not in shown, name
    assert "Traceback (most recent" not in shown.partition("could not be loaded")[0], name


def _written(folder: Path) -> str:
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return "".join(path.read_bytes().decode(errors="replace") for path in files)


def copy_of(published: Path, reader: Path, edit: Edit) -> Path:
    """Return a copy of the run in a folder of runs, spoilt."""
    shutil.rmtree(reader / "results", ignore_errors=True)
    shutil.rmtree(reader / "out", ignore_errors=True)
    run = shutil.copytree(published, reader / "results" / "run", symlinks=True)
    edit(run, reader / "outside")
    return run


def cases() -> Iterator:
    for name in HOSTILE:
        yield pytest.param(name, marks=pytest.mark.slow if name in QUICK else pytest.mark.long)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("hostile", list(cases()))
def test_no_command_is_harmed_by_a_published_run(published, reader, hostile):
    folder, trace = published
    for name, words in (READING | WRITING).items():
        run = copy_of(folder, reader, HOSTILE[hostile])
        give(name, words, reader, {"RUN": run, "RESULTS": run.parent}, run if name in WRITING else None)
        require_no_trace(trace, name)


def require_no_trace(trace: Path, name: str) -> None:
    traces = list(trace.parent.glob("trace*"))
    for path in traces:
        path.unlink()
    assert not traces, f"{name}: code ran outside the sandbox"


@pytest.fixture(scope="module")
def hosted(tmp_path_factory):
    """A folder with a season, this season before its round, and the round; and what its entries would write."""
    folder = tmp_path_factory.mktemp("hosted")
    trace = folder / "trace"
    seasons = needed("season.season")
    season = seasons.Season.new(folder / "season", "t", "wordpl/1", ["p_win"])
    terms = folder / "season" / "season.toml"
    terms.write_text(terms.read_text().replace("games = 1000 ", f"games = {N_GAMES} "))
    for name, budget in (("bot", "5.0"), ("other", "6.0")):
        path = folder / f"{name}.py"
        path.write_text(dedent(CODE).format(trace=str(trace), name=name.title()).replace("5.0", budget))
        season.submit(path)
    shutil.copytree(folder / "season", folder / "before")
    result = wordpl("season", "round", "--quiet", "-C", folder / "season", "-o", folder / "round")
    assert result.exit_code == 0, result.output
    (folder / "new.py").write_text(HONEST)
    seasons.Season(folder / "season").submit(folder / "new.py")
    assert not list(folder.glob("trace*"))
    return folder, trace


@pytest.mark.timeout(900)
@pytest.mark.parametrize("hostile", list(cases()))
def test_no_command_is_harmed_by_a_round_of_a_season(hosted, reader, hostile):
    folder, trace = hosted
    for name, words in SEASON.items():
        places = {name.upper(): reader / name for name in ("season", "before", "round")}
        shutil.rmtree(reader / "out", ignore_errors=True)
        for place in places.values():
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(folder / place.name, place, symlinks=True)
        for place in (places["SEASON"], places["ROUND"]):
            (run,) = place.glob("rounds/*")
            HOSTILE[hostile](run, reader / "outside")
        give(name, words, reader, places, places["BEFORE" if name == "accept" else "SEASON"])
        require_no_trace(trace, name)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("hostile", list(cases()))
def test_no_page_of_the_server_and_no_prompt_is_harmed_by_a_published_run(published, reader, hostile):
    pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
    pages, prompt = needed("web.pages"), needed("terminal.prompt")
    from wordpl.core.messages import UserError

    folder, trace = published
    run = copy_of(folder, reader, HOSTILE[hostile])
    before, shown = contents(reader, ()), ""
    with nothing_executed_of(run):
        for make, argument in ((pages.index_page, [run]), (pages.run_page, run)):
            try:
                shown += make(argument, MAX_READ_GAMES).html
            except (UserError, OSError) as error:
                shown += str(error)
    session = Session(make_game("wordpl/1", load_words()), "seed", 0, "crane")
    shown += "".join(entry.name for entry in prompt.recorded_entries(session, run))
    check("pages", before, contents(reader, ()), shown)
    assert "<script>alert(1)" not in shown
    require_no_trace(trace, "pages")


def given_runs(words: tuple, commands: dict[str, click.Command]) -> Iterator[tuple[str, str]]:
    """Yield the command of these words, with each parameter that is given a hostile run or season."""
    path = next(path for path in (" ".join(words[:2]), words[0]) if path in commands)
    parser = commands[path].make_parser(click.Context(commands[path]))
    values = parser.parse_args(list(words[len(path.split()) :]))[0]
    for name, value in values.items():
        if {"RUN", "RESULTS", "SEASON", "BEFORE", "ROUND"} & set(value if isinstance(value, list | tuple) else [value]):
            yield path, name


@pytest.mark.slow
def test_every_parameter_of_a_command_that_takes_a_run_or_a_season_is_given_hostile_ones():
    cases = [*READING.values(), *WRITING.values(), *SEASON.values()]
    given = {place for words in cases for place in given_runs(words, all_commands())}
    taken = {
        (path, str(parameter.name))
        for path, command in all_commands().items()
        for parameter in command.params
        if isinstance(parameter.type, click.Path) and parameter.type.exists and parameter.type.dir_okay
    }
    assert given | IN_OTHER_TESTS == taken - NO_RUNS | {("serve", "results")}
    assert taken >= NO_RUNS


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in READING | WRITING if name not in WITHOUT_LIMIT])
def test_every_command_that_reads_a_run_takes_a_limit_of_games(published, reader, name):
    run = copy_of(published[0], reader, lambda run, outside: None)
    (reader / "added.py").write_text(HONEST)
    (reader / "out").mkdir()
    words = [
        {"RUN": str(run), "RESULTS": str(run.parent)}.get(word, word.replace("OUT", str(reader / "out")))
        for word in (READING | WRITING)[name]
    ]
    words += ["--max-games", str(2 * N_GAMES - 1)]
    result = wordpl(*words)
    assert result.exit_code == 1
    assert f"{2 * N_GAMES} games of all entries together" in " ".join(result.output.split())
