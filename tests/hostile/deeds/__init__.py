"""Hostile strategies, one file for each kind of mischief.

Each deed is the body of a `first_move`. It returns `HONEST` when it has achieved nothing and `GOT_IN` when it has, which
the rules refuse: so a deed whose verdict is not the expected one has got through.
"""

from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from textwrap import dedent, indent

PRELUDE = '''
import os, sys, time

HONEST = ("abide", 0)
GOT_IN = ("got in", 1)


def tried(attempt):
    """Return what a player answers after an attempt that a jail should refuse."""
    try:
        return GOT_IN if attempt() else HONEST
    except (OSError, ValueError, RuntimeError, ImportError, AttributeError):
        return HONEST


def say(text):
    for file in range(3, 30):
        try:
            os.write(file, text)
        except OSError:
            pass


def system_call(number, *arguments):
    """Make a system call by its number on x86_64 and return whether it succeeded."""
    import ctypes, platform
    return platform.machine() == "x86_64" and ctypes.CDLL(None).syscall(number, *arguments) >= 0
'''

CLASS = """

class Bot:
    games = 0

    def first_move(self):
        self.games += 1
{body}

    def next_move(self, guess, epsilon, clues):
        return HONEST
"""


@dataclass(frozen=True)
class Deed:
    """One hostile strategy, and the verdict its game must get; `before` runs when the file is imported."""

    name: str
    kind: str
    body: str
    verdict: str
    before: str

    def source(self, facts: dict[str, object]) -> str:
        """Return the strategy's file; facts: what the attacker knows, as names with values."""
        known = "\n".join(f"{name} = {value!r}" for name, value in facts.items())
        body = indent(dedent(self.body).strip(), " " * 8)
        return f"{PRELUDE}\n{known}\n{dedent(self.before)}{CLASS.format(body=body)}"


def all_deeds() -> list[Deed]:
    """Return the deeds of all files beside this one: each has DEEDS, a table of (name, body, verdict[, before])."""
    found = []
    for module in sorted(iter_modules(__path__), key=lambda module: module.name):
        for name, body, verdict, *before in import_module(f"{__name__}.{module.name}").DEEDS:
            found.append(Deed(name, module.name, body, verdict, before[0] if before else ""))
    return found
