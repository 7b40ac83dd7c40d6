"""Draws the terminals of tutorial.md and commands.md: runs each command on a terminal of 80 columns in an empty folder.

    python docs/capture_session.py                 with the `wordpl` of this environment
    python docs/capture_session.py --fresh         in an environment made for it, with a wheel built from this checkout

What a command shows replaces the block below its line `<!-- $ COMMAND -->`. With --fresh, docs/first-minute.csv keeps
how long each command took and the longest time without a change on the screen.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pexpect
import pyte

DOCS = Path(__file__).resolve().parent
PAGES = ("tutorial.md", "commands.md")
BLOCK = re.compile(r"(<!-- \$ (.*?) -->\n)```text\n.*?```\n", re.DOTALL)
COLUMNS, LINES = 80, 150
SHARES = """Wordle 1,234 3/6

⬛🟨⬛⬛⬛
🟨⬛🟩⬛⬛
🟩🟩🟩🟩🟩
"""
END_OF_INPUT = "\x04"
TYPED = {"wordpl play --seed 7": ["crane 12", "pious 12", END_OF_INPUT]}
TIMEOUT_S = 900


def main() -> None:
    """Run all commands of the pages, in their order, and put into the pages what they show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--missing", action="store_true", help="only the commands that show nothing yet")
    parser.add_argument("--folder", type=Path, help="where the commands run; by default an empty folder")
    parser.add_argument("--only", default="", help="only the commands of this page")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work, rows = Path(name), []
        binaries = fresh_environment(work, rows) if chosen.fresh else Path(sys.executable).parent
        folder = chosen.folder or work / "contest"
        folder.mkdir(exist_ok=True)
        (folder / "shares.txt").write_text(SHARES)
        for page in PAGES:
            if chosen.only in ("", page):
                draw(DOCS / page, folder, binaries, rows, chosen.missing)
    if chosen.fresh:
        with (DOCS / "first-minute.csv").open("w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["command", "seconds", "longest_silence_s"])
            table.writerows((what.strip('"'), f"{seconds:.1f}", f"{silent:.1f}") for what, seconds, silent in rows)


def fresh_environment(work: Path, rows: list[tuple[str, float, float]]) -> Path:
    """Build the wheel, install it into an empty environment, and return the folder of its programs."""
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", work, DOCS.parent], check=True)
    subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
    (wheel,) = work.glob("*.whl")
    began = time.monotonic()
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # or pip finds wordpl there
    subprocess.run([work / "venv/bin/pip", "install", "-q", f"{wheel}[league,rankings]"], check=True, env=clean)
    rows.append(("pip install wordpl", time.monotonic() - began, float("nan")))  # pip was not watched
    return work / "venv" / "bin"


def draw(page: Path, folder: Path, binaries: Path, rows: list[tuple[str, float, float]], only_missing: bool) -> None:
    """Run the commands of one page, and put into it what they show, each as soon as it is known."""
    for command in [found[2] for found in BLOCK.finditer(page.read_text())]:
        text = page.read_text()
        block = next(found for found in BLOCK.finditer(text) if found[2] == command)
        if only_missing and "$ " in block[0].split("-->\n")[1]:
            continue
        shown, seconds, silent = run(command, folder, binaries)
        rows.append((f'"{command}"', seconds, silent))
        sys.stderr.write(f"{command}: {seconds:.1f} s, {silent:.1f} s silent at most\n")
        drawn = f"{block[1]}```text\n$ {command}\n{shown}\n```\n"
        page.write_text(text[: block.start()] + drawn + text[block.end() :])


def run(command: str, folder: Path, binaries: Path) -> tuple[str, float, float]:
    """Return what the command leaves on the screen, how long it took, and the longest time without a change there."""
    newest = max(folder.glob("results/*-*/"), default=folder, key=lambda path: path.stat().st_mtime)
    typed = command.replace("results/RUN", f"results/{newest.name}")
    environment = os.environ | {"PATH": f"{binaries}:{os.environ['PATH']}", "COLUMNS": str(COLUMNS), "LINES": "24"}
    environment |= {"NO_COLOR": "1", "TERM": "xterm"}
    for name in ("PYTHONPATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR"):
        environment.pop(name, None)
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    process = pexpect.spawn("bash", ["-c", typed], cwd=str(folder), env=environment, dimensions=(LINES, COLUMNS))
    waiting = list(TYPED.get(command, []))
    began = changed = time.monotonic()
    silent, before = 0.0, ""
    while time.monotonic() - began < TIMEOUT_S:
        try:
            stream.feed(process.read_nonblocking(65536, timeout=0.5))
        except pexpect.TIMEOUT:
            if waiting and time.monotonic() - changed > 1.5:
                process.sendline(waiting.pop(0))
            continue
        except pexpect.EOF:
            break
        now = "\n".join(screen.display)
        if now != before:
            silent, changed, before = max(silent, time.monotonic() - changed), time.monotonic(), now
    process.close(force=True)
    lines = [line.rstrip() for line in screen.display]
    return "\n".join(lines).strip("\n"), time.monotonic() - began, silent


if __name__ == "__main__":
    main()
