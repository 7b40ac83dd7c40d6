"""`wordpl check FILE`: what a contestant runs before a pull request, and a build runs on it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import click

from wordpl.cli import _evaluation, _limit_options
from wordpl.cli._evaluation import Settings
from wordpl.core.errors import UserError
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level

MAX_REPEATS = 20


@click.command(context_settings={"show_default": True})
@click.argument("files", nargs=-1, required=True)
@click.option("--games", "n_games", default=50, type=click.IntRange(1), help="How many games each entry plays.")
@click.option("--jobs", type=click.IntRange(1), help="How many games at a time. [default: one for each processor]")
@click.option("--seed", help="Any text; the same seed gives the same games. [default: drawn, and shown]")
@click.option("--isolated", is_flag=True, help="Refuse to run where strangers' code cannot be walled off.")
@click.option("--summary", type=click.Path(path_type=Path), help="Add what was found to this file, as Markdown.")
@_limit_options.options
def command(files, jobs, isolated, summary, **chosen):
    """Check what a strategy needs for a contest, before you send it.

    FILES are yours: strategies/my_bot.py, a .toml that names a program, or a file that one of these mentions. Each
    entry plays some games walled off, as in a contest; some of them again in fresh processes, and all of them
    backwards. It must propose what the rules allow, keep to its time and memory, and play the same moves each time.
    Exit code 1: something is to be mended.

    Example: wordpl check strategies/my_bot.py
    """
    with TemporaryDirectory(prefix="wordpl-check-", ignore_cleanup_errors=True) as folder:
        settings = Settings(
            rules=None, answers=None, guesses=None, trust=False,
            repeats=min(MAX_REPEATS, chosen["n_games"]), results=Path(folder), **chosen,
        )  # fmt: skip
        if isolated and not Level(settings.level).is_official:
            raise UserError(f"level {settings.level} is not isolated enough. {probe.probe()}")
        from wordpl.cli._check_run import check  # brings pandas, which --help should not wait for

        passed = check(files, settings, jobs or _evaluation.processors(), summary)
    click.get_current_context().exit(0 if passed else 1)
