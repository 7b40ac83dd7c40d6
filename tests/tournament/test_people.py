"""A tournament of people, from its creation to the standings."""

import json
import re
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count

import msgspec
import pytest
from click.testing import CliRunner

from tests.helpers.cli import wordpl
from tests.helpers.paths import HOME
from wordpl.cli import main
from wordpl.core.errors import UserError
from wordpl.terminal import Screen
from wordpl.terminal.tournament import TournamentGame
from wordpl.tournament import Scorecard, TournamentFile, load_rules
from wordpl.tournament.scorecard import TimedGuess, read_scorecard

RULES = msgspec.structs.replace(load_rules(), rounds=3, bank_minutes=1.0)
CUP = TournamentFile.new(RULES, "seed")
WORDS = CUP.secrets()
OTHER = next(word for word in ("crane", "slate", "moldy") if word not in WORDS)


class Person:
    """A player who types lines at given intervals."""

    def __init__(self, folder, cup=CUP, name="ada"):
        self.file, self.cup, self.name, self.time_s = folder / f"{name}.json", cup, name, 1_000_000.0
        self.output = ""

    def types(self, *lines, seconds=1.0):
        """Start the program, type the lines and leave; return the scored puzzles."""
        card = read_scorecard(self.file) if self.file.exists() else Scorecard(player=self.name, cup=self.cup)
        clock = count(self.time_s, seconds)

        def now():
            return self.time_s

        def waiting():
            for line in lines:
                self.time_s = next(clock)
                yield line

        typed = waiting()
        with CliRunner().isolation() as (output, *_), pytest.MonkeyPatch.context() as patch:
            patch.setattr("builtins.input", lambda question: next(typed, None) or _end())
            TournamentGame(card, self.file, Screen(), now).play()
            self.output = output.getvalue().decode()
        return card.scored()


def _end():
    raise EOFError


def test_the_clock_runs_from_the_first_guess_to_the_solution(tmp_path):
    ada = Person(tmp_path)
    puzzles = ada.types(OTHER, "xxxxx", WORDS[0], WORDS[1], seconds=5)
    assert [(puzzle.n_guesses, puzzle.used_s, puzzle.bank_s) for puzzle in puzzles] == [(2, 10, 50), (1, 0, 50)]
    assert "'xxxxx' is not in the word list" in ada.output


def test_leaving_and_returning_continues_the_puzzle_and_its_clock(tmp_path):
    ada = Person(tmp_path)
    ada.types(WORDS[0])
    ada.time_s += 1000  # a break between puzzles is free
    ada.types(OTHER)
    ada.time_s += 20  # inside one it is not
    puzzles = ada.types(WORDS[1])
    assert [(puzzle.n_guesses, puzzle.used_s) for puzzle in puzzles] == [(1, 0), (2, 20)]
    assert "You started this puzzle before" in ada.output


def test_a_guess_after_the_time_bank_is_empty_is_late_and_ends_the_tournament(tmp_path):
    ada = Person(tmp_path)
    puzzles = ada.types(OTHER, WORDS[0], WORDS[1], seconds=60)
    assert [(puzzle.ending, puzzle.n_guesses) for puzzle in puzzles] == [("out of time", 1)]
    assert "Out of time: the word was" in ada.output
    assert ada.types(WORDS[0]) == puzzles


def test_guesses_outside_the_time_window_do_not_count(tmp_path):
    opens, closes = (datetime.fromtimestamp(timestamp, UTC) for timestamp in (1_000_000, 1_000_030))
    ada = Person(tmp_path, TournamentFile.new(RULES, "seed", opens, closes))
    ada.time_s -= 10
    with pytest.raises(UserError, match="opens at 1970-01-12 13:46 UTC"):
        ada.types(WORDS[0])
    ada.time_s += 20
    puzzles = ada.types(WORDS[0], OTHER, WORDS[1], seconds=10)
    assert [puzzle.ending for puzzle in puzzles] == ["solved", "not finished"]
    assert "The tournament has closed" in ada.output


def test_a_misspelling_gets_no_suggestion(tmp_path):
    ada = Person(tmp_path)
    ada.types("tiber", WORDS[0])
    assert "'tiber' is not in the word list" in ada.output
    assert "did you mean" not in ada.output
    assert "twier" not in ada.output


def test_a_player_after_the_time_window_reads_that_it_has_closed(tmp_path):
    closes = datetime.fromtimestamp(1_000_030, UTC)
    ada = Person(tmp_path, TournamentFile.new(RULES, "seed", None, closes))
    ada.time_s += 60
    assert ada.types(WORDS[0]) == []
    assert "closed at 1970-01-12 13:47 UTC; you did not play." in ada.output
    assert not ada.file.exists()
    assert str(ada.file) not in ada.output


def test_solving_all_puzzles_ends_the_tournament(tmp_path):
    ada = Person(tmp_path)
    assert [puzzle.ending for puzzle in ada.types(*WORDS, "never asked")] == ["solved"] * 3
    assert "3 solved" in ada.output


