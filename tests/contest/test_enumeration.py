"""The exact win probability of an entry with few guesses, and which drawn games contradict its enumeration."""

from itertools import product
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import CONFIG
from tests.helpers import limits
from wordpl import Posterior
from wordpl.contest.enumeration import Enumeration, EnumerationResult, WinChances, entries_with_budget, exact
from wordpl.contest.evidence import DrawnGames, EvidenceLog, Progress, draws_of
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES
from wordpl.core.messages import UserError
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.core.seeds import Draws, SingleKeyDraws
from wordpl.games import game_class
from wordpl.players.base import Player, TimeLimits
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record

LIMITS = TimeLimits(5.0, 5.0)
WORDS = ["bad", "dab", "cab", "fed"]
CLUES = ["".join(marks) for marks in product(".ic", repeat=3)]
RULE = CLUE_RULES["anywhere"]


def chance_shown(epsilon, true_clues, shown_clues):
    keep = exp(epsilon / 3) / (2 + exp(epsilon / 3))
    n_same = sum(a == b for a, b in zip(true_clues, shown_clues, strict=True))
    return keep**n_same * ((1 - keep) / 2) ** (3 - n_same)


def weights_after(moves):
    """Return the joint probability of each word and these clues."""
    weights = dict.fromkeys(WORDS, 1 / len(WORDS))
    for guess, epsilon, clues in moves:
        weights = {word: p * chance_shown(epsilon, RULE(guess, word), clues) for word, p in weights.items()}
    return weights


class Bot(Player):
    """Makes these guesses at these prices, and then proposes the likeliest word, or the unlikeliest."""

    def __init__(self, *guesses, pick=max):
        self.guesses, self.pick, self.moves, self.n_begun = guesses, pick, [], 0

    def prepare(self):
        return False

    def first_move(self, seed, allowance):
        self.moves = []
        self.n_begun += 1
        return self._proposal()

    def next_move(self, move):
        self.moves.append(move.arguments)
        return self._proposal()

    def _proposal(self):
        if len(self.moves) < len(self.guesses):
            return self.guesses[len(self.moves)]
        weights = weights_after(self.moves)
        return self.pick(weights, key=weights.get), 0

    def duration(self, game):
        raise AssertionError("nobody asks for it")

    def close(self):
        pass


@pytest.fixture(scope="module")
def few_words(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "words"
    path.write_text(words.as_text(WORDS))
    return words.load(path, path)


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(limits.LIMITS)), max_size=3))
def test_the_chances_of_words_are_those_of_a_posterior_at_every_legal_epsilon(few_words, guesses):
    game = game_class("wordpl/1")(few_words)
    expected, moves = Posterior.of(game), []
    for guess, epsilon in guesses:
        moves.append(NoisyMove(guess, epsilon, RULE(guess, "bad")))
        expected.update(*moves[-1].arguments)
    assert WinChances(game).posterior(moves) == pytest.approx(expected.probabilities, abs=1e-12)


def plain_chance(guesses):
    """Return the probability that the likeliest word after all these clues is the secret."""
    all_clues = product(CLUES, repeat=len(guesses))
    return sum(max(weights_after([(*guess, shown) for guess, shown in zip(guesses, clues, strict=True)]).values())
               for clues in all_clues)  # fmt: skip


@pytest.mark.parametrize(
    ("guesses", "budget"),
    [
        ([], 0.0),
        ([("bad", 0.25)], 0.25),
        ([("bad", 0.25), ("fed", 0.5)], 0.75),
        pytest.param([("bad", 0.25), ("fed", 0.5), ("cab", 2.0)], 2.75, marks=pytest.mark.slow),
    ],
    ids=["no guess", "one guess", "two guesses", "three guesses"],
)
def test_the_win_probability_is_that_of_the_likeliest_word_after_every_clue(few_words, guesses, budget):
    finished_clues = []
    result = Enumeration(Bot(*guesses), few_words, "wordpl/1", LIMITS).run(
        {}, lambda clues, branch: finished_clues.append(clues)
    )
    chance = pytest.approx(plain_chance(guesses))
    assert (result.chance, result.budget, result.n_guesses) == (chance, budget, len(guesses))
    assert sorted(finished_clues) == (sorted(CLUES) if guesses else [])
    pairs = list(product(CLUES, repeat=2)) if len(guesses) == 3 else []
    assert result.last_guesses == dict.fromkeys(pairs, ("cab", 2.0))
    steps = []
    assert exact(Bot(*guesses), few_words, "wordpl/1", LIMITS, lambda: steps.append(1)) == (result.chance, budget)
    assert len(steps) == len(finished_clues)


