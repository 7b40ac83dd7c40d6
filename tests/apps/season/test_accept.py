"""A round that was played elsewhere is added after everything that it brings has been checked here."""

import json
import re
import shutil
from datetime import UTC, datetime, timedelta

import pytest

from tests.apps.season.test_check import rewrite
from tests.helpers.trusted_seasons import TrustedSeason, send
from wordpl.apps.season.accept import accept, export
from wordpl.apps.season.check import digest_of_files, problems
from wordpl.apps.season.log import digest
from wordpl.contest import run_folder
from wordpl.core.messages import UserError


@pytest.fixture(scope="module")
def elsewhere(played_cup, tmp_path_factory):
    """A copy of the season that has played one round more, with a new version, and what it exports."""
    folder = tmp_path_factory.mktemp("elsewhere")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("state", "cache"):
            patch.setenv(f"XDG_{name.upper()}_HOME", str(folder / name))
        season = TrustedSeason(shutil.copytree(played_cup / "cup", folder / "cup"))
        send(season, "two", epsilon=9.0)
        export(season, season.play_round(), folder / "out")
    return folder


@pytest.fixture
def out(cup, elsewhere, tmp_path):
    """What the other machine brings; the new version is in the season's repository, too."""
    shutil.copyfile(elsewhere / "cup" / "strategies" / "two.py", cup.folder / "strategies" / "two.py")
    return shutil.copytree(elsewhere / "out", tmp_path / "out")


def state_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refusal(season, folder):
    """Return why a round is refused; nothing in the season changes."""
    before, n_events = state_of(season.folder), len(season.log.events)
    with pytest.raises(UserError) as error:
        accept(season, folder)
    assert (state_of(season.folder), len(season.log.events)) == (before, n_events)
    return error.value.message


def edit_run(out, change):
    path = next((out / "rounds").iterdir()) / "run.json"
    facts = json.loads(path.read_text())
    change(facts)
    path.write_text(json.dumps(facts))


def test_a_round_is_added_with_the_versions_before_it_and_the_season_holds(cup, out):
    event = accept(cup, out)
    assert sorted(event.players.values()) == ["late@1", "one@2", "two@2"]
    assert [played.run for played in cup.played_rounds][-1] == event.run
    assert type(cup.log.events[-1]).__name__ == "Ranked"  # the standings are computed here
    assert list(problems(TrustedSeason(cup.folder))) == []
    assert "does not continue the season's log" in refusal(cup, out)  # it has been added already


def test_a_round_does_not_continue_a_season_that_has_changed_since(cup, out):
    cup.withdraw("late")
    assert "does not continue the season's log" in refusal(cup, out)


@pytest.mark.parametrize("line", [
    {"event": "banned", "author": "one", "reason": "mine"},
    {"event": "withdrawn", "version": "late@1"},
    {"event": "disqualified", "version": "late@1", "reason": "mine"},
])  # fmt: skip
def test_nothing_but_versions_and_one_round_is_brought(cup, out, line):
    def change(events):
        place = {"time": events[-3]["time"], "before": "", "release": events[-1]["release"]}
        events.insert(-3, {"event": line["event"], **place, **line})

    rewrite(out, change)
    assert "should add versions and one round that was played to its end, got " in refusal(cup, out)


def test_a_round_is_brought_alone(cup, out):
    time = datetime.now(UTC).isoformat(timespec="seconds")
    rewrite(out, lambda events: [*events, *(event | {"time": time} for event in events[-3:])])
    assert "should add versions and one round that was played to its end, got " in refusal(cup, out)


@pytest.mark.parametrize("change", [lambda events: events[:-2], lambda events: [*events, events[-1]]])
def test_one_round_is_played_to_its_end_and_nothing_else(cup, out, change):
    rewrite(out, change)
    assert "should add versions and one round that was played to its end, got " in refusal(cup, out)


def test_a_round_has_a_name_of_its_own_which_replaces_none(cup, out):
    known, (brought,) = cup.played_rounds[0].run, (out / "rounds").iterdir()
    brought.rename(out / "rounds" / known)
    rewrite(out, lambda events: [event.update(run=known) for event in events[-3:-1]] and None)
    assert f"'{known}' cannot be the name of a new round" in refusal(cup, out)


def test_each_line_is_the_one_that_the_season_would_have_logged(cup, out):
    rewrite(out, lambda events: events[-3].update(release="0.1"))
    assert "differs from what the season would have logged" in refusal(cup, out)


def test_an_entry_that_looks_like_another_one_is_refused_from_elsewhere_too(cup, out):
    shutil.move(cup.folder / "strategies" / "two.py", cup.folder / "strategies" / "tw0.py")
    rewrite(out, lambda events: events[-4].update(name="tw0", number=1, file="tw0.py"))
    assert "tw0 looks like two" in refusal(cup, out)


def test_the_season_chooses_who_plays(cup, out):
    rewrite(out, lambda events: events[-3]["players"].popitem() and None)
    assert "the next players are late@1, one@2, two@2" in refusal(cup, out)


@pytest.mark.parametrize("kind", ["closing", "decides"])
def test_a_round_that_ends_a_season_is_played_by_the_host_alone(cup, out, kind):
    rewrite(out, lambda events: events[-3].update({kind: True}))
    assert "the round was played by" in refusal(cup, out)