def test_the_commitment_is_sha_256_of_seed_and_terms():
    terms = {name: value for name, value in msgspec.to_builtins(CUP).items() if name not in ("seed", "commitment")}
    canonical = re.sub(r"\.0(?=[],}])", "", json.dumps(terms, sort_keys=True, separators=(",", ":")))
    lines = f"wordpl/commitment/1\nseed\n{sha256(canonical.encode()).hexdigest()}\n"
    assert CUP.commitment == sha256(lines.encode()).hexdigest()


def test_a_tournament_is_created_played_and_ranked_from_the_command_line(tmp_path):
    rules = tmp_path / "rules.toml"
    published = HOME / "wordpl" / "data" / "tournament.toml"
    rules.write_text(published.read_text().replace("rounds = 50", "rounds = 3"))
    created = wordpl("tournament", "new", tmp_path / "cup.json", "--rules", rules, "--seed", "seed")
    assert created.output.startswith("commitment  ")
    cup = msgspec.json.decode((tmp_path / "cup.json").read_bytes(), type=TournamentFile)
    for name, lines in {"ada": [OTHER, *WORDS], "bob": [OTHER, *WORDS], "eve|": [OTHER] * 6}.items():
        arguments = ["tournament", "play", f"{tmp_path}/cup.json", f"{tmp_path}/{name}.json"]
        CliRunner().invoke(main, arguments, input="\n".join(lines))
    files = sorted(tmp_path.glob("*[abe|].json"))
    result = wordpl("tournament", "rank", *files, "--output", tmp_path / "report.md")
    assert result.exit_code == 0, result.output
    report = (tmp_path / "report.md").read_text()
    standings = [line.split(" | ") for line in report.splitlines() if line.startswith("| ") and "%" not in line]
    assert [row[:2] for row in standings[2:5]] == [["| 1", "ada"], ["| 1", "bob"], ["| 3", "eve&#124;"]]
    assert cup.commitment in report
    assert f"| 1 | {WORDS[0]} | 2 · " in report
    wordpl("tournament", "rank", *files, "--output", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "eve|" in page
    assert cup.commitment in page


def edit_json(file, change):
    content = json.loads(file.read_bytes())
    change(content)
    file.write_text(json.dumps(content))
    return file


@pytest.mark.parametrize(
    "change, complaint",
    [
        (lambda card: card.update(player="eve"), "its signature does not match"),
        (lambda card: card.update(signature="é"), "its signature does not match"),
        (lambda card: card["cup"].update(seed="other"), "its seed or its terms were changed"),
        (lambda card: card["cup"]["rules"].update(bank_minutes=99), "its seed or its terms were changed"),
        (
            lambda card: card["puzzles"][0].append({"word": "zzzzz", "time_s": 2e6}),
            "its signature does not match",
        ),
        (lambda card: card.pop("puzzles"), "its signature does not match"),
        (lambda card: card.update(puzzles="none"), "was not made by `wordpl tournament play`"),
        (lambda card: card.update(format=2), "has format 2"),
    ],
)
def test_a_changed_result_is_refused(tmp_path, change, complaint):
    ada = Person(tmp_path)
    ada.types(OTHER, *WORDS)
    edit_json(ada.file, change)
    assert complaint in wordpl("tournament", "rank", ada.file).output.replace("\n", " ")


@pytest.mark.parametrize(
    "puzzles, complaint",
    [
        ([[("zzzzz", 1)]], "puzzle 1: 'zzzzz' is not a word"),
        ([[(OTHER, 5), (WORDS[0], 4)]], "puzzle 1 has a guess that is earlier than the one before"),
        ([[(WORDS[0], 1), (OTHER, 2)]], "puzzle 1 has a guess after its end"),
        ([[(OTHER, 1)], [(WORDS[1], 2)]], "puzzle 1 is not solved, which ends the tournament"),
        ([[(word, 1)] for word in [*WORDS, "crane"]], "has 4 puzzles; the tournament has 3"),
    ],
)
def test_an_impossible_result_is_refused_even_if_it_is_signed(tmp_path, puzzles, complaint):
    card = Scorecard(player="eve", cup=CUP, puzzles=[[TimedGuess(*guess) for guess in puzzle] for puzzle in puzzles])
    card.write(tmp_path / "eve.json")
    with pytest.raises(UserError, match=complaint):
        read_scorecard(tmp_path / "eve.json")


def test_results_of_different_tournaments_are_not_ranked_together(tmp_path):
    ada, bob = Person(tmp_path), Person(tmp_path, TournamentFile.new(RULES, "another seed"), "bob")
    for person in (ada, bob):
        person.types(OTHER)
    result = wordpl("tournament", "rank", ada.file, bob.file)
    assert "'ada' and 'bob' played different tournaments" in result.output
