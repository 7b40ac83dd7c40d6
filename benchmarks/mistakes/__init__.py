"""The messages that broken strategies and wrong command lines get, in strategies.md and commands.md.

    python -m benchmarks.mistakes            play and call everything again, and write the messages into the pages

Each message is what a user sees, in Python 3.11; the tests hold the pages against the code. Strategies play two games
in this process, because the sandbox adds nothing to their messages.
"""

import os
import re
import shlex
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent

from click.testing import CliRunner

from wordpl import Contest, RunConfig, UserError
from wordpl.cli import main
from wordpl.run.folder import RunRecords

FOLDER = Path(__file__).resolve().parent
STRATEGY = re.compile(r"(?<=\n)## ([^\n]*)\n\n```(python|toml)\n(.*?)```\n\n```text\n(.*?)```\n", re.DOTALL)
COMMAND = re.compile(r"(?<=\n)```text\n\$ wordpl ([^\n]*)\n(.*?)```\n", re.DOTALL)
CLICK = "8.5.1"
"""The version of click whose words about usage are in commands.md."""
BOT = """from dataclasses import dataclass


@dataclass
class MyBot:
    epsilon: float = 10.0

    def first_move(self):
        return "crane", self.epsilon

    def next_move(self, guess, epsilon, clues):
        return "crane", 0
"""
"""The file my_bot.py of the folder in which commands are called."""


@contextmanager
def empty_folder() -> Iterator[Path]:
    """Change to an empty folder and yield its path."""
    before = Path.cwd()
    with TemporaryDirectory(prefix="mistakes-") as name:
        folder = Path(name).resolve()
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def strategy_message(kind: str, source: str) -> str:
    """Return what is said of a strategy: why it cannot be loaded, or how its games fail.

    Args:
        kind: "python" or "toml".
        source: The text of the file my_bot.py or my_bot.toml.
    """
    with empty_folder() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a coroutine that nobody awaits
        file = folder / f"my_bot.{'py' if kind == 'python' else 'toml'}"
        file.write_text(source, encoding="utf-8")
        config = RunConfig(n_games=2, repeats=0, seed="1", player="trusted", results=folder / "results")
        contest = Contest(config, [file.name])
        try:
            run = contest.play()
        except UserError as error:
            return _plain(error.message, folder)
        records = RunRecords(run)
        failed = [record for entry in run.info.entries for record in records.irregular(entry)]
        lines = [f"game {record.game}: {record.verdict}\n{indent(record.message, '    ')}" for record in failed[:1]]
        return _plain("\n".join(lines) or "All games are played.", folder)


def command_message(arguments: str) -> str:
    """Return the output of `wordpl ARGUMENTS`, which fails, and its exit code if that is not 1."""
    with empty_folder() as folder:
        (folder / "my_bot.py").write_text(BOT)
        (folder / "empty").mkdir()
        runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "GIT_CEILING_DIRECTORIES": str(folder.parent)})
        result = runner.invoke(main, shlex.split(arguments), prog_name="wordpl")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        code = "" if result.exit_code == 1 else f"\n[exit code {result.exit_code}]"
        return _plain(result.output + code, folder)


def _plain(text: str, folder: Path) -> str:
    """Return the text without folders, trailing blanks, the carets of tracebacks and progress."""
    for prefix in (f"{folder}/", f"{FOLDER.parent.parent}/"):
        text = text.replace(prefix, "")
    text = re.sub(r"repeated \d+ more times", "repeated many more times", text.replace(str(folder), "."))
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return "\n".join(line for line in lines if not re.fullmatch(r"\s*[\^~]+|loading .*", line))


def pages() -> dict[str, Callable[[re.Match[str]], str]]:
    """Return what replaces each mistake of a page, by the page's name."""

    def strategy(match: re.Match[str]) -> str:
        title, kind, source, _ = match.groups()
        return f"## {title}\n\n```{kind}\n{source}```\n\n```text\n{strategy_message(kind, source)}\n```\n"

    def command(match: re.Match[str]) -> str:
        return f"```text\n$ wordpl {match[1]}\n{command_message(match[1])}\n```\n"

    return {"strategies.md": strategy, "commands.md": command}


PATTERNS = {"strategies.md": STRATEGY, "commands.md": COMMAND}
