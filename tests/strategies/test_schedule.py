"""An entry with a fixed budget spends it and no more; its record depends on that."""

import json
from math import ceil

import pytest
from scipy.stats import binom

from strategies import published, schedule
from strategies._lookahead import Lookahead
from tests.helpers.cli import wordpl
from wordpl.core.seeds import Draws
from wordpl.strategy import begin_game

CLUES = [".....", "i.c..", "..ccc", "ccccc"]


@pytest.mark.parametrize("entry", [*schedule.ENTRIES, *published.ENTRIES, Lookahead("p95", 68.65)], ids=repr)
@pytest.mark.parametrize("clues", CLUES)
def test_a_game_spends_the_budget_with_one_guess_per_share(entry, clues):
    begin_game(entry, Draws.of("budget").game(0).strategy_seed)
    (guess, epsilon), spent = entry.first_move(), []
    while epsilon:
        spent.append(epsilon)
        guess, epsilon = entry.next_move(guess, epsilon, clues)
    assert len(spent) == len(entry.made.shares)
    assert entry.budget - 1e-5 < sum(spent) <= entry.budget


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("place", "quantile"), [(0, 0.05), (1, 0.5), (2, 0.95)])
def test_a_default_run_shows_the_percentile_that_an_entry_is_made_for(place, quantile, tmp_path):
    entry = schedule.ENTRIES[place]
    expression = f"schedule:Schedule({entry.plan!r}, {entry.budget})"
    result = wordpl("estimate", expression, "--trust", "--games", 2000, "--seed", 5, "--json", "--results", tmp_path)
    (found,) = json.loads(result.stdout)["entries"]
    low = found["without_luck"] - 1.645 * found["without_luck_error"]
    n_games = 1001
    assert binom.sf(ceil(quantile * n_games) - 1, n_games, low) > 0.99
