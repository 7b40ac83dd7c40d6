"""Broken strategies and wrong command lines get the messages of benchmarks/mistakes, each with a place and a remedy."""

import platform
import re
from importlib.metadata import version

import pytest

from benchmarks import mistakes

STRATEGIES = mistakes.STRATEGY.findall((mistakes.FOLDER / "strategies.md").read_text(encoding="utf-8"))
COMMANDS = mistakes.COMMAND.findall((mistakes.FOLDER / "commands.md").read_text(encoding="utf-8"))


def test_there_are_as_many_mistakes_as_promised():
    assert len(STRATEGIES) >= 60
    assert len(COMMANDS) >= 40


@pytest.mark.slow
@pytest.mark.skipif(not platform.python_version().startswith("3.11."), reason="other words in other versions of Python")
@pytest.mark.parametrize(("title", "kind", "source", "message"), STRATEGIES, ids=[title for title, *_ in STRATEGIES])
def test_a_broken_strategy_gets_its_message(title, kind, source, message):
    assert mistakes.strategy_message(kind, source) == message.strip(), "python -m benchmarks.mistakes writes it anew"


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "message"), COMMANDS, ids=[arguments for arguments, _ in COMMANDS])
def test_a_wrong_command_line_gets_its_message(arguments, message):
    found = mistakes.command_message(arguments)
    if "Usage:" in message and version("click") != mistakes.CLICK:
        assert found.startswith("Usage:")
    else:
        assert found == message.strip(), "python -m benchmarks.mistakes writes it anew"


@pytest.mark.parametrize(("title", "message"), [(title, message) for title, _, _, message in STRATEGIES])
def test_a_message_about_a_file_names_the_file_or_the_move(title, message):
    if "allowed" not in title:
        assert re.search(r"my_bot\.(py|toml)|game \d+: illegal", message)
