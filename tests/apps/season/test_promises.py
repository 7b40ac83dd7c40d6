"""What a season has promised stays: its terms, its error rates, and what is announced has an end."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from tests.apps.season.test_season import bot, isolated, new_season, own_folders, problems, submit  # noqa: F401
from tests.helpers.cli import wordpl
from tests.release_1_0_0.corpus import unpacked
from wordpl.apps.season import anytime, check, standings
from wordpl.apps.season.candidate import Candidate
from wordpl.apps.season.credits import Credits, SeasonScore, compute_credits, credits_of
from wordpl.apps.season.log import Confirmation, Log, SeasonOpened, digest
from wordpl.apps.season.season import Season
from wordpl.core import words
from wordpl.core.intervals import MAX_FALSE_ALARM
from wordpl.core.messages import UserError
from wordpl.run.folder import Run

NOW = "2026-11-01T00:00:00+00:00"


def edit(season, old, new):
    path = season.folder / "season.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    return Season(season.folder)


def confirmation(number, version="one@1", **values):
    return Confirmation(
        time=NOW, number=number, run=f"run{number}", commitment="", version=version, slug="one", score="p_win",
        value=0.5, **values,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("games = 8", "games = 9", "games was promised when the season opened: it stays 8"),
        ("improvement = 0.01", "improvement = 0.5", "improvement was promised"),
        ("confirmations = 2", "confirmations = 3", "confirmations can only become fewer than 2, got 3"),
        ('scores = ["p_win"', 'scores = ["p_win","p95"', "scores was promised"),
    ],
)
def test_what_a_season_promised_when_it_opened_does_not_change(tmp_path, old, new, message):
    season = new_season(tmp_path / "cup")
    season = edit(edit(season, old, new), new, old)  # before it opens, everything can change
    submit(season, "one")
    season = edit(season, old, new)
    assert wordpl("season", "standings", "-C", season.folder).exit_code == 0  # by the terms of the log
    with pytest.raises(UserError, match=message):
        submit(season, "two", epsilon=6.0)


def test_changed_terms_are_logged_whole_and_hold_from_the_next_round_on(tmp_path):
    season = new_season(tmp_path / "cup")
    submit(season, "one")
    season = edit(season, "players = 4", "players = 3")
    assert season.terms.players == 4
    assert any("season.toml has changed" in problem for problem in check.problems(season))
    submit(season, "two", epsilon=6.0)
    opened = [event for event in season.log.events if isinstance(event, SeasonOpened)]
    assert [event.round for event in opened] == [1, 1]
    assert opened[1].text == (season.folder / "season.toml").read_text()
    assert season.terms.players == 3
    assert json.loads(wordpl("season", "standings", "--json", "-C", season.folder).output)
    assert season.changed_terms(opened[1]) == "players from 4 to 3"
    assert problems(season.folder) == ["README.md", "standings.json"]


def test_authors_who_join_keep_their_results(tmp_path):
    season = new_season(tmp_path / "cup")
    for number, name in enumerate(("hal", "ada", "mia")):
        submit(season, name, epsilon=5.0 + number)
    season = edit(season, "[authors]", '[authors]\nteam = ["hal", "ada", "mia"]')
    submit(season, "late", epsilon=9.0)
    assert [version.author for version in season.versions] == ["hal", "ada", "mia", "late"]
    assert season.ranked == [0, 1, 2, 3]
    submit(season, "hal", epsilon=10.0)
    assert season.versions[-1].author == "team"
    assert season.ranked == [1, 2, 3, 4]  # the new version of hal takes the place of the one before


@pytest.mark.parametrize("change", ["round", "text", "confirmations", "format"])
def test_a_line_of_terms_that_cannot_hold_is_refused(tmp_path, change):
    season = new_season(tmp_path / "cup")
    submit(season, "one")
    text = season.terms.text(season.folder)
    values = {"terms": digest(text.encode()), "text": text, "round": 1, "format": 2}
    if change == "confirmations":
        text = text.replace("confirmations = 2", "confirmations = 9")
        values |= {"terms": digest(text.encode()), "text": text}
    else:
        values[change] = {"round": 2, "text": text + "#", "format": 99}[change]
    line = json.dumps({"event": "opened", "time": NOW, **values, "before": season.log.last_digest})
    path = season.folder / "log.jsonl"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(UserError, match=r"line 3 of .* is not an event of this season"):
        Log(season.folder)


def test_the_levels_of_all_confirmations_add_up_to_five_percent(tmp_path):
    season = new_season(tmp_path / "cup", confirmations=4)
    submit(season, "one")
    for number in range(1, 5):
        assert season.error_budget.next_level == 0.0125
        season.log.add(confirmation(number, level=season.error_budget.next_level))
    assert sum(season.error_budget.used) == pytest.approx(0.05, rel=1e-12)
    with pytest.raises(UserError, match="all 4 confirmations of the season were used"):
        season.error_budget.next_level  # noqa: B018 - it raises


def test_fewer_confirmations_leave_each_its_level(tmp_path):
    season = new_season(tmp_path / "cup", confirmations=4)
    submit(season, "one")
    season.log.add(confirmation(1, level=season.error_budget.next_level))
    season = edit(season, "confirmations = 4", "confirmations = 2")
    submit(season, "two", epsilon=6.0)
    assert (season.error_budget.n_left, season.error_budget.next_level) == (1, 0.0125)


def test_an_edited_number_of_confirmations_of_release_1_0_spends_what_it_promised(tmp_path):
    """With 1, then 2, then 3 confirmations, three tests at 5, 2.5 and 1.67% would add up to 9.2%."""
    season = new_season(tmp_path / "cup", confirmations=3)
    for number in (1, 2, 3):
        season.log.add(SeasonOpened(time=NOW, terms=str(number)))
        if number == 1:
            season.log.add(Candidate(season, one_bundle(season), "one").submission(NOW))
        season.log.add(confirmation(number))
    budget = season.error_budget
    assert budget.used == pytest.approx([0.05, 0.025, 0.05 / 3])
    assert sum(budget.used) == pytest.approx(0.05 * 11 / 6)
    assert (budget.n_left, budget.is_exact) == (0, False)


def one_bundle(season):
    from wordpl.run.bundle import Bundle

    return Bundle.of(bot(season.folder / "strategies", "one"))


def test_a_confirmation_at_another_level_than_its_own_is_found(tmp_path):
    season = new_season(tmp_path / "cup", confirmations=4)
    submit(season, "one")
    season.log.add(confirmation(1, level=0.025))
    assert any("a confirmation of this season has 0.0125" in problem for problem in check._levels(season))


def test_a_voided_confirmation_counts_as_used_if_its_seed_could_be_known(tmp_path):
    season = new_season(tmp_path / "cup", confirmations=4)
    submit(season, "one")
    season.log.add(confirmation(1, level=0.0125))
    voided = season.void("", "its machine was lost")
    assert (voided.run, voided.is_known, season.pending) == ("run1", True, None)
    assert len(season.error_budget.used) == 1
    with pytest.raises(UserError, match="nothing is announced"):
        season.void("", "again")
    with pytest.raises(UserError, match="needs a reason"):
        season.void("run1", " ")


def test_the_error_rates_that_a_season_states_have_their_exact_values():
    shares = anytime.spent_alpha(np.arange(10**6), 0.05, anytime.PAIRS_SCALE)
    assert shares.sum() == pytest.approx(0.05, rel=0.01)
    assert shares[: int(anytime.PAIRS_SCALE)].sum() == pytest.approx(0.025, rel=1e-9)
    assert anytime.spent_alpha([0], 1.0, 3.0)[0] == 0.25
    assert anytime.AnytimeOrder((0.0, 1.0)).alpha == pytest.approx(0.05)
    assert anytime.AnytimeQuantiles(0.5).alpha == pytest.approx(0.05)
    assert anytime.PAIRS_SHARE == 0.8
    assert pytest.approx(0.01) == anytime.CHANGE_ALPHA
    assert sum(MAX_FALSE_ALARM / (n * (n + 1)) for n in range(1, 10**5)) == pytest.approx(MAX_FALSE_ALARM, rel=1e-4)
    assert standings.level_of(20) == 0.0025


def test_a_record_is_shown_only_above_what_it_claims():
    """With 100 games that are all won, the exact bound at the level a is a ** (1 / 100)."""
    won, score = Credits(np.full(100, 10.0), np.ones(100)), SeasonScore("p_win", None)
    bound = next(level / 1000 for level in range(999, 0, -1) if standings.is_shown(won, score, level / 1000, 0.0025))
    assert bound <= 0.0025 ** (1 / 100)
    assert bound == pytest.approx(0.0025 ** (1 / 100), abs=0.02)
    lost = Credits(np.full(100, 10.0), np.zeros(100))
    assert not standings.is_shown(lost, score, 0.0, 0.0025)  # the bound is 0, and not above 0


def git(folder, *words):
    own = ["-c", "user.name=host", "-c", "user.email=host@example.org"]
    subprocess.run(["git", "-C", str(folder), *own, *words], check=True, capture_output=True)


def clone_of(folder, target):
    """Commit a season and clone it, as on another machine: git keeps no empty folder, and no secret seed."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", ".")
    git(folder, "commit", "--quiet", "-m", "a season")
    subprocess.run(["git", "clone", "--quiet", f"file://{folder}", str(target)], check=True, capture_output=True)
    return target


