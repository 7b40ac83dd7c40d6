"""How games are begun and played and players warmed up, with players that follow a script."""

import logging

import pytest

from tests.conftest import CONFIG
from wordpl import games
from wordpl.contest import referee
from wordpl.contest.referee import (
    MAX_ATTEMPTS,
    MAX_PAUSES,
    GameSetup,
    decoy_of,
    failure_in_warm_up,
    play,
    play_game,
    secret_of,
    warm_up,
)
from wordpl.core import words
from wordpl.core.clues import noisy
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.players.base import Player, PlayerError, RefereePausedError, TimeLimits
from wordpl.run.config import RunConfig
from wordpl.run.records import Duration, Record

DRAWS = Draws.of("begun")


class ScriptedFailure(Player):
    """A player that fails with a given verdict in its first or second move."""

    def __init__(self, verdict: Verdict, failing_move: int):
        super().__init__()
        self.verdict, self.failing_move = verdict, failing_move
        self.n_begun = self.n_prepared = 0

    def prepare(self):
        self.n_prepared += 1
        return False

    def first_move(self, seed, allowance):
        self.n_begun += 1
        return self._move(1)

    def next_move(self, move):
        return self._move(2)

    def _move(self, number):
        if number == self.failing_move:
            raise PlayerError(self.verdict)
        return "crane", 1

    def duration(self, game):
        return Duration(game, 0.0, 0.0)

    def close(self):
        pass


@pytest.mark.parametrize(
    ("verdict", "failing_move", "n_begun"),
    [
        (Verdict.FAULT, 1, 3),
        (Verdict.FAULT, 2, 1),
        (Verdict.CRASHED, 1, 1),
        (Verdict.LATE, 1, 1),
        (Verdict.MEMORY, 2, 1),
    ],
)
def test_only_a_game_whose_player_was_killed_before_a_clue_begins_again(lists, verdict, failing_move, n_begun):
    player = ScriptedFailure(verdict, failing_move)
    record = play(games.make_game("wordpl/1", lists), player, 0, DRAWS, CONFIG)
    assert (record.verdict, len(record.moves), player.n_begun) == (verdict, failing_move - 1, n_begun)


@pytest.mark.parametrize(("failing_move", "n_prepared"), [(1, 1), (0, 0)])
def test_only_a_player_that_fails_in_its_warm_up_is_prepared_again(lists, failing_move, n_prepared):
    player = ScriptedFailure(Verdict.CRASHED, failing_move)
    if not failing_move:
        player.next_move = lambda move: ("abide", 0)
    warm_up(games.make_game("wordpl/1", lists), player, 1.0)
    assert player.n_prepared == n_prepared


def test_each_game_of_a_run_has_its_own_secret_and_strategy_seed(lists):
    game = games.make_game("wordpl/1", lists)
    setups = [GameSetup.of(game, DRAWS.game(number)) for number in range(50)]
    assert [setup.draws.number for setup in setups] == list(range(50))
    assert len({setup.draws.strategy_seed for setup in setups}) == 50
    assert setups[7].secret == lists.answers[DRAWS.game(7).secret_index(len(lists.answers))]
    assert len({setup.secret for setup in setups}) > 40
    assert secret_of(games.make_game("absurdle/1", lists), 7, DRAWS) == ""


def test_with_every_answer_each_is_the_secret_of_one_game_and_all_have_one_strategy_seed(lists):
    game, draws = games.make_game("wordle/1", lists), Draws.of("begun", len(lists.answers))
    setups = [GameSetup.of(game, draws.game(number)) for number in range(len(lists.answers))]
    assert sorted(setup.secret for setup in setups) == sorted(lists.answers)
    assert len({setup.draws.strategy_seed for setup in setups}) == 1


class NamedGamesPlayer(ScriptedFailure):
    """A player that answers at once, and keeps the game numbers that it gets for the log."""

    def __init__(self):
        super().__init__(Verdict.WON, 0)
        self.names, self.seeds = [], []

    def name_game(self, game):
        self.names.append(game)

    def first_move(self, seed, allowance):
        self.seeds.append((seed, allowance))
        return "abide", 0


