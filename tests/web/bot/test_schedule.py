"""Schedules contain the command, time, attempts and time limit, but no credentials."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from wordpl.core.messages import UserError
from wordpl.web.bot.schedule import KINDS, schedule

ARGUMENTS = ("https://example.org/?a=1&b='x y'", "--adapter", "nyt", "--share", "discord", "--post")


@pytest.mark.parametrize("kind", KINDS)
def test_a_schedule_has_command_time_attempts_and_limit(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDPL_DISCORD_WEBHOOK", "https://secret.example")
    text = schedule(kind, ARGUMENTS, "07:30")
    assert "wordpl bot play" in text
    assert "07:30" in text if kind == "systemd" else "30 7 * * *" in text
    assert "15m" in text or "15min" in text
    assert "1 2 3" in text or "StartLimitBurst=3" in text
    assert "secret.example" not in text


def test_cron_runs_the_command_with_the_credentials(tmp_path: Path) -> None:
    program = tmp_path / "wordpl"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$WORDPL_WEBHOOK_URL" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config" / "wordpl-bot.env").write_text("WORDPL_WEBHOOK_URL=https://hook.example\n", encoding="utf-8")
    line = schedule("cron", ARGUMENTS, "07:30", str(program)).splitlines()[-1]
    *times, command = line.split(" ", 5)
    assert times == ["30", "7", "*", "*", "*"]
    command = command.replace("\\%", "%")  # as cron does
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    result = subprocess.run(
        command, shell=True, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert result.stdout.splitlines() == ["https://hook.example", "bot", "play", *ARGUMENTS]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_accepts_service_and_timer(tmp_path: Path) -> None:
    service, timer = re.split(
        r"(?m)^# ~/.config/systemd/user/wordpl-bot.timer$", schedule("systemd", ARGUMENTS, "07:30")
    )
    (tmp_path / "wordpl-bot.service").write_text(service, encoding="utf-8")
    (tmp_path / "wordpl-bot.timer").write_text(timer, encoding="utf-8")
    command = ["systemd-analyze", "verify", "--man=no", "wordpl-bot.service", "wordpl-bot.timer"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, [line for line in result.stderr.splitlines() if "wordpl-bot" in line]) == (0, [])


def test_arguments_are_quoted_for_systemd() -> None:
    text = schedule("systemd", ("50% of $x", "it's", 'a "b" \\'), "07:30", "/opt/wordpl")
    (line,) = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    expected = r'''/opt/wordpl bot play "50%% of $$x" "it's" "a \"b\" \\"'''
    assert line == f"ExecStart=/usr/bin/env {expected}"


@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_a_workflow_is_valid_yaml_with_the_command(kind: str) -> None:
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load(schedule(kind, ARGUMENTS, "07:30"))
    if kind == "github":
        (script,) = [step["run"] for step in workflow["jobs"]["play"]["steps"] if "bot play" in step.get("run", "")]
    else:
        script = workflow["wordpl-bot"]["script"][-1]
    assert shlex.join(["wordpl", "bot", "play", *ARGUMENTS]) in script


@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_the_outbox_is_kept_between_days(kind: str) -> None:
    assert "my folder" in schedule(kind, (*ARGUMENTS, "--folder", "my folder"), "07:30").replace(
        "--folder 'my folder'", ""
    )


@pytest.mark.parametrize("time", ["7.30", "24:00", "12:60", "", "noon"])
def test_an_invalid_time_is_refused(time: str) -> None:
    with pytest.raises(UserError, match="07:30"):
        schedule("cron", ARGUMENTS, time)
