"""Runs `wordpl dev` as a full-screen app, which needs the extra `tui`.

A separate process, `wordpl dev --json`, watches the file. It is started before the app takes over the terminal.
"""

import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from wordpl.core import paths
from wordpl.core.messages import UserError

MISSING = 'the full-screen app needs textual, which is not installed: pip install "wordpl[tui]", or use --plain.'
ENDING_S = 5.0


def is_installed() -> bool:
    """Return whether the extra is installed."""
    return find_spec("textual") is not None


def run(arguments: Sequence[str]) -> int:
    """Run the app until the user leaves, and return the exit code.

    Args:
        arguments: The arguments of `wordpl dev`: the entry and options.

    Raises:
        UserError: The extra is not installed.
    """
    if not is_installed():
        raise UserError(MISSING)
    passed_arguments = [word for word in arguments if word not in ("--app", "--plain")]
    start = f"import sys; sys.path.insert(0, {str(paths.IMPORT_ROOT)!r}); from wordpl.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-P", "-c", start, "dev", *passed_arguments, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    ) as watcher:
        try:
            from wordpl.terminal.dev_app import DevApp

            app = DevApp(watcher, next((word for word in passed_arguments if not word.startswith("-")), ""))
            app.run()
            return app.return_code or 0
        finally:
            watcher.terminate()
            try:
                watcher.wait(ENDING_S)
            except subprocess.TimeoutExpired:
                watcher.kill()
