"""The adapters of the sites that the bot can play. Each file in this folder is loaded automatically."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from wordpl.core.errors import UserError
from wordpl.core.messages import did_you_mean
from wordpl.web.bot.adapters.base import Adapter, PageShape

__all__ = ["Adapter", "PageShape", "adapter_class", "names"]


@cache
def _adapters() -> dict[str, type[Adapter]]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return {
        member.name: member
        for module in modules
        for member in vars(module).values()
        if isinstance(member, type) and issubclass(member, Adapter) and "name" in vars(member)
    }


def names() -> list[str]:
    """Return the names of all adapters."""
    return sorted(_adapters())


def adapter_class(name: str) -> type[Adapter]:
    """Return the adapter called `name`. Raises UserError if there is none."""
    try:
        return _adapters()[name]
    except KeyError:
        hint = did_you_mean(name, names())
        raise UserError(f"there is no adapter called {name!r}.{hint} Adapters: {', '.join(names())}.") from None
