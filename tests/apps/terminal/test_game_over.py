"""A budget is compared only with recorded entries of the same game and word lists."""

import numpy as np
import pytest

from tests.helpers.frames import run_of
from wordpl import games, reports
from wordpl.apps.terminal import sessions
from wordpl.apps.terminal.display import Screen
from wordpl.apps.terminal.prompt import recorded_entries, show_end
from wordpl.core import words
from wordpl.reports.standings import scores_csv
from wordpl.run.config import RunConfig, WordFile
from wordpl.run.folder import Run
from wordpl.run.info import RunInfo, SeedSource


@pytest.fixture
def folder(tmp_path, lists):
    table = run_of({"Steady()": np.arange(0.0, 101.0), "Loser()": np.full(101, np.inf)})
    files = {name: WordFile(name, 1, digest) for name, digest in lists.sha256.items()}
    config = RunConfig(n_games=101, level="D", enforced_s=5.5, total_s=505.0, **files)
    info = RunInfo(
        config=config, seed="1", seed_source=SeedSource.TYPED, entries=[], versions={}, machine={}, started=""
    )
    run = Run.create(tmp_path / "bundled", info)
    (run.folder / "scores.csv").write_text(scores_csv(reports.boards(table, np.random.default_rng(1))))
    return run.folder


def session_of(rules, lists):
    return next(sessions(games.make_game(rules, lists), "1", 0, None))


@pytest.mark.slow
def test_a_budget_is_ranked_among_recorded_ones(folder, lists):
    entries = {entry.name: entry for entry in recorded_entries(session_of("wordpl/1", lists), folder)}
    steady, loser = entries["Steady()"], entries["Loser()"]
    assert steady.budgets == (5.0, 50.0, 95.0)
    places = ["cheaper than 95%", "cheaper than 50%", "costlier than 50%", "costlier than 95%"]
    assert [steady.place(budget) for budget in (5.0, 20.0, 51.0, 96.0)] == places
    assert loser.place(1e9) == "cheaper than 95%"


def test_budgets_of_other_rules_or_words_are_not_compared(folder, lists, tmp_path):
    fewer = words.WordLists(lists.answers[:100], lists.guesses)
    assert not list(recorded_entries(session_of("wordpl-counted/1", lists), folder))
    assert not list(recorded_entries(session_of("wordpl/1", fewer), folder))
    assert not list(recorded_entries(session_of("wordpl/1", lists), tmp_path / "none"))


@pytest.mark.slow
def test_the_end_of_a_game_says_what_each_move_was_worth(lists, capsys):
    session = session_of("wordle/1", lists)
    for word in ("crane", "bumpy", session.secret):
        session.play(word)
    show_end(session, Screen())
    shown = capsys.readouterr().out
    assert "Expected guesses: before, expected, after; luck" in shown
    assert "more than with" in shown
    assert max(map(len, shown.splitlines())) <= 80
