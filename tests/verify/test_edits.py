"""Edits of a run's folder that no other module makes are found, or said not to be covered."""

import os
import re

import pytest

from tests.verify.conftest import lists_of
from tests.verify.edits import (
    add,
    compress_without_last_record,
    copy_file,
    edit_info,
    edit_lines,
    edit_records,
    edit_text,
    forget_guess,
    remove,
    swap_first_and_last,
    swap_moves,
    with_entry_facts,
    with_facts,
    without_fact,
)
from wordpl.core import words
from wordpl.core.messages import UserError
from wordpl.reports.run_report import RunReport
from wordpl.reports.verification import table_differences
from wordpl.run.folder import Run, RunRecords
from wordpl.verify import NOT_COVERED, verify


def differences_in(folder):
    """Return all that is wrong with the folder: with its records, its run.json and its tables."""
    run = Run(folder)
    lists = lists_of(run)
    differences = [str(difference) for difference in verify(run, lists).differences]
    if not differences:  # tables are computed again from records that hold
        differences = [str(difference) for difference in table_differences(RunReport(RunRecords(run), lists))]
    return differences


RECORDS = "records/wordpl.jsonl"


REPEATS = "repeats/wordpl.jsonl"


FINGERPRINTS = "fingerprints/wordpl.txt"


