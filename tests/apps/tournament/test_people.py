"""The file of a tournament of people: its commitment, and what is checked when it is ranked."""

import json
import re
from hashlib import sha256

import msgspec
import pytest

from tests.helpers.cli import wordpl
from wordpl.apps.tournament import PlayedGuess, RoomStore, Terms, TournamentFile, load_rules, read_tournament
from wordpl.apps.tournament.room import Phase, finished_file
from wordpl.core.messages import UserError

RULES = msgspec.structs.replace(load_rules(), puzzles=3, bank_minutes=1.0, break_minutes=5.0)
TERMS = Terms.new(RULES)
WORDS = TERMS.secrets("seed", TERMS.game())
OTHER = next(word for word in ("crane", "slate", "moldy") if word not in WORDS)


def tournament(folder, seed="seed", **players):
    """Return the file of a tournament that began at second 1000; a guess is a word and a second."""
    store = RoomStore(folder / "games.sqlite")
    room, _ = store.create(TERMS, 0, seed)
    for phase, now_s in ((Phase.OPEN, 0.0), (Phase.PLAYING, 1000.0), (Phase.ENDED, 9000.0)):
        store.enter(room, phase, now_s)
    room = store.room(room.id)
    for name, guesses in players.items():
        store.join(room, name, 10.0)
        for word, time_s in guesses:
            store.add_guess(store.players(room)[-1], PlayedGuess(word, time_s))
    file = folder / f"{seed}.json"
    file.write_bytes(msgspec.json.encode(finished_file(room, store.players(room))))
    store.close()
    return file


def test_the_commitment_is_sha_256_of_seed_and_terms():
    canonical = re.sub(
        r"\.0(?=[],}])", "", json.dumps(msgspec.to_builtins(TERMS), sort_keys=True, separators=(",", ":"))
    )
    lines = f"wordpl/commitment/1\nseed\n{sha256(canonical.encode()).hexdigest()}\n"
    assert TERMS.commitment("seed") == sha256(lines.encode()).hexdigest()


def test_a_tournament_is_ranked_with_a_report(tmp_path):
    solved = [(WORDS[0], 1001), (OTHER, 1010), (WORDS[1], 1020)]
    file = tournament(tmp_path, Ada=solved, Bob=solved, **{"Eve|": [(OTHER, 1001 + n) for n in range(6)]})
    result = wordpl("tournament", "rank", file, "--output", tmp_path / "report.md")
    assert result.exit_code == 0, result.output
    report = (tmp_path / "report.md").read_text()
    lines = [line.split(" | ") for line in report.splitlines() if line.startswith("| ") and "%" not in line]
    assert [row[:2] for row in lines[2:5]] == [["| 1", "Ada"], ["| 1", "Bob"], ["| 3", "Eve&#124;"]]
    assert TERMS.commitment("seed") in report
    assert f"| 2 | {WORDS[1]} | 2 · " in report
    wordpl("tournament", "rank", file, "--output", tmp_path / "report.html")
    assert "Eve|" in (tmp_path / "report.html").read_text()


def test_a_ranked_player_who_was_away_is_out_of_time(tmp_path):
    (result,) = read_tournament(tournament(tmp_path, Ada=[(WORDS[0], 1001), (OTHER, 1010)])).results()
    assert [(puzzle.ending, puzzle.used_s) for puzzle in result.puzzles] == [("solved", 0), ("out of time", 60)]


@pytest.mark.parametrize(
    "change, complaint",
    [
        (lambda cup: cup.update(seed="other"), "its seed or its terms were changed"),
        (lambda cup: cup["terms"]["rules"].update(bank_minutes=99), "its seed or its terms were changed"),
        (lambda cup: cup["players"][0].update(guesses="none"), "was not made by `wordpl serve`"),
        (lambda cup: cup.update(format=1), "has format 1"),
        (lambda cup: cup.update(ended_s=1010), "a guess was made after the end"),
        (lambda cup: cup.update(started_s=1005), "a guess is earlier than the one before it, or than the start"),
        (lambda cup: cup["players"][0]["guesses"].reverse(), "a guess is earlier than the one before it"),
        (lambda cup: cup["players"][0]["guesses"][0].update(word="zzzzz"), "puzzle 1: 'zzzzz' is not a word"),
        (lambda cup: cup["players"].append(cup["players"][0]), "'Ada' has two results"),
    ],
)
def test_a_changed_file_is_refused(tmp_path, change, complaint):
    file = tournament(tmp_path, Ada=[(OTHER, 1001), (WORDS[0], 1010)])
    content = json.loads(file.read_bytes())
    change(content)
    file.write_text(json.dumps(content))
    assert complaint in wordpl("tournament", "rank", file).output.replace("\n", " ")


def test_guesses_after_the_last_puzzle_are_refused(tmp_path):
    file = tournament(tmp_path, Ada=[*((word, 1001 + n) for n, word in enumerate(WORDS)), (OTHER, 1010)])
    with pytest.raises(UserError, match="guesses follow after the last puzzle"):
        read_tournament(file)


def test_different_tournaments_are_not_ranked_together(tmp_path):
    files = [tournament(tmp_path, seed, **{seed: [(OTHER, 1001)]}) for seed in ("one", "two")]
    assert "these results have different puzzles" in wordpl("tournament", "rank", *files).output


def test_a_tournament_is_created_from_the_command_line_without_its_seed_in_the_output(tmp_path):
    database = tmp_path / "games.sqlite"
    result = wordpl(
        "tournament", "new", "--rounds", "3", "--bank", "5", "--database", database, "--url", "https://x.org/p"
    )
    assert result.exit_code == 0, result.output
    (room_id,) = re.findall(r"^    https://x\.org/p/#/room/([\w-]+)$", result.output, re.MULTILINE)
    store = RoomStore(database)
    room = store.room(room_id)
    store.close()
    assert room.terms.commitment(room.seed) in result.output
    assert room.seed not in result.output
    assert (room.terms.rules.rounds, room.terms.rules.bank_s) == (3, 300)
    late = wordpl("tournament", "new", "--opens", "2126-12-02", "--closes", "2126-12-01", "--database", database)
    assert "the window must close after it opens" in late.output
    past = wordpl("tournament", "new", "--closes", "2026-01-01T00:00", "--database", database)
    assert past.exit_code == 1
    assert "the end of play, 2026-01-01T00:00, is past; choose a time after" in past.output


def test_the_file_of_a_tournament_can_be_read_again(tmp_path):
    file = tournament(tmp_path, Ada=[(OTHER, 1001.123456789)])
    assert msgspec.json.decode(file.read_bytes(), type=TournamentFile) == read_tournament(file)
