"""Play a real season on this machine from its first version to its end. `python -m benchmarks.season_real`

Eight authors send 20 versions: Python, C (with a build) and JavaScript; one author cheats, one hangs, one is hostile,
and one version is withdrawn. Eight rounds and a confirmation are played; four rounds are killed with SIGKILL in the
middle of their games, and played to their end by the same command. After the fifth round the folder is moved.
At the end `season verify` has to hold, in a copy at a third place too, and has to find: an edit of every file of the
folder, one at a time; each version and each round dropped from the log, from the folder, and from both with the chain
of digests written anew.

The table that is printed is kept in benchmarks/season_real.txt. It takes some minutes on an idle machine.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click

from wordpl.core.messages import UserError
from wordpl.reports import season_site
from wordpl.season import check
from wordpl.season.log import digest
from wordpl.season.season import Season

N_GAMES, N_CONFIRMATION_GAMES = 24, 300
KILLED_ROUNDS = (2, 4, 5, 7)
MOVED_AFTER = 5

PYTHON_BOT = '''
"""Guess {word}, then the word that is most probable."""

from wordpl import Posterior


class {name}:
    def first_move(self):
        self.posterior = Posterior.uniform()
        return "{word}", {epsilon}

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        word, probability = self.posterior.best()
        return (word, 0) if probability > 0.5 else (word, {epsilon})
'''
C_BOT = """
#include <stdio.h>
#include <string.h>
int main(void) {
    static char line[65536];
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "new_game")) puts("{\\"move\\":[\\"WORD\\",20.0]}");
        else puts("{\\"move\\":[\\"slate\\",0]}");
        fflush(stdout);
    }
}
"""
C_TOML = (
    'game = "wordpl/1"\nbuild = ["gcc", "-O2", "-o", "{build}/cbot", "NAME_source.c"]\ncommand = ["{build}/cbot"]\n'
)
JS_BOT = """
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const asked = JSON.parse(line);
  const move = asked.new_game ? ["WORD", 15.0] : ["crane", 0];
  process.stdout.write(JSON.stringify({ move }) + "\\n");
});
"""
JS_TOML = 'game = "wordpl/1"\ncommand = ["node", "NAME_source.js"]\n'
CHEAT = '''
"""Look for the secret: in the referee's memory, in seeds on the disk, and in earlier games of this process."""

import gc
import glob
import os
import sys


class Eve:
    seen = []

    def first_move(self):
        found = []
        for place in ("~/.local/state/wordpl", os.environ.get("XDG_STATE_HOME", "/nowhere"), "/proc/%d" % os.getppid()):
            for path in glob.glob(os.path.expanduser(place) + "/**", recursive=True):
                try:
                    found.append(open(path, "rb").read())
                except OSError:
                    pass
        frame = sys._getframe()
        while frame:
            found += [value for name, value in frame.f_locals.items() if "secret" in name]
            frame = frame.f_back
        words = [thing for thing in found if isinstance(thing, str) and len(thing) == 5]
        self.seen.append(len(gc.get_objects()) % VARIANT)
        return (words + ["crane"])[0], 1.0

    def next_move(self, guess, epsilon, clues):
        return "crane", 0
'''
HANG_IN_GAME = """
class Finn:
    def first_move(self):
        while True:
            pass

    def next_move(self, guess, epsilon, clues):
        return "crane", 0
"""
HANG_ON_LOAD = "while True:\n    pass\n"
HOSTILE = '''
"""Kill the referee, fill the disk and the log, start programs, and lie on the protocol."""

import os
import signal
import subprocess
import sys


class Hal:
    def __repr__(self):
        return "\\\\x1b[2J| <script>alert(1)</script> ](http://evil) " + "H" * 300

    def first_move(self):
        for attempt in (
            lambda: os.kill(os.getppid(), signal.SIGKILL),
            lambda: os.kill(-1, signal.SIGTERM),
            lambda: subprocess.run(["touch", "/tmp/pwned-by-hal"]),
            lambda: open("../../log.jsonl", "a").write("x" * 1000),
            lambda: open("/tmp/pwned-by-hal", "w").close(),
            lambda: sys.stdout.write("\\\\x1b]0;owned\\\\x07" * 10000),
        ):
            try:
                attempt()
            except BaseException:
                pass
        return END

    def next_move(self, guess, epsilon, clues):
        return "crane", 0
