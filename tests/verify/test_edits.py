"""Whatever kind of edit is made to a run's folder, verification finds it, or says that it does not cover it."""

import gzip
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from tests.verify.conftest import named
from wordpl.core import words
from wordpl.core.errors import UserError
from wordpl.core.records import Run
from wordpl.core.run_records import RunRecords
from wordpl.reports.verification import table_differences
from wordpl.verify import NOT_COVERED, verify

NAME = "wordpl/1"


def found(folder):
    """Return all that is wrong with the folder: with its records, its run.json and its tables."""
    run = Run(folder)
    lists = words.load(*(Path(run.info.lists[name]["file"]) for name in ("answers", "guesses")))
    differences = [str(one) for one in verify(run, lists).differences]
    if not differences:  # tables are computed again from records that hold
        differences = [str(one) for one in table_differences(RunRecords(run), lists)]
    return differences


def info(change):
    """Return what edits run.json."""

    def edit(folder):
        path = folder / "run.json"
        facts = json.loads(path.read_bytes())
        change(facts)
        path.write_text(json.dumps(facts))

    return edit


def said(**facts):
    return info(lambda found: found.update(facts))


def without(name):
    return info(lambda found: found.pop(name))


def of_entry(**facts):
    return info(lambda found: found["entries"][0].update(facts))


def records(change, part="records"):
    """Return what edits one of an entry's records: the first in which the change changes something."""

    def edit(folder):
        path = folder / part / f"{named(Run(folder), NAME).slug}.jsonl"
        lines = path.read_text().splitlines()
        for at, line in enumerate(lines):
            record = json.loads(line)
            change(record)
            new = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
            if new != line:
                lines[at] = new
                break
        path.write_text("".join(f"{line}\n" for line in lines))

    return edit


def lines(path, change):
    """Return what edits the list of a file's lines."""

    def edit(folder):
        (file,) = folder.glob(path)
        found = file.read_text().splitlines(keepends=True)
        change(found)
        file.write_text("".join(found))

    return edit


def text(path, old, new):
    """Return what replaces text in a file, which must be there."""

    def edit(folder):
        (file,) = folder.glob(path)
        before = file.read_text()
        after = re.sub(old, new, before, count=1)
        assert after != before
        file.write_text(after)

    return edit


def removed(path):
    return lambda folder: next(folder.glob(path)).unlink()


def added(path, content="{}\n"):
    return lambda folder: (folder / path).write_text(content)


def copied(path, other):
    return lambda folder: shutil.copy(folder / path, folder / other)


def no_seal(folder):
    """Make a run look like one from before there were seals."""
    without("seal")(folder)
    shutil.rmtree(folder / "fingerprints")


def compressed_with_another_end(folder):
    path = folder / "records" / "wordpl.jsonl"
    data = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    (folder / "fingerprints" / "wordpl.txt").unlink()
    with gzip.open(f"{path}.gz", "wb") as file:
        file.write(b"".join(data[:-1]))


def lose(record):
    if record["verdict"] == "won":
        record.update(verdict="late")
        record["moves"].pop()


def win(record):
    if record["verdict"] == "wrong":
        record["moves"][-1][0] = record["secret"]
        record["verdict"] = "won"


def cheapen(record):
    if len(record["moves"]) > 1:
        record["moves"][0][1] /= 2


def flip(record):
    if len(record["moves"]) > 1:
        record["moves"][0][2] = "ccccc" if record["moves"][0][2] != "ccccc" else "....."


def forget_guess(record):
    if len(record["moves"]) > 2:
        record["moves"].pop(0)


def swap_moves(record):
    if len(record["moves"]) > 2:
        record["moves"][:2] = record["moves"][1::-1]


def first_and_last(found):
    found[0], found[-1] = found[-1], found[0]


