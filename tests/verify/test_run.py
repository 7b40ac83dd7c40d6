"""An unchanged run passes verification; every change of its other files is found."""

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.helpers import written_runs
from tests.helpers.paths import HOME
from tests.verify.conftest import N_GAMES, differences_in, entry_named, lists_of
from tests.verify.edits import edit_lines, swap_first_and_last, with_changed_facts, with_entry_facts, with_facts
from wordpl.cli import publishing
from wordpl.core import words
from wordpl.run import seal
from wordpl.run.bundle import STORE, Bundle, BundleStore
from wordpl.run.folder import Run
from wordpl.verify import verify as check
from wordpl.verify.replay import Difference
from wordpl.verify.rules import GAME_RULES


def test_an_unchanged_run_passes_verification(run):
    verdicts = {str(record.verdict) for entry in run.info.entries for record in run.entry(entry).read()}
    assert verdicts >= {"won", "wrong", "illegal", "crashed"}
    result = CliRunner().invoke(publishing.verify_command, [str(run.folder)])
    assert result.exit_code == 0, result.output
    assert "All holds." in result.output
    assert f"commitment: {run.info.commitment}" in result.output
    assert f"{N_GAMES * len(GAME_RULES)} games" in result.output


@pytest.mark.slow
def test_word_lists_in_the_working_folder_do_not_matter(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("answers.txt", "valid.txt"):
        (tmp_path / name).write_text("crane\nslate\n")
    result = CliRunner().invoke(publishing.verify_command, [str(run.folder)])
    assert result.exit_code == 0, result.output


@pytest.mark.slow
@pytest.mark.parametrize("template", ["{}", " {}\n", "{:.64}"])
def test_the_published_commitment_of_the_run_is_accepted(run, template):
    result = CliRunner().invoke(
        publishing.verify_command, [str(run.folder), "--commitment", template.format(run.info.commitment)]
    )
    assert result.exit_code == 0, result.output


@pytest.mark.slow
@pytest.mark.parametrize("published", ["0" * 64, "", "{}0", "{:.32}"])
def test_another_commitment_than_the_published_one_is_found(run, published):
    text = published.format(run.info.commitment)
    result = CliRunner().invoke(publishing.verify_command, [str(run.folder), "--commitment", text])
    assert result.exit_code == 1
    assert f"run.json: the commitment is {run.info.commitment}, expected {text}, as published" in result.output


@pytest.mark.slow
def test_the_bundled_run_passes_verification():
    result = CliRunner().invoke(publishing.verify_command, [str(HOME / "results" / "bundled")])
    assert result.exit_code == 0, result.output
    assert "9,009 games" in result.output


EDITS = {
    "a message, which no rule decides": lambda file: file.write_text(file.read_text().replace("no idea", "an idea")),
    "a game played again": lambda file: file.write_text("".join(file.read_text().splitlines(keepends=True)[1:])),
    "a file": lambda file: file.unlink(),
    "one file more": lambda file: (file.parent / "more.jsonl").write_text(""),
}


@pytest.mark.parametrize("case", EDITS)
def test_a_change_of_repeated_games_is_found(run, case):
    file = next(path for path in sorted((run.folder / "repeats").iterdir()) if "no idea" in path.read_text())
    EDITS[case](file)
    assert "the seal is" in "\n".join(differences_in(run))


def test_every_line_is_compared_with_its_fingerprint(run):
    file = run.folder / "fingerprints" / "wordpl.txt"
    fingerprints = file.read_text().splitlines()
    fingerprints[0], fingerprints[-1] = "0" * 32, "f" * 32
    file.write_text("".join(f"{text}\n" for text in fingerprints))
    taken = {}
    found = check(run, lists_of(run), taker=lambda entry, lines, held: taken.update({entry.name: held is not None}))
    differences = [text for text in map(str, found.differences) if "fingerprint is" in text]
    pattern = r"wordpl/1, game (\d+): the line's fingerprint is [0-9a-f]{32}, expected (0|f){32}: it was edited"
    assert [re.fullmatch(pattern, text)[1] for text in differences] == ["0", str(N_GAMES - 1)]
    assert (taken["wordpl/1"], taken["wordpl-counted/1"]) == (False, True)


def test_a_file_of_fingerprints_that_is_missing_is_found(run):
    (run.folder / "fingerprints" / "wordpl.txt").unlink()
    n = len(GAME_RULES)
    assert f"run.json: the number of files in fingerprints/ is {n - 1}, expected {n}" in differences_in(run)


@pytest.mark.slow
def test_changed_scores_and_tables_are_found(run):
    scores, page = run.folder / "scores.csv", run.folder / "LEADERBOARD.md"
    scores.write_text(re.sub(r"(?m)^(wordpl/1;)[^;]*", r"\g<1>1", scores.read_text()))
    page.write_text(page.read_text().replace("| wordpl/1 |", "| the great |").replace("seed: ", "seed: 1"))
    result = CliRunner().invoke(publishing.verify_command, [str(run.folder)])
    assert result.exit_code == 1
    for expected in (
        r"scores\.csv, line \d, wordpl/1: p05 is 1, expected ",
        r"LEADERBOARD\.md, line \d+: the text is .*the great.*, expected .*\| wordpl/1 \|",
        r"LEADERBOARD\.md, line \d+: seed is 1",
    ):
        assert re.search(expected, result.output), result.output


@pytest.mark.slow
def test_many_differences_are_counted_and_shown_when_asked_for(run):
    info = json.loads((run.folder / "run.json").read_bytes()) | {"seed": "1"}
    (run.folder / "run.json").write_text(json.dumps(info))
    short_output = CliRunner().invoke(publishing.verify_command, [str(run.folder)]).output
    assert re.search(r"wordle/1: \d+ more differences; --full shows them", short_output)
    full_output = CliRunner().invoke(publishing.verify_command, [str(run.folder), "--full"]).output
    assert full_output.count(", expected ") == int(re.search(r"Differences: (\d+)", short_output)[1])


def test_the_path_of_an_entry_in_run_json_is_not_opened(run):
    path = Path(entry_named(run, "wordpl/1").file)
    hidden = path.rename(path.with_name("hidden"))
    try:
        path.symlink_to("/dev/zero")
        findings = check(run, lists_of(run))
    finally:
        path.unlink()
        hidden.rename(path)
    assert (findings.differences, findings.notes) == ([], [])


def parse_number(text):
    return int(text[:-2]) if text.endswith(".0") else float(text)


def test_the_seal_is_computed_as_the_page_on_fairness_says(played_run):
    facts = json.loads((played_run / "run.json").read_bytes(), parse_float=parse_number)
    seal = facts.pop("seal")
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    files = [*(played_run / "fingerprints").iterdir(), *(played_run / "repeats").iterdir()]
    names = sorted(f"{path.parent.name}/{path.name}" for path in files)
    listing = "".join(f"{sha256((played_run / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    assert sha256(f"wordpl/seal/1\n{sha256(text.encode()).hexdigest()}\n{listing}".encode()).hexdigest() == seal
    records, fingerprints = (
        (played_run / folder / f"wordle.{kind}").read_bytes().splitlines(keepends=True)
        for folder, kind in (("records", "jsonl"), ("fingerprints", "txt"))
    )
    assert [sha256(line).hexdigest()[:32].encode() + b"\n" for line in records] == fingerprints


def check_run(run):
    run = Run(run.folder)
    return check(run, lists_of(run))


def test_facts_that_an_unfinished_official_run_withholds_are_no_faults(run):
    with_changed_facts(seed=None, drawn_seed=None, finished=None, seal=None, beacon=None)(run.folder)
    shutil.rmtree(run.folder / "fingerprints")
    findings = check_run(run)
    assert [difference.what for difference in findings.differences] == ["the end of the run"]
    assert findings.n_games == 0
    assert findings.notes == [
        "the commitment: the seed is not revealed before the run has finished.",
        "the games: the seed is not revealed before the run has finished.",
    ]


def test_a_seal_that_is_missing_is_found(run):
    with_changed_facts(seal=None)(run.folder)
    shutil.rmtree(run.folder / "fingerprints")
    expected = "run.json: the seal is missing, expected one, as all finished runs have"
    assert expected in map(str, check_run(run).differences)


def test_an_unreadable_compressed_file_is_found(run):
    (run.folder / "records" / "wordpl.jsonl").unlink()
    (run.folder / "fingerprints" / "wordpl.txt").unlink()
    (run.folder / "records" / "wordpl.jsonl.gz").write_bytes(b"no gzip")
    differences = "\n".join(differences_in(run))
    assert re.search(
        "run.json: a file of records is .*wordpl.jsonl.gz.*, expected one that can be read", differences
    ), differences
    assert re.search(
        "wordpl/1, records: the file is .*wordpl.jsonl.gz.*, expected one that can be read", differences
    ), differences


def test_records_that_are_there_both_plain_and_compressed_are_found(run):
    (run.folder / "records" / "wordpl.jsonl.gz").write_bytes(b"")
    assert (
        "run.json: the file of records is both wordpl.jsonl and wordpl.jsonl.gz, expected one of them"
        in differences_in(run)
    )


def test_what_the_folder_of_a_run_cannot_show_is_noted(run):
    path = run.folder / "run.json"
    info = json.loads(path.read_bytes())
    info |= {"replaced": "0" * 64, "finished": "2026-11-20", "parts": {"1": "0" * 64}}
    info["entries"][0]["file"], info["entries"][1]["sha256"] = "", "0" * 64
    path.write_text(json.dumps(info))
    first, second = (entry["name"] for entry in info["entries"][:2])
    findings = check_run(run)
    (commitment,) = [str(one) for one in findings.differences if one.what == "the commitment"]
    assert f"expected {seal.commitment(run.info.drawn_seed, '0' * 64)}, by" in commitment
    replaced, *notes, parts = findings.notes
    assert replaced.startswith("names of authors: they were replaced on request.")
    assert parts.startswith("the moves in 1 parts that others may have played")
    assert notes == [
        f"the times: the clock was set back: the end, 2026-11-20, is before the start, {run.info.started}.",
        f"the files of {first}: the entry was an object, which has no file.",
        f"the sources of {second}: the run's folder does not have them.",
    ]


@pytest.mark.slow
def test_progress_adds_up_to_the_games_that_were_checked():
    run, counts = Run(HOME / "results" / "bundled"), []
    assert check(run, words.load(), counts.append).n_games == sum(counts) == 9009
    assert max(counts) <= 1001  # an entry of a noisy game at a time


def test_the_games_that_were_checked_are_counted_as_they_are_checked(run):
    counts = []
    lists = lists_of(run)
    findings = check(run, lists, counts.append)
    assert findings.n_games == sum(counts) == N_GAMES * len(GAME_RULES)
    assert (findings.differences, findings.notes) == ([], [])
    assert check(run, lists).n_games == findings.n_games


def test_a_difference_shows_at_most_160_characters_of_each_value():
    text = str(Difference("bot", "game 3", "the message", "x" * 200, "y" * 200))
    assert text == f"bot, game 3: the message is {'x' * 160}, expected {'y' * 160}"
    assert str(Difference("run.json", "", "the seal", "a", "b")) == "run.json: the seal is a, expected b"


def test_the_seal_of_a_run_that_is_not_official_is_checked(tmp_path):
    run = written_runs.finished_run(tmp_path)
    path = run.folder / "run.json"
    facts = json.loads(path.read_bytes())
    assert "commitment" not in facts
    path.write_text(json.dumps(facts | {"seal": "0" * 64}))
    assert any("the seal is 000" in text for text in differences_in(Run(run.folder)))


def test_stored_files_that_are_not_those_of_their_digest_are_found(run):
    digest, store = run.info.entries[0].sha256, BundleStore(run.folder / STORE)
    (written := run.folder.parent / "table.txt").write_text("1\n")
    with_entry_facts(written=store.add(Bundle.of(written)))(run.folder)
    assert not [one for one in check_run(run).differences if one.what.endswith("of wordpl/1")]
    for path in (run.folder / STORE).rglob("*.*"):
        path.chmod(0o600)
        path.write_text("pass\n")
    found = {(one.what, one.found, one.expected) for one in check_run(run).differences}
    other, written_digest = "another digest, by the stored files", Run(run.folder).info.entries[0].written
    assert found >= {
        ("the sources of wordpl/1", digest, other),
        ("the sources of wordle/1", digest, other),
        ("the written files of wordpl/1", written_digest, other),
    }


def test_the_choice_of_repeated_games_follows_from_the_seed(run):
    chosen = list(run.info.draws.repeat_order(N_GAMES))
    path = run.folder / "repeats" / "wordpl.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["game"] in [*chosen[:4], chosen[6]]]
    path.write_text("".join(kept))
    with_facts(repeats=5)(run.folder)
    found = f"wordpl/1: the choice of repeated games is with [{chosen[6]}], expected with [{chosen[4]}]"
    assert found in map(str, check_run(run).differences)


def test_repeated_games_need_the_seed_of_their_draws(run):
    with_changed_facts(repeats_seed=None)(run.folder)
    found = "wordpl/1: the seed of the repetitions is missing, expected one, as games were repeated"
    assert found in map(str, check_run(run).differences)


def test_games_that_are_missing_or_out_of_order_are_wrong_only_after_the_end_of_a_run(run):
    (run.folder / "repeats" / "wordpl.jsonl").unlink()
    edit_lines("records/wordpl.jsonl", swap_first_and_last)(run.folder)
    for finished in (run.info.finished, None):
        with_changed_facts(finished=finished)(run.folder)
        what = {one.what for one in check_run(run).differences if one.source == "wordpl/1"}
        assert what == ({"the choice of repeated games", "its place"} if finished else set())
