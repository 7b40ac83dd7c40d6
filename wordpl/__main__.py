"""`python -m wordpl` is the command `wordpl`."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the current folder, in which queue.py is an entry, not the module of that name
    from wordpl.cli import main

    main(prog_name="wordpl")
