"""The container files name what exists: extras, files, commands with their options, and variables."""

import asyncio
import json
import re
import shlex
import subprocess
import sys
import tomllib

import pytest
import yaml
from click.testing import CliRunner

from tests.helpers.paths import HOME
from wordpl.cli import main

FOLDER = HOME / "deploy" / "league"
CONTAINER = (FOLDER / "Containerfile").read_text(encoding="utf-8")


def instruction(name):
    return [line.partition(" ")[2] for line in CONTAINER.splitlines() if line.startswith(f"{name} ")]


def test_the_container_installs_extras_that_exist_and_starts_a_command_with_its_options():
    extras = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (installed,) = [line for line in instruction("RUN") if line.startswith("pip install")]
    assert set(re.search(r"\[(.*)\]", shlex.split(installed)[-1])[1].split(",")) <= set(extras)
    program, *arguments = json.loads(instruction("ENTRYPOINT")[0]) + json.loads(instruction("CMD")[0])
    assert program == "wordpl"
    command = [word for word in arguments if not word.startswith("--")][:2]
    assert "bot" in command
    help_text = CliRunner().invoke(main, [*command, "--help"]).output
    assert all(option in help_text for option in arguments if option.startswith("--"))


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_steps_of_the_container_give_a_bot_that_answers_in_a_fresh_environment(tmp_path, url):
    from tests.helpers.discord import Discord, post  # which takes a CPU second to import
    from tests.helpers.league_bot import CHANNEL, GUILD, process

    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    subprocess.run(["git", "clone", "-q", HOME, tmp_path / "source"], check=True)
    (install,) = [shlex.split(line) for line in instruction("RUN") if line.startswith("pip install")]
    for command in ([environment / "bin" / "pip", *install[1:]], [environment / "bin" / "wordpl", "league", "--help"]):
        subprocess.run(command, cwd=tmp_path / "source", check=True, capture_output=True, timeout=600)
    (tmp_path / "source").rename(tmp_path / "gone")  # the image runs what was installed
    entry_point, arguments = json.loads(instruction("ENTRYPOINT")[0]), json.loads(instruction("CMD")[0])
    program = [environment / "bin" / entry_point[0], *entry_point[1:], arguments[0]]

    async def scenario():
        discord = Discord()
        async with discord.listening(), process(discord, url, program) as bot:
            text, _ = await discord.command(bot, "help", GUILD, CHANNEL, "a-token")
            assert "/leaderboard" in text
            assert (await post(bot, b"{}", {}))[0] in (400, 401)

    asyncio.run(scenario())


def test_the_service_gets_the_token_alone_and_keeps_its_store_in_a_volume():
    (service,) = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))["services"].values()
    assert (FOLDER / service["build"]["context"] / service["build"]["dockerfile"]).exists()
    assert list(service["environment"]) == ["WORDPL_BOT_TOKEN"]
    (volume,) = service["volumes"]
    assert volume.endswith(":" + instruction("WORKDIR")[-1])
    example = (FOLDER / "bot.env.example").read_text(encoding="utf-8")
    wanted = set(re.findall(r"\$\{(\w+)", (FOLDER / "compose.yaml").read_text(encoding="utf-8")))
    assert wanted == set(re.findall(r"^(\w+)=", example, re.MULTILINE))