def test_finished_branches_are_not_enumerated_again(few_words):
    all_branches, new_branches, bot = {}, {}, Bot(("bad", 0.25), ("fed", 0.5))
    first_result = Enumeration(bot, few_words, "wordpl/1", LIMITS).run({}, all_branches.__setitem__)
    assert bot.n_begun == 1 + len(CLUES) * (1 + len(CLUES)) == all_branches[CLUES[-1]].n_games
    finished_branches, second_bot = dict(list(all_branches.items())[:20]), Bot(("bad", 0.25), ("fed", 0.5))
    second = Enumeration(second_bot, few_words, "wordpl/1", LIMITS)
    assert second.run(finished_branches, new_branches.__setitem__) == first_result
    assert second_bot.n_begun == 1 + (len(CLUES) - 20) * (1 + len(CLUES))
    assert new_branches == all_branches


@pytest.mark.parametrize(
    ("bot", "text"),
    [
        (Bot(*[("bad", 0.5)] * 4), "makes more than 3 guesses"),
        (
            Bot(*[("bad", 0.5)] * 3, pick=min),
            r"^after bad 0\.5 \.\.\., bad 0\.5 \.\.\., bad 0\.5 it proposes '\w+', which",
        ),
    ],
)
def test_an_entry_that_makes_more_guesses_or_another_answer_is_refused(few_words, bot, text):
    with pytest.raises(UserError, match=text):
        exact(bot, few_words, "wordpl/1", LIMITS, lambda: None)


class MoodyBot(Bot):
    """Opens its third game with another word."""

    def _proposal(self):
        return ("dab", 1.0) if self.n_begun == 3 and not self.moves else super()._proposal()


def test_an_entry_that_opens_two_games_with_different_guesses_is_refused(few_words):
    with pytest.raises(UserError, match=r"it proposed \('bad', 1.0\) in one game, but \('dab', 1.0\) in another game"):
        exact(MoodyBot(("bad", 1.0)), few_words, "wordpl/1", LIMITS, lambda: None)


class DrawingBot(Bot):
    """Opens with a word that it draws by its seed."""

    def first_move(self, seed, allowance):
        super().first_move(seed, allowance)
        self.guesses = (("bad", 1.0), ("fed", 1.0)) if seed % 2 else (("dab", 1.0), ("fed", 1.0))
        return self._proposal()


class UnevenBot(Bot):
    """Pays more for its second guess after one first clue, and makes a third one after one second clue."""

    def _proposal(self):
        clues = [clues for _, _, clues in self.moves]
        price = 0.75 if clues[:1] == ["ccc"] else 0.5
        self.guesses = [("bad", 0.25), ("fed", price)]
        if clues[1:2] == ["..."]:
            self.guesses.append(("cab", 1.0))
        return super()._proposal()


def test_the_budget_and_the_number_of_guesses_are_those_of_the_dearest_game(few_words):
    result = Enumeration(UnevenBot(), few_words, "wordpl/1", LIMITS).run({}, lambda clues, branch: None)
    assert (result.budget, result.n_guesses) == (2.0, 3)
    assert set(result.last_guesses) == {(first, "...") for first in CLUES}


def second_likeliest(weights, key):
    return sorted(weights, key=key)[-2]


def test_the_second_likeliest_word_is_not_the_likeliest(few_words):
    bot = Bot(("bad", 0.05), ("fed", 0.05), ("cab", 0.05), pick=second_likeliest)  # but nearly as likely
    with pytest.raises(UserError, match="which is not the likeliest word"):
        exact(bot, few_words, "wordpl/1", LIMITS, lambda: None)


def test_only_games_with_randomized_response_and_an_answer_are_enumerated(few_words):
    with pytest.raises(UserError, match=r"wordle/1 cannot be enumerated"):
        Enumeration(Bot(), few_words, "wordle/1", LIMITS)
    classic = EntryInfo("c", "c", game_class("wordle/1").facts, "", "", "")
    assert entries_with_budget([classic, ENTRY]) == [ENTRY]
    with pytest.raises(UserError, match="no entry has a budget in wordle/1"):
        entries_with_budget([classic])


GUESSES = (("bad", 2.0), ("fed", 4.0))


def drawn_games(few_words, budget=6.0, last_guesses=None, bot=None):
    enumeration = Enumeration(bot or Bot(*GUESSES), few_words, "wordpl/1", LIMITS)
    return DrawnGames(enumeration, EnumerationResult(0.5, budget, 2, last_guesses), CONFIG)


