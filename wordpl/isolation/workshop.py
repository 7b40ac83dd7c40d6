"""A jail in which a stranger's build command runs: other programs may be started, one folder may be written to.

The process that runs this reads its cell and the command from standard input as JSON, locks itself up and becomes it.
"""

import os
import sys

import msgspec

from wordpl.isolation.jail import Cell, lock_workshop


class Job(msgspec.Struct):
    """What is built where."""

    cell: Cell
    command: list[str]


def main() -> None:
    """Do the job that standard input describes, in this process's place."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    lock_workshop(job.cell)
    os.chdir(job.cell.built)
    os.execvp(job.command[0], job.command)
