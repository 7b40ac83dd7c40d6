"""What the commands of a season share: its folder, its lock with what is published afterwards, and progress."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordpl.cli import _command
from wordpl.cli._output import working
from wordpl.core.paths import relative_to_cwd

if TYPE_CHECKING:
    from wordpl.apps.season.season import Season
    from wordpl.contest import Contest
    from wordpl.run.folder import Run

Command = TypeVar("Command", bound=Callable[..., Any])

folder_option = click.option(
    "-C", "--folder", type=_command.A_FOLDER, default=Path(), help="The season's folder. [default: the current one]"
)
jobs_option = click.option("--jobs", type=click.IntRange(1), help="Games to play at a time. [default: one per core]")


def season_option(command: Command) -> Command:
    """Add --folder to a command that changes the log only; it gets the season in that folder."""

    @wraps(command)
    def with_season(folder: Path, max_games: int | None = None, **options: Any) -> Any:
        from wordpl.apps.season.season import Season

        return command(season=Season(folder) if max_games is None else Season(folder, max_games), **options)

    return folder_option(_command.own_game_option(with_season))  # type: ignore[return-value]  # click gives them


def season_options(command: Command) -> Command:
    """Add --folder and --max-games to a command that reads the runs of the season, which it gets."""
    return season_option(_command.max_games_option(command))


@contextmanager
def published(season: "Season") -> Iterator[None]:
    """Lock the season during the block, and then publish its standings."""
    from wordpl.apps.season import site as season_site

    with season.locked():
        yield
        season_site.publish(season)


def season_command(season: "Season", *words: str) -> str:
    """Return a command line of `wordpl season` for this season."""
    place = relative_to_cwd(season.folder)
    return shlex.join(["wordpl", "season", *words, *([] if place == "." else ["-C", place])])


def try_out(make: "Callable[[], Contest]", quiet: bool) -> "tuple[Contest, Run]":
    """Make a contest, and play it with progress but without a word on how to resume it."""
    from wordpl.cli._run_progress import ProgressBars

    with working("loading the entries"):
        contest = make()
        contest.entries  # noqa: B018 - the first access loads them
    return contest, contest.play(ProgressBars(resumable=False, is_quiet=quiet))