def record(*moves, verdict=Verdict.WON, message=""):
    return Record(0, "bad", [NoisyMove(*move) for move in moves], verdict, message)


HONEST = [("bad", 2.0, "ccc"), ("fed", 4.0, "..."), ("bad", 0, "")]


@pytest.mark.parametrize(
    ("drawn_record", "budget", "text"),
    [
        (record(*HONEST), 6.0, ""),
        (record(*HONEST, verdict=Verdict.WRONG), 6.0, ""),
        (record(*HONEST), 5.99999, "it spent 6.0, more than 5.99999"),
        (record(*HONEST), 3.0, "it spent 6.0, more than 3.0"),
        (record(("bad", 0, "")), 0.0, ""),
        (record(verdict=Verdict.LATE), 6.0, "it ended as late"),
        (record(verdict=Verdict.CRASHED, message="oh"), 6.0, "it ended as crashed oh"),
        (record(*HONEST, verdict=Verdict.UNSOLVED), 6.0, "it ended as unsolved"),
        (record(*HONEST[:2], ("fed", 0, "")), 6.0, "it proposed fed, which is not the likeliest word"),
    ],
)
def test_a_drawn_game_deviates_if_it_fails_spends_more_or_proposes_another_word(few_words, drawn_record, budget, text):
    assert drawn_games(few_words, budget).deviation(drawn_record) == text


@pytest.mark.parametrize(
    ("last_guesses", "text"),
    [
        ({("ccc",): ("fed", 4.0)}, ""),
        ({("ccc",): ("fed", 4.5)}, "its last guess differed from the enumerated one"),
        ({("ccc",): ("cab", 4.0)}, "its last guess differed from the enumerated one"),
        ({("...",): ("fed", 4.0)}, "its last guess differed from the enumerated one"),
    ],
)
def test_the_last_guess_of_a_drawn_game_has_to_be_the_enumerated_one(few_words, last_guesses, text):
    assert drawn_games(few_words, 6.0, last_guesses).deviation(record(*HONEST)) == text


ENTRY = EntryInfo("bot", "bot", game_class("wordpl/1").facts, "bot.py", "Bot()", "5e" * 32)


def test_drawn_games_resume_after_those_in_the_log(few_words):
    history_calls, draws = [], draws_of("seed", ENTRY)
    progress = Progress(history=lambda: history_calls.append(1))
    records = list(drawn_games(few_words).play(draws, 12, (EvidenceLog(None, {"n_histories": 12}, "seed"), progress)))
    assert ([drawn_record.game for drawn_record in records], len(history_calls)) == (list(range(12)), 12)
    assert len({drawn_record.secret for drawn_record in records}) > 1
    log = EvidenceLog(None, {"n_histories": 12}, "seed")
    for _ in range(5):
        log.add_game()
    history_calls.clear()
    assert list(drawn_games(few_words).play(draws, 12, (log, progress))) == records[5:]
    assert (len(history_calls), log.n_played) == (12, 12)
    history_calls.clear()
    assert list(drawn_games(few_words).play(draws, 3, (log, progress))) == []
    assert len(history_calls) == 3


def test_the_first_drawn_game_that_deviates_is_shown(few_words):
    log = EvidenceLog(None, {"n_histories": 12}, "seed")
    text = (
        r"^in drawn game 0, bad:[.ic]{3} fed:[.ic]{3} \w{3}:, it proposed \w{3}, which is not .*: this entry cannot be"
    )
    with pytest.raises(UserError, match=text):
        list(drawn_games(few_words, bot=Bot(*GUESSES, pick=min)).play(draws_of("seed", ENTRY), 12, (log, Progress())))
    assert log.n_played == 0


def test_other_games_are_drawn_for_another_seed_file_or_expression():
    all_draws = [
        draws_of("seed", ENTRY),
        draws_of("other", ENTRY),
        draws_of("seed", EntryInfo("bot", "bot", game_class("wordpl/1").facts, "bot.py", "Bot()", "00")),
        draws_of("seed", EntryInfo("bot", "bot", game_class("wordpl/1").facts, "bot.py", "Bot(2)", "5e" * 32)),
    ]
    assert len(set(all_draws)) == 4
    assert [type(draws_of("seed", ENTRY, form)) for form in (1, 2)] == [SingleKeyDraws, Draws]
    assert (
        draws_of("seed", EntryInfo("renamed", "r", game_class("wordpl/1").facts, "r.py", "Bot()", "5e" * 32))
        == all_draws[0]
    )
