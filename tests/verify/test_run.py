"""A run that was played holds; whatever somebody changes in its other files is found."""

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.helpers.paths import HOME
from tests.verify.conftest import N_GAMES, found, named
from wordpl.cli import verify
from wordpl.core import words
from wordpl.core.records import Run
from wordpl.verify import verify as check
from wordpl.verify.rules import GAME_RULES


def test_a_run_holds_as_it_was_played(run):
    verdicts = {str(record.verdict) for entry in run.info.entries for record in run.read(entry)}
    assert verdicts >= {"won", "wrong", "illegal", "crashed"}
    done = CliRunner().invoke(verify.command, [str(run.folder)])
    assert done.exit_code == 0, done.output
    assert "All holds." in done.output
    assert f"commitment: {run.info.commitment}" in done.output
    assert f"{N_GAMES * len(GAME_RULES)} games" in done.output


@pytest.mark.slow
def test_other_lists_in_the_folder_one_stands_in_do_not_matter(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("answers.txt", "valid.txt"):
        (tmp_path / name).write_text("crane\nslate\n")
    done = CliRunner().invoke(verify.command, [str(run.folder)])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("spelled", ["{}", *(pytest.param(one, marks=pytest.mark.slow) for one in (" {}\n", "{:.64}"))])
def test_the_commitment_that_was_published_is_the_run_s(run, spelled):
    done = CliRunner().invoke(verify.command, [str(run.folder), "--against", spelled.format(run.info.commitment)])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    "published", ["0" * 64, *(pytest.param(one, marks=pytest.mark.slow) for one in ("", "{}0", "{:.32}"))]
)
def test_another_commitment_than_the_published_one_is_found(run, published):
    text = published.format(run.info.commitment)
    done = CliRunner().invoke(verify.command, [str(run.folder), "--against", text])
    assert done.exit_code == 1
    assert f"run.json: the commitment is {run.info.commitment}, expected {text}, as published" in done.output


@pytest.mark.slow
def test_the_bundled_run_holds():
    done = CliRunner().invoke(verify.command, [str(HOME / "results" / "bundled")])
    assert done.exit_code == 0, done.output
    assert "9,009 games" in done.output


def test_run_json_of_an_older_run_is_rewritten_byte_for_byte(tmp_path):
    text = (HOME / "results" / "official" / "run.json").read_bytes()
    (tmp_path / "run.json").write_bytes(text)
    assert b"enforced_s" not in text
    Run(tmp_path).write_info()
    assert (tmp_path / "run.json").read_bytes() == text


def entry(**changes):
    return lambda info: info["entries"][0].update(changes)


def said(**changes):
    return lambda info: info.update(changes)


