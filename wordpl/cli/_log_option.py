"""The option that turns the log on."""

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
    help=f"Log to standard error: info is what a run does, debug also all that players say. [default: {log.VARIABLE}]",
)
