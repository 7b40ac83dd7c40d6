"""Broken strategies: what their authors are told names their own line, the cause and what to do."""

import textwrap
from pathlib import Path

import pytest

from wordpl import RunConfig
from wordpl.contest import preflight
from wordpl.players import diagnosis
from wordpl.players.diagnosis import Denied
from wordpl.players.sandbox.levels import Level

PLACES = ("import", "init", "first_move", "next_move")
SANDBOX = {
    "socket.create_connection(('example.org', 80), 2)": Denied.NETWORK,
    "socket.create_connection(('192.0.2.1', 80), 2)": Denied.NETWORK,
    "socket.socketpair()": Denied.NETWORK,
    "urllib.request.urlopen('http://example.org/', timeout=2)": Denied.NETWORK,
    "http.client.HTTPConnection('example.org', timeout=2).request('GET', '/')": Denied.NETWORK,
    "smtplib.SMTP('example.org', timeout=2)": Denied.NETWORK,
    "asyncio.run(asyncio.sleep(0))": Denied.NETWORK,
    "socket.gethostbyname('example.org')": Denied.NETWORK,
    "subprocess.run(['ls'])": Denied.PROCESS,
    "subprocess.check_output('ls', shell=True)": Denied.PROCESS,
    "os.popen('ls').read()": Denied.PROCESS,
    "os.fork()": Denied.PROCESS,
    "os.execv('/bin/ls', ['ls'])": Denied.PROCESS,
    "os.posix_spawn('/bin/ls', ['ls'], {})": Denied.PROCESS,
    "multiprocessing.Pool(2).map(abs, [1, 2])": Denied.PROCESS,
    "multiprocessing.Process(target=print).start()": Denied.PROCESS,
    "list(concurrent.futures.ProcessPoolExecutor(2).map(abs, [1, 2]))": Denied.PROCESS,
    "os.kill(os.getppid(), 9)": Denied.SIGNAL,
    "open('/var/wordpl-cache.txt', 'w')": Denied.WRITE,
    "Path('/var/wordpl-cache').mkdir()": Denied.WRITE,
    "tempfile.NamedTemporaryFile(dir='/var')": Denied.WRITE,
    "open('/etc/shadow').read()": Denied.READ,
    "(Path.home() / 'bot.json').read_text()": Denied.READ,
    "json.load(open('/srv/table.json'))": Denied.READ,
    "np.load('/srv/table.npy')": Denied.READ,
    "input('guess? ')": Denied.TERMINAL,
    "sys.exit(1)": Denied.EXIT,
    "exit()": Denied.EXIT,
    "os.sched_setaffinity(0, {0})": Denied.OTHER,
}
"""What the sandbox forbids at any time, and what the author is told that it is."""
IN_GAMES = {
    "open('cache.txt', 'w')": Denied.WRITE,
    "Path('cache.json').write_text('x')": Denied.WRITE,
    "os.makedirs('data')": Denied.WRITE,
    "np.save('table.npy', [1])": Denied.WRITE,
    "tempfile.TemporaryDirectory()": Denied.WRITE,
}
"""What it forbids once the warm-up game has been played."""
OWN = {
    "json.loads('{bad')": "JSONDecodeError: Expecting property name",
    "Point(1)": "TypeError: Point.__init__() missing 1 required positional argument: 'b'",
    "np.linalg.solve(np.zeros((2, 2)), np.ones(3))": "ValueError: solve1",
    "np.zeros(3)[5]": "IndexError: index 5 is out of bounds",
    "int('many')": "ValueError: invalid literal for int()",
    "max([])": "ValueError: max()",
    "{}['crane']": "KeyError: 'crane'",
    "random.choice([])": "IndexError",
    "statistics.mean([])": "StatisticsError",
    "re.compile('(')": "PatternError" if hasattr(__import__("re"), "PatternError") else "error: missing )",
    "unknown": "NameError: name 'unknown' is not defined",
    "None.lower()": "AttributeError: 'NoneType' object has no attribute 'lower'",
    "1 / 0": "ZeroDivisionError",
    "[1, 2].lenght": "AttributeError: 'list' object has no attribute 'lenght'",
    "next(iter([]))": "StopIteration",
    "pd.DataFrame()['score']": "KeyError: 'score'",
    "json.load(open('table.json'))": "No such file or directory: 'table.json'",
    "recurse()": "RecursionError",
    "assert_positive(-1)": "AssertionError: -1",
    "decimal.Decimal('x')": "InvalidOperation",
}
"""What fails in the entry or in a library that it calls, and the end of what Python says."""
SOURCE = """
    import asyncio, concurrent.futures, decimal, http.client, json, multiprocessing, os, random, re, smtplib, socket
    import statistics, subprocess, sys, tempfile, urllib.request
    from dataclasses import dataclass
    from pathlib import Path

    import numpy as np
    import pandas as pd

    from wordpl import Strategy


    @dataclass
    class Point:
        a: int
        b: int


    def recurse():
        return recurse()


    def assert_positive(number):
        assert number > 0, number


    import_ = lambda: None
    {import}


    class Bot(Strategy):
        def __init__(self):
            {init}
            self.n_games = 0

        def first_move(self):
            self.n_games += 1
            if self.n_games > 1:
                {first_move}
            return "crane", 5.0

        def next_move(self, guess, epsilon, clues):
            if self.n_games > 1:
                {next_move}
            return "crane", 0
"""


