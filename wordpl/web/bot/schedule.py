"""Text that runs the bot once a day: for systemd, cron, GitHub and GitLab."""

import json
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wordpl.core.errors import UserError

TIME_LIMIT_MIN = 15
N_TRIES = 3
RETRY_MIN = 10
VARIABLES = (
    "WORDPL_DISCORD_WEBHOOK",
    "WORDPL_MASTODON_SERVER",
    "WORDPL_MASTODON_TOKEN",
    "WORDPL_WEBHOOK_URL",
    "WORDPL_WEBHOOK_TOKEN",
)
"""The credentials that a schedule passes on; none is ever written into it."""


@dataclass(frozen=True)
class Task:
    """What a schedule runs: `wordpl bot play` with arguments, at a time of day (UTC)."""

    arguments: tuple[str, ...]
    hour: int
    minute: int
    program: str = "wordpl"

    @property
    def words(self) -> list[str]:
        """The words of the command."""
        return [self.program, "bot", "play", *self.arguments]

    @property
    def command(self) -> str:
        """The command as a shell reads it."""
        return shlex.join(self.words)

    @property
    def folder(self) -> str:
        """The bot's folder, which has to be kept from one day to the next."""
        for place, argument in enumerate(self.arguments):
            if argument == "--folder" and place + 1 < len(self.arguments):
                return self.arguments[place + 1]
            if argument.startswith("--folder="):
                return argument.partition("=")[2]
        return "wordpl-bot"


def schedule(kind: str, arguments: Sequence[str], at: str, program: str = "") -> str:
    """Return a schedule that runs `wordpl bot play` with these arguments.

    Args:
        kind: a key of KINDS.
        arguments: of `wordpl bot play`.
        at: the time of day, UTC, as 07:30.
        program: what this machine runs as `wordpl`; "" for where it is now, which cron and systemd do not look for.

    Raises:
        UserError: the kind or the time cannot be.
    """
    if kind not in KINDS:
        raise UserError(f"there is no schedule for {kind!r}: there are {', '.join(KINDS)}.")
    match = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", at)
    if not match:
        raise UserError(f"the time {at!r} should be hours and minutes, UTC: 07:30.")
    if any("\n" in argument for argument in arguments):
        raise UserError("an argument with a line break fits into no schedule.")
    chosen = (program or _installed()) if kind in HERE else "wordpl"
    return KINDS[kind](Task(tuple(arguments), int(match[1]), int(match[2]), chosen))


def _installed() -> str:
    """Return the path of this installation's `wordpl`, or its name where it has none."""
    beside = Path(sys.executable).with_name("wordpl")
    return str(beside) if beside.is_file() else shutil.which("wordpl") or "wordpl"


def systemd(task: Task) -> str:
    """Return a service and a timer of systemd."""
    command = " ".join(_systemd_word(word) for word in task.words)
    return f"""\
# ~/.config/systemd/user/wordpl-bot.service
[Unit]
Description=Play the daily puzzle
StartLimitIntervalSec={(N_TRIES + 1) * (RETRY_MIN + TIME_LIMIT_MIN)}min
StartLimitBurst={N_TRIES}

[Service]
Type=oneshot
# Credentials, one NAME=value a line; keep the file readable by you alone (chmod 600).
EnvironmentFile=-%h/.config/wordpl-bot.env
WorkingDirectory=%h
ExecStart=/usr/bin/env {command}
TimeoutStartSec={TIME_LIMIT_MIN}min
Restart=on-failure
RestartSec={RETRY_MIN}min

# ~/.config/systemd/user/wordpl-bot.timer
[Unit]
Description=Play the daily puzzle every day

[Timer]
OnCalendar=*-*-* {task.hour:02}:{task.minute:02}:00 UTC
RandomizedDelaySec=5min
Persistent=true

[Install]
WantedBy=timers.target

# systemctl --user daemon-reload; systemctl --user enable --now wordpl-bot.timer
"""