@pytest.mark.slow
@pytest.mark.timeout(300)
@isolated
def test_a_season_survives_the_loss_of_the_machine_that_announced_a_round(tmp_path, own_folders, monkeypatch):  # noqa: F811
    """The restore drill of docs/season.md."""
    folder = tmp_path / "cup"
    submit(new_season(folder), "one", "two")
    result = wordpl("season", "round", "-C", folder, "--beacon-from", "the lottery", "--quiet")
    assert "doctor --save-seed DIR" in result.output
    result = wordpl("season", "doctor", "-C", folder)
    assert (result.exit_code, "The secret seed" in result.output) == (0, True)
    assert wordpl("season", "doctor", "-C", folder, "--save-seed", folder / "here").exit_code == 1
    assert wordpl("season", "doctor", "-C", folder, "--save-seed", tmp_path / "safe").exit_code == 0

    other = clone_of(folder, tmp_path / "other")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other-state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    without = shutil.copytree(other, tmp_path / "without")
    result = wordpl("season", "doctor", "-C", other)
    assert result.exit_code == 1
    assert "season doctor --load-seed DIR" in result.output
    assert "season void " in result.output
    assert wordpl("season", "doctor", "-C", other, "--load-seed", tmp_path / "safe").exit_code == 0
    result = wordpl("season", "round", "-C", other, "--beacon", "1 2 3", "--quiet", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert problems(other) == []

    run = Season(without).pending.run  # without a copy of the seed, the round is void
    assert wordpl("season", "round", "-C", without, "--beacon", "1 2 3", "--quiet").exit_code == 1
    result = wordpl("season", "void", "-C", without, "--reason", "its machine was stolen")
    assert f"{run} is void: its machine was stolen" in result.output
    assert Season(without).voided[run].is_known is False
    result = wordpl("season", "round", "-C", without, "--quiet", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert [event.number for event in Season(without).played_rounds] == [2]
    assert problems(without) == []
    wordpl("season", "site", "-C", without)
    assert "its machine was stolen" in (without / "docs" / "index.html").read_text()


def test_kept_credits_are_those_of_the_same_word_lists(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    run = Run(unpacked(tmp_path, "runs/official") / "runs" / "official")
    lists, entry = run.info.config.load_lists(), run.info.entries[0]
    others = sorted(set(lists.guesses) - set(lists.answers))[:3000]
    (tmp_path / "more.txt").write_text("\n".join([*lists.answers, *others]))
    more = words.load(tmp_path / "more.txt", None)
    first = credits_of(run, entry, lists)
    again = credits_of(run, entry, more)
    assert (credits_of(run, entry, lists).credit == first.credit).all()
    assert (again.credit == compute_credits(run, entry, more).credit).all()
    assert (again.credit != first.credit).any()