def write(folder: Path, name: str, line: str, place: str) -> int:
    """Write a strategy whose `line` fails at a place; return the number of the line in the file."""
    source = textwrap.dedent(SOURCE).lstrip()
    for other in PLACES:
        source = source.replace(f"{{{other}}}", f"{line}  # here" if other == place else "pass")
    (folder / f"{name}.py").write_text(source)
    return 1 + next(number for number, text in enumerate(source.splitlines()) if text.endswith("# here"))


def reports(folder: Path, cases: list[tuple[str, str]], level: Level = Level.A) -> list[tuple[int, str]]:
    """Return the number of each broken line, and what `check` says of the strategy that has it."""
    numbers = [write(folder, f"bot{index}", line, place) for index, (line, place) in enumerate(cases)]
    config = RunConfig(n_games=3, repeats=0, level=str(level), results=folder / "results", seed="1")
    result = preflight.check([str(folder / f"bot{index}.py") for index in range(len(cases))], config, jobs=2)
    said: dict[str, str] = {}
    for check in result.checks:
        if not check.passed:
            name = next(f"bot{i}" for i in range(len(cases)) if f"bot{i}.py" in f"{check.message} {check.details}")
            said[name] = said.get(name, "") + f"{check.message}\n{check.details}\n"
    return [(number, said.get(f"bot{index}", "")) for index, number in enumerate(numbers)]


def unclear(folder: Path, every_place: bool) -> list[str]:
    wanted: list[tuple[str, str, str]] = []
    for index, (line, cause) in enumerate((SANDBOX | IN_GAMES | OWN).items()):
        places = PLACES[2:] if line in IN_GAMES else PLACES
        for place in places if every_place else [places[index % len(places)]]:
            wanted.append((line, place, diagnosis.rule(cause, Level.A) if isinstance(cause, Denied) else cause))
    found = reports(folder, [(line, place) for line, place, _ in wanted])
    return [
        f"{line} at {place}, line {number}:\n{said}"
        for (line, place, cause), (number, said) in zip(wanted, found, strict=True)
        if not (cause in said and f'.py", line {number}, in' in said)
        or (cause in RULES and "correct this line" in said)
    ]


RULES = [diagnosis.rule(denied, Level.A) for denied in Denied]


@pytest.mark.long
def test_the_author_is_told_the_line_the_cause_and_the_rule(tmp_path: Path) -> None:
    assert unclear(tmp_path, every_place=False) == []


@pytest.mark.long
def test_the_author_is_told_so_wherever_it_fails(tmp_path: Path) -> None:
    assert unclear(tmp_path, every_place=True) == []


def test_rules_are_those_of_the_level() -> None:
    assert not diagnosis.rule(Denied.NETWORK, Level.D)
    assert not diagnosis.rule(Denied.READ, Level.C)
    assert "no files" in diagnosis.rule(Denied.WRITE, Level.C)
    assert diagnosis.rule(Denied.TERMINAL, Level.D)
    assert not diagnosis.rule("what a player invents", Level.A)
