from collections import Counter

from scipy.stats import chisquare

from wordpl.core import seeds

KEY = seeds.run_key("test")
DRAW_START = "cc89be1315a79593e874b598f16c418c"


def test_draws_are_the_same_on_every_machine():
    """Keyed BLAKE2b of `purpose/game/round`, as any language has it."""
    assert seeds.run_key(7) == seeds.run_key("7")
    assert seeds.draw(KEY, b"noise", 3, 1).hex().startswith(DRAW_START)
    assert seeds.noise(KEY, 3, 1, 2) == tuple(int(DRAW_START[at : at + 8], 16) for at in (0, 8))


def test_another_game_round_purpose_or_seed_gives_another_draw():
    draws = [
        seeds.draw(KEY, b"noise", 3, 1),
        seeds.draw(KEY, b"noise", 3, 2),
        seeds.draw(KEY, b"noise", 31, 1),
        seeds.draw(KEY, b"secret", 3, 1),
        seeds.draw(seeds.run_key("other"), b"noise", 3, 1),
    ]
    assert len(set(draws)) == len(draws)


def test_every_answer_is_equally_likely():
    counts = Counter(seeds.secret_index(KEY, game, 50) for game in range(5000))
    assert chisquare([counts[index] for index in range(50)]).pvalue > 0.001


def test_a_strategy_s_seed_is_exact_in_every_json_reader():
    strategy_seeds = [seeds.strategy_seed(KEY, game) for game in range(1000)]
    assert len(set(strategy_seeds)) == 1000
    assert max(strategy_seeds) < 2**53


def test_fresh_seeds_differ():
    assert seeds.new_seed() != seeds.new_seed()


def test_an_official_seed_has_256_bits_and_is_never_drawn_twice():
    official_seeds = {seeds.new_official_seed() for _ in range(20)}
    assert len(official_seeds) == 20
    assert all(len(bytes.fromhex(seed)) == 32 for seed in official_seeds)
