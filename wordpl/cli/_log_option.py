"""The option --log-level."""

import click

from wordpl.core import log


def _start(ctx: click.Context, param: click.Parameter, level: str | None) -> None:
    if level:
        log.start(level)


log_option = click.option(
    "--log-level",
    type=click.Choice(log.LEVELS, case_sensitive=False),
    envvar=log.VARIABLE,
    expose_value=False,
    is_eager=True,
    callback=_start,
    help="Log to standard error: info logs each step of a run, debug also all messages from and to players. "
    f"[env var: {log.VARIABLE}]",
)
