"""Make the corpus of release 1.0.0: what its commands wrote to disk, so that later releases are held against it.

    git worktree add /tmp/wordpl-1.0.0 v1.0.0
    python tests/release_1_0_0/make.py /tmp/wordpl-1.0.0 /tmp/corpus-1.0.0

The second folder must not exist. Needs the extras league and serve, node, and PostgreSQL's programs; a root user runs
the database server as the user postgres. Everything is made in about five minutes. Secret and default seeds are drawn
anew each time, so another corpus has other games, and another `expected.json`.
"""

import datetime
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from importlib.machinery import SourceFileLoader
from pathlib import Path

HERE = Path(__file__).parent
ARCHIVE = HERE / "corpus.tar.xz"
STATE = Path.home() / ".local" / "state" / "wordpl-corpus"
"""Where seeds that are secret are kept meanwhile: the program refuses folders that players may read, such as /tmp."""
LEVEL = ["--isolation", "D"]
FEW = ["--repeats", "4", "--no-report", "--quiet"]

PLAIN = '''
"""Guess two fixed words, and propose the likeliest."""

from wordpl import Posterior, Strategy


class {name}(Strategy):
    """Two guesses at {epsilon} each."""

    def first_move(self):
        self.posterior = Posterior.uniform(self.lists, self.clue_rule)
        return "{word}", {epsilon}

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        if guess == "{word}":
            return "nymph", {epsilon}
        return self.posterior.best()[0], 0
'''
WITH_PLAN = '''
"""Guess what the plan beside this file says, and propose the likeliest word."""

import json
from pathlib import Path

from wordpl import Posterior, Strategy

PLAN = json.loads((Path(__file__).parent / "alice_plan.json").read_text())


class Alice(Strategy):
    """A guess for each round, from a table of her own."""

    def first_move(self):
        self.posterior, self.left = Posterior.uniform(self.lists, self.clue_rule), list(PLAN["words"])
        return self.left.pop(0), PLAN["epsilon"]

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        if self.left:
            return self.left.pop(0), PLAN["epsilon"]
        return self.posterior.best()[0], 0
'''
FOUR = '''
"""Four classes of one file, and a list of three entries of them."""

from wordpl import Posterior, Strategy


class First(Strategy):
    """Two guesses at its epsilon."""

    words, epsilon = ("crane", "moist"), 9.0

    def first_move(self):
        self.posterior, self.left = Posterior.uniform(self.lists, self.clue_rule), list(self.words)
        return self.left.pop(0), self.epsilon

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        return (self.left.pop(0), self.epsilon) if self.left else (self.posterior.best()[0], 0)


class Second(First):
    words = ("slate", "crony")


class Third(First):
    words, epsilon = ("trace", "lions"), 12.0


class Fourth(First):
    words, epsilon = ("salet", "corni", "bumph"), 14.0


ENTRIES = [Second(), Third(), Fourth()]
'''
BASE = '''
"""Entries that share a base class, which is no entry."""

from wordpl import Posterior, Strategy


class Base(Strategy):
    """Guess the words, then propose."""

    def first_move(self):
        self.posterior, self.left = Posterior.uniform(self.lists, self.clue_rule), list(self.words)
        return self.left.pop(0), 10.0

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        return (self.left.pop(0), 10.0) if self.left else (self.posterior.best()[0], 0)


class Narrow(Base):
    words = ("crane",)


class Wide(Base):
    words = ("slate", "crony", "bumph")


ENTRIES = [Narrow(), Wide()]
'''
SLOW = '''
"""Takes its time, so that a run can be killed in the middle."""

import time

from wordpl import Strategy


class Slow(Strategy):
    """One guess, then the first answer."""

    def first_move(self):
        time.sleep(0.15)
        return "crane", 5.0

    def next_move(self, guess, epsilon, clues):
        return self.answers[0], 0
'''
SHORT_WORDS = """
aback abase abate abbey abbot abhor abide abled abode abort about above abuse abyss acorn acrid actor
acute adage adapt adept admin admit adobe adopt adore adorn adult affix afire afoot afoul after again
agape agate agent agile
"""
SHORT_ANSWERS = SHORT_WORDS.split()
FAULTY = '''
"""Fails in each way in which a game can end early."""

from wordpl import Strategy


class Faulty(Strategy):
    """Crashes, makes an illegal guess, or answers with the first word, depending on its draw."""

    def first_move(self):
        return "crane", 8.0

    def next_move(self, guess, epsilon, clues):
        kind = self.rng.integers(3)
        if kind == 0:
            raise ValueError("no word is left")
        return ("zzzzz", 8.0) if kind == 1 else (self.answers[0], 0)
'''
LONG = '''
"""Guesses two thousand times, so that its records are compressed when the run ends."""

from wordpl import Strategy


class Long(Strategy):
    """One word again and again."""

    def first_move(self):
        self.n_guesses = 1
        return "crane", 0.5

    def next_move(self, guess, epsilon, clues):
        self.n_guesses += 1
        return ("crane", 0.5) if self.n_guesses <= 2000 else (self.answers[0], 0)
'''
UTILS = '''
"""What several entries import."""


def opener(number):
    return ("crane", "slate")[number]
'''
SHARING = '''
"""An entry that imports a module which the host shares."""

from strategies.utils import opener

from wordpl import Strategy


class Sharing(Strategy):
    """Two guesses, then the first answer."""

    def first_move(self):
        return opener(0), 8.0

    def next_move(self, guess, epsilon, clues):
        return (opener(1), 8.0) if guess == opener(0) else (self.answers[0], 0)
'''
FOLDER = '''
"""An entry that is a folder."""

from pathlib import Path

from wordpl import Strategy

WORDS = (Path(__file__).parent / "words.txt").read_text().split()


class Folder(Strategy):
    """The words of its file, then the first answer."""

    def first_move(self):
        self.left = list(WORDS)
        return self.left.pop(0), 8.0

    def next_move(self, guess, epsilon, clues):
        return (self.left.pop(0), 8.0) if self.left else (self.answers[0], 0)
'''
PLAYERS = ("Ann", "Bob", "Cy", "🔥 Dora")
DISCORD = "900000000000000001"


