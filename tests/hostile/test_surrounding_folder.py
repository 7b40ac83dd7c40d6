"""Every command in a folder of somebody else, who put there and above it what Python, a library or git might look at.

Nothing of it runs or is obeyed, and the file system of the host is the same afterwards, but for what a command writes
as it documents. Each command of the program has a row in COMMANDS.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import chdir
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.helpers.cli import all_commands, wordpl
from tests.helpers.hostile_folder import BOT, COMMON, contents, set_traps
from tests.helpers.paths import HOME
from wordpl.cli import missing_app
from wordpl.players.sandbox import probe

pytestmark = [
    pytest.mark.skipif(not probe.probe().level.is_official, reason="needs Landlock or bubblewrap"),
    pytest.mark.skipif(sys.platform != "linux", reason="folders are compared as Linux shows them"),
]
WORDPL = str(Path(sys.executable).with_name("wordpl"))
NOISY = """
from dataclasses import dataclass

@dataclass
class Noisy:
    price: float = 5.0
    def first_move(self): return "crane", self.price
    def next_move(self, guess, epsilon, clues): return "abide", 0
"""
OWN = (".cache/wordpl*", ".cache/matplotlib*", ".config/matplotlib*", ".config/wordpl*", ".local*", ".cache", ".config")
"""What commands may write to the user's home: caches, seeds, certificates and games in progress."""


@dataclass(frozen=True)
class Row:
    """A call of a command.

    Attributes:
        words: Its arguments.
        writes: Patterns of what it documents to write, relative to its current folder.
        where: Its current folder, relative to that folder.
        codes: Its expected exit codes.
        until: What it prints before it gets Ctrl-C, if it would not end by itself.
        typed: Its standard input.
        mark: "slow" or "long".
    """

    words: str
    writes: tuple[str, ...] = ()
    where: str = "."
    codes: tuple[int, ...] = (0,)
    until: str = ""
    typed: str = ""
    mark: str = "slow"


def season(words: str, *writes: str, codes: tuple[int, ...] = (0,), mark: str = "long") -> Row:
    """Return a call in a copy of a season, whose own files it may change: what is right there is tested elsewhere."""
    own = ("log.jsonl", ".lock", "README.md", "standings.json", "versions*", "rounds*", "confirmations*", "docs*")
    return Row(f"season {words}", (*own, *writes), f"season-{words.split()[0]}", codes, mark=mark)


def stored(words: str, *writes: str, codes: tuple[int, ...] = (0,), typed: str = "", mark: str = "long") -> Row:
    """Return a call of a league, with a store of its own, to which a command may write."""
    store = f"league-{words.split()[0]}.sqlite"
    return Row(f"league {words} --store {store}", (f"{store}*", *writes), codes=codes, typed=typed, mark=mark)


