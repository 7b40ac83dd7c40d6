"""The kinds of values that options and arguments take, and the values that the shell offers for completion."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from wordpl import games
from wordpl.core import priors, words
from wordpl.core.errors import UserError
from wordpl.core.messages import did_you_mean
from wordpl.run.config import RESULTS

MAX_RUNS = 50
"""The largest number of runs that are offered; the newest come first."""
OLD_DAYS = 180
"""A list or a prior is called old if it was made from answers that end more days ago than this."""


def _offer(choices: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Return the choices that begin as the incomplete word does, and files if there is none."""
    fitting = [CompletionItem(choice) for choice in choices if choice.startswith(incomplete)]
    return fitting or [CompletionItem(incomplete, type="file")]


def complete_games(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of the bundled games."""
    return _offer(games.names(), incomplete)


def complete_scores(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of the scores."""
    from wordpl.stats.scores import score_names

    return _offer(score_names(), incomplete)


def _say_age(path: Path, name: str) -> None:
    """Say on standard error if a list or a prior was made from answers that ended long ago."""
    until, today = words.answers_until(path), datetime.now(UTC).date()
    if until is not None and (today - until).days > OLD_DAYS:
        click.echo(
            f"note: {name} knows the answers up to {until}, {(today - until).days} days ago. "
            "`wordpl words update` adds later ones.",
            err=True,
        )


class EntryParam(click.types.StringParamType):
    """An entry, as `discovery.find_sources` reads it."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the entries of strategies/ by their names, and those in the current folder by their paths."""
        from wordpl.players.discovery import strategy_files
        from wordpl.run.bundle import entries_in

        own = [path.name for path in entries_in(Path.cwd())]
        return _offer([*own, *(path.stem for path in strategy_files())], incomplete)


class RunFolder(click.Path):
    """The folder of a run."""

    def __init__(self) -> None:
        """Create the type, whose values are folders that exist."""
        super().__init__(exists=True, file_okay=False, path_type=Path)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the runs in the results folder, the newest first."""
        results = Path(ctx.params.get("results") or RESULTS)
        runs = sorted(results.glob("*/run.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        return _offer([str(path.parent) for path in runs[:MAX_RUNS]], incomplete)


class WordList(click.ParamType):  # type: ignore[type-arg]  # it takes none in older versions of click
    """A word list: a file, or the name of a bundled list; the value is its path."""

    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path of the list."""
        if isinstance(value, Path):
            return value
        if Path(value).is_file() or value in words.BUNDLED:
            path = Path(value) if Path(value).is_file() else words.locate(value)
            _say_age(path, value)
            return path
        hint = did_you_mean(value, words.BUNDLED)
        known = ", ".join(words.BUNDLED)
        return self.fail(f"there is no file and no bundled list {value!r}.{hint} Bundled lists: {known}.", param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the bundled lists."""
        return _offer(words.BUNDLED, incomplete)


class Prior(click.ParamType):  # type: ignore[type-arg]
    """A prior: a file, or the name of a bundled prior; the value is the text, for `priors.find`."""

    name = "prior"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the file or the name."""
        try:
            _say_age(priors.find(value), value)
        except UserError as error:
            self.fail(error.message, param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer the bundled priors."""
        return _offer(priors.BUNDLED, incomplete)


ENTRY, RUN, WORD_LIST, PRIOR = EntryParam(), RunFolder(), WordList(), Prior()
