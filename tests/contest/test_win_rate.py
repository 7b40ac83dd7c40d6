"""Estimates of the win probability agree with the exact one and with the plain formulas."""

from itertools import product

import numpy as np
import pytest

from tests.helpers.cli import wordpl
from wordpl import games
from wordpl.contest.enumeration import exact
from wordpl.contest.match import play
from wordpl.contest.win_rate import MeanWithError, chance_before_last, estimate
from wordpl.core import seeds, words
from wordpl.core.clues import CLUE_RULES
from wordpl.core.errors import UserError
from wordpl.core.moves import NoisyMove
from wordpl.core.records import Record, Verdict
from wordpl.core.run_config import RunConfig
from wordpl.players.base import TimeLimits
from wordpl.players.in_process import TrustedPlayer
from wordpl.players.workdir import working_folder
from wordpl.reports import win_curve
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy.final_guess import win_chances

BOT = """
    from wordpl import Posterior, Strategy

    class Bot(Strategy):
        def __init__(self, n_guesses=2, certain=False, spite=False):
            self.n_guesses, self.certain, self.spite = n_guesses, certain, spite

        def first_move(self):
            self.posterior, self.n = Posterior.uniform(self.lists, self.clue_rule), 1
            return "bad", 2.0

        def next_move(self, guess, epsilon, clues):
            self.posterior.update(guess, epsilon, clues)
            word, chance = self.posterior.best()
            self.n += 1
            if self.n > self.n_guesses or (self.certain and chance > 0.25):
                return self.posterior.top(8)[-1 if self.spite else 0][0], 0
            return word, 4.0
"""
ALLOWANCE = TimeLimits(5.0, 5.0)
KEY = seeds.run_key("estimates")


@pytest.fixture
def few_words(tmp_path):
    texts = ["bad", "dab", "add", "cab", "ace", "bee", "ebb", "fed"]
    for name in ("answers", "valid"):
        (tmp_path / f"{name}.txt").write_text("\n".join(texts))
    return words.load(tmp_path / "answers.txt", tmp_path / "valid.txt")


@pytest.fixture
def make_player(few_words, tmp_path, write_entry):
    players = []

    def make(expression):
        players.append(TrustedPlayer(write_entry(BOT, expression), working_folder(few_words, tmp_path)))
        return players[-1]

    yield make
    for player in players:
        player.close()


def played_records(player, lists, n_games):
    game = games.make_game("wordpl/1", lists)
    return [play(game, player, number, KEY, RunConfig()) for number in range(n_games)]


def test_every_estimate_agrees_with_the_exact_chance(few_words, make_player):
    player = make_player("Bot()")
    chance, budget = exact(player, few_words, "wordpl/1", ALLOWANCE, lambda: None)
    result = estimate(played_records(player, few_words, 1500), few_words, "wordpl/1")
    assert budget == result.budget == 6.0
    for mean in (result.counted, result.by_answer, result.before_last):
        assert abs(mean.value - chance) < 6 * mean.error
    assert result.before_last.error < result.by_answer.error < result.counted.error


def test_there_is_no_estimate_before_a_clue_that_decides_when_to_stop(few_words, make_player):
    player = make_player("Bot(certain=True)")
    result = estimate(played_records(player, few_words, 400), few_words, "wordpl/1")
    assert result.before_last is None
    assert result.best is result.by_answer
    cheap_result = estimate(played_records(player, few_words, 400), few_words, "wordpl/1", budget=2.0)
    assert 0 < cheap_result.best.value < result.best.value


def plain_channel(epsilon, true_clues, shown_clues):
    """Return the probability of a clue, mark by mark."""
    keep = np.exp(epsilon / 3) / (2 + np.exp(epsilon / 3))
    return np.prod([keep if a == b else (1 - keep) / 2 for a, b in zip(true_clues, shown_clues, strict=True)])


def plain_posterior(moves, lists, rule):
    weights = [
        np.prod([plain_channel(epsilon, rule(guess, word), clues) for guess, epsilon, clues in moves])
        for word in lists.answers
    ]
    return np.array(weights) / np.sum(weights)