PLAYED = "--games 4 --jobs 2"
COMMANDS: dict[str, Row] = {
    "analyse": Row("analyse run-noisy 'Noisy()' --valued 1 --plot plot.svg", ("plot.svg",), mark="long"),
    "bot adapters": Row("bot adapters", mark="long"),
    "bot bookmarklet": Row("bot bookmarklet", mark="long"),
    "bot play": Row("bot play http://127.0.0.1:9/ --adapter wordpl", ("wordpl-bot*",), codes=(1,), mark="long"),
    "bot targets": Row("bot targets", mark="long"),
    "check": Row("check json.py --games 4"),
    "dev": Row("dev random.py --games 4 --once", ("results*",)),
    "docs": Row("docs isolation"),
    "estimate": Row(f"estimate noisy.py {PLAYED} --plot won.svg", ("results*", "won.svg"), mark="long"),
    "evaluate": Row(f"evaluate queue.py noisy.py {PLAYED} --repeats 2 --game wordle/1", ("results*",)),
    "export": Row("export run-noisy --parquet run.parquet", ("run.parquet",), mark="long"),
    "grade": Row(
        "grade queue.py --baseline signal.py --games 4 --jobs 2 --summary grade.md",
        ("results*", "grade.md"),
        codes=(1,),
        mark="long",
    ),
    "join": Row("join run-noisy --isolation D --no-report", ("run-noisy*",), mark="long"),
    "league accept": stored("accept Ada 1700", codes=(1,)),
    "league alias": stored("alias Adele Ada"),
    "league answers": stored("answers answers.csv"),
    "league backup": stored("backup copy.zip", "copy.zip"),
    "league bot": Row("league bot", codes=(1, 2), mark="long"),
    "league compare": stored("compare Ada Bob"),
    "league conflicts": stored("conflicts"),
    "league copy": Row("league copy league-log.sqlite other.sqlite", ("other.sqlite*", "league-log*"), mark="long"),
    "league crowns": stored("crowns"),
    "league day": stored("day 1700"),
    "league doctor": stored("doctor", codes=(1,)),
    "league export": stored("export Ada"),
    "league forget": stored("forget Bob", typed="y\n"),
    "league hide": stored("hide Bob"),
    "league import": stored("import shares.csv --zone UTC"),
    "league leaderboard": stored("leaderboard --game-cutoff 1 --curves curves.svg", "curves.svg", mark="long"),
    "league log": stored("log"),
    "league merge": stored("merge Bob Ada"),
    "league missing": stored("missing"),
    "league restore": stored("restore saved.zip"),
    "league schedule": stored("schedule daily 09:00 --channel 1 --zone UTC"),
    "league settings": stored("settings"),
    "league site": stored("site -o league-site", "league-site*"),
    "league split": stored("split Ada --from 2024-01-01"),
    "league stats": stored("stats Ada --curve curve.svg", "curve.svg"),
    "league undo": stored("undo 1", codes=(1,)),
    "match": Row(f"match queue.py random.py {PLAYED}", ("results*",)),
    "new": Row("new fresh", ("fresh.py",)),
    "plan": Row("plan mine --budget 14 --shares .5/.5 --folder plans", ("plans*",), mark="long"),
    "play": Row("play --game wordle/1 --secret crane", typed="crane\n"),
    "profile": Row("profile queue.py --games 2", mark="long"),
    "publish": Row("publish run-noisy -o run.zip --with-entries", ("run.zip",), mark="long"),
    "record": Row(f"record --check {HOME}/results/evidence/p05.json --sample 20", mark="long"),
    "replay": Row("replay run-noisy 1"),
    "report": Row("report run-noisy -o page.html", ("page.html",)),
    "season accept": season("accept ../round"),
    "season anonymize": season("anonymize one", "season.toml", "strategies*"),
    "season archive": season("archive ../season.zip", "../season.zip"),
    "season ban": season("ban one --reason why"),
    "season bridge": season("bridge", codes=(1,)),
    "season confirm": season("confirm one --score p_win --value 0.5 --quiet"),
    "season disqualify": season("disqualify one@1 --reason why"),
    "season doctor": season("doctor"),
    "season end": season("end --quiet", "FINAL.md"),
    "season gate": season("gate season.toml --by ann", codes=(1,)),
    "season new": Row("season new season-made --no-bundled --score p_win", ("season-made*",), mark="long"),
    "season round": season("round --quiet -o ../played", "../played*", mark="slow"),
    "season sample": season("sample strategies/random.py --games 4 --quiet"),
    "season site": season("site -o pages", "pages*"),
    "season standings": season("standings"),
    "season submit": season("submit --changed", mark="slow"),
    "season verify": season("verify"),
    "season void": season("void --reason why", codes=(1,)),
    "season withdraw": season("withdraw one"),
    "serve": Row("serve --port 0", ("wordpl-games.sqlite*",), codes=(0, 130), until="http"),
    "site": Row("site runs -o pages", ("pages*",), mark="long"),
    "solve": Row(
        "solve tares:..... crony:..c.. --opener blood --width 3 --save tree2.json", ("tree2.json",), mark="long"
    ),
    "suggest": Row("suggest tares:..... crony:..c.."),
    "tournament new": Row("tournament new --database games.sqlite", ("games.sqlite*",), mark="long"),
    "tournament rank": Row("tournament rank run-classic -o rank.html", ("rank.html",), mark="long"),
    "tournament rule": Row(
        "tournament rule none --player Ada --reason why --database none.sqlite", codes=(1,), mark="long"
    ),
    "tournament run": Row("tournament run queue.py random.py --total 2 --jobs 2", ("results*",), mark="long"),
    "tree check": Row(f"tree check {HOME}/strategies/tree/tree-salet.json", mark="long"),
    "tree compare": Row(
        f"tree compare {HOME}/strategies/tree/tree-salet.json {HOME}/strategies/tree/tree-salet.json", mark="long"
    ),
    "tree show": Row(f"tree show {HOME}/strategies/tree/tree-salet.json --depth 1", mark="long"),
    "tui": Row("tui", codes=(0, 1, 2), mark="long"),
    "tune": Row("tune noisy.py --param price=4,5 --time 5 --validate 100 --jobs 2", ("results*",), mark="long"),
    "verify": Row("verify run-noisy --replay 2"),
    "warm-up": Row("warm-up", mark="long"),
    "words backtest": Row("words backtest --features frequency", mark="long"),
    "words build": Row("words build words.txt --features frequency", ("words.txt*",), mark="long"),
    "words evaluate": Row("words evaluate --features frequency --plot recall.svg", ("recall.svg",), mark="long"),
    "words explain": Row("words explain crane --features frequency", mark="long"),
    "words lists": Row("words lists", mark="long"),
    "words update": Row("words update later.csv -o newer", ("newer*",), mark="long"),
}


