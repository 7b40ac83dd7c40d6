import random

import pytest

from wordpl.core import seeds

DRAWS = {
    "random": lambda source: source.random(),
    "choice": lambda source: source.choice("abcdef"),
    "gauss": lambda source: source.gauss(0, 1),
    "sample": lambda source: source.sample(range(50), 5),
    "getrandbits": lambda source: source.getrandbits(70),
    "randbytes": lambda source: source.randbytes(5),
    "betavariate": lambda source: source.betavariate(1, 2),
    "getstate": lambda source: source.getstate(),
}


@pytest.fixture(autouse=True)
def restored_random_state():
    seeds.seed_random_module(0)
    before = random.getstate()
    yield
    random.setstate(before)


@pytest.mark.parametrize("first", DRAWS)
@pytest.mark.parametrize("earlier", [None, "random", "gauss"])
def test_a_lazy_seed_gives_the_same_draws_as_seeding(first, earlier):
    if earlier:
        DRAWS[earlier](random)
    seeds.seed_random_module(17)
    twin = random.Random(17)
    assert DRAWS[first](random) == DRAWS[first](twin)
    assert [draw(random) for draw in DRAWS.values()] == [draw(twin) for draw in DRAWS.values()]


def test_a_strategy_s_own_seed_or_state_replaces_the_lazy_seed():
    seeds.seed_random_module(17)
    random.seed(3)
    assert random.random() == random.Random(3).random()
    state = random.Random(4).getstate()
    seeds.seed_random_module(17)
    random.setstate(state)
    assert random.random() == random.Random(4).random()


def test_functions_imported_from_the_module_are_seeded_too():
    from random import shuffle

    shuffled, expected = list(range(9)), list(range(9))
    seeds.seed_random_module(17)
    shuffle(shuffled)
    random.Random(17).shuffle(expected)
    assert shuffled == expected