def test_changed_terms_are_those_of_the_season_s_own_repository(cup, out, elsewhere):
    text = "memory_mb = 512\n" + (cup.folder / "season.toml").read_text()
    terms = {"event": "opened", "time": cup.log.events[-1].time, "before": "", "release": cup.log.events[-1].release}
    terms |= {"terms": digest(text.encode()), "text": text, "round": 3, "format": 2}
    rewrite(out, lambda events: events.insert(-4, terms))
    assert "the round was played under another season.toml" in refusal(cup, out)


@pytest.mark.parametrize(("name", "value"), [("memory_mb", 4096), ("n_games", 7), ("total_s", 9.0)])
def test_other_limits_than_those_of_the_terms_are_refused(cup, out, name, value):
    edit_run(out, lambda facts: facts["config"].update({name: value}))
    assert "was played under other terms than those of season.toml" in refusal(cup, out)


def test_versions_are_those_of_the_season_s_own_repository(cup, out):
    place = cup.folder / "strategies" / "two.py"
    place.write_text(place.read_text() + "# not merged\n")
    assert "two@2 differs from the next version of strategies/two.py" in refusal(cup, out)
    place.unlink()
    assert "strategies/ has no such entry" in refusal(cup, out)


def test_an_author_s_quota_holds_for_versions_from_elsewhere(cup, out):
    for epsilon in (11.0, 12.0, 13.0):  # as many as the terms allow
        send(cup, "two", epsilon=epsilon)
    own = [json.loads(line) for line in cup.log.lines()]
    rewrite(out, lambda events: [*own, *(event | {"time": own[-1]["time"]} for event in events[-4:])])
    rewrite(out, lambda events: events[-4].update(number=5))
    assert "two has sent 3 versions since the last round; 3 are allowed" in refusal(cup, out)


def test_nobody_who_is_banned_comes_back_from_elsewhere(cup, out):
    cup.ban("two", "knew the secrets")
    own = [json.loads(line) for line in cup.log.lines()]
    rewrite(out, lambda events: [*own, *(event | {"time": own[-1]["time"]} for event in events[-4:])])
    assert "two is banned: knew the secrets" in refusal(cup, out)


@pytest.mark.parametrize("part", ["records", "durations", "bundles"])
def test_files_that_were_changed_on_their_way_are_refused(cup, out, part):
    path = next(path for path in sorted((out / "rounds").rglob("*")) if path.is_file() and part in path.parts)
    path.write_bytes(path.read_bytes() + b"\n")
    assert "has changed since it was played" in refusal(cup, out) or "differs from its seal" in refusal(cup, out)


def test_games_that_do_not_follow_from_the_seed_are_refused_although_they_are_sealed(cup, elsewhere, tmp_path):
    shutil.copyfile(elsewhere / "cup" / "strategies" / "two.py", cup.folder / "strategies" / "two.py")
    other = TrustedSeason(shutil.copytree(elsewhere / "cup", tmp_path / "other"))
    event = other.played_rounds[-1]
    run = other.run_of(event)
    path = run.entries[0].records_path
    path.write_text(re.sub(r'("crane",[^"]*")(.)', lambda known: known[1] + ("i" if known[2] == "." else "."),
                           path.read_text(), count=1))  # fmt: skip
    run.finish(run.info.finished)
    rewrite(other.folder, lambda events: events[-2].update(seal=run.info.seal, files=digest_of_files(run)))
    export(other, event, tmp_path / "out")
    assert "expected" in refusal(cup, tmp_path / "out")


@pytest.mark.parametrize("shift", [timedelta(days=-400), timedelta(days=1)])
def test_times_before_those_of_the_season_and_in_the_future_are_refused(cup, out, shift):
    time = (datetime.now(UTC) + shift).isoformat(timespec="seconds")
    rewrite(out, lambda events: [event.update(time=time) for event in events[-4:]] and None)
    assert "the times of the new events are impossible" in refusal(cup, out)


def test_lines_that_are_not_written_as_wordpl_writes_them_are_refused(cup, out):
    rewrite(out, lambda events: events[-3].update(note="x"))
    assert "is not written as wordpl writes it" in refusal(cup, out)


def test_a_round_waits_for_the_bridge_to_other_conditions(cup, out, monkeypatch):
    own = run_folder.versions()
    monkeypatch.setattr(run_folder, "versions", lambda: own | {"numpy": "0"})
    assert "numpy changed since the last round: play a round on the season itself, after a bridge" in refusal(cup, out)


@pytest.mark.parametrize("name", ["wordpl", "rules", "library"])
def test_a_round_of_other_software_is_refused(cup, out, name):
    edit_run(out, lambda facts: facts["versions"].update({name: "0"}))
    assert "was played by another version of wordpl" in refusal(cup, out)


def test_a_link_is_no_round(cup, out, tmp_path):
    round_ = next((out / "rounds").iterdir())
    round_.rename(tmp_path / "target")
    round_.symlink_to(tmp_path / "target")
    assert "is not a folder" in refusal(cup, out)


def test_what_a_crash_has_left_of_a_round_is_replaced_by_it(cup, out):
    left = cup.folder / "rounds" / next((out / "rounds").iterdir()).name
    left.mkdir()
    (left / "half").touch()
    accept(cup, out)
    assert not (left / "half").exists()
    assert list(problems(TrustedSeason(cup.folder))) == []