def plain_before_last(moves, lists, rule):
    *earlier, (guess, epsilon, _) = moves
    chances = plain_posterior(earlier, lists, rule)
    all_clues = map("".join, product(".ic", repeat=3))
    return sum(
        max(
            p * plain_channel(epsilon, rule(guess, word), clues) for p, word in zip(chances, lists.answers, strict=True)
        )
        for clues in all_clues
    )


def noisy_record(number, secret, verdict, *moves):
    return Record(number, secret, [NoisyMove(*move) for move in moves], Verdict(verdict))


@pytest.mark.parametrize("game_id", ["wordpl/1", "wordpl-counted/1"])
def test_every_estimate_is_the_mean_of_the_plain_formula_over_games(few_words, game_id):
    rule = CLUE_RULES[games.game_class(game_id).clue_rule]
    first_move, second_move = ("bad", 2.0, ".ic"), ("bee", 1.5, "i.i")
    records = [
        noisy_record(0, "bad", "won", first_move, second_move, ("bad", 0, "")),
        noisy_record(1, "bad", "wrong", first_move, second_move, ("dab", 0, "")),
        noisy_record(2, "cab", "won", second_move, first_move, ("cab", 0, "")),
        noisy_record(3, "fed", "late", first_move, second_move, ("fed", 0, "")),
        noisy_record(4, "fed", "won", first_move, ("add", 1.5, "ccc"), ("fed", 0, "")),
    ]
    moves_by_game = [[move.arguments for move in record.moves] for record in records]
    answer_chances = [
        plain_posterior(moves[:-1], few_words, rule)[few_words.answers.index(moves[-1][0])] for moves in moves_by_game
    ]
    last_clue_chances = [plain_before_last(moves[:-1], few_words, rule) for moves in moves_by_game]
    is_counted = np.array([1, 1, 1, 0, 1])  # a late game is lost, whatever it was about to answer
    result = estimate(records, few_words, game_id)
    assert (result.n_games, result.budget) == (5, 3.5)
    for mean, values in (
        (result.counted, np.array([1, 0, 1, 0, 1])),
        (result.by_answer, answer_chances * is_counted),
        (result.before_last, last_clue_chances * is_counted),
    ):
        assert mean.value == pytest.approx(np.mean(values))
        assert mean.error == pytest.approx(np.std(values, ddof=1) / np.sqrt(5))
    assert result.best is result.before_last


@pytest.mark.parametrize(
    ("budget", "limit", "n_won"), [(None, 3.5, 2), (3.5, 3.5, 2), (3.4, 3.4, 1), (2.0, 2.0, 1), (1.9, 1.9, 0)]
)
def test_a_game_beyond_the_budget_is_lost_in_every_estimate(few_words, budget, limit, n_won):
    records = [
        noisy_record(0, "bad", "won", ("bad", 2.0, "ccc"), ("bad", 0, "")),
        noisy_record(1, "bad", "won", ("bad", 2.0, "ccc"), ("dab", 1.5, "iic"), ("bad", 0, "")),
    ]
    result = estimate(records, few_words, "wordpl/1", budget)
    assert (result.budget, result.counted.value) == (limit, n_won / 2)
    assert (result.by_answer.value > 0.1) == (n_won > 0)
    assert result.before_last is None  # the entry made two guesses in one game, one in the other
    assert result.best is result.by_answer


def test_the_estimate_before_the_last_clue_needs_equal_budgets(few_words):
    record, dearer_record = (
        noisy_record(number, "bad", "won", ("bad", epsilon, "ccc"), ("bad", 0, ""))
        for number, epsilon in ((0, 2.0), (1, 2.1))
    )
    assert estimate([record, record], few_words, "wordpl/1").before_last is not None
    assert estimate([record, dearer_record], few_words, "wordpl/1").before_last is None


def test_an_answer_without_a_guess_has_the_uniform_probability(few_words):
    result = estimate([noisy_record(0, "bad", "won", ("bad", 0, ""))], few_words, "wordpl/1")
    assert (result.counted.value, result.by_answer.value, result.before_last) == (1.0, 1 / 8, None)
    assert result.budget == 0
    clue_table = ClueTable.of(few_words, "anywhere")
    assert chance_before_last(clue_table, {}, noisy_record(0, "bad", "won", ("bad", 0, ""))) == 0
    assert chance_before_last(clue_table, {}, noisy_record(0, "bad", "crashed")) == 0


