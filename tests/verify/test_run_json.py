"""Every change of run.json is found."""

import re

import pytest

from tests.helpers.paths import HOME
from tests.verify.conftest import differences_in
from tests.verify.edits import (
    edit_info,
    with_changed_facts,
    with_entry_facts,
    with_facts,
    with_game_facts,
    without_fact,
)
from wordpl.run.info import RunInfo


def test_a_run_json_is_rewritten_byte_for_byte():
    text = (HOME / "results" / "bundled" / "run.json").read_bytes()
    assert RunInfo.from_json(text, "run.json").to_json() == text


CHANGES = {
    "the seed": (with_facts(seed="1"), "run.json: the seed is 1, expected [0-9a-f]{64}, by the drawn seed"),
    "the beacon": (with_facts(beacon="00fe"), "the seed is .*, by the drawn seed, the beacon and the entries"),
    "the source of the beacon": (with_facts(beacon_from="round 6"), "the commitment is "),
    "the drawn seed": (with_facts(drawn_seed="5f" * 32), "the commitment is "),
    "the commitment": (with_facts(commitment="0" * 64), "the commitment is 000"),
    "the presence of a commitment": (without_fact("commitment"), "the commitment is missing, expected one"),
    "rules": (with_game_facts(id="wordpl-counted/1"), r"wordpl/1, game \d+: the clue of move \d is"),
    "rules to unknown ones": (
        with_game_facts(id="wordpl/2"),
        "the rules of wordpl/1 is wordpl/2, expected one of wordpl/1",
    ),
    "a unit and bins": (
        with_game_facts(unit="tries", bins=6),
        "the unit of the game of wordpl/1 is tries, expected budget\n(.*\n)*.*the bins of .* is 6, expected 0",
    ),
    "the digest of a file": (with_entry_facts(sha256="0" * 64), "the commitment is .*\n(.*\n)*.*the seed is "),
    "the number of entries": (
        edit_info(lambda info: info["entries"].pop()),
        "the entry with the records is .*, expected one that",
    ),
    "the number of games": (with_facts(n_games=29), "game 29: its number is 29, expected one of 0 to 28"),
    "the time for a game": (with_facts(timeout_s=6.0), "the commitment is "),
    "the time that is enforced": (with_facts(enforced_s=50.0), "the commitment is "),
    "a word list": (
        edit_info(lambda info: info["config"]["answers"].update(sha256="0" * 64, words=1)),
        "answers, words, is 1, expected .*\n.*answers, sha256, is 0000.*, expected",
    ),
    "the end": (with_facts(finished=None), "the end of the run is missing, expected one"),
    "the presence of a seal": (without_fact("seal"), "the seal is missing, expected one, as there are fingerprints"),
    "the date": (with_facts(finished="2026-11-22"), "the seal is "),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_change_of_run_json_is_found(run, case):
    edit, expected = CHANGES[case]
    edit(run.folder)
    assert re.search(expected, "\n".join(differences_in(run))), differences_in(run)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"beacon": None}, "run.json: the beacon is missing, expected from round 5"),
        ({"beacon_from": None}, "run.json: the beacon is '00ff', expected none, as none was announced"),
        (
            {"commitment": None, "beacon_from": None},
            "run.json: the commitment is missing, expected one, as the run is official",
        ),
    ],
)
def test_a_beacon_and_its_source_are_required_together(run, facts, expected):
    with_changed_facts(**facts)(run.folder)
    assert expected in differences_in(run)


def test_a_duplicate_field_in_run_json_is_found(run):
    path = run.folder / "run.json"
    path.write_text(path.read_text().replace('"timeout_s"', '"timeout_s": 9.0,\n  "timeout_s"', 1))
    expected = "run.json: the number of fields 'timeout_s' is 2, expected 1: programs differ in which one they read"
    assert [difference for difference in differences_in(run) if "number of fields" in difference] == [expected]
