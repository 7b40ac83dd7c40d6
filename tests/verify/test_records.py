"""Every change of a record is found, with the game and the expected value."""

import json
import re
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verify.conftest import N_GAMES, differences_in, entry_named
from wordpl.run.folder import Run
from wordpl.verify.rules import GAME_RULES


def lines(run, name):
    return run.entry(entry_named(run, name)).records_path.read_bytes().splitlines(keepends=True)


def change(run, name, game, edit):
    """Edit the record of a game, and write it as a run would."""
    new_lines = lines(run, name)
    record = json.loads(new_lines[game])
    edit(record)
    new_lines[game] = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    run.entry(entry_named(run, name)).records_path.write_bytes(b"".join(new_lines))


def has_verdict(verdict):
    return lambda record: record.verdict == verdict


def has_moves(record):
    return len(record.moves) > 1


def set_to(key, value):
    return lambda record: record.update({key: value})


def first_move(place, value):
    return lambda record: record["moves"][0].__setitem__(place, value)


def second_move(place, value):
    return lambda record: record["moves"][1].__setitem__(place, value)


def turn_last_mark(record):
    move = record["moves"][0]
    move[-1] = move[-1][:-1] + {".": "i", "i": "c", "c": "."}[move[-1][-1]]


def move_once_more(record):
    record["moves"].append(deepcopy(record["moves"][-1]))


NO_BUDGET = "the move 1|move 1 is .*expected .*a finite epsilon above 0"
FORGED = {
    "a noisy clue": ("wordpl/1", has_moves, turn_last_mark, "the clue of move 1 is"),
    "a counted clue": ("wordpl-counted/1", has_moves, turn_last_mark, "the clue of move 1 is"),
    "a true clue": ("wordle/1", has_moves, turn_last_mark, "the clue of move 1 is"),
    "a clue of no secret": ("absurdle/1", has_moves, turn_last_mark, "the clue of move 1 is"),
    "a secret": ("wordpl/1", has_moves, set_to("secret", "zebra"), 'the secret is "zebra", expected "'),
    "a secret of none": ("absurdle/1", has_moves, set_to("secret", "zebra"), 'the secret is "zebra", expected ""'),
    "won as lost": ("wordle/1", has_verdict("won"), set_to("verdict", "unsolved"), "verdict is unsolved, expected won"),
    "won as late": ("wordpl/1", has_verdict("won"), set_to("verdict", "late"), "verdict is late, expected won"),
    "wrong as won": ("wordpl/1", has_verdict("wrong"), set_to("verdict", "won"), "verdict is won, expected wrong"),
    "crashed as won": ("wordle/1", has_verdict("crashed"), set_to("verdict", "won"),
                       "expected illegal, crashed, late, out"),
    "a reason for winning": ("wordle/1", has_verdict("won"), set_to("message", "luck"),
                             "verdict is won luck, expected won"),
    "a move after the end": ("wordle/1", has_verdict("won"), move_once_more,
                             "expected none, as the game ended with move"),
    "a word that is none": ("wordpl/1", has_moves, first_move(0, "zzzzz"), "move 1 is .*expected a word of"),
    "hard mode broken": ("wordle-hard/1", lambda record: set("ic") & set(record.moves[0].clues) and has_moves(record),
                         second_move(0, "fuzzy"), "move 2 is .*expected a word of the guesses|that uses what"),
    "a budget that is no number": ("wordpl/1", has_moves, first_move(1, None), NO_BUDGET),
    "a negative budget": ("wordpl/1", has_moves, first_move(1, -2.5), NO_BUDGET),
    "a budget as text": ("wordpl/1", has_moves, first_move(1, "2.5"), NO_BUDGET),
    "a move that is none": ("wordpl/1", has_moves, lambda record: record["moves"].insert(0, 7), "move 1 is 7"),
}  # fmt: skip


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_record_is_found_even_if_the_run_is_sealed_again(run, case):
    name, fits, edit, expected = FORGED[case]
    game = next(record.game for record in run.entry(entry_named(run, name)).read() if fits(record))
    change(run, name, game, edit)
    run.finish(run.info.finished)
    differences = differences_in(run)
    assert all(difference.startswith(f"{name}, game {game}: ") for difference in differences)
    assert re.search(expected, "\n".join(differences))


def test_an_edit_that_breaks_no_rule_is_found_by_its_fingerprint(run):
    change(run, "wordpl/1", 7, first_move(1, 14.75))
    (difference,) = [text for text in differences_in(run) if "the clue" not in text]
    assert re.match(
        r"wordpl/1, game 7: the line's fingerprint is [0-9a-f]{32}, expected [0-9a-f]{32}: it was", difference
    )


def drop(lines):
    del lines[7]


def duplicate(lines):
    lines.insert(8, lines[7])


def swap(lines):
    lines[7], lines[8] = lines[8], lines[7]


def tear(lines):
    lines[-1] = lines[-1][:-9]


