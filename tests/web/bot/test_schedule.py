"""Schedules say the command, the time, tries and a time limit, and hold no credential."""

import shlex

import pytest

from wordpl.core.errors import UserError
from wordpl.web.bot.schedule import KINDS, schedule

ARGUMENTS = ("https://example.org/?a=1&b='x y'", "--adapter", "nyt", "--share", "discord", "--post")


@pytest.mark.parametrize("kind", KINDS)
def test_a_schedule_has_command_time_tries_and_limit(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDPL_DISCORD_WEBHOOK", "https://secret.example")
    text = schedule(kind, ARGUMENTS, "07:30")
    assert "wordpl bot play" in text
    assert "07:30" in text if kind == "systemd" else "30 7 * * *" in text
    assert "15m" in text or "15min" in text
    assert "1 2 3" in text or "StartLimitBurst=3" in text
    assert "secret.example" not in text


def test_cron_runs_the_command_as_it_was_given() -> None:
    line = schedule("cron", ARGUMENTS, "07:30").splitlines()[-1]
    script = shlex.split(line.split("* * *", 1)[1].replace("\\%", "%"))[2]
    command = script[script.index("timeout 15m ") + 12 : script.index(" && exit")]
    assert shlex.split(command) == ["wordpl", "bot", "play", *ARGUMENTS]


@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_a_workflow_is_yaml_with_the_command_in_it(kind: str) -> None:
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load(schedule(kind, ARGUMENTS, "07:30"))
    steps = found["jobs"]["play"]["steps"] if kind == "github" else found["wordpl-bot"]["script"]
    script = steps[-1]["run"] if kind == "github" else steps[-1]
    assert shlex.join(["wordpl", "bot", "play", *ARGUMENTS]) in script


@pytest.mark.parametrize("at", ["7.30", "24:00", "12:60", "", "noon"])
def test_a_time_that_cannot_be_is_refused(at: str) -> None:
    with pytest.raises(UserError, match="07:30"):
        schedule("cron", ARGUMENTS, at)
