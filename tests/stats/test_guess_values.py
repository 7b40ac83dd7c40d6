"""What guesses were expected to say, beside the best ones."""

from itertools import product
from math import log2

import pytest

from wordpl.core import words
from wordpl.core.clues import CLUE_RULES, counted, keep_probability
from wordpl.core.words import WordLists
from wordpl.stats.guess_values import GuessValuer, by_round

FEW = WordLists(("abide", "crane", "crate", "trace", "moist"), ("abide", "crane", "crate", "trace", "moist", "zebra"))


def plain_bits(guess, epsilon, lists, rule):
    """Return the information of the guess's clue before any other, clue by clue."""
    keep, length = keep_probability(epsilon, 5), 5
    joint = {}
    for answer, shown in product(lists.answers, map("".join, product(".ic", repeat=length))):
        true = CLUE_RULES[rule](guess, answer)
        chance = 1.0
        for a, b in zip(true, shown, strict=True):
            chance *= keep if a == b else (1 - keep) / 2
        joint[answer, shown] = chance / len(lists.answers)
    of_shown = {}
    for (_, shown), chance in joint.items():
        of_shown[shown] = of_shown.get(shown, 0) + chance
    return sum(
        chance * log2(chance * len(lists.answers) / of_shown[shown]) for (_, shown), chance in joint.items() if chance
    )


def test_expected_bits_are_the_information_of_the_clue():
    valuer = GuessValuer(FEW, "anywhere", is_noisy=True)
    (first,) = valuer.values(3, [["zebra", 6.0, "....i"], ["crane", 0, ""]])
    assert first.expected == pytest.approx(plain_bits("zebra", 6.0, FEW, "anywhere"), abs=1e-6)
    best = max(plain_bits(guess, 6.0, FEW, "anywhere") for guess in FEW.guesses)
    assert first.available == pytest.approx(best, abs=1e-6)
    assert (first.game, first.round_, first.bits_left) == (3, 1, pytest.approx(log2(5)))


def test_the_last_guess_of_a_classic_game_gains_all_remaining_bits():
    valuer = GuessValuer(words.load(None, None), "counted", is_noisy=False)
    found = list(valuer.values(0, [["crane", counted("crane", "trace")], ["trace", "ccccc"]]))
    assert found[0].expected <= found[0].available
    assert found[0].gained == pytest.approx(found[0].bits_left - found[1].bits_left)
    rounds = by_round(found)
    assert [one.n_games for one in rounds] == [1, 1]
    assert 0 < rounds[0].share <= 1
