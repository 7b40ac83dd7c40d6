"""The examples in the documents work as shown."""

import json
import re
import runpy
import shlex
import sys
from io import BytesIO
from itertools import chain
from pathlib import Path

import click
import pytest

from tests.helpers.cli import all_commands, evaluate
from tests.helpers.paths import HOME
from wordpl.cli import main
from wordpl.cli.evaluate import command as evaluate_command
from wordpl.players import discovery, player_process, worker
from wordpl.players.fork_client import Request
from wordpl.players.sandbox.levels import Level, SandboxPolicy

PAGES = ["README.md", "CONTRIBUTING.md"]


def blocks(page, language):
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", (HOME / page).read_text(), re.DOTALL | re.MULTILINE)
    return [text for kind, text in fenced if kind == language]


def commands(page):
    lines = re.findall(r"^    (python .*)$", (HOME / page).read_text(), re.MULTILINE)
    lines += re.findall(r"`(python [^`]*)`", (HOME / page).read_text())
    return [line.split("#")[0].strip() for line in lines]


class Scripted:
    """A player that makes the moves shown in a document."""

    def __init__(self, moves):
        self.moves = iter(moves)

    def first_move(self):
        return next(self.moves)

    def next_move(self, *asked):
        return next(self.moves)


def as_returned(move):
    return tuple(move) if isinstance(move, list) else move


def test_games_of_the_protocol_page_are_played_as_shown():
    conversations = [block for block in blocks("docs/protocol.md", "") if "->" in block]
    assert len(conversations) == 2
    for block in conversations:
        requests = "".join(re.findall(r"^-> (.*\n)", block, re.MULTILINE)).encode()
        replies = "".join(re.findall(r"^<- (.*\n)", block, re.MULTILINE)).encode()
        player = Scripted(as_returned(json.loads(line)["move"]) for line in replies.splitlines())
        output = BytesIO()
        worker.serve([player], BytesIO(requests), output)
        assert output.getvalue() == replies


@pytest.fixture(scope="module")
def first_bot(tmp_path_factory):
    """Return a file with the first strategy of the README."""
    (source,) = (block for block in blocks("README.md", "python") if "class MyBot" in block)
    path = tmp_path_factory.mktemp("bots") / "my_bot.py"
    path.write_text(source)
    return path


def test_the_first_message_of_a_player_is_as_shown(first_bot):
    (expected,) = (block for block in blocks("docs/protocol.md", "") if "ready" in block)
    output = BytesIO()
    policy = SandboxPolicy(Level.D, 0, 0, "", "")  # holds the process of a player; here none is started
    player_process.play(Request(policy, str(first_bot), "MyBot()", "wordpl/1"), BytesIO(), output)
    assert output.getvalue().decode() == expected.removeprefix("<- ")


@pytest.mark.long  # plays the examples of the documents
def test_commands_in_the_documents_work(first_bot):
    """The first command plays, the next ones resume and replay; for the others, options and entries are checked."""
    results = first_bot.parent / "results"
    for number, command in enumerate(dict.fromkeys(chain.from_iterable(map(commands, PAGES)))):
        arguments = shlex.split(re.sub(r"(?<![/.])my_bot", str(first_bot), command))[2:]
        if "evaluate.py" not in command or "--trust" in arguments:
            continue
        if number == 0 or "--number" in arguments or "--resume" in arguments:
            arguments += ["--games", 3, "--repeats", 0, "--jobs", 1, "--results", results] if number == 0 else []
            result = evaluate(*(max(results.iterdir()) if word == "results/RUN" else word for word in arguments))
            assert result.exit_code == 0, f"{command}\n{result.stderr}"
        else:
            parameters = evaluate_command.make_context("evaluate", arguments).params
            assert discovery.find_sources(parameters["entries"])
            assert not parameters["against"] or discovery.find_sources([parameters["against"]])
    assert len(list(results.iterdir())) == 1


@pytest.mark.long  # plays the examples of the documents
def test_python_examples_in_the_documents_work(tmp_path, monkeypatch):
    examples = list(chain.from_iterable(blocks(page, "python") for page in PAGES))
    strategies = [source for source in examples if "first_move" in source and "theirs" not in source]
    for number, source in enumerate(strategies):
        (tmp_path / f"example_{number}.py").write_text(source)
    options = ["--games", 5, "--jobs", 1, "--repeats", 0, "--results", tmp_path / "results"]
    result = evaluate(*tmp_path.glob("*.py"), *options)
    assert "could not be loaded" not in result.stderr
    assert "P(win)" in result.stdout
    assert "crashed" not in result.stdout
    monkeypatch.chdir(HOME)
    for source in examples:
        if source not in strategies and "theirs" not in source:  # which has a test of its own
            exec(compile(source, "example", "exec"), {"__name__": "example"})


