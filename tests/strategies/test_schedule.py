"""An entry with a fixed budget spends it and no more; its record depends on that."""

import pytest

from strategies import published, schedule
from strategies._lookahead import Lookahead
from wordpl.core.seeds import Draws
from wordpl.strategy import begin_game

CLUES = [".....", "i.c..", "..ccc", "ccccc"]


@pytest.mark.parametrize("entry", [*schedule.ENTRIES, *published.ENTRIES, Lookahead("p95", 69.0)], ids=repr)
@pytest.mark.parametrize("clues", CLUES)
def test_a_game_spends_the_budget_with_one_guess_per_share(entry, clues):
    begin_game(entry, Draws.of("budget").game(0).strategy_seed)
    (guess, epsilon), spent = entry.first_move(), []
    while epsilon:
        spent.append(epsilon)
        guess, epsilon = entry.next_move(guess, epsilon, clues)
    assert len(spent) == len(entry.made.shares)
    assert entry.budget - 1e-5 < sum(spent) <= entry.budget
