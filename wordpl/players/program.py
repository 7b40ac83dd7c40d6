"""Running a program entry in the process of its player."""

import os
import shutil
from typing import Any, NoReturn

from wordpl.players.worker import fault_line, to_line


def replace_process(command: list[str], ready: Any, files: list[int]) -> NoReturn:
    """Replace this process by the program, with requests on its standard input and replies on its standard output.

    Args:
        command: The command line of the program.
        ready: The entry's expression, name and game, which are sent on behalf of the program.
        files: File descriptors for requests and replies.
    """
    path = shutil.which(command[0])
    if path is None:
        os.write(files[1], fault_line(f"the program {command[0]!r} was not found"))
        os._exit(1)
    os.write(files[1], to_line(ready, b"ready"))
    os.dup2(files[0], 0)
    os.dup2(files[1], 1)
    os.execv(path, command)
