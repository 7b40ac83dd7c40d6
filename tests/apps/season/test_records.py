"""Records of a season: which count, what the next one needs, and which versions clues do not allow."""

import re
import shutil

import numpy as np
import pytest

from tests.apps.season.test_promises import confirmation
from tests.helpers import trusted_seasons
from tests.helpers.made_up_seasons import confirm, season_in, send
from wordpl.apps.season import credits
from wordpl.apps.season.credits import DEFAULT_LOSS_COST, SeasonScore, season_findings
from wordpl.apps.season.standings import ErrorBudget, is_shown
from wordpl.apps.season.terms import PROMISED, ROUNDS, SeasonTerms
from wordpl.core.intervals import MAX_FALSE_ALARM
from wordpl.core.messages import UserError
from wordpl.games import game_class
from wordpl.stats.findings import Finding, FindingKind


@pytest.fixture
def season(tmp_path):
    found = season_in(tmp_path / "cup")
    send(found, "ada")
    return found


def test_a_record_is_what_was_shown_and_is_not_void(season):
    confirm(season, "ada@1", "p50", 39.5, 1, is_shown=False)
    confirm(season, "ada@1", "p50", 38.5, 2)
    confirm(season, "ada@1", "p50", 37.5, 3)
    assert [record.value for record in season.records["p50"]] == [38.5, 37.5]
    assert [record.before for record in season.records["p50"]] == [None, 38.5]
    assert season.value_to_improve("p50") == 37.5
    assert season.value_to_improve("p95") is None
    season.void(season.announced[-1].run, "bad memory")
    assert [record.value for record in season.records["p50"]] == [38.5]
    assert season.value_to_improve("p50") == 38.5


@pytest.mark.parametrize(("share", "wins"), [(0.0, [False, False]), (0.05, [False, True]), (0.06, [False, False])])
def test_the_prize_is_won_by_its_share_of_the_declared_values_and_by_no_first_record(tmp_path, share, wins):
    season = season_in(tmp_path / "cup")
    path = season.folder / "season.toml"
    lines = [line for line in path.read_text().splitlines() if not line.startswith("prize_improvement")]
    path.write_text("\n".join([f"prize_improvement = {share}", *lines]))
    season = type(season)(season.folder)
    season.made_up = {}
    send(season, "ada")
    confirm(season, "ada@1", "p50", 40.0, 1)
    confirm(season, "ada@1", "p50", 38.0, 2)
    assert [record.wins_prize for record in season.records["p50"]] == wins


def test_a_confirmation_that_was_announced_and_not_played_is_no_record(season):
    season.log.add(confirmation(1, "ada@1", level=0.001))
    assert season.records == {}
    assert season.error_budget.used == (0.001,), "and has used its level"


def test_no_confirmation_is_left_when_the_five_percent_are_spent():
    spent = ErrorBudget(4, 9, (0.02, 0.03), {})
    assert spent.n_left == 0
    with pytest.raises(UserError, match="all 9 confirmations of the season were used"):
        spent.next_level  # noqa: B018 - it raises
    assert ErrorBudget(4, 4, (0.0125, 0.0125), {}).next_level == 0.0125
    assert ErrorBudget(4, 4, (0.03,), {}).next_level == pytest.approx(0.02 / 3)  # no more than what is left
    assert ErrorBudget(4, 3, (0.0125, 0.0125, 0.0125), {}).n_left == 0
    assert {ErrorBudget(n, 99, (0.05 / n,) * n, {}).n_left for n in range(1, 60)} == {0}  # however it is rounded


TERMS = {
    "game": "wordle/1", "scores": ["p05", "p50"], "games": 7, "every_answer": True, "improvement": 0.5,
    "confirmation_games": 101, "prize_improvement": 0.5, "first_prize": "a cup", "tie_games": 5,
    "records": {"p50": 7.0},
}  # fmt: skip


@pytest.mark.parametrize("name", PROMISED)
def test_each_promised_term_stays(name):
    before = {"title": "Cup", "game": "wordpl/1", "scores": ["p50", "p05"]}
    broken = SeasonTerms(**before | {name: TERMS[name]}).broken_promises(SeasonTerms(**before))
    assert [line.split(" was promised")[0] for line in broken] == [name]


def test_every_term_that_decides_about_ranks_records_or_prizes_is_promised():
    assert set(PROMISED) == set(TERMS)


def test_a_run_has_the_limits_of_the_terms_and_more_games_have_more_time(tmp_path):
    terms = SeasonTerms(title="", game="wordpl/1", scores=["p50"], games=100, entry_s=50.0, timeout_s=2.0, warmup_s=9.0,
                        memory_mb=99, fresh=True)  # fmt: skip
    config = terms.config(tmp_path, ROUNDS, 100, "the lottery")
    assert (config.timeout_s, config.warmup_s, config.memory_mb, config.fresh) == (2.0, 9.0, 99, True)
    assert (config.official, config.beacon_from, config.n_games) == (True, "the lottery", 100)
    assert (config.total_s, terms.config(tmp_path, ROUNDS, 300).total_s) == (50.0, 150.0)
    assert terms.config(tmp_path, ROUNDS, 10).total_s == 50.0
    assert config.results == tmp_path / ROUNDS
    assert terms.longest_s(2, 200, 4) < terms.longest_s(2, 200, 1) < terms.longest_s(3, 200, 1)


