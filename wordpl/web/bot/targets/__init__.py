"""Where results are shared, one file each: a file put into this folder is found without being listed."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from wordpl.core.errors import UserError
from wordpl.web.bot.targets.base import Message, Target

__all__ = ["Message", "Target", "names", "target_of"]


@cache
def _targets() -> dict[str, type[Target]]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return {
        thing.name: thing
        for module in modules
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, Target) and "name" in vars(thing)
    }


def names() -> list[str]:
    """Return the names of all kinds of targets."""
    return sorted(_targets())


def target_of(text: str) -> Target:
    """Return the target that a command line names: a kind, with `:` and an argument where it takes one.

    Raises:
        UserError: there is no such kind, or what it needs is not in the environment.
    """
    name, _, argument = text.partition(":")
    if name not in _targets():
        raise UserError(f"there is no target called {name[:40]!r}. Targets: {', '.join(names())}.")
    return _targets()[name](argument)


def target_table() -> list[tuple[str, str]]:
    """Return the name of each kind of target, and what it is and needs."""
    return [(name, _targets()[name].about) for name in names()]
