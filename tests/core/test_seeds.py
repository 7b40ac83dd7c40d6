"""Draws form a tree: they are the same on every machine, and none of them tells anything of another."""

import re
import struct
from collections import Counter
from hashlib import blake2b, sha256

import pytest
from scipy.stats import chisquare

from wordpl.core import seeds
from wordpl.core.messages import UserError
from wordpl.core.seeds import Draws, SingleKeyDraws

DRAWS = Draws.of("test")


def hashed(key, text):
    return blake2b(text.encode(), key=key).digest()


def test_draws_are_the_same_on_every_machine_and_in_any_language():
    """Keyed BLAKE2b of `purpose/game/round`, first for the key of a game, then with it."""
    run_key = sha256(b"wordpl/7").digest()
    game_key = hashed(run_key, "game/3/0")
    for draws in (Draws.of(7), Draws.of("7")):
        assert draws.game(3).noise(1, 2) == tuple(
            int.from_bytes(hashed(game_key, "noise/3/1")[at : at + 4], "big") for at in (0, 4)
        )
        assert draws.game(3).strategy_seed == int.from_bytes(hashed(game_key, "strategy/3/0")[:8], "big") >> 11
        for name, index in (("secret", draws.game(3).secret_index), ("decoy", draws.game(3).decoy_index)):
            assert index(2315) == int.from_bytes(hashed(game_key, f"{name}/3/0")[:16], "big") % 2315
        for name, order in (("order", draws.order(9)), ("repeat", draws.repeat_order(9))):
            assert order == sorted(range(9), key=lambda game: hashed(run_key, f"{name}/{game}/0"))
        assert draws.generator_seed(b"x") == int.from_bytes(hashed(run_key, "x/0/0"), "big")
    every = Draws.of(7, 9)
    assert every.game(3).answer == sorted(range(9), key=lambda answer: hashed(run_key, f"answer/{answer}/0"))[3]
    assert every.game(3).strategy_seed == int.from_bytes(hashed(run_key, "strategy/0/0")[:8], "big") >> 11
    assert seeds.GameDraws.noise_of([every.game(3), DRAWS.game(4)], 2, 3) == b"".join(
        struct.pack(">3I", *game.noise(2, 3)) for game in (every.game(3), DRAWS.game(4))
    )


def test_the_order_of_very_many_games_is_that_of_their_draws(monkeypatch):
    plain = [DRAWS.order(range(5, 30)), DRAWS.repeat_order(30)]
    monkeypatch.setattr(seeds, "MANY_GAMES", 10)
    assert [list(DRAWS.order(range(5, 30))), list(DRAWS.repeat_order(30))] == plain


def test_the_draws_of_a_part_are_those_of_its_games_alone(tmp_path):
    file, numbers = tmp_path / "draws.json", [7, 3, 5]
    file.write_bytes(seeds.PartDraws.encoded(DRAWS, numbers))
    part = seeds.PartDraws(b"", file=file)
    assert part.order(10) == numbers
    assert part.order(range(4, 8)) == [7, 5]
    assert [part.game(number) for number in numbers] == [DRAWS.game(number) for number in numbers]
    with pytest.raises(KeyError):
        part.game(4)
    (tmp_path / "damaged").write_bytes(file.read_bytes()[:-1])
    with pytest.raises(UserError, match="cannot be read"):
        seeds.PartDraws(b"", file=tmp_path / "damaged").order(10)


def test_runs_of_release_1_keep_their_draws():
    """The key of the run is that of each game, as the vectors of the page of that release had it."""
    draws = SingleKeyDraws.of(2026)
    assert draws.game(17).secret_index(2315) == 765
    assert draws.game(17).noise(2, 5) == (322807309, 337124328, 736838666, 1730868506, 149225647)
    assert draws.game(17).strategy_seed == 1367684270246198
    assert draws.order(8) == [7, 3, 0, 6, 4, 5, 1, 2]


def test_another_game_round_purpose_or_seed_gives_another_draw():
    games = [DRAWS.game(3), DRAWS.game(31), Draws.of("other").game(3)]
    noises = [game.noise(round_, 3) for game in games for round_ in (1, 2)]
    indices = [index(2**60) for game in games for index in (game.secret_index, game.decoy_index)]
    assert len(set(noises)) == len(noises)
    assert len({*indices, *(game.strategy_seed for game in games)}) == 9
    assert len({Draws.of("seed" * 64 + end).key for end in ("", "1", "2")}) == 3
    assert "key" not in repr(DRAWS), "whoever logs it tells no secret"


def test_the_key_of_a_game_gives_its_draws_and_neither_the_run_s_key_nor_another_game_s():
    game = DRAWS.game(3)
    handed = seeds.GameDraws(3, game.key)
    assert (handed.secret_index(50), handed.noise(2, 5), handed.strategy_seed) == (
        game.secret_index(50), game.noise(2, 5), game.strategy_seed,
    )  # fmt: skip
    keys = {game.key, DRAWS.key, *(DRAWS.game(number).key for number in range(100))}
    assert len(keys) == 101
    assert not any(DRAWS.key in key or key in DRAWS.key for key in keys - {DRAWS.key})


@pytest.mark.parametrize("n_answers", [1, 7, 2315])
def test_a_game_that_is_handed_out_needs_nothing_else_if_each_answer_is_played_once(n_answers):
    draws = Draws.of("test", n_answers)
    games = [draws.game(number) for number in range(n_answers)]
    assert sorted(game.secret_index(n_answers) for game in games) == list(range(n_answers))
    assert len({game.strategy_seed for game in games}) == 1


def test_every_answer_is_equally_likely():
    counts = Counter(DRAWS.game(number).secret_index(50) for number in range(5000))
    assert chisquare([counts[index] for index in range(50)]).pvalue > 0.001


def test_a_strategy_s_seed_is_exact_in_every_json_reader():
    strategy_seeds = [DRAWS.game(number).strategy_seed for number in range(1000)]
    assert len(set(strategy_seeds)) == 1000
    assert max(strategy_seeds) < 2**53


def test_a_drawn_seed_has_128_bits_and_can_be_copied_from_a_terminal():
    drawn = {seeds.new_seed() for _ in range(200)}
    assert len(drawn) == 200
    assert all(re.fullmatch("[a-z2-7]{26}", seed) and seeds.is_drawn(seed) for seed in drawn)
    assert len({seed[:25] for seed in drawn}) == 200
    assert not any(map(seeds.is_drawn, ["7", "2026", "a" * 25, "A" * 26, "1" * 26]))


def test_an_official_seed_has_256_bits_and_is_never_drawn_twice():
    official_seeds = {seeds.new_official_seed() for _ in range(20)}
    assert len(official_seeds) == 20
    assert all(len(bytes.fromhex(seed)) == 32 for seed in official_seeds)
