import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.simulated_league import results
from wordpl.stats.rankings import RANKINGS

DAYS = st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 7), min_size=1), min_size=1, max_size=5)


def elo(days, k, per_opponent, start_of_day):
    """Return ratings by the rules of Elo: each ordered pair of a day is a match that moves both players' ratings."""
    ratings = dict.fromkeys(sorted({player for day in days for player in day}), 1000.0)
    for day in days:
        morning = dict(ratings)
        for a in sorted(day):
            for b in sorted(day):
                if a != b:
                    before = morning if start_of_day else ratings
                    expected = 1 / (1 + 10 ** ((before[b] - before[a]) / 400))
                    change = (0.5 + (day[b] - day[a]) / 12 - expected) * k / (len(day) - 1 if per_opponent else 1)
                    ratings[a] += change
                    ratings[b] -= change
    return list(ratings.values())


@settings(deadline=None, max_examples=12)
@given(DAYS, st.floats(0.1, 30), st.booleans(), st.booleans())
def test_the_compiled_ratings_agree_with_the_plain_rules(days, k, per_opponent, start_of_day):
    table = RANKINGS["elo"](results(*days), draws=0, k=k, per_opponent=per_opponent, start_of_day=start_of_day)
    assert np.allclose(table.sort_values("player")["rating"], elo(days, k, per_opponent, start_of_day))
