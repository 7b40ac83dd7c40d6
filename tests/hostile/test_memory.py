"""A player finds nothing of its rivals in its own memory, which is that of the process that forked it."""

import secrets

import pytest

from tests.hostile.test_rivals import LEVELS
from wordpl.contest import Contest
from wordpl.run.bundle import entries_in
from wordpl.run.config import RunConfig

N_LINES = 100
SPY = '''
import ctypes
import re

OWN = "".join(["CON", "TROL"]) + "0123456789abcdef"


class Spy:
    """Searches all memory that it can read for what begins like the lines of rivals."""

    def first_move(self):
        wanted = re.compile(b"(?:RIV" + b"AL|CON" + b"TROL)[0-9a-f]{16}")
        found = set()
        with open("/proc/self/maps") as maps:
            regions = [line.split() for line in maps]
        for place, rights, *_, name in regions:
            if "r" not in rights or name in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
                continue
            start, end = (int(part, 16) for part in place.split("-"))
            for at in range(start, end, 1 << 22):
                text = ctypes.string_at(at, min((1 << 22) + 64, end - at))
                found.update(wanted.findall(text))
        try:
            found.add(b"mem" if open("/proc/self/mem", "rb").read(1) else b"")
        except OSError:
            pass
        raise ValueError(f"found {sorted(found)[:5]} and {len(found)}")

    def next_move(self, guess, epsilon, clues):
        return guess, 0
'''
RIVAL = '''
"""{lines[0]}"""
AUTHOR = "{lines[1]}"
{helper}

class Rival:
    """{lines[2]}"""

    def __init__(self, text="{lines[3]}"):
        self.text = text

    def __repr__(self):
        return "{lines[4]}"

    def first_move(self):
        return "crane", 5.0

    def next_move(self, guess, epsilon, clues):
        return "crane", 0

# {more}

ENTRIES = [Rival("{lines[5]}")]
'''


def lines():
    return [f"RIVAL{secrets.token_hex(8)}" for _ in range(N_LINES)]


def write_rivals(folder):
    """Write rivals in a file, in a folder with a module and data, with shared modules and as a program."""
    folder.mkdir()
    one, two = lines(), lines()
    (folder / f"a{one[-1]}.py").write_text(
        RIVAL.format(lines=one, more="\n# ".join(one), helper="from strategies import shared")
    )
    inner = folder / f"b{two[-1]}"
    inner.mkdir()
    text = RIVAL.format(lines=two, more="\n# ".join(two), helper="from . import helper, solvers")
    (inner / "bot.py").write_text(text)
    for name in ("helper.py", "solvers.py", "data.txt"):
        (inner / name).write_text("\n".join(f"# {line}" for line in lines()))
    (folder / "shared.py").write_text("\n".join(f"# {line}" for line in lines()))
    (folder / "shared.txt").write_text("shared.py\n")
    three = lines()
    program = [f'game = "wordpl/1"\nname = "{three[0]}"\nauthor = "{three[1]}"\ncommand = ["{three[2]}"]', *three]
    (folder / f"c{three[3]}.toml").write_text("\n# ".join(program))
    (folder / f"d{lines()[0]}.py").write_text(f"# {lines()[0]}\nraise ValueError('{lines()[1]}')\n")


@pytest.mark.parametrize("level", LEVELS)
def test_a_player_finds_no_line_and_no_name_of_a_rival_in_its_memory(tmp_path, monkeypatch, level):
    folder = tmp_path / "strategies"
    write_rivals(folder)
    (folder / "zspy.py").write_text(SPY)
    monkeypatch.chdir(tmp_path)
    config = RunConfig(n_games=2, repeats=1, seed="1", level=level, results=tmp_path / "results", warmup_s=20.0)
    run = Contest(config, entries_in(folder), jobs=1).play()
    records = {entry.info.name: entry.read() for entry in run.entries}
    messages = {record.message.strip().rpartition("\n")[2] for record in records["Spy"]}
    assert messages == {"ValueError: found [b'CONTROL0123456789abcdef'] and 1"}
    assert len(records) == 3  # the file, the folder and the spy; the others cannot be loaded
