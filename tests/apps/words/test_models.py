"""Models learn from known answers, here on a small sample, and are reproducible with a seed."""

import re
from datetime import date

import numpy as np
import pytest

from tests.helpers.cli import wordpl
from wordpl.apps.words import features, provenance, word_ranking
from wordpl.apps.words.word_ranking import Method, rank
from wordpl.core import known_answers, words
from wordpl.core.messages import UserError
from wordpl.core.words import FIRST_PUZZLE_DAY

SAMPLE = words.bundled("modern")[::14]
ANSWERS = set(words.bundled("puzzle-order")) & set(SAMPLE)


@pytest.fixture(scope="module")
def table():
    return features.table(SAMPLE).to_numpy()


@pytest.fixture(scope="module")
def mask():
    return np.isin(SAMPLE, list(ANSWERS))


@pytest.mark.parametrize("name", word_ranking.MODELS)
@pytest.mark.long  # fits every model
def test_a_model_ranks_held_out_answers_above_other_words(name, table, mask):
    held_out = word_ranking.hold_out(
        mask, lambda known, rng: word_ranking.score(name, table, known, rng), np.random.default_rng(1)
    )
    n_found, n = held_out.recall(len(SAMPLE) // 3)
    assert n == len(ANSWERS)
    assert n_found / n > 0.9


@pytest.mark.long  # fits models twice
def test_rankings_are_reproducible_and_chances_are_calibrated():
    first, second = (rank(SAMPLE[::2], ANSWERS, Method("blend", seed=5)) for _ in range(2))
    assert np.array_equal(first.chances, second.chances)
    assert np.array_equal(first.held_out.ranks, second.held_out.ranks)
    assert first.chances.sum() == pytest.approx(first.known.sum(), rel=0.02)
    assert len(first.best(100)) == 100
    n_found, n = first.held_out.recall(100)
    assert f"| 100 | {n_found} of {n} |" in provenance.model_card(first, Method("blend", seed=5), 100, [])


@pytest.mark.slow
def test_spy_em_keeps_most_spies_and_spies_are_known_answers(table, mask):
    result = word_ranking.fit(table, mask, np.random.default_rng(2))
    n_kept, n_spies = result.spies_kept
    assert n_spies == round(word_ranking.SHARE_OF_SPIES * mask.sum())
    assert not (result.is_spy & ~mask).any()
    assert n_kept / n_spies > 0.9
    assert 1 < result.n_rounds < word_ranking.MAX_ROUNDS


@pytest.mark.parametrize("name", features.names())
@pytest.mark.slow
def test_every_feature_set_is_numeric_and_names_its_sources_and_leakage(name):
    frame = features.table(["crane", "zzzzz", "cards"], [name])
    assert np.isfinite(frame.to_numpy()).all()
    assert list(frame.index) == ["crane", "zzzzz", "cards"]
    assert features.find(name).leakage
    assert all(source.licence and source.version != "none" for source in features.find(name).sources)


def test_recall_and_number_of_words_kept_agree():
    held_out = word_ranking.HoldOutRanks(np.array([5, 1, 30, 9]), np.zeros(40))
    assert [held_out.kept(recall) for recall in (0.25, 0.5, 0.75, 0.99)] == [1, 5, 9, 30]
    assert held_out.recall(9) == (3, 4)
    low, high = held_out.kept_interval(0.5, np.random.default_rng(0))
    assert low <= 5 <= high


@pytest.mark.slow
def test_later_answers_are_known_answers_and_can_be_split_by_date(tmp_path):
    file = tmp_path / "later.csv"
    file.write_text("# mine\nnumber,word\n1716,Zesty\n1688,aahed\n1720,aahed\n")
    later = known_answers.read(file)
    days = [date(2026, 3, 1), date(2026, 2, 1), date(2026, 3, 5)]
    assert later == dict(zip(days, ("zesty", "aahed", "aahed"), strict=True))
    modern = words.bundled("modern")
    assert "aahed" in known_answers.all_known(modern, later)
    assert known_answers.dated(later)[FIRST_PUZZLE_DAY] == "cigar"
    rows = word_ranking.recall_by_time(
        modern[::2], Method("spy-em", ("frequency", "spelling")), later, date(2022, 2, 15)
    )
    added = known_answers.played(later) - set(words.bundled("puzzle-order"))
    assert rows[0].share.value > 0.9
    assert rows[1].share.n == len(added & set(modern[::2]))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "should begin with the line date,word"),
        ("date,word\n2026-13-01,crane\n", "line 2: .* should be a day and a word"),
        ("date,word\n2026-01-01,cr4ne\n", "is not a word of letters a to z"),
        ("date,word\n2021-06-18,crane\n", "is before the first puzzle"),
        ("date,word\n2026-01-01,crane\n2026-01-01,slate\n", "line 3: 2026-01-01 has the answers crane and slate"),
        ("number,word\n99999999999,crane\n", "should be a day and a word"),
    ],
)
def test_an_invalid_file_of_later_answers_is_refused(tmp_path, text, complaint):
    (tmp_path / "later.csv").write_text(text)
    with pytest.raises(UserError, match=complaint):
        known_answers.read(tmp_path / "later.csv")


def test_later_answers_must_be_guesses(tmp_path):
    (tmp_path / "later.csv").write_text("date,word\n2026-09-01,cranes\n")
    result = wordpl("words", "explain", "crane", "--known", tmp_path / "later.csv")
    assert re.search(r"later.csv are not among .*cranes.* give a longer list with --guesses", result.output)


@pytest.mark.slow
def test_unknown_models_features_and_libraries_are_explained(table, mask):
    rng = np.random.default_rng(0)
    with pytest.raises(UserError, match="a model needs at least two"):
        word_ranking.score("spy-em", table, np.zeros(len(mask), bool), rng)
    with pytest.raises(UserError, match="there is no model 'deep'"):
        word_ranking.score("deep", table, mask, rng)
    with pytest.raises(UserError, match="there is no feature set 'taste'"):
        features.table(SAMPLE, ["taste"])
    with pytest.raises(UserError, match=r'pip install "wordpl\[lexicon\]"'):
        features.import_library("no_such_library")