def run(*words: str | Path, status: tuple[int, ...] = (0,), **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command of release 1.0.0 in the current folder; return what it printed."""
    command = [sys.executable, "-m", "wordpl", *map(str, words)]
    print("$ wordpl", *words, flush=True)
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode not in status:
        sys.exit(f"{done.stdout}{done.stderr}exit code {done.returncode}")
    return done


def evaluate(name: str, *words: str | Path, few: list[str] = FEW) -> Path:
    """Play a run and call its folder runs/NAME."""
    before = set(Path("results").glob("*"))
    run("evaluate", *words, *few)
    (folder,) = (path for path in set(Path("results").glob("*")) - before if (path / "run.json").exists())
    return renamed(folder, name)


def renamed(folder: Path, name: str) -> Path:
    target = Path("runs", name)
    target.parent.mkdir(exist_ok=True)
    folder.rename(target)
    return target


def entries() -> None:
    """Entries of each form that 1.0.0 plays: a file, with data beside it, of four classes, a program, a folder."""
    folder = Path("entries")
    folder.mkdir()
    (folder / "alice.py").write_text(WITH_PLAN.lstrip())
    (folder / "alice_plan.json").write_text(json.dumps({"words": ["slate", "crony"], "epsilon": 12.0}) + "\n")
    (folder / "ben.py").write_text(PLAIN.lstrip().format(name="Ben", word="crane", epsilon=11.0))
    (folder / "eve.py").write_text(PLAIN.lstrip().format(name="Eve", word="trace", epsilon=13.0))
    (folder / "four.py").write_text(FOUR.lstrip())
    (folder / "base.py").write_text(BASE.lstrip())
    (folder / "slow.py").write_text(SLOW.lstrip())
    (folder / "faulty.py").write_text(FAULTY.lstrip())
    (folder / "long.py").write_text(LONG.lstrip())
    (folder / "utils.py").write_text(UTILS.lstrip())
    (folder / "sharing.py").write_text(SHARING.lstrip())
    (folder / "shared.txt").write_text("utils.py\n")
    (folder / "folder").mkdir()
    (folder / "folder" / "bot.py").write_text(FOLDER.lstrip())
    (folder / "folder" / "words.txt").write_text("trace lions\n")
    for name in ("letters.js", "letters.toml", "fibble.py", "fibble_bot.py"):
        shutil.copy(CHECKOUT / "examples" / name, folder)


def runs() -> None:
    """Runs with each kind of seed and of game, in each state that a folder can be in."""
    typed = evaluate(
        "typed", "n_guess", "bayesian_random", "--games", "20", "--seed", "2026", few=["--repeats", "4", "--quiet"]
    )
    evaluate("default", "n_guess", "--games", "12")
    evaluate("classic", "letter_frequency", "entropy", "--games", "20", "--game", "wordle/1", "--seed", "classic")
    evaluate("hard", "letter_frequency", "--games", "12", "--game", "wordle-hard/1", "--seed", "hard")
    evaluate("absurdle", "absurdle", "--games", "5", "--seed", "absurd")
    evaluate("fibble", "entries/fibble_bot.py", "--games", "8", "--game", "entries/fibble.py:Fibble", "--seed", "lies")
    evaluate("program", "entries/letters.toml", "--games", "8", "--seed", "program")
    evaluate("four", "entries/four.py", "entries/base.py", "--games", "8", "--seed", "four")
    evaluate(
        "data", "entries/alice.py", "entries/ben.py", "--games", "12", "--seed", "data", "--against", "entries/ben.py"
    )
    evaluate("counted", "n_guess", "--games", "8", "--game", "wordpl-counted/1", "--seed", "counted")
    evaluate("faulty", "entries/faulty.py", "--games", "12", "--seed", "faulty")
    evaluate("compressed", "entries/long.py", "--games", "50", "--seed", "long")
    evaluate("files", "entries/sharing.py", "entries/folder", "--games", "8", "--seed", "files")
    Path("short.txt").write_text("".join(f"{word}\n" for word in SHORT_ANSWERS))
    evaluate(
        "every", "letter_frequency", "--games", "all", "--game", "wordle/1", "--answers", "short.txt", "--seed", "every"
    )
    evaluate("added", "entries/eve.py", "--add", typed, few=["--no-report", "--quiet"])


def official_runs() -> None:
    """Official runs: with a beacon, without one, and one that waits for its beacon; and the archive of a run."""
    official = evaluate(
        "official", "n_guess", "--games", "12", "--official", "--beacon-from", "a dice roll, 2026-11-27"
    )
    run("evaluate", "--resume", official, "--beacon", "4 2 6 6 1", "--no-report", "--quiet")
    evaluate("official_without_beacon", "n_guess", "--games", "6", "--official")
    evaluate("waiting", "entries/ben.py", "--games", "6", "--official", "--beacon-from", "a dice roll, 2027-01-01")
    run("publish", "runs/classic", "-o", "classic.zip", "--with-entries")


def interrupted_runs() -> None:
    """A run that is killed with all its processes while it plays, and one that Ctrl-C stops."""
    for name, number in (("killed", signal.SIGKILL), ("stopped", signal.SIGINT)):
        words = ["entries/ben.py", "entries/slow.py", "--games", "12", "--seed", name, "--jobs", "1", *FEW]
        process, folder = started(*words)
        os.killpg(process.pid, number)
        process.wait()
        renamed(folder, name)


def started(*words: str) -> tuple[subprocess.Popen[bytes], Path]:
    """Start a run and wait until some of its games are recorded."""
    before = set(Path("results").glob("*"))
    process = subprocess.Popen(
        [sys.executable, "-m", "wordpl", "evaluate", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    while True:
        time.sleep(0.02)
        new = [path for path in set(Path("results").glob("*")) - before if (path / "run.json").exists()]
        if new and sum(path.read_bytes().count(b"\n") for path in new[0].glob("records/*.jsonl")) >= 15:
            return process, new[0]


def workbench() -> None:
    """Matches, a search for parameters, and the folders of an estimate and of a grade, which can be resumed."""
    for name, words in {
        "match": ["match", "entries/ben.py", "entries/eve.py", "--games", "40", "--seed", "match", *LEVEL],
        "tune": ["tune", "n_guess", "--param", "epsilon=12:30", "--goal", "cost", "--trials", "6", "--time", "20",
                 "--validate", "100", "--seed", "tune", *LEVEL],
        "estimate": ["estimate", "n_guess", "--games", "10", "--seed", "estimate", *LEVEL],
        "grade": ["grade", "entries/eve.py", "--baseline", "entries/ben.py", "--games", "40", "--seed", "grade",
                  "--need", "0", *LEVEL],
    }.items():  # fmt: skip
        before = set(Path("results").glob("*"))
        done = run(*words, status=(0, 1))
        Path("runs", f"{name}.txt").write_text(done.stdout)
        for number, folder in enumerate(sorted(set(Path("results").glob("*")) - before)):
            renamed(folder, f"{name}{number or ''}")


def season() -> None:
    """Three rounds, a second version, a version with data beside it, a confirmation, and a round that is announced."""
    run(
        "season",
        "new",
        "cup",
        "--no-bundled",
        "--score",
        "p_win",
        "--score",
        "p50",
        "--games",
        "20",
        "--title",
        "Cup of 1.0.0",
    )
    terms = Path("cup/season.toml")
    lines = terms.read_text().splitlines()
    values = {"confirmations": 2, "confirmation_games": 100}
    for name, value in values.items():
        lines = [f"{name} = {value}" if line.startswith(f"{name} =") else line for line in lines]
    terms.write_text("\n".join([*lines, ""]))
    run("season", "submit", "entries/alice.py", "-C", "cup")
    run("season", "submit", "entries/ben.py", "-C", "cup")
    run("season", "round", "-C", "cup", "--quiet")
    Path("sent").mkdir()
    Path("sent/ben.py").write_text(Path("entries/ben.py").read_text().replace("11.0", "16.0"))
    run("season", "submit", "sent/ben.py", "-C", "cup")
    run("season", "submit", "entries/four.py", "--make", "Fourth()", "-C", "cup")
    run("season", "round", "-C", "cup", "--beacon-from", "a dice roll", "--quiet")
    run("season", "round", "-C", "cup", "--beacon", "1 1 5 3", "--quiet")
    run("season", "submit", "entries/eve.py", "-C", "cup")
    run("season", "withdraw", "eve", "-C", "cup")
    run("season", "round", "-C", "cup", "--quiet")
    run("season", "confirm", "ben", "--score", "p_win", "--value", "0.2", "-C", "cup", "--quiet")
    run("season", "verify", "-C", "cup")
    run("season", "site", "-C", "cup")
    shutil.copytree("cup", "cup_announced")
    run("season", "round", "-C", "cup_announced", "--beacon-from", "a dice roll of 2027", "--quiet")
    run("season", "verify", "-C", "cup_announced")


def evidence() -> None:
    """A proof that an entry of two guesses wins its share, made from all its clues, and the page of records."""
    Path("evidence").mkdir()
    run("estimate", "Schedule('p05', 14.9)", "--exact", "--save", "evidence/p05.json", *LEVEL)


def solver() -> None:
    """A proof's log, one that was interrupted, trees in both formats, and a plan with its strategy."""
    folder = Path("solver")
    folder.mkdir()
    guesses = sorted(
        {*SHORT_ANSWERS, *["crane", "slate", "trace", "salet", "corni", "bumph", "moist", "lions", "crony"]}
    )
    (folder / "answers.txt").write_text("".join(f"{word}\n" for word in SHORT_ANSWERS))
    (folder / "guesses.txt").write_text("".join(f"{word}\n" for word in guesses))
    lists = ["--answers", folder / "answers.txt", "--guesses", folder / "guesses.txt"]
    run("solve", "--prove", "--jobs", "1", "--log", folder / "proof.jsonl", "--save", folder / "best.json", *lists)
    lines = (folder / "proof.jsonl").read_text().splitlines(keepends=True)
    (folder / "interrupted.jsonl").write_text("".join(lines[: len(lines) // 2]) + lines[len(lines) // 2][:20])
    run("solve", "--exact", "--opener", "abode", "--save", folder / "abode.txt", *lists)
    run("solve", "--check-proof", folder / "proof.jsonl", "--sample", "200", *lists)
    (folder / "prior.csv").write_text(
        "word,probability\n" + "".join(f"{word},{0.5 + number % 3}\n" for number, word in enumerate(SHORT_ANSWERS))
    )
    run("plan", "mine", "--budget", "15", "--shares", ".68/.32")
    Path("strategies").rename(folder / "strategies")


def league() -> None:
    """A league's store as SQLite, its backup, an export of a person, and PostgreSQL's dump of the same store."""
    folder, chance = Path("league"), random.Random(1)
    folder.mkdir()
    rows = [
        f"{name},{number},{chance.choice('23344455566X')}"
        for number in range(1550, 1575) for name in PLAYERS if chance.random() < 0.85
    ]  # fmt: skip
    (folder / "results.csv").write_text("\n".join(["player,puzzle,guesses", *rows, ""]))
    (folder / "shares.txt").write_text("Annie:\nWordle 1,575 3/6\n\nBob:\nWordle 1,575 4/6*\n")
    shutil.copy(CHECKOUT / "tests/league/data/ids_utc.json", folder / "channel.json")
    store = ["--store", folder / "league.sqlite"]
    friends = ["--league", "friends", *store]
    run(
        "league", "import", folder / "results.csv", folder / "shares.txt", "--zone", "Europe/Berlin", "--no-ocr", *store
    )
    run("league", "import", folder / "channel.json", "--zone", "UTC", "--no-ocr", *store)
    run("league", "alias", "Annie", "Ann", *friends)
    run("league", "merge", "Cy", "Bob", *friends)
    run("league", "undo", "2", *friends)
    run("league", "hide", "🔥 Dora", *friends)
    run("league", "settings", "--x-left-out", "--grace", "2", *friends)
    run(
        "league",
        "schedule",
        "daily",
        "09:30",
        "--channel",
        "800000000000000001",
        "--zone",
        "Europe/Berlin",
        "--league",
        DISCORD,
        *store,
    )
    run("league", "backup", folder / "backup.sqlite", *store)
    (folder / "ann.json").write_text(run("league", "export", "Ann", *friends).stdout)
    dump(folder)


def dump(folder: Path) -> None:
    """Copy the store to a new PostgreSQL server, and dump it as SQL."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    home = Path("/tmp/wordpl-corpus-pg")
    home.mkdir()
    if user:
        shutil.chown(home, "postgres")
    calls = {"check": True, "capture_output": True, "cwd": home}
    try:
        subprocess.run(
            [*user, programs / "initdb", "-D", home / "data", "-A", "trust", "-U", "wordpl", "-E", "UTF8"], **calls
        )
        subprocess.run(
            [*user, programs / "pg_ctl", "-D", home / "data", "-l", home / "log", "-w", "start",
             "-o", f"-k {home} -c listen_addresses="],
            check=True, stdout=subprocess.DEVNULL, cwd=home,
        )  # fmt: skip
        try:
            url = f"postgresql://wordpl@/postgres?host={home}"
            run("league", "copy", folder / "league.sqlite", url)
            words = [*user, programs / "pg_dump", "-h", home, "-U", "wordpl", "--inserts", "--no-owner", "postgres"]
            (folder / "postgresql.sql").write_bytes(subprocess.run(words, **calls).stdout)
        finally:
            subprocess.run([*user, programs / "pg_ctl", "-D", home / "data", "-m", "immediate", "stop"], **calls)
    finally:
        shutil.rmtree(home)


def web() -> None:
    """The database of the web server: games and tournaments of which some have ended, and the file of one that has."""
    from tests.helpers.rooms import new_room
    from tests.helpers.web_client import MovableClock, web_client

    folder, clock = Path("web").absolute(), MovableClock()
    folder.mkdir()
    kept: dict[str, object] = {"clock": clock.seconds}
    with web_client(folder, now=clock) as client:
        won, _ = client.start("wordle/1")
        for round_, word in enumerate(("crane", "moist"), 1):
            client.move(won, round_, word)
        client.send("/api/game/end", {}, won)
        open_game, _ = client.start("wordpl/1")
        client.move(open_game, 1, "crane", 8.0)
        client.move(open_game, 2, "moist", 8.0)
        friends, _ = client.start("wordle/1", players=2, name="Ann")
        client.move(friends, 1, "slate")
        daily, _ = client.start("wordpl/1", path="/api/daily", name="Bob")
        client.move(daily, 1, "trace", 10.0)
        kept["games"] = {"ended": won, "open": open_game, "friends": friends, "daily": daily}
        kept["states"] = {name: client.send("/api/game", None, token).json() for name, token in kept["games"].items()}
        rooms = {}
        for name in ("finished", "running"):
            room, host, secrets = new_room(folder / "games.sqlite", clock())
            path = f"/api/rooms/{room.id}"
            for phase in ("open", "playing"):
                client.send(f"{path}/phase", {"phase": phase}, host)
            tokens = {
                player: client.send(f"{path}/players", {"name": player}).json()["token"] for player in PLAYERS[:3]
            }
            for player, token in tokens.items():
                for word in (
                    "crane",
                    secrets[0] if player != "Cy" else "moist",
                    *(["slate"] if player == "Ann" else []),
                ):
                    clock.seconds += 3
                    you = client.send(path, None, token).json()["you"]
                    body = {key: you["current"][key] for key in ("round", "puzzle")} | {
                        "number": you["number"],
                        "word": word,
                    }
                    reply = client.send(f"{path}/guesses", body, token)
                    assert reply.status_code == 200, reply.text
            clock.seconds += 5
            if name == "finished":
                client.send(f"{path}/phase", {"phase": "ended"}, host)
                reply = client.send(f"{path}/result")
                assert reply.status_code == 200, reply.text
                (folder / "tournament.json").write_bytes(reply.content)
            clock.seconds += 2
            rooms[name] = {
                "id": room.id,
                "host": host,
                "players": tokens,
                "standings": client.send(path).json()["standings"],
            }
        kept |= {"rooms": rooms, "now": clock.seconds}
    (folder / "tokens.json").write_text(json.dumps(kept, indent=1) + "\n")


def tournament() -> None:
    """A tournament of strategies on the words of the people's."""
    before = set(Path("results").glob("*"))
    run("tournament", "run", "letter_frequency", "--cup", "web/tournament.json", *LEVEL)
    (folder,) = set(Path("results").glob("*")) - before
    renamed(folder, "tournament")
    done = run("tournament", "rank", "web/tournament.json", "runs/tournament", "--json")
    Path("web/ranked.json").write_text(done.stdout)


def user() -> None:
    """The games and setups that the program keeps for its user, and the folder of the daily bot."""
    from wordpl.terminal.app import setups, user_files
    from wordpl.web.bot.daily import Archive, Outbox, OutboxPost
    from wordpl.web.bot.page_game import PageGame, Result

    from wordpl.core.moves import ClassicMove, Verdict

    for number, verdict in enumerate((Verdict.WON, Verdict.WON, Verdict.UNSOLVED)):
        user_files.add_to_history(
            user_files.HistoryGame(user_files.now(), "wordle/1", verdict, 3 + number, 0.0, "mine", number)
        )
    setups.save("mine", setups.changed(setups.Setup(), width=50, past="weigh"))
    archive = Archive(Path("bot"))
    outbox = Outbox(Path("bot"))
    for day, words in ((20, ("crane", "crane")), (21, ("slate", "moist"))):
        moves = [ClassicMove(words[0], "..i.."), ClassicMove(words[1], "ccccc")]
        game = PageGame("nyt", "wordle-hard/1", tuple(moves), Verdict.WON, 0, (), "", datetime.date(2026, 11, day))
        result = Result(game, "Tree()", datetime.date(2026, 11, day))
        assert archive.keep(result)
        outbox.post_once(OutboxPost("discord", result.key, "sending", "a share text"), lambda: None)


def expected() -> None:
    """Write what 1.0.0 reads in all of it to expected.json."""
    facts = SourceFileLoader("facts", str(HERE / "facts.py")).load_module()
    found = {f"games {name}": facts.games(Path(), name) for name in facts.RUNS}
    for name, words in facts.COMMANDS.items():
        found[name] = facts.of_command(name, run(*words, status=(0, 1)).stdout)
    (HERE / "expected.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def pack(folder: Path) -> None:
    """Write everything into one archive, whose bytes depend on the files alone."""
    for name in ("sent", "results", "strategies"):
        shutil.rmtree(folder / name, ignore_errors=True)
    with tarfile.open(ARCHIVE, "w:xz", preset=9) as archive:
        for path in sorted(folder.rglob("*")):
            if "__pycache__" in path.parts or "cache" in path.relative_to(folder).parts[:1]:
                continue
            member = archive.gettarinfo(path, str(path.relative_to(folder)))
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            if path.is_file():
                with path.open("rb") as file:
                    archive.addfile(member, file)
            else:
                archive.addfile(member)


def main() -> None:
    """Make all parts, or those that are named after the two folders."""
    OUT.mkdir(exist_ok=len(sys.argv) > 3)
    os.chdir(OUT)
    os.environ |= {
        "PYTHONPATH": str(CHECKOUT), "XDG_STATE_HOME": str(STATE), "XDG_DATA_HOME": str(OUT / "data"),
        "XDG_CONFIG_HOME": str(OUT / "config"), "COLUMNS": "120", "NO_COLOR": "1",
    }  # fmt: skip
    import wordpl

    assert wordpl.__version__ == "1.0.0" and Path(wordpl.__file__).is_relative_to(CHECKOUT), wordpl.__file__
    for part in (
        entries,
        runs,
        official_runs,
        interrupted_runs,
        workbench,
        season,
        evidence,
        solver,
        league,
        web,
        tournament,
        user,
        expected,
    ):
        if not sys.argv[3:] or part.__name__ in sys.argv[3:]:
            part()
    if STATE.exists():
        shutil.copytree(STATE, "state", dirs_exist_ok=True)
        shutil.rmtree(STATE)
    if not sys.argv[3:] or "pack" in sys.argv[3:]:
        pack(OUT)


if __name__ == "__main__":
    CHECKOUT, OUT = Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute()
    sys.path[0] = str(CHECKOUT)
    main()
