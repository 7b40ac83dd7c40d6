"""What the documents show is what happens."""

import json
import os
import re
import shlex
import subprocess
import sys
from io import BytesIO

import pytest

from wordpl.players import worker, zygote
from wordpl.words import HOME

PAGES = ["README.md", "CONTRIBUTING.md"]


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (HOME / page).read_text(), re.DOTALL)


def commands(page):
    lines = re.findall(r"^    (python .*)$", (HOME / page).read_text(), re.MULTILINE)
    lines += re.findall(r"`(python [^`]*)`", (HOME / page).read_text())
    return [line.split("#")[0].strip() for line in lines]


class Scripted:
    """Plays the replies that a document shows."""

    def __init__(self, moves):
        self.moves = iter(moves)

    def first_move(self):
        return next(self.moves)

    def next_move(self, *asked):
        return next(self.moves)


def as_returned(move):
    return tuple(move) if isinstance(move, list) else move


def test_the_protocol_s_games_are_spoken_as_shown():
    conversations = [block for block in blocks("docs/protocol.md", "") if "->" in block]
    assert len(conversations) == 2
    for block in conversations:
        requests = "".join(re.findall(r"^-> (.*\n)", block, re.MULTILINE)).encode()
        replies = "".join(re.findall(r"^<- (.*\n)", block, re.MULTILINE)).encode()
        player = Scripted(as_returned(json.loads(line)["move"]) for line in replies.splitlines())
        said = BytesIO()
        worker.serve(player, BytesIO(requests), said)
        assert said.getvalue() == replies


@pytest.fixture(scope="module")
def first_bot(tmp_path_factory):
    """The README's first strategy, in a file of its own."""
    (source,) = (block for block in blocks("README.md", "python") if "class MyBot" in block)
    path = tmp_path_factory.mktemp("bots") / "my_bot.py"
    path.write_text(source)
    return path


def test_a_player_introduces_itself_as_shown(first_bot):
    (shown,) = (block for block in blocks("docs/protocol.md", "") if "ready" in block)
    said = BytesIO()
    zygote.play({"file": str(first_bot), "make": "MyBot()", "rules": "wordpl/1"}, BytesIO(), said)
    assert said.getvalue().decode() == shown.removeprefix("<- ")


@pytest.mark.timeout(240)
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_work_as_they_stand(page, first_bot):
    results = first_bot.parent / "results"
    for command in commands(page):
        if "pytest" in command or "--trust" in command or "interactive" in command:
            continue
        if "--resume" in command:
            command = f"python evaluate.py --resume {max(results.iterdir())}"
        else:
            command = f"{re.sub(r'(?<![/.])my_bot', str(first_bot), command)} --games 3 --jobs 1 --results {results}"
        words = shlex.split(command)
        done = subprocess.run([sys.executable, *words[1:]], cwd=HOME, capture_output=True, text=True, env=os.environ)
        assert done.returncode == 0, f"{command}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES)
def test_the_python_examples_work_as_they_stand(page, tmp_path):
    for number, source in enumerate(blocks(page, "python")):
        path = tmp_path / f"example_{number}.py"
        path.write_text(source)
        if "first_move" in source:
            words = [str(path), "--games", "20", "--jobs", "1", "--results", str(tmp_path / "results")]
            done = subprocess.run(
                [sys.executable, "evaluate.py", *words], cwd=HOME, capture_output=True, text=True, env=os.environ
            )
            assert "won" in done.stdout, done.stderr
            assert "crashed" not in done.stdout
        else:
            done = subprocess.run([sys.executable, str(path)], cwd=HOME, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
