"""Text that runs the bot once a day: for systemd, cron, GitHub and GitLab."""

import re
import shlex
from collections.abc import Sequence

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


def schedule(kind: str, arguments: Sequence[str], at: str) -> str:
    """Return a schedule that runs `wordpl bot play` with these arguments.

    Args:
        kind: a key of KINDS.
        arguments: of `wordpl bot play`.
        at: the time of day, UTC, as 07:30.

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
    return KINDS[kind](shlex.join(["wordpl", "bot", "play", *arguments]), int(match[1]), int(match[2]))


def systemd(command: str, hour: int, minute: int) -> str:
    """Return a service and a timer of systemd."""
    escaped = command.replace("%", "%%").replace("$", "$$")
    return f"""\
# ~/.config/systemd/user/wordpl-bot.service
[Unit]
Description=Play the daily puzzle
StartLimitIntervalSec={N_TRIES * (RETRY_MIN + TIME_LIMIT_MIN)}min
StartLimitBurst={N_TRIES}

[Service]
Type=oneshot
# Credentials, one NAME=value a line; keep the file readable by you alone (chmod 600).
EnvironmentFile=-%h/.config/wordpl-bot.env
WorkingDirectory=%h
ExecStart=/usr/bin/env {escaped}
TimeoutStartSec={TIME_LIMIT_MIN}min
Restart=on-failure
RestartSec={RETRY_MIN}min

# ~/.config/systemd/user/wordpl-bot.timer
[Unit]
Description=Play the daily puzzle every day

[Timer]
OnCalendar=*-*-* {hour:02}:{minute:02}:00 UTC
RandomizedDelaySec=5min
Persistent=true

[Install]
WantedBy=timers.target

# systemctl --user daemon-reload; systemctl --user enable --now wordpl-bot.timer
"""


def cron(command: str, hour: int, minute: int) -> str:
    """Return lines of a crontab."""
    tries = " ".join(map(str, range(1, N_TRIES + 1)))
    loop = f"for i in {tries}; do timeout {TIME_LIMIT_MIN}m {command} && exit; sleep {RETRY_MIN}m; done; exit 1"
    script = f". $HOME/.config/wordpl-bot.env; {loop}"
    return f"""\
# crontab -e; credentials are read from ~/.config/wordpl-bot.env: export NAME=value, one a line (chmod 600).
CRON_TZ=UTC
{minute} {hour} * * * /bin/sh -c {shlex.quote(script).replace("%", chr(92) + "%")}
"""


def github(command: str, hour: int, minute: int) -> str:
    """Return a workflow of GitHub."""
    environment = "\n".join(f"          {name}: ${{{{ secrets.{name} }}}}" for name in VARIABLES)
    return f"""\
# .github/workflows/wordpl-bot.yml; credentials are secrets of the repository
name: wordpl bot
on:
  schedule:
    - cron: "{minute} {hour} * * *"
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
      - uses: actions/cache@v4
        with:
          path: wordpl-bot
          key: wordpl-bot-${{{{ github.run_id }}}}
          restore-keys: wordpl-bot-
      - run: pip install "wordpl[browser]" && playwright install --with-deps chromium
      - run: |
{_indented(_retrying(command, "60s"), 10)}
        env:
{environment}
"""


def gitlab(command: str, hour: int, minute: int) -> str:
    """Return a job of GitLab for a scheduled pipeline."""
    return f"""\
# .gitlab-ci.yml; credentials are masked variables of the project. In Build > Pipeline schedules, add
#   {minute} {hour} * * *      with the time zone UTC
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
    paths: [wordpl-bot]
  script:
    - pip install "wordpl[browser]" && playwright install --with-deps chromium
    - |
{_indented(_retrying(command, "60s"), 6)}
"""


def _retrying(command: str, pause: str) -> str:
    return f"""\
for i in {" ".join(map(str, range(1, N_TRIES + 1)))}; do
  timeout {TIME_LIMIT_MIN}m {command} && exit 0
  sleep {pause}
done
exit 1"""


def _indented(text: str, width: int) -> str:
    return "\n".join(" " * width + line for line in text.splitlines())


KINDS = {"systemd": systemd, "cron": cron, "github": github, "gitlab": gitlab}
