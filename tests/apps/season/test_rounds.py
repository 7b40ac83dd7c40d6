"""Rounds and confirmations: who plays, under which terms, what is logged before and after, and what may follow."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.helpers.trusted_seasons import TrustedSeason, season_in, send
from wordpl.apps.season import check, rounds
from wordpl.apps.season.credits import SeasonScore
from wordpl.apps.season.doctor import examine
from wordpl.apps.season.log import Log, Ranked, SeasonOpened, Submitted
from wordpl.contest import Observer, official
from wordpl.core.messages import UserError
from wordpl.games import game_class
from wordpl.run import seal


@pytest.fixture
def new_cup(tmp_path, monkeypatch):
    """A season without versions."""
    for name in ("state", "cache"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / name))
    return season_in(tmp_path / "cup")


def with_terms(season, *lines):
    """Let the host write further terms; a round logs them."""
    path = season.folder / "season.toml"
    names = [line.split(" =")[0] for line in lines]
    kept = [line for line in path.read_text().splitlines() if line.split(" =")[0] not in names]
    path.write_text("\n".join([*lines, *kept, ""]))
    return TrustedSeason(season.folder)


def test_a_round_is_logged_with_its_commitment_before_the_first_game(cup):
    event = cup.announce_round(Observer())
    (*_, logged) = Log(cup.folder).events
    assert (logged.run, logged.commitment, logged.players) == (event.run, event.commitment, event.players)
    run = cup.run_of(event)
    assert not list((run.folder / "records").iterdir())
    assert (event.number, event.commitment) == (3, run.info.commitment)
    assert event.commitment == seal.commitment(official.read(run), seal.terms_digest(run.info.facts()))
    assert set(event.players.values()) == {"one@2", "late@1", "two@1"}
    assert (event.closing, event.decides, event.faults) == (False, False, {})
    with pytest.raises(UserError, match="is not played to its end yet"):
        cup.announce_round(Observer())
    with pytest.raises(UserError, match="is not played to its end yet"):
        cup.announce_confirmation("one", "p_win", 0.5, Observer())


def test_no_two_runs_have_a_seed_a_commitment_or_a_name_in_common(cup):
    runs = [cup.run_of(event) for event in cup.announced]
    for name in ("seed", "drawn_seed", "commitment", "seal"):
        assert len({getattr(run.info, name) for run in runs}) == 3
    assert len({event.run for event in cup.announced}) == 3


def test_a_played_round_is_logged_with_its_seal_its_files_and_the_standings(cup):
    event = cup.play_round()
    *_, played, ranked = cup.log.events
    run = cup.run_of(event)
    assert (played.run, played.seal, played.files) == (event.run, run.info.seal, check.digest_of_files(run))
    assert played.is_shown is None
    assert ranked.standings == cup.standings().as_logged
    assert {row[6] for row in ranked.standings["p_win"]} == {4, 6}  # games of all rounds
    assert cup.pending is None


def test_a_confirmation_says_what_it_claims_and_whether_it_was_shown(cup):
    event = cup.announce_confirmation("one", "p05", 30.0, Observer())
    assert (event.number, event.version, event.score, event.value, event.level) == (2, "one@2", "p05", 30.0, 0.0125)
    run = cup.run_of(event)
    assert (run.folder.parent.name, run.info.config.n_games, len(run.info.entries)) == ("confirmations", 100, 1)
    played = cup.play()
    assert played.is_shown is False
    assert not isinstance(cup.log.events[-1], Ranked)  # its games do not count in the standings
    assert sorted(row.n_games for row in cup.standings().tables[0].rows) == [2, 2, 4]
    assert cup.records == {}


@pytest.mark.parametrize(("score", "value"), [("p_win", 0.0), ("p_win", 1.0), ("p05", 0.0), ("p05", -1.0)])
def test_a_record_that_nothing_can_show_is_not_announced(cup, score, value):
    with pytest.raises(UserError, match="should be above 0"):
        cup.announce_confirmation("one", score, value, Observer())
    assert cup.pending is None


def test_a_confirmation_improves_the_record_before_by_the_share_that_is_promised(new_cup):
    season = with_terms(new_cup, "records = { p05 = 20.0 }", "improvement = 0.1")
    send(season, "one", "two")
    with pytest.raises(UserError, match=r"a record of p05 needs 18 or better, got 18.1"):
        season.announce_confirmation("one", "p05", 18.1, Observer())
    with pytest.raises(UserError, match="no score 'p50'"):
        season.announce_confirmation("one", "p50", 18.0, Observer())
    assert season.announce_confirmation("one", "p05", 18.0, Observer()).value == 18.0


def test_a_season_ends_with_a_round_of_the_first_ten(cup):
    event = cup.play_round(closing=True, n_games=3)
    assert (event.closing, cup.run_of(event).info.config.n_games, len(event.players)) == (True, 3, 3)
    assert cup.has_ended
    assert examine(cup).then == (("verify",),)
    for command in (lambda: cup.announce_round(Observer()), lambda: send(cup, "new", epsilon=20.0),
                    lambda: cup.announce_confirmation("one", "p_win", 0.5, Observer())):  # fmt: skip
        with pytest.raises(UserError, match="the season has ended"):
            command()
    cup.void(event.run, "bad memory")
    assert not cup.has_ended
    assert cup.play_round(closing=True, n_games=3).closing


def test_a_shared_first_place_is_decided_by_those_who_share_it_only_if_the_terms_promise_it(new_cup):
    season = with_terms(new_cup, "tie_games = 3", "players = 2")
    send(season, "one", "two", "three")
    season.play_round()
    assert not season.is_undecided  # the season goes on
    season.play_round(closing=True, n_games=2)
    assert season.is_undecided
    event = season.play_round(decides=True)
    assert (event.decides, season.run_of(event).info.config.n_games) == (True, 3)
    assert sorted(event.players.values()) == sorted(version.label for version in season.sharing())
    assert not season.is_undecided  # there is one such round
    assert list(check.problems(season)) == []


def test_a_season_without_that_promise_lets_them_share_the_place(cup):
    cup.play_round(closing=True, n_games=2)
    assert len(cup.sharing()) > 1
    assert not cup.is_undecided


def test_two_who_share_the_first_place_are_undecided_and_who_has_not_played_does_not_share_it(new_cup):
    season = with_terms(new_cup, "tie_games = 3")
    send(season, "one", "two")
    season.play_round(closing=True, n_games=2)
    assert {version.label for version in season.sharing()} == {"one@1", "two@1"}
    assert season.is_undecided
    season.log.add(Submitted(time="2026-11-01T00:00:00+00:00", name="new", number=1, digest="x", file="new.py"))
    assert len(season.standings().tables[0].rows) == 3
    assert {version.label for version in season.sharing()} == {"one@1", "two@1"}


@pytest.mark.parametrize(("days", "is_open"), [(0, True), (1, True), (-1, False)])
def test_the_last_day_of_a_season_is_one_of_it_and_the_closing_round_may_be_later(cup, days, is_open):
    day = datetime.now(UTC).date() + timedelta(days=days)
    season = with_terms(cup, f"deadline = {day}")
    season.note_terms()
    if is_open:
        season.require_in_time()
        assert season.play_round().number == 3
    else:
        with pytest.raises(UserError, match=f"the deadline, {day}, has passed"):
            season.announce_round(Observer())
        with pytest.raises(UserError, match=f"the deadline, {day}, has passed"):
            send(season, "one", epsilon=20.0)
    assert season.play_round(closing=True, n_games=2).closing


@pytest.mark.slow
def test_a_version_that_cannot_be_loaded_twice_is_not_tried_again_and_its_reason_is_logged(cup):
    place = cup.folder / "strategies" / "broken.py"
    place.write_text("import nothing_of_this_name\n")
    cup.submit(place)
    for number in (1, 2):
        event = cup.play_round()
        assert "nothing_of_this_name" in event.faults["broken@1"]
        assert cup.version("broken").n_faults == number
    assert "broken@1" not in cup.play_round().faults
    assert list(check.problems(cup)) == []


def test_a_file_of_two_entries_is_no_version_of_one(cup):
    source = (cup.folder / "strategies" / "two.py").read_text().replace("slate", "abide")
    place = cup.folder / "strategies" / "both.py"
    place.write_text(source + source.replace("class Bot", "class Other"))
    cup.submit(place)
    event = cup.announce_round(Observer())
    assert "it declares 2 entries: send each of them as a version" in event.faults["both@1"]
    assert "both@1" not in event.players.values()


def test_a_round_needs_two_versions_that_can_be_loaded(new_cup):
    send(new_cup, "one")
    with pytest.raises(UserError, match="a round needs at least two versions: "):
        new_cup.announce_round(Observer())
    place = new_cup.folder / "strategies" / "broken.py"
    place.write_text("import nothing_of_this_name\n")
    new_cup.submit(place)
    with pytest.raises(UserError, match="at least two versions that can be loaded"):
        new_cup.announce_round(Observer())
    assert new_cup.announced == []


def test_a_withdrawn_version_does_not_play_and_the_one_before_it_does(cup):
    cup.withdraw("one@2")
    assert set(cup.announce_round(Observer()).players.values()) == {"one@1", "two@1", "late@1"}


def test_games_of_other_conditions_are_not_added_unless_all_start_anew(cup):
    season = with_terms(cup, "memory_mb = 512")
    season.note_terms()
    assert season.what_changed() == "the limits of a game"
    with pytest.raises(UserError, match="the limits of a game changed since the last round"):
        season.announce_round(Observer())
    assert season.pending is None
    event = season.play_round(anew=True)
    assert season.run_of(event).info.config.memory_mb == 512
    assert season.what_changed() == ""
    assert [row.n_games for row in season.standings().tables[0].rows] == [2, 2, 2]


def test_terms_that_change_between_rounds_hold_from_the_next_one_on(cup):
    season = with_terms(cup, "players = 2")
    assert len(season.next_players()) == 3
    event = season.announce_round(Observer())
    opened = [event for event in season.log.events if isinstance(event, SeasonOpened)][-1]
    assert (opened.round, len(event.players)) == (3, 2)
    assert season.log.terms_at(0).players == 4


def test_a_void_round_counts_for_nothing_and_its_number_is_not_used_again(cup):
    before = {row.version.label: row.n_games for row in cup.standings().tables[0].rows}
    event = cup.play_round()
    cup.void(event.run, "bad memory")
    assert {row.version.label: row.n_games for row in cup.standings().tables[0].rows} == before
    assert cup.play_round().number == 4
    with pytest.raises(UserError, match="nothing can become void"):
        cup.void(event.run, "again")


def test_an_announced_round_that_is_void_cannot_be_played_and_its_seed_is_removed(cup):
    event = cup.announce_round(Observer())
    path = official.find(cup.run_of(event))
    cup.void("", "its machine was lost")
    assert not path.exists()
    with pytest.raises(UserError, match="no round is announced"):
        cup.play()
    assert event.run not in {played.run for played in cup.played_rounds}


def test_only_a_run_that_waits_for_its_beacon_has_a_seed_that_nobody_could_know(cup):
    event = cup.announce_confirmation("one", "p05", 30.0, Observer())
    assert cup.void("", "lost").is_known
    event = cup.announce_confirmation("one", "p05", 30.0, Observer(), beacon_from="the lottery")
    assert event.number == 3
    assert cup.is_waiting
    assert not cup.void("", "lost").is_known
    assert [round(level, 6) for level in cup.error_budget.used] == [0.0125, 0.0125]


def test_what_a_crash_has_left_is_removed_unless_it_was_announced_or_has_games(cup):
    folder = cup.folder / "rounds"
    announced = {event.run for event in cup.announced}
    (folder / "left" / "records").mkdir(parents=True)
    (folder / "begun" / ".begun" / "x").mkdir(parents=True)
    (folder / "played" / "records" / "x.jsonl").mkdir(parents=True)
    assert cup.discard_unannounced() == ["left"]
    names = {path.name for part in ("rounds", "confirmations") for path in (cup.folder / part).iterdir()}
    assert names == announced | {"begun", "played"}


def test_the_digest_of_a_run_covers_the_name_and_content_of_each_file_and_refuses_links(cup):
    run = cup.run_of(cup.played_rounds[0])
    before = rounds.digest_of_files(run)
    for part in ("records", "durations", "fingerprints", "repeats", "bundles"):
        path = next(path for path in sorted((run.folder / part).rglob("*")) if path.is_file())
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        assert rounds.digest_of_files(run) != before
        path.write_bytes(content)
        path.rename(path.with_name("other"))
        assert rounds.digest_of_files(run) != before
        path.with_name("other").rename(path)
    assert rounds.digest_of_files(run) == before
    path.unlink()
    path.symlink_to(run.folder / "run.json")
    with pytest.raises(UserError):
        rounds.digest_of_files(run)


def test_a_rehearsal_plays_the_next_players_and_leaves_the_season_as_it_is(cup, tmp_path):
    before = cup.log.path.read_bytes()
    contest = cup.rehearsal(tmp_path / "results")
    assert contest.config.results == tmp_path / "results"
    assert {entry.file.split("/")[-1] for entry in contest.entries} == {"one.py", "two.py", "late.py"}
    assert (cup.log.path.read_bytes(), cup.pending) == (before, None)


def test_the_digest_of_a_run_is_the_same_in_whatever_order_its_files_were_written(cup, tmp_path):
    run = cup.run_of(cup.played_rounds[0])
    files = sorted(path for path in run.folder.rglob("*") if path.is_file())
    for name, order in (("one", files), ("other", files[::-1])):
        for path in order:
            target = tmp_path / name / path.relative_to(run.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
        assert rounds.digest_of_files(type(run)(tmp_path / name)) == rounds.digest_of_files(run)


def test_the_runs_of_a_machine_are_those_that_count(cup):
    machine = cup.ends[cup.announced[0].run].machine
    assert cup.runs_on(machine) == cup.runs_on(machine.partition(":")[0]) == [event.run for event in cup.announced]
    cup.void(cup.announced[1].run, "bad memory")
    assert len(cup.runs_on(machine)) == 2
    with pytest.raises(UserError, match="no run that counts was played on 'other'"):
        cup.runs_on("other")


@pytest.mark.parametrize(("game", "cost"), [("absurdle/1", 101.0), ("wordpl/1", 100.0)])
def test_a_lost_game_costs_in_the_mean_what_its_game_says(game, cost):
    assert SeasonScore.of("mean", game_class(game).facts).highest == cost
