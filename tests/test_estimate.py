from types import SimpleNamespace

import pytest

from wordpl import games, seeds, words
from wordpl.errors import UserError
from wordpl.estimate import estimate, exact
from wordpl.play import play
from wordpl.players.base import Allowance
from wordpl.players.folder import working_folder
from wordpl.players.trusted import TrustedPlayer
from wordpl.records import Limits
from wordpl.reports import frontier

BOT = """
    from wordpl import Posterior, Strategy

    class Bot(Strategy):
        def __init__(self, n_guesses=2, certain=False):
            self.n_guesses, self.certain = n_guesses, certain

        def first_move(self):
            self.posterior, self.n = Posterior.uniform(self.lists, self.clue_rule), 1
            return "bad", 2.0

        def next_move(self, guess, epsilon, clues):
            self.posterior.update(guess, epsilon, clues)
            word, chance = self.posterior.best()
            self.n += 1
            if self.n > self.n_guesses or (self.certain and chance > 0.25):
                return word, 0
            return word, 4.0
"""
TERMS = SimpleNamespace(timeout_s=5.0, warmup_s=60.0, limits=Limits())
ALLOWANCE = Allowance(5.0, 5.0)
KEY = seeds.run_key("estimates")


@pytest.fixture
def few(tmp_path):
    texts = ["bad", "dab", "add", "cab", "ace", "bee", "ebb", "fed"]
    for name in ("answers", "valid"):
        (tmp_path / f"{name}.txt").write_text("\n".join(texts))
    return words.load(tmp_path / "answers.txt", tmp_path / "valid.txt")


@pytest.fixture
def seat(few, tmp_path, write_entry):
    players = []

    def sit(make):
        players.append(TrustedPlayer(write_entry(BOT, make), working_folder(few, tmp_path)))
        return players[-1]

    yield sit
    for player in players:
        player.close()


def played(player, lists, n_games):
    game = games.find("wordpl/1", lists)
    return [play(game, player, number, KEY, TERMS) for number in range(n_games)]


def test_every_estimate_comes_to_the_exact_chance_and_the_last_clue_s_luck_is_taken_out(few, seat):
    player = seat("Bot()")
    chance, budget = exact(player, few, "wordpl/1", ALLOWANCE, lambda: None)
    found = estimate(played(player, few, 1500), few, "wordpl/1")
    assert budget == found.budget == 6.0
    for mean in (found.counted, found.by_answer, found.before_last):
        assert abs(mean.value - chance) < 6 * mean.error
    assert found.before_last.error < found.by_answer.error < found.counted.error


def test_a_last_clue_that_decides_to_be_the_last_gives_no_estimate_before_it(few, seat):
    player = seat("Bot(certain=True)")
    found = estimate(played(player, few, 400), few, "wordpl/1")
    assert found.before_last is None
    assert found.best is found.by_answer
    cheap = estimate(played(player, few, 400), few, "wordpl/1", budget=2.0)
    assert 0 < cheap.best.value < found.best.value


def test_more_than_two_guesses_are_not_enumerated(few, seat):
    with pytest.raises(UserError, match="more than 2 guesses"):
        exact(seat("Bot(n_guesses=3)"), few, "wordpl/1", ALLOWANCE, lambda: None)


def test_the_frontier_is_a_table_and_a_plot(few, seat, tmp_path):
    found = {"Bot": estimate(played(seat("Bot()"), few, 50), few, "wordpl/1")}
    rows = frontier.table(found)
    assert f"{rows['RB'][0]:.4f} ± " in frontier.as_text(rows)
    frontier.plot({"Bot": [(6.0, rows["RB"][0], rows["±RB"][0])]}, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text().lstrip().startswith("<?xml")