def test_a_player_gets_seed_and_limits_and_the_game_number_only_for_the_log(lists, caplog):
    player, game = NamedGamesPlayer(), games.make_game("wordpl/1", lists)
    record = play(game, player, 3, DRAWS, CONFIG)
    assert (record.game, record.secret, player.names) == (3, secret_of(game, 3, DRAWS), [])
    with caplog.at_level(logging.DEBUG, logger="wordpl.contest.referee"):
        play(game, player, 4, DRAWS, CONFIG)
    assert player.names == [4]
    assert [record.getMessage() for record in caplog.records] == ["game 4 ends: wrong "]
    limits = TimeLimits(CONFIG.cpu_limit_s, 3 * CONFIG.timeout_s + CONFIG.limits.wall_s)
    assert player.seeds == [(DRAWS.game(3).strategy_seed, limits), (DRAWS.game(4).strategy_seed, limits)]


class ProposingPlayer(ScriptedFailure):
    """A player that makes these proposals in each game; before its first game, it is new and has to be warmed up."""

    def __init__(self, *proposals):
        super().__init__(Verdict.WON, 0)
        self.proposals, self.position, self.allowances = proposals, 0, []

    def prepare(self):
        return super().prepare() or self.n_prepared == 1

    def first_move(self, seed, allowance):
        self.position, self.n_begun = 0, self.n_begun + 1
        self.allowances.append(allowance)
        return self.next_move(None)

    def next_move(self, move):
        self.position += 1
        return self.proposals[self.position - 1]


def test_a_game_is_played_move_by_move_with_the_noise_of_each_round(lists):
    game = games.make_game("wordpl/1", lists)
    player = ProposingPlayer(("crane", 4.0), ("slate", 5.0), ("abide", 0))
    record = play(game, player, 6, DRAWS, CONFIG)
    assert (record.verdict, player.n_prepared, player.n_begun) == (Verdict.WRONG, 1, 2)  # the first game warms it up
    assert player.allowances[0] == TimeLimits(CONFIG.warmup_s, CONFIG.warmup_s)
    secret = secret_of(game, 6, DRAWS)
    for round_, (move, (guess, epsilon)) in enumerate(zip(record.moves, player.proposals, strict=True), 1):
        noise = DRAWS.game(6).noise(round_, 5)
        assert move.arguments == (guess, epsilon, noisy(game.clue(guess, secret), epsilon, noise) if epsilon else "")


def test_an_illegal_move_ends_the_game_with_the_moves_before_it(lists):
    record = play(games.make_game("wordpl/1", lists), ProposingPlayer(("crane", 4.0), ("zzzzz", 1.0)), 6, DRAWS, CONFIG)
    assert (record.verdict, len(record.moves)) == (Verdict.ILLEGAL, 1)
    assert record.message.startswith("'zzzzz' is not a word of the guesses")


def test_a_failed_warm_up_returns_its_error_and_a_successful_one_none(lists):
    game = games.make_game("wordpl/1", lists)
    assert failure_in_warm_up(game, ProposingPlayer(("abide", 0)), 1.0) is None
    assert str(failure_in_warm_up(game, ProposingPlayer("abide"), 1.0)).startswith("a move is a pair")
    error = failure_in_warm_up(game, ScriptedFailure(Verdict.LATE, 2), 1.0)
    assert (type(error), error.verdict) == (PlayerError, Verdict.LATE)


class PausedReferee(ScriptedFailure):
    """A player of which so many games are void, as the referee did not run."""

    def __init__(self, n_pauses):
        super().__init__(Verdict.WON, 0)
        self.n_pauses = n_pauses

    def first_move(self, seed, allowance):
        self.n_begun += 1
        if self.n_begun <= self.n_pauses:
            raise RefereePausedError(2.0)
        return "abide", 0


