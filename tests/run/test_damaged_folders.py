"""Whatever was done to the folder of a run, each command answers with one sentence, or does its work.

The folders are copies of one finished run and of one that was interrupted. Each was damaged in one place, by hand, as
disks, synchronization programs, editors and people do.
"""

import gzip
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.helpers.cli import evaluate, wordpl
from tests.helpers.runs import DRAWS_ALL, new_run, resume
from wordpl import load_run
from wordpl.core.messages import UserError
from wordpl.reports.run_report import RunReport
from wordpl.run.folder import Run, RunRecords

N_GAMES = 12
FAILS = DRAWS_ALL.replace("self.left -= 1", "self.left -= 1\n            assert self.left != 2")
RECORD = '{{"game":{game},"secret":"abide","moves":{moves},"verdict":"won"}}\n'
WON = '[["crane",5.0,"....."],["abide",0,""]]'


class Damage(NamedTuple):
    """What is done to the copy of a run, and the answer of a command.

    base: "finished" or "interrupted"
    command: "verify", "boards", "page", "export" or "resume"
    edit: receives the folder
    answer: the sentence; empty if the command works all the same
    """

    base: str
    command: str
    edit: Callable[[Path], object]
    answer: str


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def replaced(name, make):
    """Put something else in the place of a file or folder."""

    def edit(folder):
        remove(folder / name)
        make(folder / name)

    return edit


def facts(**changes):
    """Change facts of run.json."""

    def edit(folder):
        values = json.loads((folder / "run.json").read_bytes())
        for name, value in changes.items():
            place = values["config"] if name in values["config"] else values
            place[name] = value
        (folder / "run.json").write_text(json.dumps(values))

    return edit


def entry_facts(**changes):
    """Change facts of the first entry in run.json."""

    def edit(folder):
        values = json.loads((folder / "run.json").read_bytes())
        values["entries"][0] |= changes
        (folder / "run.json").write_text(json.dumps(values))

    return edit


def appended(name, text):
    """Append to a file."""

    def edit(folder):
        with (folder / name).open("a") as file:
            file.write(text)

    return edit


def first_record(moves=WON, game=0):
    """Replace the first record."""

    def edit(folder):
        path = folder / "records" / "bot.jsonl"
        _, *rest = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(RECORD.format(game=game, moves=moves).encode() + b"".join(rest))

    return edit


def compressed(n_bytes_cut):
    """Compress the records, and cut the end off."""

    def edit(folder):
        path = folder / "records" / "bot.jsonl"
        packed = gzip.compress(path.read_bytes())
        path.with_name("bot.jsonl.gz").write_bytes(packed[: len(packed) - n_bytes_cut])
        path.unlink()

    return edit


