"""The apps: folders of `wordpl/apps` that use the spine. Each can be deleted, and nothing imports one by its name.

Who offers what an app adds asks here whether it is installed: the command line, the public names, the web server.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from wordpl.core.messages import UserError

FOLDER = Path(__file__).resolve().parent.parent / "apps"


class MissingAppError(UserError, ModuleNotFoundError):
    """The folder of an app is not there; the message names it."""


def is_installed(app: str) -> bool:
    """Return whether the folder of an app is there, such as that of the season; nothing is imported."""
    return (FOLDER / app / "__init__.py").is_file()


def check_installed(app: str, what: str) -> None:
    """Raise MissingAppError unless the folder of an app is there, to which `what` belongs."""
    if not is_installed(app):
        raise MissingAppError(f"{what} belongs to the folder wordpl/apps/{app}, which is not installed.")


def module(app: str, name: str) -> Any:
    """Return a module of an app, such as command of season.

    Raises:
        MissingAppError: The app's folder is not there.
    """
    check_installed(app, f"wordpl.apps.{app}.{name}")
    return import_module(f"wordpl.apps.{app}.{name}")
