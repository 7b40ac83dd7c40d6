"""Print which libraries the start of each command imports, and how long its imports take, as a Markdown table.

Run `python -m benchmarks.import_times`. Times are those of `python -X importtime`, which makes imports slower, for the
process of the command alone. A library that is not imported has no time. Commands that serve are ended after 8 seconds.
"""

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.track import write_entries

HOME = Path(__file__).resolve().parents[1]
LIBRARIES = ("numpy", "pandas", "scipy", "numba", "rich", "textual", "msgspec", "click", "wordpl")
ONE_GAME = "--games 1 --repeats 0 --results {}/results"
COMMANDS = {
    "wordpl --help": "-m wordpl --help",
    "evaluate.py --help": "evaluate.py --help",
    "evaluate, one game, trusted": f"evaluate.py {{}}/nop.py --trust {ONE_GAME}",
    "evaluate, one game": f"evaluate.py {{}}/nop.py {ONE_GAME}",
    "check": "-m wordpl check {}/nop.py",
    "suggest, 94 answers left": "-m wordpl suggest tares ....i",
    "tui": "-m wordpl tui",
    "serve": "-m wordpl serve --port 0",
}
SERVED_S = 8
LINE = re.compile(r"^import time: +(\d+) \| +\d+ \| *(\w+)", re.M)


def milliseconds(arguments: list[str]) -> Counter[str]:
    """Return the time that the modules of each package take to import, without what they import themselves."""
    environment = os.environ | {"TERM": "xterm-256color"}
    command = ["script", "-qec", f"{sys.executable} -X importtime {' '.join(arguments)} 2>imports", "/dev/null"]
    file = HOME / "imports"
    process = subprocess.Popen(command, cwd=HOME, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
    try:
        process.wait(SERVED_S if arguments[-1] in ("tui", "0") else 120)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
    found: Counter[str] = Counter()
    for time, package in LINE.findall(file.read_text(errors="replace")):
        found[package] += int(time) / 1000
    file.unlink()
    return found


def main() -> None:
    """Print the table."""
    print(f"| milliseconds | all | {' | '.join(LIBRARIES)} | others |\n|---|--:|{'--:|' * len(LIBRARIES)}--:|")
    with TemporaryDirectory(prefix="wordpl-imports-") as name:
        write_entries(Path(name))
        for title, text in COMMANDS.items():
            found = milliseconds(text.replace("{}", name).split())
            cells = [f"{found[library]:.0f}" if found[library] else "" for library in LIBRARIES]
            others = sum(found.values()) - sum(found[library] for library in LIBRARIES)
            print(f"| {title} | {sum(found.values()):.0f} | {' | '.join(cells)} | {others:.0f} |", flush=True)


if __name__ == "__main__":
    main()
