"""The targets to which results can be posted. Each file in this folder is loaded automatically."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from wordpl.core.errors import UserError
from wordpl.web.bot.targets.base import ShareMessage, ShareTarget

__all__ = ["ShareMessage", "ShareTarget", "names", "target_of"]


@cache
def _targets() -> dict[str, type[ShareTarget]]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return {
        thing.name: thing
        for module in modules
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, ShareTarget) and "name" in vars(thing)
    }


def names() -> list[str]:
    """Return the names of all kinds of targets."""
    return sorted(_targets())


def target_of(text: str) -> ShareTarget:
    """Return the target with this name, which may have an argument after `:`.

    Raises:
        UserError: There is no such target, or its environment variables are missing.
    """
    name, _, argument = text.partition(":")
    if name not in _targets():
        raise UserError(f"there is no target called {name[:40]!r}. Targets: {', '.join(names())}.")
    return _targets()[name](argument)


def target_table() -> list[tuple[str, str]]:
    """Return the name and the description of each kind of target."""
    return [(name, _targets()[name].about) for name in names()]