'''


def python_bot(word: str, epsilon: float, name: str) -> str:
    """Return the source of a Python entry."""
    return PYTHON_BOT.format(word=word, epsilon=epsilon, name=name)


def submissions() -> list[list[tuple[str, dict[str, str]]]]:
    """Return the files of the versions that are sent before each round, by the names of their entries."""

    def py(name: str, word: str, epsilon: float) -> tuple[str, dict[str, str]]:
        return name, {f"{name}.py": python_bot(word, epsilon, name.capitalize())}

    def c(word: str) -> tuple[str, dict[str, str]]:
        return "cleo", {"cleo.toml": C_TOML.replace("NAME", "cleo"), "cleo_source.c": C_BOT.replace("WORD", word)}

    def js(word: str) -> tuple[str, dict[str, str]]:
        return "dan", {"dan.toml": JS_TOML.replace("NAME", "dan"), "dan_source.js": JS_BOT.replace("WORD", word)}

    def eve(variant: int) -> tuple[str, dict[str, str]]:
        return "eve", {"eve.py": CHEAT.replace("VARIANT", str(variant))}

    def hal(end: str) -> tuple[str, dict[str, str]]:
        return "hal", {"hal.py": HOSTILE.replace("END", end)}

    return [
        [py("ada", "crane", 8.0), py("bob", "slate", 6.0), c("crane"), js("crane")],
        [eve(3), ("finn", {"finn.py": HANG_IN_GAME}), py("gus", "raise", 5.0), hal('"crane", 1e308 * 10')],
        [py("ada", "crane", 10.0), c("slate"), ("finn", {"finn.py": HANG_ON_LOAD})],
        [py("bob", "slate", 9.0), py("gus", "raise", 30.0)],
        [js("slate"), eve(5), hal("os._exit(3)")],
        [py("ada", "crane", 12.0), ("finn", {"finn.py": python_bot("stare", 9.0, "Finn")})],
        [py("bob", "slate", 11.0)],
        [py("ada", "salet", 11.0)],
    ]


class Host:
    """The host of the season, who uses the commands.

    Attributes:
        folder: The season's folder.
        work: The folder of everything else.
    """

    def __init__(self, work: Path):
        """Create the season."""
        self.work, self.folder = work, work / "cup"
        self.environment = os.environ | {"XDG_STATE_HOME": str(work / "state"), "XDG_CACHE_HOME": str(work / "cache")}
        self(
            "new",
            self.folder,
            "--no-bundled",
            "--score",
            "p_win",
            "--score",
            "p05",
            "--title",
            "A season on this machine",
        )
        path = self.folder / "season.toml"
        terms = path.read_text()
        for old, new in (("games = 1000 ", f"games = {N_GAMES} "), ("players = 20", "players = 6"),
                         ("leaders = 5", "leaders = 2"), ("timeout_s = 5.0", "timeout_s = 0.5"),
                         ("warmup_s = 60.0", "warmup_s = 10.0"),
                         ("confirmation_games = 26000", f"confirmation_games = {N_CONFIRMATION_GAMES}")):  # fmt: skip
            assert old in terms, old
            terms = terms.replace(old, new)
        path.write_text(terms)
        self("site")

    def command(self, name: str, *arguments: object) -> list[str]:
        """Return a command of `wordpl season`."""
        place = [] if name == "new" else ["-C", str(self.folder)]
        return [sys.executable, "-m", "wordpl", "season", name, *map(str, arguments), *place]

    def __call__(self, name: str, *arguments: object, code: int = 0) -> str:
        """Run a command, and return what it prints."""
        done = subprocess.run(self.command(name, *arguments), env=self.environment, capture_output=True, text=True)
        if done.returncode != code:
            raise SystemExit(f"{name} {arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def submit(self, name: str, files: dict[str, str]) -> None:
        """Send a version, as its author's file in a folder of its own."""
        place = self.work / "sent" / f"{time.monotonic_ns()}"
        place.mkdir(parents=True)
        for file, content in files.items():
            (place / file).write_text(content)
        self("submit", place / next(iter(files)))

    def kill_round(self, after_records: int) -> int:
        """Start a round, kill it with SIGKILL when it has recorded some games, and return how many it had."""
        process = subprocess.Popen(self.command("round", "--quiet"), env=self.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)  # fmt: skip
        known = {path.name for path in (self.folder / "rounds").glob("*")}
        n_games = 0
        while process.poll() is None and n_games < after_records:
            new = [path for path in (self.folder / "rounds").glob("*") if path.name not in known]
            with suppress(FileNotFoundError):  # a journal whose games were moved to the records
                n_games = sum(
                    path.read_bytes().count(b"\n")
                    for folder in new
                    for path in [*folder.glob("records/*.jsonl"), *folder.glob(".begun/*/*")]
                )
            time.sleep(0.02)
        if process.poll() is not None:
            raise SystemExit("the round ended before it was killed: play more games.")
        process.send_signal(signal.SIGKILL)
        process.wait()
        return n_games


def play(host: Host) -> None:
    """Play all rounds and the confirmation."""
    for number, sent in enumerate(submissions(), 1):
        for name, files in sent:
            host.submit(name, files)
        if number == 5:
            host("withdraw", "gus@2")
        note = ""
        if number in KILLED_ROUNDS:
            note = f", killed after {host.kill_round(10 * number)} lines of games"
        host("round", "--quiet")
        event = Season(host.folder).played_rounds[-1]
        faults = f"; not loaded: {', '.join(event.faults)}" if event.faults else ""
        print(f"round {number}: {', '.join(event.players.values())}{faults}{note}", flush=True)
        if number == MOVED_AFTER:
            moved = host.work / "elsewhere" / "the cup"
            moved.parent.mkdir()
            host.folder.rename(moved)
            host.folder = moved
            print("the folder was moved", flush=True)
    shown = "record" if "is confirmed" in host("confirm", "ada", "--score", "p_win", "--value", 0.2, "--quiet") else "-"
    print(f"confirmation of ada for P(win) 0.2: {shown}", flush=True)


def problems(folder: Path) -> Iterator[str]:
    """Yield what `season verify` finds."""
    try:
        season = Season(folder)
        yield from check.problems(season)
        yield from season_site.unpublished(season)
    except UserError as error:
        yield error.message


def is_found(folder: Path) -> bool:
    """Return whether `season verify` finds anything."""
    return any(problems(folder))


def edits(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield each file of the folder after an edit of one byte, with its kind; the edit is undone afterwards."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name in (".lock", ".gitignore", ".gitattributes") or ".github" in path.parts:
            continue
        content = path.read_bytes()
        middle = len(content) // 2
        if path.name == "README.md":
            middle = content.index(b"@") - 1  # in the table; the rest is the host's own text
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 1 if content else 1]) + content[middle + 1 :])
        part = path.relative_to(folder).parts
        yield "/".join([*part[:1], *part[2:3]] if len(part) > 2 else part[:1]), path
        path.write_bytes(content)


def without_lines(folder: Path, mark: str) -> None:
    """Drop all lines of the log that have this mark, and write the digests of the others anew."""
    path = folder / "log.jsonl"
    before, lines = "", []
    for line in path.read_bytes().splitlines():
        if mark.encode() not in line:
            event = json.loads(line) | {"before": before}
            lines.append(json.dumps(event, separators=(",", ":")).encode())
            before = digest(lines[-1])
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def drops(folder: Path) -> Iterator[str]:
    """Yield what was dropped from a copy of the folder: each version and each round, in three ways."""
    season = Season(folder)
    marks = {f"version {v.label}": (f'"digest":"{v.digest}"', folder / "versions" / v.label) for v in season.versions}
    marks |= {f"round {e.number}": (e.run, folder / "rounds" / e.run) for e in season.played_rounds}
    log = (folder / "log.jsonl").read_bytes()
    for name, (mark, place) in marks.items():
        without_lines(folder, mark)
        yield f"{name.split()[0]} dropped from the log, digests written anew"
        (folder / "log.jsonl").write_bytes(log)
        place.rename(folder.parent / "dropped")
        yield f"{name.split()[0]} dropped from the folder"
        without_lines(folder, mark)
        yield f"{name.split()[0]} dropped from both, digests written anew"
        (folder / "log.jsonl").write_bytes(log)
        (folder.parent / "dropped").rename(place)


def check_edits(copy: Path) -> Counter[str]:
    """Edit each file of a copy of the season, drop each version and round, and print what `season verify` finds."""
    found, made = Counter[str](), Counter[str]()
    for kind, path in edits(copy):
        made[f"edit in {kind}"] += 1
        found[f"edit in {kind}"] += is_found(copy)
        if found[f"edit in {kind}"] < made[f"edit in {kind}"]:
            print("not found:", path.relative_to(copy))
    for kind in drops(copy):
        made[kind] += 1
        found[kind] += is_found(copy)
    print("\nfound of those made:")
    for kind in sorted(made):
        print(f"  {kind:56} {found[kind]} of {made[kind]}")
    print(f"problems of the copy when all edits are undone: {len(list(problems(copy)))}")
    return made


@click.command()
@click.option("--keep", type=click.Path(path_type=Path), help="Copy the season to this folder.")
@click.option("--played", type=click.Path(path_type=Path), help="Only check the edits of a season that was kept.")
def main(keep: Path | None, played: Path | None) -> None:
    """Play the season, and check what `season verify` finds."""
    print(f"python -m benchmarks.season_real, {datetime.now(UTC):%Y-%m-%d}: {N_GAMES} games a round\n")
    with tempfile.TemporaryDirectory(prefix="wordpl-season-", ignore_cleanup_errors=True) as name:
        work = Path(name)
        os.environ.update({"XDG_STATE_HOME": str(work / "state"), "XDG_CACHE_HOME": str(work / "cache")})
        folder = played
        if folder is None:
            host = Host(work)
            play(host)
            folder = host.folder
            if keep:
                shutil.copytree(folder, keep)
            n_authors = len({version.author for version in Season(folder).versions})
            print(f"{len(Season(folder).versions)} versions of {n_authors} authors")
            print(host("verify").strip().replace("\n", " "))
        copy = work / "third" / "copy"
        shutil.copytree(folder, copy)
        made = check_edits(copy)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"CPU seconds, the check of {sum(made.values())} edits included: "
          f"{sum(u.ru_utime + u.ru_stime for u in used):.0f}")  # fmt: skip


if __name__ == "__main__":
    main()
