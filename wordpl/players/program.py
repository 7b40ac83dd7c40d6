"""The player side of an entry that is a program of its own."""

import os
import shutil
from typing import Any, NoReturn

from wordpl.players.worker import fault_line, to_line


def become(command: list[str], ready: Any, files: list[int]) -> NoReturn:
    """Run the program in this process's place, requests on its standard input, replies on its standard output.

    ready: what it stands for, which is said in its name
    """
    path = shutil.which(command[0])
    if path is None:
        os.write(files[1], fault_line(f"there is no program {command[0]!r} here"))
        os._exit(1)
    os.write(files[1], to_line(ready, b"ready"))
    os.dup2(files[0], 0)
    os.dup2(files[1], 1)
    os.execv(path, command)
