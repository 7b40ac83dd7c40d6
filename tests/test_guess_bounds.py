"""The bounds for a fixed number of guesses: no game wins more than they say, and what does not follow is refused."""

from math import exp

import numpy as np
import pytest

from benchmarks import check_guesses
from benchmarks.check_guesses import Claim, Refused, agreeing, check, checked
from wordpl.core import words
from wordpl.core.clues import keep_probability
from wordpl.kernels.clue_matrix import agreement_table, clue_row

FIRST = ["roate", "saree", "soare", "raree", "areae", "fuzzy"]
"""First words that may win much by the bounds, and one that may not."""
TWO = "2,0.05,11.38,0.01"


@pytest.fixture(scope="module")
def counts():
    return agreeing(FIRST, list(words.load().answers))


def test_answers_that_agree_with_a_clue_are_counted_as_the_game_compares_them(counts):
    lists = words.load()
    true = clue_row(lists, "anywhere", "saree")
    agreement = agreement_table(5)
    found = np.array([np.bincount(agreement[y][true], minlength=6) for y in range(243)])
    # The marks may have other numbers: the same rows in another order.
    assert sorted(map(tuple, found)) == sorted(map(tuple, counts[FIRST.index("saree")].T.tolist()))


def best_of_two(lists, first, epsilons):
    """Return the share of games that the best play with these epsilons wins."""
    agreement, n = agreement_table(5).astype(int), len(lists.answers)

    def chances(word, epsilon):
        keep = keep_probability(epsilon, 5)
        return (keep**agreement * ((1 - keep) / 2) ** (5 - agreement))[:, clue_row(lists, "anywhere", word)]

    seconds = [chances(word, epsilons[1]) for word in lists.guesses]
    return (
        sum(max((known * second).max(axis=1).sum() for second in seconds) for known in chances(first, epsilons[0])) / n
    )


@pytest.mark.parametrize("shares", [(0.7, 0.3), (0.3, 0.7), (0.02, 0.98)])
def test_no_play_wins_more_than_the_bounds_of_two_guesses_and_of_three_with_a_lemma_say(shares):
    some = words.load().answers[:240:20]
    lists = words.WordLists(some, some[:6])
    counts, budget = agreeing([lists.guesses[0]], list(lists.answers)), 6
    won = best_of_two(lists, lists.guesses[0], [share * budget for share in shares])
    claims = [Claim(2, won * 0.9999, 100 * budget, 50), Claim(3, won * 0.9999, 100 * budget, 50)]
    for claim in claims:
        with pytest.raises(Refused):
            check(counts, claim, [Claim(2, won * 1.0001, 100 * budget, 50)])


@pytest.mark.parametrize("epsilons", [(6.0, 4.0), (1.3, 8.7), (0.1, 9.9), (10.0, 0.0)])
def test_no_two_epsilons_do_better_than_is_said_of_what_comes_later(epsilons):
    chances, ratio = np.ones(1), np.ones(1)
    for epsilon in epsilons:
        chances = np.outer(chances, check_guesses.CHANCES).ravel()
        ratio = np.outer(ratio, check_guesses.ratios(epsilon)).ravel()
    x = np.exp(np.linspace(-9, 1, 40))
    gained = np.maximum(np.outer(x, ratio) - 1, 0) @ chances
    assert (gained <= check_guesses.later(x, Claim(3, 0.5, 1000, 50), 1000)).all()


def test_one_guess_is_bounded_by_the_number_of_clues():
    """What W says of a single guess is what the best code of 243 words would win."""
    best = (exp(2) / (2 + exp(2))) ** 5
    levels = np.exp(np.arange(0, 200) / 25)
    values = check_guesses.later(1 / levels, Claim(2, 0.5, 1000, 10), 1000)
    assert (levels * (1 / 2315 + values)).min() == pytest.approx(243 * best / 2315, rel=0.03)


@pytest.mark.parametrize(
    "line",
    [
        "2,0.049,11.38,0.01", "2,0.05,11.6,0.01", "2,0.05,11.38,1", "2,0.05,11.4,0.2", "2,0.05,12,0.01",
        "1,0.05,11.38,0.01", "0,0.05,11.38,0.01", "5,0.95,11.38,0.01", "2,0,11.38,0.01", "2,1,11.38,0.01",
        "2,-0.05,11.38,0.01", "2,nan,11.38,0.01", "2,0.05,0,0.01", "2,0.05,-11.38,0.01", "2,0.9,46.01,0.01",
        "2,0.05,11.38,0", "2,0.05,11.38,-0.01", "2,0.05,11.38,0.07", "2,0.05,11.38,nan", "2,0.05,inf,0.01",
        "2,0.05,11.38", "2,0.05,11.38,0.01,1", "two,0.05,11.38,0.01",
    ],
)  # fmt: skip
def test_an_edited_claim_is_refused(line, counts):
    with pytest.raises((Refused, ValueError, OverflowError)):
        checked([line], counts)


def test_a_claim_that_holds_for_poor_first_words_is_refused_for_good_ones(counts):
    checked([TWO], counts)
    checked(["2,0.046,11.38,0.01"], counts[FIRST.index("fuzzy") :])
    with pytest.raises(Refused):
        checked(["2,0.046,11.38,0.01"], counts)


@pytest.mark.slow
def test_claims_follow_only_from_those_above_them(counts):
    two = ["2,0.403,23.6,0.2", "2,0.419,24,0.2", "2,0.441,24.6,0.2", "2,0.464,25.2,0.2"]
    three = "3,0.49,25,0.2"
    assert len(checked([*two, three], counts)) == 5
    for lines in ([three], [three, *two], [*two[:3], three], [*two[1:], three.replace("0.49", "0.46")]):
        with pytest.raises(Refused):
            checked(lines, counts)


@pytest.mark.long  # two to three CPU minutes for all parts
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(8))
def test_the_claims_of_the_documentation_hold_for_all_first_words(part):
    lists = words.load()
    _, *lines = check_guesses.CLAIMS.read_text().split()
    claims = checked(lines, agreeing(sorted(lists.guesses)[part::8], list(lists.answers)))
    last = {claim.guesses: (claim.share, claim.budget) for claim in claims}
    assert last == {2: (0.05, 1138), 3: (0.5, 2550), 4: (0.95, 4280)}


def test_a_checked_file_is_said_in_sentences(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(check_guesses, "agreeing", lambda guesses, answers: agreeing(FIRST, answers))
    path = tmp_path / "guesses.csv"
    path.write_text(f"guesses,share,budget,step\n{TWO}\n")
    check_guesses.main([str(path)])
    assert capsys.readouterr().out == "No strategy of 2 guesses wins 5% of games within 11.38.\n"


def test_a_file_without_claims_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(SystemExit, match="is refused"):
        check_guesses.main([str(tmp_path / "absent.csv")])