def _systemd_word(word: str) -> str:
    """Return a word as systemd reads it, which takes a quotation mark only at the beginning of a word."""
    escaped = word.replace("%", "%%").replace("$", "$$")
    if re.fullmatch(r"[\w@%+=:,./$-]+", escaped):
        return escaped
    return '"' + escaped.replace("\\", "\\\\").replace('"', '\\"') + '"'


def cron(task: Task) -> str:
    """Return lines of a crontab."""
    tries = " ".join(map(str, range(1, N_TRIES + 1)))
    loop = f"for i in {tries}; do timeout {TIME_LIMIT_MIN}m {task.command} && exit; sleep {RETRY_MIN}m; done; exit 1"
    credentials = "f=$HOME/.config/wordpl-bot.env; if [ -f $f ]; then set -a; . $f; set +a; fi"
    script = f"{credentials}; {loop}"
    return f"""\
# crontab -e; credentials are read from ~/.config/wordpl-bot.env: NAME=value, one a line (chmod 600).
# The time is UTC where cron knows CRON_TZ (cronie does); Debian's cron takes it as the machine's own time.
CRON_TZ=UTC
{task.minute} {task.hour} * * * /bin/sh -c {shlex.quote(script).replace("%", chr(92) + "%")}
"""


def github(task: Task) -> str:
    """Return a workflow of GitHub."""
    environment = "\n".join(f"          {name}: ${{{{ secrets.{name} }}}}" for name in VARIABLES)
    folder = _yaml_text(task.folder)
    return f"""\
# .github/workflows/wordpl-bot.yml; credentials are secrets of the repository
name: wordpl bot
on:
  schedule:
    - cron: "{task.minute} {task.hour} * * *"
  workflow_dispatch:
permissions:
  contents: read
concurrency: wordpl-bot
jobs:
  play:
    runs-on: ubuntu-latest
    timeout-minutes: {N_TRIES * (TIME_LIMIT_MIN + 1)}
    steps:
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - uses: actions/cache/restore@v4
        with:
          path: {folder}
          key: wordpl-bot-${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}
          restore-keys: wordpl-bot-
      - run: pip install "wordpl[browser]" && playwright install --with-deps chromium
      - run: |
{_indented(_retrying(task.command, "60s"), 10)}
        env:
{environment}
      - uses: actions/cache/save@v4
        if: always()
        with:
          path: {folder}
          key: wordpl-bot-${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}
"""


def gitlab(task: Task) -> str:
    """Return a job of GitLab for a scheduled pipeline."""
    return f"""\
# .gitlab-ci.yml; credentials are masked variables of the project. In Build > Pipeline schedules, add
#   {task.minute} {task.hour} * * *      with the time zone UTC
wordpl-bot:
  image: python:3.12
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
  timeout: {N_TRIES * TIME_LIMIT_MIN} minutes
  retry: {{max: 2, when: [runner_system_failure, stuck_or_timeout_failure]}}
  resource_group: wordpl-bot
  cache:
    key: wordpl-bot
    when: always
    paths: [{_yaml_text(task.folder)}]
  script:
    - pip install "wordpl[browser]" && playwright install --with-deps chromium
    - |
{_indented(_retrying(task.command, "60s"), 6)}
"""


def _retrying(command: str, pause: str) -> str:
    return f"""\
for i in {" ".join(map(str, range(1, N_TRIES + 1)))}; do
  timeout {TIME_LIMIT_MIN}m {command} && exit 0
  sleep {pause}
done
exit 1"""


def _yaml_text(text: str) -> str:
    return text if re.fullmatch(r"[\w./-]*[A-Za-z/]", text) else json.dumps(text)


def _indented(text: str, width: int) -> str:
    return "\n".join(" " * width + line for line in text.splitlines())


KINDS = {"systemd": systemd, "cron": cron, "github": github, "gitlab": gitlab}
HERE = ("systemd", "cron")
"""The kinds that run on this machine."""
