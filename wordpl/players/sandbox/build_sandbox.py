"""The sandbox of a build command: it may start other programs and write to one folder.

The process that runs this reads its policy and the command from standard input as JSON, locks itself up and becomes it.
"""

import os
import sys

import msgspec

from wordpl.players.sandbox.policy import SandboxPolicy, enter_build_sandbox


class Job(msgspec.Struct):
    """What is built where."""

    policy: SandboxPolicy
    command: list[str]


def main() -> None:
    """Do the job that standard input describes, in this process's place."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    enter_build_sandbox(job.policy)
    os.chdir(job.policy.built)
    os.execvp(job.command[0], job.command)