RECORDS = "records/wordpl.jsonl"
REPEATS = "repeats/wordpl.jsonl"
PRINTS = "fingerprints/wordpl.txt"
EDITS = {
    "another seed": said(seed="1"),
    "no seed": said(seed=None),
    "another drawn seed": said(drawn_seed="00" * 32),
    "no drawn seed": without("drawn_seed"),
    "another commitment": said(commitment="0" * 64),
    "no commitment": without("commitment"),
    "another beacon": said(beacon="00fe"),
    "no beacon": without("beacon"),
    "another source of the beacon": said(beacon_from="round 6"),
    "no source of the beacon": without("beacon_from"),
    "another seal": said(seal="0" * 64),
    "no seal": without("seal"),
    "no seal and no fingerprints": no_seal,
    "more games": said(n_games=31),
    "fewer games": said(n_games=29),
    "every answer played": said(every_answer=True),
    "another time": said(timeout_s=6.0),
    "another enforced time": said(enforced_s=6.0),
    "no enforced time": without("enforced_s"),
    "another time to start": said(warmup_s=1.0),
    "another memory": said(memory_mb=64),
    "other limits": said(limits={"wall_factor": 9.0, "wall_s": 1.0, "reply_bytes": 4096, "open_files": 256}),
    "a time for all games": said(total_s=1.0),
    "fewer repeats": said(repeats=3),
    "another price of a loss": said(loss_cost=7.0),
    "another player": said(player="process"),
    "another level": said(level="A"),
    "another date of the start": said(started="2026-11-20"),
    "another date of the end": said(finished="2026-11-20"),
    "no end": said(finished=None),
    "another machine": said(machine={"system": "abacus"}),
    "another version": said(versions={"wordpl": "9"}),
    "games that began again": said(played_again={"wordpl": [3]}),
    "a field that nobody knows": said(note="all is well"),
    "another word list": info(lambda facts: facts["lists"]["answers"].update(sha256="0" * 64)),
    "another number of words": info(lambda facts: facts["lists"]["guesses"].update(words=1)),
    "another name of an entry": of_entry(name="the best"),
    "another slug of an entry": of_entry(slug="wordle-hard"),
    "other rules": of_entry(rules="wordpl-counted/1"),
    "another measure": of_entry(measure="tries"),
    "another file": of_entry(file="other.py"),
    "another expression": of_entry(make="Bot(2)"),
    "another digest": of_entry(sha256="0" * 64),
    "an entry less": info(lambda facts: facts["entries"].pop()),
    "an entry twice": info(lambda facts: facts["entries"].append(facts["entries"][0])),
    "entries in another order": info(lambda facts: facts["entries"].reverse()),
    "a win as late": records(lose),
    "a wrong answer as a win": records(win),
    "a cheaper guess": records(cheapen),
    "another clue": records(flip),
    "a guess less": records(forget_guess),
    "two guesses in another order": records(swap_moves),
    "another secret": records(lambda record: record.update(secret="zebra")),
    "another verdict": records(lambda record: record.update(verdict="out of memory")),
    "a game not played": records(lambda record: record.update(verdict="unplayed")),
    "a fault": records(lambda record: record.update(verdict="fault")),
    "another message": records(lambda record: "message" in record and record.update(message="an accident")),
    "no message": records(lambda record: record.pop("message", None)),
    "a first try": records(lambda record: record.update(first_try={"moves": [], "cpu_s": 5.2, "wall_s": 6.0})),
    "another number of a game": records(lambda record: record.update(game=record["game"] + 1)),
    "a field more": records(lambda record: record.update(extra=1)),
    "fields in another order": records(lambda record: record.update(game=record.pop("game"))),
    "a game less": lines(RECORDS, lambda found: found.pop(4)),
    "a game twice": lines(RECORDS, lambda found: found.append(found[4])),
    "games in another order": lines(RECORDS, first_and_last),
    "a torn line": lines(RECORDS, lambda found: found.append(found.pop()[:-9])),
    "an empty line": lines(RECORDS, lambda found: found.insert(3, "\n")),
    "a blank more": text(RECORDS, '"game":', '"game": '),
    "no records": removed(RECORDS),
    "records of another entry": copied("records/wordpl-counted.jsonl", RECORDS),
    "records of nobody": added("records/more.jsonl"),
    "compressed records with a game less": compressed_with_another_end,
    "compressed records beside the others": added(f"{RECORDS}.gz", ""),
    "another fingerprint": text(PRINTS, "^.", "z"),
    "a fingerprint less": lines(PRINTS, lambda found: found.pop()),
    "no fingerprints of an entry": removed(PRINTS),
    "fingerprints of nobody": added("fingerprints/more.txt"),
    "another repeat": records(lambda record: record.update(verdict="late"), "repeats"),
    "another clue in a repeat": records(flip, "repeats"),
    "a repeat less": lines(REPEATS, lambda found: found.pop(4)),
    "a repeat twice": lines(REPEATS, lambda found: found.append(found[4])),
    "repeats in another order": lines(REPEATS, first_and_last),
    "no repeats of an entry": removed(REPEATS),
    "repeats of nobody": added("repeats/more.jsonl", ""),
    "repeats copied from the records": lambda folder: (folder / REPEATS).write_bytes(
        b"".join(sorted({*(folder / RECORDS).read_bytes().splitlines(keepends=True)}))
    ),
    "another score": text("scores.csv", r"(?m)^(wordpl/1;)[^;]*", r"\g<1>1"),
    "another name in the scores": text("scores.csv", r"(?m)^wordpl/1;", "the best;"),
    "another number of wins": text("scores.csv", r"(?m)^(wordle/1;(?:[^;]*;){6})[^;]*", r"\g<1>29"),
    "a column less": text("scores.csv", "^strategy;", ""),
    "a row less": lines("scores.csv", lambda found: found.pop()),
    "a row more": lines("scores.csv", lambda found: found.append(found[-1])),
    "no scores": removed("scores.csv"),
    "another name on the board": text("LEADERBOARD.md", r"\| wordpl/1 \|", "| the best |"),
    "another number on the board": text("LEADERBOARD.md", r"(\| wordpl/1 \| )[\d∞.]+", r"\g<1>0.1"),
    "another order on the board": lines("LEADERBOARD.md", lambda found: found.sort()),
    "another seed on the board": text("LEADERBOARD.md", "- seed: .", "- seed: z"),
    "no commitment on the board": lines(
        "LEADERBOARD.md", lambda found: found.pop(next(n for n, x in enumerate(found) if "- commitment" in x))
    ),
    "no beacon on the board": lines(
        "LEADERBOARD.md", lambda found: found.pop(next(n for n, x in enumerate(found) if "- beacon" in x))
    ),
    "another command on the board": text("LEADERBOARD.md", "verify with: .*", "verify with: true"),
    "a sentence more on the board": lines("LEADERBOARD.md", lambda found: found.append("- wordpl/1 is the best.\n")),
    "a sentence less on the board": lines("LEADERBOARD.md", lambda found: found.pop()),
    "no board": removed("LEADERBOARD.md"),
    "a time limit twice": text("run.json", r'("timeout_s")', r'"timeout_s": 9.0,\n  \1'),
    "a digest of an entry twice": text("run.json", r'("sha256")', r'"sha256": "00",\n  \1'),
    "a file of no entry's fingerprints": lambda folder: (folder / "fingerprints" / "x.txt").write_text(""),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", EDITS)
def test_an_edit_is_found(run, what):
    EDITS[what](run.folder)
    assert found(run.folder), what


@pytest.mark.parametrize("name", ["records/x.jsonl", "fingerprints/x.txt", "repeats/x.jsonl", "durations/x.csv"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("nowhere")])
def test_pipes_folders_and_links_are_refused_without_waiting(run, name, make):
    make(run.folder / name)
    with pytest.raises(UserError, match=f"{name} in .* is not a file"):
        verify(run, words.load())


def test_a_run_json_that_is_a_pipe_is_refused_without_waiting(run):
    (run.folder / "run.json").unlink()
    os.mkfifo(run.folder / "run.json")
    with pytest.raises(UserError, match=r"it has no readable run\.json"):
        Run(run.folder)


@pytest.mark.parametrize("slug", ["../../outside", "..", ""])
def test_a_run_that_names_files_outside_of_its_folder_is_refused(run, slug):
    of_entry(slug=slug)(run.folder)
    with pytest.raises(UserError, match="has a slug that cannot name the files of an entry"):
        Run(run.folder)


def test_the_unedited_folder_passes_verification(run):
    assert found(run.folder) == []
    assert len(EDITS) >= 81


@pytest.mark.slow
def test_files_that_no_digest_covers_are_listed(run):
    path = run.folder / "durations" / "wordpl.csv"
    path.write_text(re.sub(r"(?m)^(\d+);.*$", r"\1;;0.000001;0", path.read_text()))
    (run.folder / "report.html").write_text("wordpl/1 is the best.")
    assert found(run.folder) == []
    assert any(line.startswith("durations/") for line in NOT_COVERED)
    assert any(line.startswith("report.html") for line in NOT_COVERED)
