"""The run of a contest, scored as a tournament."""

import pytest
from msgspec.structs import replace

from tests.helpers.cli import only_run, wordpl
from tests.helpers.paths import HOME
from wordpl.apps.tournament import PlayedGuess, Terms, TournamentFile, load_rules
from wordpl.apps.tournament.tournament_file import PlayerGuesses, results_of, write_json
from wordpl.core.messages import UserError
from wordpl.core.moves import ClassicMove, Verdict
from wordpl.games import game_class
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, RunInfo
from wordpl.run.records import DURATIONS_HEADER, Record, encode

RULES = load_rules()
WON = Record(0, "yeast", [ClassicMove("crane", "..i.i"), ClassicMove("yeast", "ccccc")], Verdict.WON)


def run_of(folder, records, times):
    """Return a run's folder with one entry, its records and its lines of durations."""
    info = RunInfo(
        config=RunConfig(n_games=max(1, len(records)), timeout_s=60, repeats=0).resolved("D"),
        seed="1", seed_source="typed",
        entries=[EntryInfo("bot", "bot", game_class("wordle/1").facts, "bot.py", "Bot()", "")],
        versions={}, machine={}, started="",
    )  # fmt: skip
    run = Run.create(folder / "run", info)
    run.entry(info.entries[0]).records_path.write_bytes(b"".join(map(encode, records)))
    (run.folder / "durations" / "bot.csv").write_text(DURATIONS_HEADER + "\n" + "".join(f"{row};;0\n" for row in times))
    return run.folder


def numbered(*records):
    return [Record(n, record.secret, record.moves, record.verdict) for n, record in enumerate(records)]


def test_the_bank_counts_cpu_time_or_wall_time_if_it_is_missing(tmp_path):
    folder = run_of(tmp_path, numbered(WON, WON), ["0;0.5;9", "1;;0.25"])
    (result,) = results_of(folder, RULES)
    assert [round_.used_s for round_ in result.puzzles] == [0.5, 0.25]
    assert result.total == pytest.approx(2 * (400 + result.puzzles[0].micro))


def test_faults_and_an_empty_bank_end_a_tournament(tmp_path):
    crashed = Record(0, "yeast", [("crane", "..i.i")], Verdict.CRASHED)
    (result,) = results_of(run_of(tmp_path, numbered(WON, crashed, WON), ["0;0;0", "1;0;0", "2;0;0"]), RULES)
    assert [round_.ending for round_ in result.puzzles] == ["solved", "lost by a fault"]
    (tmp_path / "late").mkdir()
    slow = run_of(tmp_path / "late", numbered(WON, WON), [f"0;{RULES.bank_s - 1};0", "1;1;0"])
    assert [round_.ending for round_ in results_of(slow, RULES)[0].puzzles] == ["solved", "out of time"]


def test_runs_of_another_game_or_without_some_games_are_refused(tmp_path):
    folder = run_of(tmp_path, [Record(1, "yeast", WON.moves, Verdict.WON)] * 2, ["1;0;0"])
    with pytest.raises(UserError, match="has no game 0 of bot yet"):
        results_of(folder, RULES)
    hard = tmp_path / "hard.toml"
    hard.write_text((HOME / "wordpl/data/tournament.toml").read_text().replace('"wordle/1"', '"wordle-hard/1"'))
    ranking = wordpl("tournament", "rank", folder, "--rules", hard)
    assert "bot of" in ranking.output and "the tournament's game is wordle-hard/1" in ranking.output.replace("\n", " ")


BOT = '''
"""Guesses crane, then words of the answers."""

class Bot:
    game = "wordle/1"

    def first_move(self):
        self.left = iter(WORDS)
        return "crane"

    def next_move(self, guess, clues):
        return next(self.left)
'''


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_strategies_play_the_puzzles_of_a_tournament(tmp_path):
    terms = Terms.new(replace(RULES, rounds=2, puzzles=1))
    first, second = terms.secrets("seed", terms.game())
    cup = TournamentFile(
        terms=terms, seed="seed", commitment=terms.commitment("seed"), started_s=0, ended_s=9,
        players=[PlayerGuesses("Ada", 0, [PlayedGuess(first, 1)])],
    )  # fmt: skip
    write_json(tmp_path / "cup.json", cup)
    bot = tmp_path / "bot.py"
    bot.write_text(BOT.replace("WORDS", f"[{first!r}, {second!r}]"))
    result = wordpl("tournament", "run", bot, "--cup", tmp_path / "cup.json", "--results", tmp_path / "r", "--trust")
    assert result.exit_code == 0, result.output
    folder = only_run(tmp_path / "r")
    report = (folder / "TOURNAMENT.md").read_text()
    assert f"| 1.1 | {first} | 2 · " in report
    assert f"| 2.1 | {second} | 3 · " in report
    both = wordpl("tournament", "rank", folder, tmp_path / "cup.json")
    assert both.exit_code == 0, both.output
    assert "Ada" in both.output
    assert wordpl("verify", folder).exit_code == 0
