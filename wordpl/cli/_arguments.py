"""The arguments of commands: kinds of values, their completion, and the options that make a `RunConfig`."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec
from click.shell_completion import CompletionItem

from wordpl import games
from wordpl.cli._command import bind_game
from wordpl.core import priors, words
from wordpl.core.messages import ConfigError, UserError, did_you_mean
from wordpl.run.config import MAX_S, MIN_S, RESULTS, Limits, PlayerKind, ReaderLimits, RunConfig, Setting, settings

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


Command = TypeVar("Command", bound=Callable[..., Any])
SECONDS = click.FloatRange(MIN_S, MAX_S)
MAX_SHOWN = 10**6
"""Greater upper bounds are not shown in the help, as no user comes near them."""
LIMIT_FIELDS = ("timeout_s", "warmup_s", "memory_mb", "limits", "level")


class NumberOrAll(click.ParamType):  # type: ignore[type-arg]  # it takes none in older versions of click
    """A number of games, or "all"."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Return the number, or "all"."""
        if value == "all":
            return "all"
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            self.fail(f"{value!r} must be a whole number of at least 1, or all.", param, ctx)
        return number


jobs_option = click.option(
    "--jobs", type=click.IntRange(1), help="Number of games played in parallel. [default: one per processor]"
)
goal_option = click.option(
    "--goal",
    type=click.Choice(["won", "cost", "guesses"]),
    callback=lambda _context, _option, given: given or "",
    help="Measure to compare: games won, mean cost (a lost game costs --loss-cost), or mean number of guesses. "
    "[default: cost; guesses for classic games]",
)
budget_option = click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    help="With --goal won: count only games won within this budget, or within this number of guesses.",
)
isolated_option = click.option(
    "--isolated", is_flag=True, help="Refuse to run if this machine cannot isolate untrusted code."
)


def limits_reader(kind: type[Limits] | type[ReaderLimits]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return a callback that makes limits of texts such as wall_s=3, with defaults for the others."""

    def read(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> Limits | ReaderLimits:
        try:
            return kind.of(given)
        except ConfigError as error:
            raise click.BadParameter(error.message) from None

    return read


def read_score(ctx: click.Context, param: click.Parameter, given: str | None) -> str | None:
    """Return the name of the score by which boards are to be ordered."""
    if not given:
        return given
    from wordpl.stats.scores import require_score  # slow to import

    try:
        return require_score(given)
    except UserError as error:
        raise click.BadParameter(error.message, ctx, param) from None


CALLBACKS = {"game_id": bind_game, "score": read_score}
"""What checks the value of an option beyond its type, by field."""
COMPLETIONS = {"game_id": complete_games, "score": complete_scores}
"""What offers values of an option to the shell, by field, where its type does not."""


def run_options(*names: str, **defaults: Any) -> Callable[[Command], Command]:
    """Add options for fields of `RunConfig` to a command, which gets a `RunConfig` as its parameter `config`.

    Args:
        names: The fields that get an option.
        defaults: Other defaults of fields than those of `RunConfig`; the fields need not have an option.
    """
    default_config = msgspec.structs.replace(RunConfig(), **defaults)

    def add(command: Command) -> Command:
        @wraps(command)
        def with_config(**arguments: Any) -> Any:
            given = {name: arguments.pop(name) for name in names if name in arguments}
            fields = {name: value for name, value in given.items() if value is not None}
            if fields.get("n_games") == "all":
                fields = {**fields, "n_games": default_config.n_games, "every_answer": True}
            return command(config=msgspec.structs.replace(default_config, **fields), **arguments)

        decorated: Any = with_config
        for name in reversed(names):
            if name != "every_answer":  # a value of the option for `n_games`
                decorated = _option(name, default_config, takes_all="every_answer" in names)(decorated)
        return decorated  # type: ignore[no-any-return]  # click decorates what wraps() made

    return add


def _option(name: str, config: RunConfig, *, takes_all: bool) -> Callable[[Any], Any]:
    """Return the option for a field of `RunConfig`.

    Args:
        name: The field.
        config: The configuration with the default of the field.
        takes_all: Whether the number of games may be "all".
    """
    setting, default = settings()[name], getattr(config, name)
    text = setting.help.replace("{games}", ", ".join(games.names()))
    if name == "n_games" and takes_all:
        text, setting_type = f"{text.removesuffix('.')}, {settings()['every_answer'].help}.", NumberOrAll()
        return click.option(setting.option, name, type=setting_type, default=default, metavar="N", help=text)
    if isinstance(default, Limits):
        text = f"{text} [default: {', '.join(default.texts())}]"
        attributes: dict[str, Any] = {"multiple": True, "callback": limits_reader(Limits), "show_default": False}
    elif isinstance(default, PlayerKind):
        attributes = {"flag_value": PlayerKind.TRUSTED, "show_default": False}
    elif isinstance(default, bool):
        attributes = {"is_flag": True, "show_default": False}
    else:
        attributes = {"type": _type(setting, default), "default": default or None}
        if setting.low is not None and default is not None:
            attributes["default"] = default
    if name in CALLBACKS:
        attributes |= {"callback": CALLBACKS[name], "shell_complete": COMPLETIONS[name]}
    return click.option(setting.option, name, metavar=setting.metavar, help=text, **attributes)


def _type(setting: Setting, default: Any) -> Any:
    """Return the type of the values of an option, by the setting and the default of its field."""
    if isinstance(default, Path):
        return Path
    if setting.is_word_list:
        return WORD_LIST
    if setting.choices:
        return click.Choice([choice for choice in setting.choices if choice])
    if setting.low is None:
        return str
    high = setting.high if setting.high is not None and setting.high < MAX_SHOWN else None
    if setting.is_whole:
        return click.IntRange(int(setting.low), None if high is None else int(high))
    return click.FloatRange(setting.low, high)


prior_option = click.option(
    "--prior",
    type=PRIOR,
    metavar="PRIOR",
    help="Probability of each answer: a CSV file word,probability, or `default`.",
)
answers_option, guesses_option = (_option(name, RunConfig(), takes_all=False) for name in ("answers", "guesses"))
"""Options for word lists, for commands that take no other field of a `RunConfig`."""