@pytest.mark.parametrize(
    ("n_pauses", "n_begun", "verdict"),
    [
        (1, 2, Verdict.WRONG),
        (MAX_PAUSES, MAX_PAUSES + 1, Verdict.WRONG),
        (1000, MAX_PAUSES + MAX_ATTEMPTS - 1, Verdict.FAULT),
    ],
)
def test_a_game_in_which_the_referee_paused_is_void_and_begins_again_until_it_counts_as_lost(
    lists, n_pauses, n_begun, verdict
):
    player = PausedReferee(n_pauses)
    record = play(games.make_game("wordpl/1", lists), player, 5, DRAWS, CONFIG)
    assert (record.verdict, player.n_begun) == (verdict, n_begun)
    assert player.void_games == [5] * min(n_pauses, n_begun)


def test_a_game_that_begins_again_has_only_the_moves_since_then(lists):
    class Paused(PausedReferee):
        def first_move(self, seed, allowance):
            self.n_begun += 1
            return "crane", 2.0

        def next_move(self, move):
            if self.n_begun <= self.n_pauses:
                raise RefereePausedError(2.0)
            return "abide", 0

    record = play(games.make_game("wordpl/1", lists), Paused(1), 5, DRAWS, CONFIG)
    assert [move.guess for move in record.moves] == ["crane", "abide"]


def test_the_secret_of_a_replay_is_any_other_answer(lists, tmp_path):
    game = games.make_game("wordpl/1", lists)
    places = {}
    for number in range(100):
        setup = GameSetup.of(game, DRAWS.game(number))
        assert decoy_of(game, setup) != setup.secret
        places[number] = (lists.answers.index(decoy_of(game, setup)) - lists.answers.index(setup.secret)) % 2315
    assert len(set(places.values())) > 90
    (tmp_path / "one").write_text("crane\n")
    alone = games.make_game("wordpl/1", words.load(tmp_path / "one", tmp_path / "one"))
    assert decoy_of(alone, GameSetup.of(alone, DRAWS.game(0))) == ""
    (tmp_path / "two").write_text("crane\nslate\n")
    both = games.make_game("wordpl/1", words.load(tmp_path / "two", tmp_path / "two"))
    for number in range(20):
        setup = GameSetup.of(both, DRAWS.game(number))
        assert {setup.secret, decoy_of(both, setup)} == {"crane", "slate"}
    absurdle = games.make_game("absurdle/1", lists)
    assert decoy_of(absurdle, GameSetup.of(absurdle, DRAWS.game(0))) == ""


def test_a_replay_shows_the_recorded_clues_until_another_move_is_made(lists):
    """And from then on the game of the run, whose secret its record has."""
    game, proposals = games.make_game("wordpl/1", lists), [("crane", 4.0), ("slate", 5.0), ("abide", 0)]
    setup = GameSetup.of(game, DRAWS.game(6))
    record = play_game(game, ProposingPlayer(*proposals), setup, CONFIG)
    assert play_game(game, ProposingPlayer(*proposals), setup, CONFIG, record) == record
    other = [proposals[0], ("moist", 5.0), (setup.secret, 0)]
    assert play_game(game, ProposingPlayer(*other), setup, CONFIG, record) == play_game(
        game, ProposingPlayer(*other), setup, CONFIG
    )
    longer = [*proposals[:2], ("moist", 5.0), ("abide", 0)]
    cut_short = Record(6, record.secret, record.moves[:2], Verdict.LATE)
    assert play_game(game, ProposingPlayer(*longer), setup, CONFIG, cut_short) == play_game(
        game, ProposingPlayer(*longer), setup, CONFIG
    )


def test_half_of_the_repeated_games_are_played_anew_or_all_if_every_answer_is_played():
    assert [number for number in range(6) if referee.is_played_anew(number, CONFIG)] == [1, 3, 5]
    every = RunConfig(every_answer=True)
    assert all(referee.is_played_anew(number, every) for number in range(6))
