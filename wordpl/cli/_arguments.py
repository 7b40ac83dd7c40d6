"""The arguments of commands: kinds of values, their completion, and the options that make a `RunConfig`."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import click
import msgspec
from click.shell_completion import CompletionItem

from wordpl import games
from wordpl.cli._command import bind_game
from wordpl.cli._options import option
from wordpl.core import priors, words
from wordpl.core.messages import ConfigError, UserError, did_you_mean
from wordpl.core.settings import settings
from wordpl.run.config import MAX_S, MIN_S, RESULTS, Limits, PlayerKind, ReaderLimits, RunConfig

APPS = "wordpl.apps"
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


@cache
def hosted_options_modules() -> list[ModuleType]:
    """Return the modules with the options of entries without code; they are found in the apps, not listed."""
    apps = find_spec(APPS)
    places = [Path(place) for place in (apps.submodule_search_locations or ())] if apps else []
    names = sorted(file.parent.name for place in places for file in place.glob("*/hosted_options.py"))
    return [import_module(f"{APPS}.{name}.hosted_options") for name in names]


def hosted_options(command: Command) -> Command:
    """Add the options by which a host plays entries without code; what they set, the app of these entries keeps."""
    for module in hosted_options_modules():
        for option_of_kind in reversed(module.OPTIONS):
            command = option_of_kind(command)
    return command


def kind_options(command: Command) -> Command:
    """Add a flag for each kind of entries without code to a command, which gets the chosen one, or "", as `kind`."""

    @wraps(command)
    def with_kind(**arguments: Any) -> Any:
        chosen = [module.KIND for module in hosted_options_modules() if arguments.pop(f"is_{module.KIND}")]
        return command(kind=next(iter(chosen), ""), **arguments)

    decorated: Any = with_kind
    for module in hosted_options_modules():
        decorated = click.option(f"--{module.KIND}", f"is_{module.KIND}", is_flag=True, help=module.NEW)(decorated)
    return decorated  # type: ignore[no-any-return]  # click decorates what wraps() made


def hosted_groups() -> dict[str, tuple[str, ...]]:
    """Return the names of these options by their heading in a command's help."""
    return {module.GROUP: module.NAMES for module in hosted_options_modules()}


def allowed_with_resume() -> set[str]:
    """Return the names of those that do not change what a run means."""
    return {name for module in hosted_options_modules() for name in module.OF_ONE_CALL}


jobs_option = click.option(
    "--jobs", type=click.IntRange(1), help="Number of games played in parallel. [default: one per processor]"
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
            fields = {name: value for name in names if (value := arguments.pop(name, None)) is not None}
            if fields.get("n_games") == "all":
                fields |= {"n_games": default_config.n_games, "every_answer": True}
            return command(config=msgspec.structs.replace(default_config, **fields), **arguments)

        decorated: Any = with_config
        for name in reversed(names):
            default = getattr(default_config, name)
            if name == "n_games" and "every_answer" in names:
                every = settings(RunConfig)["every_answer"].help
                text = f"{settings(RunConfig)['n_games'].help.removesuffix('.')}, {every}."
                number = option(RunConfig, name, default=default, type=NumberOrAll(), metavar="N", help=text)
                decorated = number(decorated)
            elif name != "every_answer":  # a value of the option for `n_games`
                decorated = run_option(name, default)(decorated)
        return decorated  # type: ignore[no-any-return]  # click decorates what wraps() made

    return add


def run_option(name: str, default: Any = None) -> Callable[[Any], Any]:
    """Return the option for a field of `RunConfig`, with another default if one is given."""
    setting, changed = settings(RunConfig)[name], dict[str, Any]()
    if isinstance(default, Limits):
        changed = {"default": (), "callback": limits_reader(Limits)}
        changed["help"] = f"{setting.help} [default: {', '.join(default.texts())}]"
    elif isinstance(default, PlayerKind):
        changed = {"default": False, "flag_value": PlayerKind.TRUSTED}
    elif default not in (None, msgspec.UNSET):
        changed = {"default": default}
    if setting.is_word_list:
        changed["type"] = WORD_LIST
    if name == "game_id":
        changed["help"] = setting.help.replace("{games}", ", ".join(games.names()))
    if name in CALLBACKS:
        changed |= {"callback": CALLBACKS[name], "shell_complete": COMPLETIONS[name]}
    return option(RunConfig, name, **changed)


prior_option = click.option(
    "--prior",
    type=PRIOR,
    metavar="PRIOR",
    help="Probability of each answer: a CSV file word,probability, or `default`.",
)
answers_option, guesses_option = (run_option(name) for name in ("answers", "guesses"))
"""Options for word lists, for commands that take no other field of a `RunConfig`."""
