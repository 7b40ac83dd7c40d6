"""An entry that searches for the seed of its run never finds a drawn one, and is named if it finds a typed one."""

from textwrap import dedent

import pytest
from scipy.stats import binom

from tests.helpers.cli import wordpl
from tests.helpers.runs import new_run, resume
from wordpl import Contest, RunConfig
from wordpl.contest import determinism
from wordpl.core.moves import Verdict
from wordpl.reports.run_report import RunReport
from wordpl.run.folder import RunRecords

SEARCHER = '''
"""Searches many seeds for one whose game fits its own seed, or its clues, and then knows the secret."""

import time

from wordpl import Strategy
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES, noisy
from wordpl.core.seeds import Draws

LISTS = words.load()
FREE = 1e-9
GUESSES = ["salet", "crony", "humid"]


def games():
    """Yield each game of each seed, over and over, with its secret."""
    while True:
        for seed in SEEDS:
            draws = Draws.of(seed)
            for number in range(N_GAMES):
                game = draws.game(number)
                yield game, LISTS.answers[game.secret_index(len(LISTS.answers))]


class Searcher(Strategy):
    """Continues its search in each game, for a limited time."""

    def __init__(self):
        self.games, self.known = games(), {}

    def search(self, key):
        """Return the secret of the game with this own seed or these clues; None if it is not found in time."""
        until = time.process_time() + SEARCH_S
        while key not in self.known and time.process_time() < until:
            for _ in range(100):
                game, secret = next(self.games)
                self.known[self.key_of(game, secret)] = secret
        return self.known.get(key)


class BySeed(Searcher):
    game = "wordpl/1"

    def key_of(self, game, secret):
        return game.strategy_seed

    def first_move(self):
        return self.search(self._seed) or "crane", 0

    def next_move(self, guess, epsilon, clues):
        return "crane", 0


class ByClues(Searcher):
    game = "wordpl/1"

    def key_of(self, game, secret):
        rule = CLUE_RULES["anywhere"]
        return tuple(noisy(rule(guess, secret), FREE, game.noise(at, 5)) for at, guess in enumerate(GUESSES, 1))

    def first_move(self):
        self.clues = []
        return GUESSES[0], FREE

    def next_move(self, guess, epsilon, clues):
        self.clues.append(clues)
        if len(self.clues) < len(GUESSES):
            return GUESSES[len(self.clues)], FREE
        return self.search(tuple(self.clues)) or "crane", 0


class Classic(BySeed):
    game = "wordle/1"

    def first_move(self):
        self.left, self.secret = LISTS.answers, self.search(self._seed)
        return "salet"

    def next_move(self, guess, clues):
        self.left = [word for word in self.left if CLUE_RULES["counted"](guess, word) == clues]
        return self.secret or self.left[0]


ENTRIES = [BySeed(), ByClues(), Classic()]
'''
N_GAMES = 40


def source(seeds, search_s, n_games=N_GAMES):
    """Return the source of entries that search these seeds."""
    settings = f"SEEDS, SEARCH_S, N_GAMES = {seeds}, {search_s}, {n_games}\n"
    return dedent(SEARCHER).replace("LISTS = words", f"{settings}LISTS = words")


def play(folder, n_games, search_s):
    """Return a run with a drawn seed of entries that search a million seeds."""
    folder.mkdir()
    (folder / "searcher.py").write_text(source("range(10**6)", search_s, n_games))
    config = RunConfig(n_games=n_games, level="D", results=folder / "results", repeats=0)
    return Contest(config, [folder / "searcher.py"], jobs=2).play()


def records_of(run):
    return {entry.info.name: entry.read() for entry in run.entries}


def require_no_knowledge(runs):
    """Check that nobody won more than clues allow: 1 of 2,315 without a clue, or by a second guess after one clue."""
    all_records = [records_of(run) for run in runs]
    for name in all_records[0]:
        records = [record for of_run in all_records for record in of_run[name]]
        won = [record for record in records if record.verdict == Verdict.WON]
        quickly = [record for record in won if name != "Classic()" or len(record.moves) <= 2]
        chance = 148 / 2315 if name == "Classic()" else 1 / 2315  # salet tells 148 groups of answers apart
        assert binom.sf(len(quickly) - 1, len(records), chance) > 1e-6, (name, len(quickly))


@pytest.mark.long
@pytest.mark.timeout(300)
def test_an_entry_that_finds_a_typed_seed_is_named_and_the_run_says_that_it_could_be_known(tmp_path):
    own_source = source("[*range(2000, 2040), 'seven', 'test']", 0.2)
    classes = ("seed BySeed wordpl/1", "clues ByClues wordpl/1", "classic Classic wordle/1")
    run = new_run(
        tmp_path, dict.fromkeys(classes, own_source), n_games=N_GAMES, repeats=N_GAMES, player="trusted", seed="2026"
    )
    run = resume(run, jobs=1).play()
    for name, records in records_of(run).items():
        assert {record.verdict for record in records} == {Verdict.WON}
        assert {len(record.moves) for record in records} == {{"seed": 1, "clues": 4, "classic": 2}[name]}
    assert [finding.knows_seed for finding in determinism.findings(RunRecords(run))] == [True] * 3
    report = RunReport(RunRecords(run))
    remarks = " ".join(report.remarks)
    assert "The seed was typed: an entry could have known it." in remarks
    assert remarks.count("seems to know the seed of the run") == 3
    report.write()
    verified = wordpl("verify", run.folder)
    assert verified.exit_code == 1
    assert "The seed was typed" in verified.output and "All holds" not in verified.output


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_an_entry_that_searches_many_seeds_does_not_find_a_drawn_one(tmp_path):
    require_no_knowledge([play(tmp_path / "run", 15, 0.05)])


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_run_with_a_drawn_seed_tells_nothing_to_an_entry_that_searches_a_million(tmp_path):
    require_no_knowledge([play(tmp_path / "run", 20, 0.5)])