def test_every_command_has_a_row():
    rows = [name for name in COMMANDS if not missing_app(name.partition(" ")[0])]
    assert sorted(rows) == sorted(all_commands())


@pytest.fixture(scope="module")
def host():
    """The host's folders: what somebody sent, a home, and one for temporary files. Players are another user."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for inner in ("home", "temporary", "above"):
            (folder / inner).mkdir()
        make_data(folder / "above" / "contest")
        set_traps(folder / "above", folder / "ran")
        set_traps(folder / "above" / "contest", folder / "ran")
        for season_folder in (folder / "above" / "contest").glob("season-*"):
            set_traps(season_folder, folder / "ran", is_repository=False, modules=COMMON)
        for path in [folder, *folder.rglob("*")]:
            if path.parent.name != "keys-0":
                path.chmod(path.stat().st_mode | 0o055)
        yield folder


def make_data(folder: Path) -> None:
    """Write the files that commands take: a run, seasons, shares and answers."""
    folder.mkdir()
    (folder / "noisy.py").write_text(NOISY)
    with chdir(folder):
        (folder / "classic.py").write_text(BOT)
        for name in ("noisy", "classic"):
            options = ["--games", "4", "--repeats", "0", "--isolation", "D", "--jobs", "1", "--results", f"runs-{name}"]
            done(wordpl("evaluate", f"{name}.py", *options))
            (run,) = Path(f"runs-{name}").iterdir()
            run.rename(f"run-{name}")
        Path("runs").mkdir()
        shutil.copytree("run-noisy", "runs/one")
        done(wordpl("season", "new", "season", "--no-bundled", "--score", "p_win", "--quiet"))
        terms = Path("season", "season.toml")
        terms.write_text(terms.read_text().replace("games = 1000 ", "games = 6 ").replace("= 26000", "= 100"))
        for name, price in (("one", "5.0"), ("random", "6.0"), ("queue", "7.0")):
            Path("season", "strategies", f"{name}.py").write_text(NOISY.replace("5.0", price))
        for name in ("one", "random"):
            done(wordpl("season", "submit", f"season/strategies/{name}.py", "-C", "season"))
        shutil.copytree("season", "season-accept")
        done(wordpl("season", "round", "--quiet", "--jobs", "1", "-C", "season", "-o", "round"))
        for row in COMMANDS.values():
            if row.where != "." and not Path(row.where).exists():
                shutil.copytree("season", row.where)
        Path("shares.csv").write_text("player,puzzle,guesses\nAda,1700,3\nBob,1700,4\nAda,1701,4\nBob,1701,4\n")
        done(wordpl("league", "import", "shares.csv", "--zone", "UTC", "--store", "league.sqlite"))
        done(wordpl("league", "backup", "saved.zip", "--store", "league.sqlite"))
        for name in COMMANDS:
            if name.startswith("league ") and name != "league restore":
                shutil.copy("league.sqlite", f"league-{name.split()[1]}.sqlite")
    (folder / "answers.csv").write_text("number,word\n1700,crane\n")
    (folder / "plans").mkdir()
    (folder / "later.csv").write_text("date,word\n")


def done(result) -> None:
    assert result.exit_code == 0, result.output


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=getattr(pytest.mark, row.mark)) for name, row in COMMANDS.items()]
)
def test_a_command_in_the_folder_of_somebody_else_runs_and_changes_nothing_else(host, name):
    row = COMMANDS[name]
    where = host / "above" / "contest" / row.where
    before = contents(host)
    code, printed = called(host, where, row)
    after = contents(host)
    allowed = [*(f"{where}/{pattern}" for pattern in row.writes), *(f"{host}/home/{pattern}" for pattern in OWN)]
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    unexpected = [path for path in changed if not any(fnmatch(path, os.path.normpath(one)) for one in allowed)]
    assert not unexpected, f"{sorted(unexpected)}\n{printed}"
    assert code in row.codes, f"exit code {code}\n{printed}"
    assert "Traceback" not in printed


def called(host: Path, where: Path, row: Row) -> tuple[int, str]:
    """Run a command as a user would, and return its exit code and what it printed."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG", "LC_ALL") if name in os.environ}
    variables = {**kept, "HOME": str(host / "home"), "TMPDIR": str(host / "temporary"), "COLUMNS": "120"}
    with tempfile.TemporaryDirectory() as name, Path(name, "output").open("w") as output:
        process = subprocess.Popen(
            [WORDPL, *shlex.split(row.words)], cwd=where, env=variables, text=True,
            stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        process.stdin.write(row.typed)
        process.stdin.close()
        deadline = time.monotonic() + 550
        while row.until and process.poll() is None and time.monotonic() < deadline:
            if row.until in Path(output.name).read_text():
                process.send_signal(signal.SIGINT)
                break
            time.sleep(0.2)
        try:
            return process.wait(max(1, deadline - time.monotonic())), Path(output.name).read_text()
        finally:
            process.kill()