def test_the_standard_error_of_a_mean_is_that_of_its_values():
    assert MeanWithError.of([1.0, 2.0, 6.0]) == MeanWithError(3.0, pytest.approx(np.sqrt(7 / 3)))
    assert MeanWithError.of([1.0, 2.0]) == MeanWithError(1.5, pytest.approx(0.5))
    assert MeanWithError.of([4.0]) == MeanWithError(4.0, float("inf"))


def test_games_without_a_budget_and_empty_runs_are_not_estimated(few_words):
    with pytest.raises(UserError, match="wordle/1 has no budget"):
        estimate([noisy_record(0, "bad", "won")], few_words, "wordle/1")
    with pytest.raises(UserError, match="at least one game"):
        estimate([], few_words, "wordpl/1")


@pytest.mark.slow
def test_three_guesses_are_enumerated_if_the_answer_is_the_likeliest_word(few_words, make_player):
    player = make_player("Bot(n_guesses=3)")
    chance, budget = exact(player, few_words, "wordpl/1", ALLOWANCE, lambda: None)
    result = estimate(played_records(player, few_words, 1000), few_words, "wordpl/1")
    assert budget == result.budget == 10.0
    assert abs(result.before_last.value - chance) < 6 * result.before_last.error


@pytest.mark.parametrize(
    ("expression", "message"), [("Bot(4)", "more than 3 guesses"), ("Bot(3, spite=True)", "not the likeliest")]
)
def test_entries_that_cannot_be_enumerated_are_refused(few_words, make_player, expression, message):
    with pytest.raises(UserError, match=message):
        exact(make_player(expression), few_words, "wordpl/1", ALLOWANCE, lambda: None)


@pytest.mark.slow
def test_the_frontier_is_a_table_and_a_plot(few_words, make_player, tmp_path):
    estimates = {"Bot": estimate(played_records(make_player("Bot()"), few_words, 50), few_words, "wordpl/1")}
    rows = win_curve.table(estimates)
    assert win_curve.as_plain_table(rows).rows[0][-1].startswith(f"{rows['RB'][0]:.4f} ± ")
    win_curve.plot({"Bot": [(6.0, rows["RB"][0], rows["±RB"][0])]}, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text().lstrip().startswith("<?xml")


@pytest.mark.slow
def test_the_command_enumerates_every_clue_and_plots_its_games(write_entry, lists, tmp_path):
    source = BOT.replace('"bad", 2.0', '"trace", 9.0')
    path = write_entry(source + "\n    ENTRIES = [Bot(1)]").file
    exact_result = wordpl("estimate", path, "--exact", "--trust")
    clue_table = ClueTable.of(lists, "anywhere")
    row, uniform = lists.guesses.index("trace"), np.full(2315, 1 / 2315)
    chance = win_chances(clue_table.columns[:, row : row + 1], uniform, 9.0, 5)[0]
    assert f"budget 9  wins {chance:.6f} of all games (exact)" in exact_result.stdout
    output_options = ("--results", tmp_path / "results", "--plot", tmp_path / "plot.svg")
    played_result = wordpl("estimate", path, "--trust", "--games", 20, *output_options)
    assert played_result.exit_code == 0, played_result.stderr
    assert f"{chance:.4f} ± 0.0000" in played_result.stdout
    assert (tmp_path / "plot.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["entropy", "--trust"], "no entry has a budget in wordle/1", marks=pytest.mark.slow),
        pytest.param(["entropy", "published", "--trust"], "Entropy() plays wordle/1", marks=pytest.mark.slow),
        (["published", "--games", 1], "1 is not in the range"),
        (["nobody_s_bot"], "nobody_s_bot"),
    ],
    ids=lambda value: str(value),
)
def test_the_command_refuses_what_it_cannot_estimate(arguments, message, tmp_path):
    result = wordpl("estimate", *arguments, "--results", tmp_path)
    assert result.exit_code != 0
    assert message in result.stderr
    assert not list(tmp_path.iterdir())  # nothing was played before