EDITS = {
    "no seed": with_facts(seed=None),
    "no drawn seed": without_fact("drawn_seed"),
    "another seal": with_facts(seal="0" * 64),
    "more games": with_facts(n_games=31),
    "every answer played": with_facts(every_answer=True),
    "no enforced time": without_fact("enforced_s"),
    "another time to start": with_facts(warmup_s=1.0),
    "another memory": with_facts(memory_mb=64),
    "other limits": with_facts(limits={"wall_factor": 9.0, "wall_s": 1.0, "reply_bytes": 4096, "open_files": 256}),
    "a time for all games": with_facts(total_s=1.0),
    "fewer repeats": with_facts(repeats=3),
    "another price of a loss": with_facts(loss_cost=7.0),
    "another level": with_facts(level="B"),
    "not official": with_facts(official=False, beacon_from=None),
    "another date of the start": with_facts(started="2026-11-20"),
    "another machine": with_facts(machine={"system": "abacus"}),
    "another version": with_facts(versions={"wordpl": "9"}),
    "games that began again": with_facts(played_again={"wordpl": [3]}),
    "a field that nobody knows": with_facts(note="all is well"),
    "another number of words": edit_info(lambda facts: facts["config"]["guesses"].update(words=1)),
    "another name of an entry": with_entry_facts(name="the best"),
    "another slug of an entry": with_entry_facts(slug="wordle-hard"),
    "another file": with_entry_facts(file="other.py"),
    "another expression": with_entry_facts(make="Bot(2)"),
    "an entry twice": edit_info(lambda facts: facts["entries"].append(facts["entries"][0])),
    "entries in another order": edit_info(lambda facts: facts["entries"].reverse()),
    "a guess less": edit_records(forget_guess),
    "two guesses in another order": edit_records(swap_moves),
    "a fault": edit_records(lambda record: record.update(verdict="fault")),
    "another message": edit_records(lambda record: "message" in record and record.update(message="an accident")),
    "no message": edit_records(lambda record: record.pop("message", None)),
    "fields in another order": edit_records(lambda record: record.update(game=record.pop("game"))),
    "an empty line": edit_lines(RECORDS, lambda lines: lines.insert(3, "\n")),
    "no records": remove(RECORDS),
    "records of another entry": copy_file("records/wordpl-counted.jsonl", RECORDS),
    "records of nobody": add("records/more.jsonl"),
    "compressed records with a game less": compress_without_last_record,
    "a fingerprint less": edit_lines(FINGERPRINTS, lambda lines: lines.pop()),
    "fingerprints of nobody": add("fingerprints/more.txt"),
    "another repeat": edit_records(lambda record: record.update(verdict="late"), "repeats"),
    "a repeat less": edit_lines(REPEATS, lambda lines: lines.pop(4)),
    "a repeat twice": edit_lines(REPEATS, lambda lines: lines.append(lines[4])),
    "repeats in another order": edit_lines(REPEATS, swap_first_and_last),
    "repeats copied from the records": lambda folder: (folder / REPEATS).write_bytes(
        b"".join(sorted({*(folder / RECORDS).read_bytes().splitlines(keepends=True)}))
    ),
    "another score": edit_text("scores.csv", r"(?m)^(wordpl/1;)[^;]*", r"\g<1>1"),
    "another name in the scores": edit_text("scores.csv", r"(?m)^wordpl/1;", "the best;"),
    "another number of wins": edit_text("scores.csv", r"(?m)^(wordle/1;(?:[^;]*;){6})[^;]*", r"\g<1>29"),
    "a column less": edit_text("scores.csv", "^strategy;", ""),
    "a row less": edit_lines("scores.csv", lambda lines: lines.pop()),
    "a row more": edit_lines("scores.csv", lambda lines: lines.append(lines[-1])),
    "no scores": remove("scores.csv"),
    "another name on the board": edit_text("LEADERBOARD.md", r"\| wordpl/1 \|", "| the best |"),
    "another number on the board": edit_text("LEADERBOARD.md", r"(\| wordpl/1 \| )[\d∞.]+", r"\g<1>0.1"),
    "another order on the board": edit_lines("LEADERBOARD.md", lambda lines: lines.sort()),
    "another seed on the board": edit_text("LEADERBOARD.md", "- seed: .", "- seed: z"),
    "no commitment on the board": edit_lines(
        "LEADERBOARD.md", lambda lines: lines.pop(next(n for n, x in enumerate(lines) if "- commitment" in x))
    ),
    "no beacon on the board": edit_lines(
        "LEADERBOARD.md", lambda lines: lines.pop(next(n for n, x in enumerate(lines) if "- beacon" in x))
    ),
    "another command on the board": edit_text("LEADERBOARD.md", "verify with: .*", "verify with: true"),
    "a sentence more on the board": edit_lines(
        "LEADERBOARD.md", lambda lines: lines.append("- wordpl/1 is the best.\n")
    ),
    "a sentence less on the board": edit_lines("LEADERBOARD.md", lambda lines: lines.pop()),
    "no board": remove("LEADERBOARD.md"),
    "a digest of an entry twice": edit_text("run.json", r'("sha256")', r'"sha256": "00",\n  \1'),
    "a file of no entry's fingerprints": lambda folder: (folder / "fingerprints" / "x.txt").write_text(""),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_found(run, name):
    EDITS[name](run.folder)
    try:
        assert differences_in(run.folder), name
    except UserError as refusal:
        assert f"{run.folder}/run.json: " in refusal.message


@pytest.mark.parametrize(
    "name", ["records/x.jsonl", "fingerprints/x.txt", "repeats/x.jsonl", "durations/x.csv", "scores.csv"]
)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("nowhere")])
def test_pipes_folders_and_links_are_refused_without_waiting(run, name, make):
    (run.folder / name).unlink(missing_ok=True)
    make(run.folder / name)
    with pytest.raises(UserError, match=f"{name} in .* is not a file"):
        verify(run, words.load())


def test_a_run_json_that_is_a_pipe_is_refused_without_waiting(run):
    (run.folder / "run.json").unlink()
    os.mkfifo(run.folder / "run.json")
    with pytest.raises(UserError, match=r"run\.json is a pipe, where a regular file is needed"):
        Run(run.folder)


@pytest.mark.parametrize("slug", ["../../outside", "..", ""])
def test_a_run_that_names_files_outside_of_its_folder_is_refused(run, slug):
    with_entry_facts(slug=slug)(run.folder)
    with pytest.raises(UserError, match=r"a slug is .*, but should be a name for the files of an entry"):
        Run(run.folder)


@pytest.mark.slow
def test_files_that_no_digest_covers_are_listed(run):
    path = run.folder / "durations" / "wordpl.csv"
    path.write_text(re.sub(r"(?m)^(\d+);.*$", r"\1;;0.000001;0", path.read_text()))
    (run.folder / "report.html").write_text("wordpl/1 is the best.")
    assert differences_in(run.folder) == []
    assert any(line.startswith("durations/") for line in NOT_COVERED)
    assert any(line.startswith("report.html") for line in NOT_COVERED)
