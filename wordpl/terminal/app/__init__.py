"""The full-screen app with the screens Solve, Play, Watch and Replay. It needs the extra `tui`."""

from importlib.util import find_spec

from wordpl.core.errors import UserError
from wordpl.terminal.app.options import AppOptions, options_for

__all__ = ["AppOptions", "is_installed", "options_for", "run"]

MISSING = 'the full-screen app needs textual, which is not installed: pip install "wordpl[tui]".'


def is_installed() -> bool:
    """Return whether the extra is installed."""
    return find_spec("textual") is not None


def run(options: AppOptions) -> int:
    """Run the app until the user leaves, and return the exit code: 0, or 130 after Ctrl-C.

    Raises:
        UserError: The extra is not installed.
    """
    if not is_installed():
        raise UserError(MISSING)
    from wordpl.terminal.app.client import WorkerClient

    client = WorkerClient()  # starts before the app takes over the terminal, and loads while the app is imported
    try:
        from wordpl.terminal.app.app import WordplApp

        app = WordplApp(client, options)
        app.run()
        return app.return_code or 0
    finally:
        client.stop()
