"""Configurations that run the bot once a day, for systemd, cron, GitHub and GitLab."""

import json
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wordpl.core.messages import UserError

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
"""The environment variables with credentials that a job passes to the bot. Their values are never written."""


@dataclass(frozen=True)
class ScheduledJob:
    """A daily job that runs `wordpl bot play` with arguments, at a time of day in UTC."""

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
        """The command, quoted for a shell."""
        return shlex.join(self.words)

    @property
    def folder(self) -> str:
        """The bot's folder, which must persist between days."""
        for place, argument in enumerate(self.arguments):
            if argument == "--folder" and place + 1 < len(self.arguments):
                return self.arguments[place + 1]
            if argument.startswith("--folder="):
                return argument.partition("=")[2]
        return "wordpl-bot"


def schedule(kind: str, arguments: Sequence[str], at: str, program: str = "") -> str:
    """Return a configuration that runs `wordpl bot play` once a day.

    Args:
        kind: A key of KINDS.
        arguments: The arguments of `wordpl bot play`.
        at: The time of day in UTC, such as 07:30.
        program: The path of `wordpl` on this machine, since cron and systemd do not search for it; "" for this one.

    Raises:
        UserError: The kind, the time or an argument is invalid.
    """
    if kind not in KINDS:
        raise UserError(f"unknown kind of schedule {kind!r}. Kinds: {', '.join(KINDS)}.")
    match = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", at)
    if not match:
        raise UserError(f"the time {at!r} must be hours and minutes in UTC, such as 07:30.")
    if any("\n" in argument for argument in arguments):
        raise UserError("an argument must not contain a line break.")
    chosen = (program or _installed()) if kind in LOCAL_KINDS else "wordpl"
    return KINDS[kind](ScheduledJob(tuple(arguments), int(match[1]), int(match[2]), chosen))


def _installed() -> str:
    """Return the path of this installation's `wordpl`, or just its name."""
    beside = Path(sys.executable).with_name("wordpl")
    return str(beside) if beside.is_file() else shutil.which("wordpl") or "wordpl"


def systemd(job: ScheduledJob) -> str:
    """Return a systemd service and timer."""
    command = " ".join(_systemd_word(word) for word in job.words)
    return f"""\
# ~/.config/systemd/user/wordpl-bot.service
[Unit]
Description=Play the daily puzzle
StartLimitIntervalSec={(N_TRIES + 1) * (RETRY_MIN + TIME_LIMIT_MIN)}min
StartLimitBurst={N_TRIES}

[Service]
Type=oneshot
# Credentials, one NAME=value per line; make the file readable only by you (chmod 600).
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
OnCalendar=*-*-* {job.hour:02}:{job.minute:02}:00 UTC
RandomizedDelaySec=5min
Persistent=true

[Install]
WantedBy=timers.target

# systemctl --user daemon-reload; systemctl --user enable --now wordpl-bot.timer
"""


def _systemd_word(word: str) -> str:
    """Return a word quoted for systemd, which accepts quotation marks only at the start of a word."""
    escaped = word.replace("%", "%%").replace("$", "$$")
    if re.fullmatch(r"[\w@%+=:,./$-]+", escaped):
        return escaped
    return '"' + escaped.replace("\\", "\\\\").replace('"', '\\"') + '"'


def cron(job: ScheduledJob) -> str:
    """Return the lines of a crontab."""
    tries = " ".join(map(str, range(1, N_TRIES + 1)))
    loop = f"for i in {tries}; do timeout {TIME_LIMIT_MIN}m {job.command} && exit; sleep {RETRY_MIN}m; done; exit 1"
    credentials = "f=$HOME/.config/wordpl-bot.env; if [ -f $f ]; then set -a; . $f; set +a; fi"
    script = f"{credentials}; {loop}"
    return f"""\
# Add with crontab -e. Credentials are read from ~/.config/wordpl-bot.env, one NAME=value per line (chmod 600).
# The time is UTC if cron supports CRON_TZ (as cronie does); Debian's cron uses the machine's local time.
CRON_TZ=UTC
{job.minute} {job.hour} * * * /bin/sh -c {shlex.quote(script).replace("%", chr(92) + "%")}
"""


def github(job: ScheduledJob) -> str:
    """Return a GitHub workflow."""
    environment = "\n".join(f"          {name}: ${{{{ secrets.{name} }}}}" for name in VARIABLES)
    folder = _yaml_text(job.folder)
    return f"""\
# .github/workflows/wordpl-bot.yml; credentials are repository secrets
name: wordpl bot
on:
  schedule:
    - cron: "{job.minute} {job.hour} * * *"
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
{_indented(_retrying(job.command, "60s"), 10)}
        env:
{environment}
      - uses: actions/cache/save@v4
        if: always()
        with:
          path: {folder}
          key: wordpl-bot-${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}
"""


def gitlab(job: ScheduledJob) -> str:
    """Return a GitLab job for a scheduled pipeline."""
    return f"""\
# .gitlab-ci.yml; credentials are masked project variables. In Build > Pipeline schedules, add
#   {job.minute} {job.hour} * * *      with the time zone UTC
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
    paths: [{_yaml_text(job.folder)}]
  script:
    - pip install "wordpl[browser]" && playwright install --with-deps chromium
    - |
{_indented(_retrying(job.command, "60s"), 6)}
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
LOCAL_KINDS = ("systemd", "cron")
"""The kinds that run on this machine, and need the path of `wordpl`."""
