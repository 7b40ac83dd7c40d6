"""The forecast of a sample: its intervals cover the truth, and better entries get better ranks."""

import numpy as np
import pytest
from msgspec.structs import replace

from wordpl.apps.season import sample as sample_of_season
from wordpl.apps.season.credits import Credits, SeasonScore
from wordpl.apps.season.sample import N_DRAWS, Sample, draws, value_of
from wordpl.core.messages import UserError

MEDIAN, P_WIN = SeasonScore("p50", 0.5), SeasonScore("p_win", None)
TRUE = {"p50": 40 * np.log(1 / (1 - 0.5 / 0.8)), "p_win": 0.8}


def sample(rng, n):
    """Return games that cost an exponential budget of mean 40 and are credited with .8 on average."""
    return Credits(rng.exponential(40, n), rng.beta(8, 2, n))


@pytest.mark.parametrize("score", [MEDIAN, P_WIN], ids=lambda score: score.name)
def test_the_forecast_covers_the_truth(score):
    rng, n_samples = np.random.default_rng(7), 300
    covered = 0
    for _ in range(n_samples):
        low, high = np.quantile(draws(sample(rng, 200), score, rng), [0.025, 0.975], method="inverted_cdf")
        covered += low <= TRUE[score.name] <= high
    assert 0.915 <= covered / n_samples <= 0.985


def test_a_score_that_is_not_reached_is_infinite():
    games = Credits(np.full(50, 10.0), np.full(50, 0.2))
    assert value_of(games, MEDIAN) == np.inf
    assert np.isinf(draws(games, MEDIAN, np.random.default_rng(0))).all()


def test_equal_games_leave_a_doubt():
    won = Credits(np.full(20, 10.0), np.ones(20))
    drawn = draws(won, P_WIN, np.random.default_rng(0))
    assert 0.7 < drawn.min() < drawn.max() <= 1
    assert set(draws(won, SeasonScore("p95", 0.95), np.random.default_rng(0))) == {10.0, np.inf}


def test_a_sample_plays_other_games_than_any_round_and_leaves_the_season_as_it_is(cup, tmp_path):
    before = {path: path.read_bytes() for path in cup.folder.rglob("*") if path.is_file()}
    files = []
    for name in ("new", "two"):
        files.append(tmp_path / f"{name}.py")
        files[-1].write_text((cup.folder / "strategies" / "two.py").read_text().replace("5.", "9."))
    found = Sample(cup, files)
    contest = found.contest(7, tmp_path / "results")
    assert (contest.config.official, contest.config.seed, contest.config.every_answer) == (False, None, False)
    assert (contest.config.n_games, contest.config.repeats) == (7, 5)
    assert [place.parent.name for place in found.places] == ["new@1", "two@2"]
    assert {version.label for version in found.leaders} == {"one@2", "two@1", "late@1"}
    assert {path: path.read_bytes() for path in cup.folder.rglob("*") if path.is_file()} == before
    with pytest.raises(UserError, match="0ne looks like one"):
        Sample(cup, [files[0].rename(tmp_path / "0ne.py")])


class Played:
    """A contest whose entries are known."""

    def __init__(self, entries):
        self.entries = entries

    def entries_of(self, place):
        return [entry for entry in self.entries if entry.file == str(place)]


def better_rivals(share):
    """Return draws in which all rivals are better than an entry in this share of all draws, and worse otherwise."""

    def drawn(games, score, rng):
        values = np.where(np.arange(N_DRAWS) < share * N_DRAWS, -1.0, 1.0) * (score is drawn.score)
        drawn.score = score
        return values * (1 if score.lower_is_better else -1)

    drawn.score = None
    return drawn


def test_a_sample_ranks_an_entry_among_other_authors_and_names_equal_moves_of_others_alone(cup, tmp_path, monkeypatch):
    """The games of a round stand for those of a sample: late and one play like two, if one looks at the moves."""
    run = cup.run_of(cup.played_rounds[0])
    for entry in run.entries[1:]:
        entry.records_path.write_bytes(run.entries[0].records_path.read_bytes())
    places = [cup.folder / "strategies" / f"{name}.py" for name in ("two", "mine")]
    places[1].write_text(places[0].read_text().replace("5.", "8."))
    run.info.finished = run.info.seal = None
    entries = [replace(entry, file=str(place)) for entry, place in zip(run.info.entries, places, strict=True)]
    run.info.entries = entries
    found = Sample(cup, places)
    one, other = (
        found.equal_moves(Played(entries), run),
        found.forecasts(Played(entries), run, np.random.default_rng(1)),
    )
    assert list(one) == ["two makes the same moves as mine, in all 2 games of the sample."]
    assert {(row.entry, row.n_ranked) for row in other} == {("two", 3), ("mine", 4)}  # not against one's own version
    monkeypatch.setattr(cup, "value_to_improve", lambda score: 0.5)
    for share, is_between in ((0.03, True), (0.02, False)):
        monkeypatch.setattr(sample_of_season, "draws", better_rivals(share))
        for row in found.forecasts(Played(entries), run, np.random.default_rng(1)):
            assert (row.first_rank, row.last_rank) == (1, row.n_ranked if is_between else 1)
            assert row.required == pytest.approx(0.495 if row.score.lower_is_better else 0.505)
    terms = cup.folder / "season.toml"
    terms.write_text(f'{terms.read_text()}[authors]\nteam = ["two", "mine"]\n')
    season = type(cup)(cup.folder)
    season.note_terms()
    assert list(Sample(season, places).equal_moves(Played(entries), run)) == []  # they are of one author