def replace(old, new):
    return lambda lines: lines.__setitem__(7, lines[7].replace(old, new))


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (drop, "game 7: the number of its records is 0, expected 1"),
        (duplicate, "game 7: the number of its records is 2, expected 1"),
        (swap, "game 7: its place is line 9, after game 8, expected in the order of games"),
        (tear, f"records, line {N_GAMES}: the line is torn"),
        (replace(b'"game":', b'"game": '), "game 7: the line is {"),
        (replace(b'"moves":', b'"extra":1,"moves":'), "game 7: the line is {"),
        (
            replace(b'"moves":', b'"replay":"another secret","moves":'),
            "game 7: the replay is another secret, expected none",
        ),
        (replace(b'"game":7', b'"game":70'), "game 70: its number is 70, expected one of 0 to 29"),
        (replace(b'"game":7', b'"game":NaN'), "records, line 8: the line is '{"),
    ],
)
def test_malformed_record_files_are_found(run, edit, expected):
    new_lines = lines(run, "wordpl/1")
    edit(new_lines)
    run.entry(entry_named(run, "wordpl/1")).records_path.write_bytes(b"".join(new_lines))
    assert any(difference.startswith(f"wordpl/1, {expected}") for difference in differences_in(run)), differences_in(
        run
    )


@given(name=st.sampled_from(list(GAME_RULES)), chance=st.randoms(use_true_random=False))
@pytest.mark.long  # hundreds of changed files
def test_any_change_of_one_byte_is_found(played_run, name, chance):
    run = Run(played_run)
    path = run.entry(entry_named(run, name)).records_path
    content = path.read_bytes()
    position = chance.randrange(len(content))
    byte = content[position : position + 1]
    new_bytes = chance.choice([b"", 2 * byte, bytes([byte[0] ^ 1 << chance.randrange(8)])])
    game = content[:position].count(b"\n")
    expected = rf"{name}, (game {game}|records, line ({game + 1}|{game + 2})): "
    try:
        path.write_bytes(content[:position] + new_bytes + content[position + 1 :])
        assert any(re.match(expected, difference) for difference in differences_in(run))
    finally:
        path.write_bytes(content)


def test_an_unplayed_game_has_no_moves(run):
    name = "wordpl/1"
    game = next(
        record.game
        for record in run.entry(entry_named(run, name)).read()
        if record.verdict == "crashed" and record.moves
    )
    change(run, name, game, lambda record: record.update(verdict="unplayed", message=""))
    differences = "\n".join(differences_in(run))
    n_moves = len(json.loads(lines(run, name)[game])["moves"])
    assert f"game {game}: the number of its moves is {n_moves}, expected 0, as the game was not played" in differences


def test_game_numbers_run_from_0_to_the_last_game(run):
    file = run.entry(entry_named(run, "wordle/1")).records_path
    record_lines = lines(run, "wordle/1")
    beyond = [record_lines[0].replace(b'"game":0', f'"game":{number}'.encode(), 1) for number in (-1, N_GAMES)]
    file.write_bytes(b"".join([*record_lines[1:-1], *beyond]))
    differences = [
        difference
        for difference in differences_in(run)
        if difference.startswith("wordle/1, game") and "fingerprint" not in difference
    ]
    for number in (0, N_GAMES - 1):
        assert f"wordle/1, game {number}: the number of its records is 0, expected 1" in differences
    assert not any("the secret is" in difference for difference in differences)  # there is none
    for number in (-1, N_GAMES):
        assert f"wordle/1, game {number}: its number is {number}, expected one of 0 to {N_GAMES - 1}" in differences


def test_an_edit_of_a_repeated_game_is_found(run):
    file = run.folder / "repeats" / "wordpl.jsonl"
    repeat_lines = file.read_bytes().splitlines(keepends=True)
    number = next(number for number, line in enumerate(repeat_lines) if len(json.loads(line)["moves"]) > 1)
    record = json.loads(repeat_lines[number])
    turn_last_mark(record)
    repeat_lines[number] = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    file.write_bytes(b"".join(repeat_lines))
    differences = [difference for difference in differences_in(run) if difference.startswith("wordpl/1, repeated game")]
    assert [difference.split(" is ")[0] for difference in differences] == [
        f"wordpl/1, repeated game {record['game']}: the clue of move 1"
    ]


def test_a_game_whose_repetition_was_left_out_is_found_where_no_time_limits_it(run):
    file = run.folder / "repeats" / "wordpl.jsonl"
    repeated = [json.loads(line) for line in file.read_text().splitlines()]
    game = repeated[0]["game"]
    left_out = [record | {"verdict": "unplayed", "moves": []} for record in repeated[:1]]
    kept = [*left_out, *(record for record in repeated if record["game"] != game)]
    file.write_text("".join(json.dumps(record, separators=(",", ":")) + "\n" for record in kept))
    found = f"wordpl/1: the repeated games is without [{game}], which were played, expected all of them"
    assert any(difference.startswith(found) for difference in differences_in(run))