@pytest.mark.parametrize("page", sorted([*HOME.glob("*.md"), *HOME.glob("docs/*.md")]), ids=lambda page: page.name)
def test_targets_of_local_links_exist(page):
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.DOTALL)
    targets = [match[1] for match in re.finditer(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)]
    local = [target for target in targets if not re.match(r"\w+:", target)]
    assert not [target for target in local if not (page.parent / target).exists()]


def test_every_command_is_on_the_commands_page():
    from wordpl.cli import COMMANDS

    page = (HOME / "docs" / "commands.md").read_text()
    missing = [name for name in COMMANDS if not re.search(rf"`?wordpl {name}\b", page)]
    assert missing == []


@pytest.mark.slow
def test_an_option_means_the_same_in_every_command():
    program = runpy.run_path(str(HOME / "docs" / "list_options.py"))
    rows = re.findall(r"^\| `(--?[\w-]+)` \| (.+?) \| .+ \|$", program["table"](), re.MULTILINE)
    assert [option for option, _ in rows] == list(program["options"]())
    assert set(program["MEANINGS"]) <= set(program["options"]())


@pytest.mark.long  # plays the tutorial from an empty folder
def test_the_tutorial_ends_with_a_better_strategy(tmp_path):
    capture = runpy.run_path(str(HOME / "docs" / "capture_session.py"))
    page = (HOME / "docs" / "tutorial.md").read_text()
    for name, source in capture["FILE"].findall(page):
        (tmp_path / name).write_text(source)
    screens = {}
    for block in capture["BLOCK"].finditer(page):
        command = block["command"]
        screens[command], _, _ = capture["run_in_terminal"](command, tmp_path, Path(sys.executable).parent)
    (mistake,) = [command for command in screens if 'def nextmove/"' in command]
    assert " ".join(screens.pop(mistake).split()) in " ".join(page.split())

    def screen_of(command):
        (text,) = [text for typed, text in screens.items() if f"wordpl {command} " in typed]
        return text

    assert "All checks passed." in screen_of("check")
    assert "The new entry is better" in screen_of("match")
    assert "fresh games, not used in the search" in screen_of("tune")
    assert screen_of("verify").endswith("All holds.")
    assert "To replay the first:\nwordpl evaluate" in screen_of("analyse")


THEIRS = """
class Solver:
    def start(self):
        return "crane", 9.0

    def step(self, guess, epsilon, clues):
        return "abide", 0


def next_guess(history):
    return ("abide", 0) if history else ("crane", 9.0)


class Bot:
    first_move, next_move = Solver.start, Solver.step


bot = Bot()
"""


@pytest.mark.slow
def test_entries_of_other_contests_play_through_the_adapters_of_the_documentation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (adapters,) = (block for block in blocks("CONTRIBUTING.md", "python") if "theirs" in block)
    (tmp_path / "adapted").mkdir()
    (tmp_path / "adapted" / "bot.py").write_text(adapters)
    (tmp_path / "adapted" / "theirs.py").write_text(THEIRS)
    result = evaluate("./adapted", "--games", 3, "--repeats", 0, "--no-report", "--trust")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.count("3 games, ") == 3
    assert "crashed" not in result.stdout


def documented_lines():
    """Yield the command lines of the README, of the documentation and of the help of all commands."""
    for page in [HOME / "README.md", HOME / "CONTRIBUTING.md", *sorted((HOME / "docs").glob("*.md"))]:
        text = re.sub(r"\\\n\s*", " ", page.read_text())
        for line in re.findall(r"^(?:    |\$ )(wordpl [a-z].*)$|`(wordpl [a-z][^`\n]*)`", text, re.MULTILINE):
            yield page.name, "".join(line)
    for path, command in all_commands().items():
        for line in re.findall(r"^\s*(wordpl [a-z].*)$", command.help or "", re.MULTILINE):
            yield f"{path} --help", line


def test_every_command_line_that_is_shown_has_known_commands_and_options():
    unknown, n_read = [], 0
    for where, line in documented_lines():
        shown = re.split(r"  +|  #|[|;&>]| to ", line)[0]  # without comments and what a shell does next
        words = shlex.split(shown)[1:]
        command = main
        while isinstance(command, click.Group) and words and words[0] != "...":
            command = command.get_command(click.Context(main), words.pop(0))
        parameters = command.params if command else []
        options = {name for parameter in parameters for name in parameter.opts + parameter.secondary_opts}
        used = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        n_read += 1
        if command is None or used - options - {"--help", "--version"}:
            unknown.append((where, line))
    assert unknown == []
    assert n_read > 350