def test_only_rounds_of_a_season_of_all_answers_play_each_answer_once(tmp_path):
    terms = SeasonTerms(title="", game="wordle/1", scores=["mean"], every_answer=True)
    assert terms.config(tmp_path, ROUNDS, 9).every_answer
    assert not terms.config(tmp_path, "confirmations", 9).every_answer  # which would be the same games again


def test_all_runs_of_a_season_share_the_level_of_a_finding(cup, monkeypatch):
    run = cup.run_of(cup.played_rounds[0])
    name = run.info.entries[0].name

    def found(p_value, number):
        one = Finding(name, FindingKind.WINS, 8.0, 1.0, p_value, 2, "")
        monkeypatch.setattr(credits, "findings_of", lambda *_: [one])
        return season_findings(run, number, cup.lists_of(run))

    for number, share in ((1, 2), (3, 12)):  # 1/2 + 1/6 + 1/12 + ... = 1; each has two tests
        level = MAX_FALSE_ALARM / share / 2
        assert found(0.99 * level, number)
        assert not found(1.01 * level, number)


def test_a_mean_is_the_cost_with_losses_at_their_price():
    facts = game_class("wordpl/1").facts
    mean = SeasonScore.of("mean", facts)
    assert mean.highest == (facts.loss_cost or DEFAULT_LOSS_COST)
    games = credits.Credits(np.array([20.0, 20.0, 500.0]), np.array([1.0, 0.0, 1.0]))
    assert mean.shown(mean.values(games).mean()) == pytest.approx((20 + mean.highest + mean.highest) / 3)
    assert SeasonScore.of("p05", facts).q == 0.05
    for name in ("p00", "p5", "p100", "median", ""):
        with pytest.raises(UserError, match="no score called"):
            SeasonScore.of(name, facts)


def test_credits_need_the_records_of_all_games(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    season = trusted_seasons.season_in(tmp_path / "cup", games=2)
    trusted_seasons.send(season, "one", "two")
    run = season.run_of(season.play_round())
    entry, lists = run.info.entries[0], season.lists_of(run)
    assert credits.compute_credits(run, entry, lists).spent.tolist() == [5.0, 5.0]
    path = run.entry(entry).records_path
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    run.info.finished = run.info.seal = None
    run.write_info()
    with pytest.raises(UserError, match="has 1 games instead of 2"):
        credits.compute_credits(type(run)(run.folder), entry, lists)


def test_a_version_with_results_that_clues_do_not_allow_is_named_until_it_is_disqualified_or_they_are_void(
    cup, tmp_path
):
    (event,) = (event for event in cup.announced if event.run not in {played.run for played in cup.played_rounds})
    run = cup.run_of(event)
    path = run.entries[0].records_path
    knows = re.sub(r'"secret":"(\w+)"(.*?)"slate"(.*?)"wrong"', r'"secret":"\1"\2"\1"\3"won"', path.read_text())
    path.write_text(knows)
    run.finish(run.info.finished)
    ((version, sentence),) = cup.named()
    assert (version.label, sentence.startswith(f"{event.run}: ")) == ("one@1", True)
    n_events = len(cup.log.events)
    other = type(cup)(shutil.copytree(cup.folder, cup.folder.parent / "other"))
    other.void(event.run, "bad memory")
    assert list(other.named()) == []
    cup.disqualify("one@1", "knew the secrets")
    assert list(cup.named()) == []
    before = cup.until(n_events)
    assert [named.label for named, _ in before.named()] == ["one@1"]
    cup.void(event.run, "bad memory")
    assert list(cup.named()) == []


def test_kept_credits_are_those_of_the_same_records_and_damaged_ones_have_none(cup):
    run = cup.run_of(cup.played_rounds[0])
    entry, lists = run.info.entries[0], cup.lists_of(run)
    assert credits.credits_of(run, entry, lists).spent.tolist() == [5.0, 5.0]
    path = run.entry(entry).records_path
    path.write_text(path.read_text().replace('"crane",5.0', '"crane",6.0'))
    with pytest.raises(UserError, match="are not those of its seal"):
        credits.credits_of(type(run)(run.folder), entry, lists)
    run.finish(run.info.finished)
    assert credits.credits_of(type(run)(run.folder), entry, lists).spent.tolist() == [6.0, 6.0]


def test_a_record_counts_games_within_the_declared_budget_and_none_above_it():
    score, won = SeasonScore("p50", 0.5), np.ones(100)
    assert is_shown(credits.Credits(np.full(100, 36.0), won), score, 36.0, 0.0025)
    assert not is_shown(credits.Credits(np.full(100, 36.1), won), score, 36.0, 0.0025)
    mean = SeasonScore("mean", None, 100.0)
    claims = [
        is_shown(credits.Credits(np.full(5000, 20.0), np.ones(5000)), mean, cost, 0.0025) for cost in (15.0, 25.0)
    ]
    assert claims == [False, True]
