"""What the command line does: `wordpl NAME` is the command called `command` in the file NAME.py, loaded when called."""

from importlib import import_module
from pkgutil import iter_modules

import click


class Commands(click.Group):
    """The commands found in this package; a file that holds no `command` is a step that others share."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(name for name in self._names() if hasattr(import_module(f"{__name__}.{name}"), "command"))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command with this name; None where there is none."""
        if name not in self._names():
            return None
        return getattr(import_module(f"{__name__}.{name}"), "command", None)

    def _names(self) -> set[str]:
        return {module.name for module in iter_modules(__path__)}


@click.command(cls=Commands, context_settings={"max_content_width": 110})
@click.version_option(package_name="wordpl", prog_name="wordpl")
def main() -> None:
    """Strategy contests on Wordle-family games: the commands beside evaluate.py and interactive.py."""