DAMAGES = {
    "a null run.json": Damage("finished", "verify", lambda folder: (folder / "run.json").write_text("null"),
        "run.json is not the description of a run: it is not a JSON object."),
    "an empty run.json": Damage("interrupted", "resume", lambda folder: (folder / "run.json").write_text(""),
        "run.json is not JSON: Input data was truncated"),
    "no run.json": Damage("finished", "boards", lambda folder: remove(folder / "run.json"),
        " is not a run: it has no readable run.json."),
    "a folder in place of run.json": Damage("finished", "export", replaced("run.json", Path.mkdir),
        "run.json is a folder, where a regular file is needed."),
    "a pipe in place of run.json": Damage("interrupted", "resume", replaced("run.json", os.mkfifo),
        "run.json is a pipe, where a regular file is needed."),
    "a run.json of zeros": Damage("finished", "page", lambda folder: (folder / "run.json").write_bytes(bytes(4096)),
        "run.json is not JSON: JSON is malformed: invalid character (byte 0)"),
    "a run.json of another format": Damage("finished", "verify", facts(format="wordpl-run/1"), "wordpl-run/1"),
    "no entries": Damage("interrupted", "resume", facts(entries=[]), "has no entries: there is nothing to play."),
    "an entry whose files lie outside": Damage("finished", "verify", entry_facts(slug="../bot"), "../bot"),
    "two entries with the same files": Damage("finished", "boards", entry_facts(slug="fails"), "fails"),
    "no games": Damage("interrupted", "resume", facts(n_games=0), "n_games"),
    "fewer games than records": Damage("finished", "boards", facts(n_games=5),
        "bot.jsonl: a record is of game 5; the run has games 0 to 4."),
    "no records folder": Damage("interrupted", "resume", lambda folder: remove(folder / "records"),
        "/records is missing: restore it, or start a new run."),
    "no durations folder": Damage("interrupted", "resume", lambda folder: remove(folder / "durations"),
        "/durations is missing: restore it, or start a new run."),
    "a link in place of the records folder": Damage("interrupted", "resume",
        replaced("records", lambda path: path.symlink_to("durations")),
        "/records is a link, where a folder is needed: the run is not read."),
    "a file in place of the durations folder": Damage("finished", "page", replaced("durations", Path.touch),
        "/durations is a file, where a folder is needed: the run is not read."),
    "a folder in place of records": Damage("interrupted", "resume", replaced("records/bot.jsonl", Path.mkdir),
        "/records/bot.jsonl is a folder, where a regular file is needed."),
    "a folder in place of records, verified": Damage("finished", "verify", replaced("records/bot.jsonl", Path.mkdir),
        "records/bot.jsonl in {} is not a file: the run cannot be verified."),
    "a link in place of records": Damage("interrupted", "resume",
        replaced("records/bot.jsonl", lambda path: path.symlink_to("/etc/hostname")),
        "/records/bot.jsonl is a link, where a regular file is needed."),
    "a link that leads nowhere": Damage("finished", "boards",
        replaced("records/bot.jsonl", lambda path: path.symlink_to("nowhere")),
        "/records/bot.jsonl is a link, where a regular file is needed."),
    "a pipe in place of durations": Damage("interrupted", "resume", replaced("durations/bot.csv", os.mkfifo),
        "/durations/bot.csv is a pipe, where a regular file is needed."),
    "no record of one entry": Damage("finished", "boards", lambda folder: remove(folder / "records" / "bot.jsonl"),
        "the records of bot are not those of its seal"),
    "a record that is none": Damage("finished", "boards", appended("records/bot.jsonl", "[1,2]\n"),
        "line 13 of "),
    "a record of a game beyond the run": Damage("interrupted", "resume",
        appended("records/bot.jsonl", RECORD.format(game=99, moves=WON)),
        "is of game 99; the run has games 0 to 11."),
    "the same, reported": Damage("finished", "boards", first_record(game=99),
        "a record is of game 99; the run has games 0 to 11."),
    "a record of a game below 0": Damage("finished", "export", first_record(game=-1),
        "a record is of game -1; the run has games 0 to 11."),
    "a game with 30 digits": Damage("finished", "page", first_record(game=10**30),
        f"a record is of game {10**30}; the run has games 0 to 11."),
    "a nested record": Damage("finished", "boards",
        appended("records/bot.jsonl", '{"x":' + "[" * 4000 + "]" * 4000 + "}\n"),
        "it is nested too deep"),
    "a move with a word of another length": Damage("finished", "boards",
        first_record('[["cranes",5.0,"......"],["abide",0,""]]'),
        "move 1 of game 0 is 'cranes', which has another length than the secret."),
    "a move with a word that does not exist": Damage("finished", "boards",
        first_record('[["qqqqq",5.0,"....."],["abide",0,""]]'),
        "the records of bot are not those of its seal"),
    "a move with a negative epsilon": Damage("finished", "page", first_record('[["crane",-5.0,"....."]]'),
        "move 1 of game 0 has the epsilon -5 in place of a finite number of at least 0."),
    "a move with two marks": Damage("finished", "page", first_record('[["crane",5.0,".."]]'),
        "move 1 of game 0 has the clues '..' in place of 5 marks, each '.', 'i' or 'c'."),
    "a move with other marks": Damage("finished", "export", first_record('[["crane",5.0,"xxxxx"]]'),
        "move 1 of game 0 has the clues 'xxxxx' in place of 5 marks, each '.', 'i' or 'c'."),
    "a budget above the largest number": Damage("finished", "boards",
        first_record('[["crane",1e308,"....."],["crane",1e308,"....."],["abide",0,""]]'),
        "the records of bot are not those of its seal"),
    "a compressed file that ends too early": Damage("finished", "boards", compressed(20),
        "bot.jsonl.gz is damaged: it ends too early"),
    "a journal of a game beyond the run": Damage("interrupted", "resume", appended(".begun/bot/3", "99\n"),
        ".begun/bot/3 is of game 99; the run has games 0 to 11."),
    "a journal with a record of a game beyond the run": Damage("interrupted", "resume",
        appended(".begun/bot/3", RECORD.format(game=99, moves="[]")),
        ".begun/bot/3 is of game 99; the run has games 0 to 11."),
    "a journal with a number of 5,000 digits": Damage("interrupted", "resume",
        appended(".begun/bot/3", "9" * 5000 + "\n"), ".begun/bot/3"),
    "a folder in place of a journal": Damage("interrupted", "resume", replaced(".begun/bot/3", Path.mkdir),
        ".begun/bot/3 is a folder, where a regular file is needed."),
    "no stored files of an entry": Damage("interrupted", "resume", lambda folder: remove(folder / "bundles"),
        "is missing or has changed: restore it, or start a new run."),
    "a changed file of an entry": Damage("interrupted", "resume",
        lambda folder: [path.write_text("raise SystemExit") for path in (folder / "bundles").rglob("bot.py")],
        "is missing or has changed: restore it, or start a new run."),
    "a torn line at the end": Damage("interrupted", "resume", appended("records/bot.jsonl", '{"game":7,"sec'), ""),
    "a changed record of a finished run": Damage("finished", "resume", first_record(),
        "{} is damaged: the records of bot are not those of its seal; restore it from a copy"),
    "no records of a finished run": Damage("finished", "resume",
        lambda folder: remove(folder / "records" / "bot.jsonl"), "are not those of its seal; restore it from a copy"),
    "a torn line at the end of a finished run": Damage("finished", "resume",
        appended("records/bot.jsonl", '{"game":7,"sec'), "are not those of its seal; restore it from a copy"),
    "no fingerprints of a finished run": Damage("finished", "resume", lambda folder: remove(folder / "fingerprints"),
        "{} is damaged: it has changed since it finished and was sealed; restore it from a copy"),
    "no repeated games of a finished run": Damage("finished", "resume", lambda folder: remove(folder / "repeats"),
        "has changed since it finished and was sealed"),
    "other facts of a finished run": Damage("finished", "resume", facts(timeout_s=4.0),
        "has changed since it finished and was sealed"),
    "no seal": Damage("finished", "resume", facts(seal=None), "has changed since it finished and was sealed"),
    "compressed records of a finished run that end too early": Damage("finished", "resume", compressed(20),
        "bot.jsonl.gz is damaged: it ends too early"),
    "compressed records of a finished run": Damage("finished", "resume", compressed(0), ""),
    "bytes in place of a table": Damage("finished", "page",
        lambda folder: (folder / "LEADERBOARD.md").write_bytes(b"\xff\xfe\0"), ""),
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A finished run and an interrupted one, by name."""
    place = tmp_path_factory.mktemp("runs")
    finished = new_run(place, {"bot": DRAWS_ALL, "fails": FAILS}, n_games=N_GAMES, repeats=2)
    resume(finished, jobs=1).play()
    RunReport(RunRecords(Run(finished.folder))).write()
    interrupted = place / "interrupted"
    shutil.copytree(finished.folder, interrupted)
    values = json.loads((interrupted / "run.json").read_bytes())
    (interrupted / "run.json").write_text(json.dumps({**values, "finished": None, "seal": None}))
    for name in ("fingerprints", "repeats", "scores.csv", "LEADERBOARD.md", "records/fails.jsonl"):
        remove(interrupted / name)
    lines = (interrupted / "records" / "bot.jsonl").read_bytes().splitlines(keepends=True)
    (interrupted / "records" / "bot.jsonl").write_bytes(b"".join(lines[:6]))
    journal = interrupted / ".begun" / "bot" / "3"
    journal.parent.mkdir(parents=True)
    journal.write_bytes(b"6\n" + lines[6] + b"7\n")
    return {"finished": finished.folder, "interrupted": interrupted}


@pytest.mark.slow
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_folder_is_answered_in_one_sentence(runs, tmp_path, name):
    base, command, edit, answer = DAMAGES[name]
    folder = tmp_path / "run"
    shutil.copytree(runs[base], folder)
    edit(folder)
    words = {
        "verify": ("verify", folder),
        "boards": ("report", folder, "--boards"),
        "page": ("report", folder, "-o", tmp_path / "page.html"),
        "export": ("export", folder, "--parquet", tmp_path / "games.parquet"),
    }
    if command == "resume":
        result = evaluate("--resume", folder, "--isolation", "D", "--jobs", 1, "--no-report")
    else:
        result = wordpl(*words[command])
    errors = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    if not answer:
        assert (result.exit_code, errors) == (0, [])
    else:
        assert result.exit_code == 1
        (sentence,) = errors
        assert answer.format(folder) in sentence
        assert "Traceback" not in result.output


@pytest.mark.parametrize("name", ["the same, reported", "a move with two marks", "a null run.json"])
def test_a_damaged_run_is_not_loaded_as_a_table(runs, tmp_path, name):
    shutil.copytree(runs["finished"], tmp_path / "run")
    DAMAGES[name].edit(tmp_path / "run")
    with pytest.raises(UserError, match=re.escape(DAMAGES[name].answer)):
        load_run(tmp_path / "run")
