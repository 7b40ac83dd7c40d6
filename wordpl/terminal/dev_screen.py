"""`wordpl dev` as a screen: the versions in a table, and below it what the chosen one does. It needs the extra `tui`.

The file is watched by a process of its own, `wordpl dev --json`, which is started before the app owns the terminal.
"""

import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from wordpl.core import paths
from wordpl.core.errors import UserError

MISSING = 'the screen needs textual, which is not installed: pip install "wordpl[tui]", or use --plain.'
ENDING_S = 5.0


def is_installed() -> bool:
    """Return whether the extra is installed."""
    return find_spec("textual") is not None


def run(arguments: Sequence[str]) -> int:
    """Show the screen until the user leaves, and return the exit code.

    Args:
        arguments: Those of `wordpl dev`: the entry and its options.

    Raises:
        UserError: The extra is not installed.
    """
    if not is_installed():
        raise UserError(MISSING)
    kept = [word for word in arguments if word not in ("--screen", "--plain")]
    start = f"import sys; sys.path.insert(0, {str(paths.IMPORT_ROOT)!r}); from wordpl.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-P", "-c", start, "dev", *kept, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    ) as watcher:
        try:
            from wordpl.terminal.dev_app import DevApp

            app = DevApp(watcher, next((word for word in kept if not word.startswith("-")), ""))
            app.run()
            return app.return_code or 0
        finally:
            watcher.terminate()
            try:
                watcher.wait(ENDING_S)
            except subprocess.TimeoutExpired:
                watcher.kill()
