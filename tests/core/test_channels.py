"""Channels: how true clues become shown clues, and how likely each is."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.limits import LIMITS
from wordpl.core.clues import MAX_TABLES, Channel, Exact, RandomizedResponse, decode, encode, keep_probability
from wordpl.core.moves import ClassicMove, NoisyMove

LEGAL = st.floats(0.1, 20) | st.sampled_from(LIMITS)


class OneLie(Channel):
    """One mark, each with the same probability, becomes one of the two others."""

    def outcomes(self, true, move):
        codes = [
            true + (shown - true // worth % 3) * worth
            for worth in (3**place for place in range(self.length))
            for shown in range(3)
            if shown != true // worth % 3
        ]
        return codes, [1 / len(codes)] * len(codes)


CHANNELS = [Exact, RandomizedResponse, OneLie]


@pytest.mark.parametrize("channel_type", CHANNELS)
@given(true=st.integers(0, 26), shown=st.integers(0, 26), epsilon=LEGAL)
def test_outcomes_likelihoods_and_tables_say_the_same(channel_type, true, shown, epsilon):
    channel, move = channel_type(3), NoisyMove("abc", epsilon, "")
    codes, chances = channel.outcomes(true, move)
    assert len(set(codes)) == len(codes)
    assert sum(chances) == pytest.approx(1)
    chance = dict(zip(codes, chances, strict=True)).get(shown, 0)
    assert channel.likelihood(shown, move)[true] == pytest.approx(chance)
    assert channel.table(move)[true, shown] == pytest.approx(chance)
    assert channel_type is OneLie or (channel.table(move) == channel.table(move).T).all()


@pytest.mark.parametrize("channel_type", CHANNELS)
@given(true=st.integers(0, 26), epsilon=LEGAL)
def test_the_share_of_kept_marks_follows_from_the_outcomes(channel_type, true, epsilon):
    channel, move, clues = channel_type(3), NoisyMove("abc", epsilon, ""), decode(true, 3)
    kept = Channel.kept(channel, clues, move)
    assert channel.kept(clues, move) == pytest.approx(kept)
    assert kept == pytest.approx({Exact: 1, OneLie: 2 / 3}.get(channel_type, keep_probability(epsilon, 3)))


@pytest.mark.parametrize("length", [3, 5, 8, 11])
def test_a_clue_of_any_length_can_be_shown_through_a_channel(length):
    channel, move = OneLie(length), ClassicMove("", "")
    true = "ic." * 3 + "ci"
    shown = channel.show(true[:length], move, [12345] * length)
    assert sum(a != b for a, b in zip(shown, true[:length], strict=True)) == 1
    codes, _ = channel.outcomes(encode(true[:length]), move)
    assert channel.show(true[:length], move, [2**32 - 1] * length) == decode(codes[-1], length)


@pytest.mark.parametrize("channel_type", CHANNELS)
def test_clues_are_drawn_as_often_as_the_channel_says(channel_type):
    channel, move, rng = channel_type(3), NoisyMove("abc", 3.0, ""), np.random.default_rng(1)
    shown = Counter(channel.show("c.i", move, rng.integers(0, 2**32, 3).tolist()) for _ in range(20_000))
    codes, chances = channel.outcomes(encode("c.i"), move)
    for code, chance in zip(codes, chances, strict=True):
        assert shown[decode(code, 3)] / 20_000 == pytest.approx(chance, abs=0.02)


def test_a_few_likelihoods_of_long_words_are_those_of_the_outcomes():
    channel, move = OneLie(8), ClassicMove("", "")
    true = np.array([encode(text) for text in ("cc......", "ic......", "cc......", ".c......", "........")])
    assert channel.chances(encode("ic......"), move, true).tolist() == pytest.approx([1 / 16, 0, 1 / 16, 1 / 16, 0])
    assert len(channel.likelihood(encode("ic......"), move)) == 3**8
    assert channel.likelihood(encode("ic......"), move)[true].tolist() == pytest.approx([1 / 16, 0, 1 / 16, 1 / 16, 0])
    with pytest.raises(ValueError, match="too large"):
        channel.table(move)


def test_a_table_belongs_to_one_epsilon_and_cannot_be_changed():
    channel = RandomizedResponse(1)
    for epsilon in [*range(1, MAX_TABLES + 3), 1]:
        table = channel.table(NoisyMove("a", float(epsilon), ""))
        assert table[0, 0] == pytest.approx(keep_probability(epsilon, 1))
        assert len(channel._tables) <= MAX_TABLES
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0] = 1


def test_one_draw_of_many_bits_decides_what_a_channel_shows():
    class Uneven(Channel):
        def outcomes(self, true, move):
            return [0, 1], [0.5 + 2**-34, 0.5 - 2**-34]

    draws = [2**31 - 1, 2**31], [2**31, 2**29], [2**31, 2**30], [2**31, 2**31]
    assert [Uneven(1).show(".", ClassicMove("", ""), two) for two in draws] == [".", ".", "i", "i"]
    with pytest.raises(TypeError, match="needs a move with an epsilon"):
        RandomizedResponse(3).show("...", ClassicMove("abc", ""), [0] * 3)