CHANGES = {
    "the seed": (said(seed="1"), "run.json: the seed is 1, expected [0-9a-f]{64}, by the drawn seed"),
    "the beacon": (said(beacon="00fe"), "the seed is .*, by the drawn seed, the beacon and the entries"),
    "the source of the beacon": (said(beacon_from="round 6"), "the commitment is "),
    "the drawn seed": (said(drawn_seed="5f" * 32), "the commitment is "),
    "the commitment": (said(commitment="0" * 64), "the commitment is 000"),
    "the presence of a commitment": (lambda info: info.pop("commitment"), "the drawn_seed is .*, expected none"),
    "rules": (entry(rules="wordpl-counted/1"), r"wordpl/1, game \d+: the clue of move \d is"),
    "rules to unknown ones": (entry(rules="wordpl/2"), "the rules of wordpl/1 is wordpl/2, expected one of wordpl/1"),
    "a measure": (entry(measure="tries"), "the measure of wordpl/1 is tries, expected budget"),
    "the digest of a file": (entry(sha256="0" * 64), "the SHA-256 of wordpl/1 is 0000.*as .*bot.py has it"),
    "the number of entries": (
        lambda info: info["entries"].pop(),
        "the entry with the records is .*, expected one that",
    ),
    "the number of games": (said(n_games=29), "game 29: its number is 29, expected one of 0 to 28"),
    "the time for a game": (said(timeout_s=6.0), "the commitment is "),
    "the time that is enforced": (said(enforced_s=50.0), "the commitment is "),
    "a word list": (lambda info: info["lists"]["answers"].update(sha256="0"), "answers, sha256, is 0, expected"),
    "the end": (said(finished=None), "the end of the run is missing, expected one"),
    "the presence of a seal": (lambda info: info.pop("seal"), "the seal is missing"),
    "the date": (said(finished="2026-11-22"), "the seal is "),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_of_run_json_is_found(run, what):
    exploit, told = CHANGES[what]
    path = run.folder / "run.json"
    info = json.loads(path.read_bytes())
    exploit(info)
    path.write_text(json.dumps(info))
    assert re.search(told, "\n".join(found(run))), found(run)


SPOILS = {
    "a message, which no rule decides": lambda file: file.write_text(file.read_text().replace("no idea", "an idea")),
    "a game played again": lambda file: file.write_text("".join(file.read_text().splitlines(keepends=True)[1:])),
    "a file": lambda file: file.unlink(),
    "one file more": lambda file: (file.parent / "more.jsonl").write_text(""),
}


@pytest.mark.parametrize("what", SPOILS)
def test_a_change_of_the_games_played_again_is_found(run, what):
    file = next(path for path in sorted((run.folder / "repeats").iterdir()) if "no idea" in path.read_text())
    SPOILS[what](file)
    assert "the seal is" in "\n".join(found(run))


def test_changed_scores_and_tables_are_found(run):
    scores, page = run.folder / "scores.csv", run.folder / "LEADERBOARD.md"
    scores.write_text(re.sub(r"(?m)^(wordpl/1;)[^;]*", r"\g<1>1", scores.read_text()))
    page.write_text(page.read_text().replace("| wordpl/1 |", "| the great |").replace("seed: ", "seed: 1"))
    done = CliRunner().invoke(verify.command, [str(run.folder)])
    assert done.exit_code == 1
    for told in (
        r"scores\.csv, line \d, wordpl/1: p05 is 1, expected ",
        r"LEADERBOARD\.md, line \d+: the text is .*the great.*, expected .*\| wordpl/1 \|",
        r"LEADERBOARD\.md, line \d+: seed is 1",
    ):
        assert re.search(told, done.output), done.output


def test_many_differences_are_counted_and_shown_when_asked_for(run):
    info = json.loads((run.folder / "run.json").read_bytes()) | {"seed": "1"}
    (run.folder / "run.json").write_text(json.dumps(info))
    short = CliRunner().invoke(verify.command, [str(run.folder)]).output
    assert re.search(r"wordle/1: \d+ more differences; --all shows them", short)
    whole = CliRunner().invoke(verify.command, [str(run.folder), "--all"]).output
    assert whole.count(", expected ") == int(re.search(r"Differences: (\d+)", short)[1])


def test_a_file_that_has_changed_since_is_told_and_no_fault_of_the_run(run):
    path = Path(named(run, "wordpl/1").file)
    source = path.read_text()
    try:
        path.write_text(source + "# changed\n")
        findings = check(run, words.load(*(Path(kept["file"]) for kept in run.info.lists.values())))
    finally:
        path.write_text(source)
    assert not findings.differences
    assert findings.notes[0] == f"the file of wordpl/1: {path} has changed since the run."


def number(text):
    return int(text[:-2]) if text.endswith(".0") else float(text)


def test_the_seal_is_computed_as_the_page_on_fairness_says(played):
    facts = json.loads((played / "run.json").read_bytes(), parse_float=number)
    seal = facts.pop("seal")
    said = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    files = [*(played / "fingerprints").iterdir(), *(played / "repeats").iterdir()]
    names = sorted(f"{path.parent.name}/{path.name}" for path in files)
    listed = "".join(f"{sha256((played / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    assert sha256(f"wordpl/seal/1\n{sha256(said.encode()).hexdigest()}\n{listed}".encode()).hexdigest() == seal
    records, prints = (
        (played / folder / f"wordle.{kind}").read_bytes().splitlines(keepends=True)
        for folder, kind in (("records", "jsonl"), ("fingerprints", "txt"))
    )
    assert [sha256(line).hexdigest()[:32].encode() + b"\n" for line in records] == prints
