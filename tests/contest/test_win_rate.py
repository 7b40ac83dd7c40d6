"""Estimates of the win probability agree with the exact one and with the plain formulas."""

from itertools import product

import numpy as np
import pytest

from tests.helpers.cli import wordpl
from wordpl import games
from wordpl.contest.enumeration import WinChances, chance_before_last, exact
from wordpl.contest.referee import play
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES
from wordpl.core.messages import UserError
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.core.seeds import Draws
from wordpl.games import game_class
from wordpl.kernels.clue_matrix import ClueTable
from wordpl.players.base import TimeLimits
from wordpl.players.process import TrustedPlayer
from wordpl.players.working_folder import linked_folder
from wordpl.reports import win_curve
from wordpl.run.config import RunConfig
from wordpl.run.records import Record, cost
from wordpl.solvers.noisy.final_guess import win_chances
from wordpl.stats.estimates import luck_of_records, win_rate

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
DRAWS = Draws.of("estimates")


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
        players.append(TrustedPlayer(write_entry(BOT, expression), linked_folder(few_words, tmp_path, tmp_path)))
        return players[-1]

    yield make
    for player in players:
        player.close()


def played_records(player, lists, n_games):
    game = games.make_game("wordpl/1", lists)
    return [play(game, player, number, DRAWS, RunConfig()) for number in range(n_games)]


def rate_of(records, lists, budget=None):
    costs = np.array([cost(record, game_class("wordpl/1").facts) for record in records])
    return win_rate(costs, luck_of_records([records], lists, "anywhere"), budget)


@pytest.mark.parametrize(
    ("expression", "n_games", "worst"),
    [("Bot()", 1500, 6.0), pytest.param("Bot(n_guesses=3)", 1000, 10.0, marks=pytest.mark.slow)],
)
def test_every_estimate_agrees_with_the_exact_chance(few_words, make_player, expression, n_games, worst):
    player = make_player(expression)
    chance, budget = exact(player, few_words, "wordpl/1", ALLOWANCE, lambda: None)
    result = rate_of(played_records(player, few_words, n_games), few_words)
    assert budget == result.budget == worst
    for mean in (result.counted, result.by_answer, result.without_luck):
        assert abs(mean.value - chance) < 6 * mean.error
    assert result.without_luck.error < result.by_answer.error < result.counted.error


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
def test_every_chance_is_that_of_the_plain_formula(few_words, game_id):
    game = game_class(game_id)
    rule = CLUE_RULES[game.clue_rule]
    first_move, second_move = ("bad", 2.0, ".ic"), ("bee", 1.5, "i.i")
    played = [[first_move, second_move], [second_move, first_move], [first_move, ("add", 1.5, "ccc")]]
    records = []
    for number, moves in enumerate(played):
        likeliest = few_words.answers[int(np.argmax(plain_posterior(moves, few_words, rule)))]
        records.append(noisy_record(number, "bad", "wrong", *moves, (likeliest, 0, "")))
    late_record = noisy_record(3, "fed", "late", first_move, second_move, ("fed", 0, ""))
    answer_chances = [plain_posterior(moves, few_words, rule).max() for moves in played]
    last_clue_chances = [plain_before_last(moves, few_words, rule) for moves in played]
    chances = WinChances(games.make_game(game_id, few_words))
    assert [chances.of(record) for record in records] == [
        pytest.approx(pair) for pair in zip(answer_chances, last_clue_chances, strict=True)
    ]
    corrected = luck_of_records([[*records, late_record]], few_words, game.clue_rule)
    assert corrected.luck.answer == pytest.approx([*answer_chances, 0.0])
    # For the likeliest answer, the posterior without the luck of the last clue is the chance before that clue.
    assert corrected.bounded_wins(3.5)[0][:3] == pytest.approx(last_clue_chances)


@pytest.mark.parametrize(
    ("budget", "limit", "n_won"), [(None, 3.5, 2), (3.5, 3.5, 2), (3.4, 3.4, 1), (2.0, 2.0, 1), (1.9, 1.9, 0)]
)
def test_a_game_beyond_the_budget_is_lost_in_every_estimate(few_words, budget, limit, n_won):
    records = [
        noisy_record(0, "bad", "won", ("bad", 2.0, "ccc"), ("bad", 0, "")),
        noisy_record(1, "bad", "won", ("bad", 2.0, "ccc"), ("dab", 1.5, "iic"), ("bad", 0, "")),
    ]
    result = rate_of(records, few_words, budget)
    assert (result.budget, result.counted.value) == (limit, n_won / 2)
    assert (result.by_answer.value > 0.1) == (n_won > 0)


def test_an_answer_without_a_guess_has_the_uniform_probability(few_words):
    result = rate_of([noisy_record(0, "bad", "won", ("bad", 0, ""))], few_words)
    assert (result.counted.value, result.by_answer.value, result.without_luck.value) == (1.0, 1 / 8, 1 / 8)
    assert result.budget == 0
    clue_table = ClueTable.of(few_words, "anywhere")
    assert chance_before_last(clue_table, {}, noisy_record(0, "bad", "won", ("bad", 0, ""))) == 0
    assert chance_before_last(clue_table, {}, noisy_record(0, "bad", "crashed")) == 0


def test_no_game_gives_no_estimate(few_words):
    with pytest.raises(UserError, match="at least one game"):
        rate_of([], few_words)


@pytest.mark.parametrize(
    ("expression", "message"), [("Bot(4)", "more than 3 guesses"), ("Bot(3, spite=True)", "not the likeliest")]
)
def test_entries_that_cannot_be_enumerated_are_refused(few_words, make_player, expression, message):
    with pytest.raises(UserError, match=message):
        exact(make_player(expression), few_words, "wordpl/1", ALLOWANCE, lambda: None)


@pytest.mark.slow
def test_the_frontier_is_a_table_and_a_plot(few_words, make_player, tmp_path):
    rows = win_curve.table({"Bot": rate_of(played_records(make_player("Bot()"), few_words, 50), few_words)})
    assert win_curve.as_table(rows).rows[0][-1].startswith(f"{rows['without luck'][0]:.4f} ± ")
    win_curve.plot({"Bot": [(6.0, rows["without luck"][0], rows["±without luck"][0])]}, tmp_path / "plot.svg")
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
        pytest.param(
            ["entropy", "--exact", "--trust"], "Entropy() plays wordle/1, which has no budget", marks=pytest.mark.slow
        ),
        pytest.param(
            ["absurdle", "published", "--trust"],
            "plays absurdle/1, which has no luck to leave out",
            marks=pytest.mark.slow,
        ),
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
