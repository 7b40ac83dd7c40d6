"""Capture the terminal sessions in tutorial.md and season.md.

    python docs/capture_session.py                 with the `wordpl` of this environment
    python docs/capture_session.py --fresh         in a new environment, with a wheel built from this checkout

The first line of a block below a line `<!-- $ -->` is a command. It runs on a terminal of 80 columns in an empty
folder, and its output replaces the rest of the block. Below `<!-- $ part: TEXT -->`, only the paragraph is kept that
begins with this text, and below `<!-- $ part 3: TEXT -->`, three lines. With --fresh, docs/first-minute.csv records the
duration of each command and the longest time without a change on the screen.
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
PAGES = ("tutorial.md", "season.md")
BLOCK = re.compile(r"<!-- \$(?P<part>[^\n]*) -->\n```text\n\$ (?P<command>[^\n]*)\n(?P<output>.*?)```\n", re.DOTALL)
PART = re.compile(r" part ?(\d*): (.+)")
FILE = re.compile(r"<!-- (\w+\.py) -->\n```python\n(.*?)```\n", re.DOTALL)
"""A file that the reader writes; it is there from the beginning."""
COLUMNS, LINES = 80, 150
TIMEOUT_S = 900

Row = tuple[str, float, float]
"""A command, its duration and its longest silence, in seconds."""


def main() -> None:
    """Run all commands in the order of the pages, and write their output into the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--missing", action="store_true", help="only the commands that have no output yet")
    parser.add_argument("--folder", type=Path, help="the folder in which the commands run; by default, an empty one")
    parser.add_argument("--only", default="", help="only the commands of this page")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        rows: list[Row] = []
        binaries = make_fresh_environment(work, rows) if chosen.fresh else Path(sys.executable).parent
        folder = chosen.folder or work / "contest"
        folder.mkdir(exist_ok=True)
        for page in PAGES:
            if chosen.only in ("", page):
                capture_page(DOCS / page, folder, binaries, rows, chosen.missing)
    if chosen.fresh:
        with (DOCS / "first-minute.csv").open("w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["command", "seconds", "longest_silence_s"])
            table.writerows((what.strip('"'), f"{seconds:.1f}", f"{silent:.1f}") for what, seconds, silent in rows)


def make_fresh_environment(work: Path, rows: list[Row]) -> Path:
    """Build the wheel, install it into a new environment, and return the folder of its programs."""
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", work, DOCS.parent], check=True)
    subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
    (wheel,) = work.glob("*.whl")
    started = time.monotonic()
    # With PYTHONPATH, pip would find the checkout and install nothing.
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([work / "venv/bin/pip", "install", "-q", f"{wheel}[league]"], check=True, env=clean)
    rows.append(("pip install wordpl", time.monotonic() - started, float("nan")))  # the screen of pip is not observed
    return work / "venv" / "bin"


def capture_page(page: Path, folder: Path, binaries: Path, rows: list[Row], only_missing: bool) -> None:
    """Run the commands of one page, and write the output of each into the page as soon as it is known."""
    for name, source in FILE.findall(page.read_text()):
        (folder / name).write_text(source)
    for command in [found["command"] for found in BLOCK.finditer(page.read_text())]:
        text = page.read_text()
        block = next(found for found in BLOCK.finditer(text) if found["command"] == command)
        if only_missing and block["output"]:
            continue
        output, seconds, silent_s = run_in_terminal(command, folder, binaries)
        rows.append((f'"{command}"', seconds, silent_s))
        sys.stderr.write(f"{command}: {seconds:.1f} s, at most {silent_s:.1f} s without a change\n")
        shown = part_of(output, block["part"]).rstrip()
        page.write_text(f"{text[: block.start('output')]}{shown}\n{text[block.end('output') :]}")


def part_of(output: str, part: str) -> str:
    """Return the lines that the part names, with "..." for the others."""
    if not (found := PART.fullmatch(part)):
        return output
    before, first, rest = f"\n{output}".partition(f"\n{found[2]}")
    if not first:
        raise ValueError(f"no line begins with {found[2]!r}:\n{before}")
    lines = f"{found[2]}{rest}".splitlines()
    n_kept = int(found[1] or (lines.index("") if "" in lines else len(lines)))
    return "\n".join([*["..."] * bool(before), *lines[:n_kept], *["..."] * (n_kept < len(lines))])


def run_in_terminal(command: str, folder: Path, binaries: Path) -> tuple[str, float, float]:
    """Return the final screen, the duration, and the longest time without a change on the screen, in seconds."""
    runs = [path for path in folder.glob("results/*-*/") if not re.search("-match$|-tune-", path.name)]
    newest = max(runs, default=folder, key=lambda path: path.stat().st_mtime)
    command_line = command.replace("results/RUN", f"results/{newest.name}")
    environment = os.environ | {"PATH": f"{binaries}:{os.environ['PATH']}", "COLUMNS": str(COLUMNS), "LINES": "24"}
    environment |= {"NO_COLOR": "1", "TERM": "xterm"}
    for name in ("PYTHONPATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR"):
        environment.pop(name, None)
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    process = pexpect.spawn("bash", ["-c", command_line], cwd=str(folder), env=environment, dimensions=(LINES, COLUMNS))
    started = changed = time.monotonic()
    longest_silence_s, before = 0.0, ""
    while time.monotonic() - started < TIMEOUT_S:
        try:
            stream.feed(process.read_nonblocking(65536, timeout=0.5))
        except pexpect.TIMEOUT:
            continue
        except pexpect.EOF:
            break
        now = "\n".join(screen.display)
        if now != before:
            longest_silence_s = max(longest_silence_s, time.monotonic() - changed)
            changed, before = time.monotonic(), now
    process.close(force=True)
    lines = [line.rstrip() for line in screen.display]
    return "\n".join(lines).strip("\n"), time.monotonic() - started, longest_silence_s


if __name__ == "__main__":
    main()
