"""The container files name what exists: extras, files, commands with their options, and variables."""

import json
import re
import shlex
import tomllib

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
    help_text = CliRunner().invoke(main, [*command, "--help"]).output
    assert all(option in help_text for option in arguments if option.startswith("--"))


def test_the_services_get_the_variables_that_the_bot_reads():
    services = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert (FOLDER / services["bot"]["build"]["context"] / services["bot"]["build"]["dockerfile"]).exists()
    given = services["bot"]["environment"]
    assert {"WORDPL_BOT_TOKEN", "WORDPL_BOT_PUBLIC_KEY", "WORDPL_LEAGUE"} <= given.keys()
    user, database = re.fullmatch(r"postgresql://(\w+)@db/(\w+)", given["WORDPL_LEAGUE"]).groups()
    assert (user, database) == (
        services["db"]["environment"]["POSTGRES_USER"],
        services["db"]["environment"]["POSTGRES_DB"],
    )
    example = (FOLDER / "bot.env.example").read_text(encoding="utf-8")
    wanted = set(re.findall(r"\$\{(\w+)", (FOLDER / "compose.yaml").read_text(encoding="utf-8")))
    assert wanted == set(re.findall(r"^(\w+)=", example, re.MULTILINE))
