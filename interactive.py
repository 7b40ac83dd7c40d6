"""Play a game of the Wordle family in the terminal: the same as `wordpl play`."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # this folder, in which queue.py is an entry, not the module of that name
    from importlib import util
    from pathlib import Path

    spec = util.spec_from_file_location("wordpl", Path(__file__).resolve().with_name("wordpl") / "__init__.py")
    package = sys.modules["wordpl"] = util.module_from_spec(spec)
    spec.loader.exec_module(package)
    from wordpl.apps.terminal.command import play_command

    play_command()
