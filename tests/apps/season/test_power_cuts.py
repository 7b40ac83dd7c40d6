"""Whatever a power cut, a full disk or Ctrl-C leaves of a season is a state of it, and the next command goes on."""

import errno
import os
import random
import shutil
from hashlib import sha256

import pytest

from tests.apps.season.test_anonymize import places_with, totals
from tests.apps.season.test_season import bot, isolated, new_season, submit
from tests.helpers.cli import wordpl
from tests.helpers.killed_runs import content
from tests.helpers.power_cuts import Recorder, full_from, once_at, recording, restore, some_or_all
from tests.helpers.trusted_seasons import send
from wordpl.apps.season import accept
from wordpl.apps.season.check import problems
from wordpl.apps.season.log import Anonymized, Round
from wordpl.apps.season.rounds import digest_of_files
from wordpl.apps.season.season import Season
from wordpl.contest import Observer, official
from wordpl.core.messages import UserError
from wordpl.run.bundle import Bundle
from wordpl.run.entry import JOURNALS
from wordpl.run.folder import RUN_JSON, Run
from wordpl.verify import verify


@pytest.fixture(autouse=True)
def nothing_waits_for_the_disk(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda file: None)


def kinds(season):
    return [type(event).__name__ for event in season.log.events]


@pytest.fixture
def sent(tmp_path):
    """Return a season with one version, and a further entry."""
    season = new_season(tmp_path / "cup")
    submit(season, "one")
    bot(season.folder / "strategies", "two", 7.0)
    return season


def is_whole(season):
    return all(Bundle.of(version.place(season.folder)).digest == version.digest for version in season.versions)


@pytest.mark.parametrize("n_disks", [12, pytest.param(None, marks=pytest.mark.slow)])
def test_an_entry_is_sent_or_not_and_can_be_sent_again(sent, tmp_path, n_disks):
    with recording(sent.folder) as recorder:
        sent.submit(sent.folder / "strategies" / "two.py")
    expected = [(version.label, version.digest) for version in sent.versions]
    for cut, files in recorder.disks(n_disks):
        season = Season(restore(files, tmp_path / "cut"))
        assert len(season.versions) in (1, 2), cut
        assert len(season.versions) == 2 or int(cut.split()[1]) < len(recorder.kinds), cut
        assert is_whole(season), cut
        season.submit(season.folder / "strategies" / "two.py")
        assert [(version.label, version.digest) for version in season.versions] == expected, cut
        assert is_whole(Season(season.folder)), cut


@pytest.mark.parametrize("n_tries", [4, pytest.param(None, marks=pytest.mark.slow)])
def test_a_full_disk_or_ctrl_c_leaves_a_season_as_it_was(sent, tmp_path, n_tries):
    shutil.copytree(sent.folder, tmp_path / "counted")
    with recording(tmp_path / "counted") as recorder:
        Season(tmp_path / "counted").submit(tmp_path / "counted" / "strategies" / "two.py")
    faults = [full_from, lambda place: once_at(place, OSError(errno.EIO, "broken")),
              lambda place: once_at(place, KeyboardInterrupt())]  # fmt: skip
    tries = [(place, fault) for place in range(len(recorder.kinds)) for fault in faults]
    for number, (place, fault) in enumerate(random.Random(1).sample(tries, n_tries or len(tries))):
        folder = shutil.copytree(sent.folder, tmp_path / f"{number}")
        season = Season(folder)
        with Recorder(folder, fault(place)):
            try:
                season.submit(folder / "strategies" / "two.py")
            except OSError as error:
                assert error.filename  # the command says where, and what to do
            except KeyboardInterrupt:
                pass
        assert is_whole(Season(folder))
        season = Season(folder)
        season.submit(folder / "strategies" / "two.py")
        assert [version.label for version in Season(folder).versions] == ["one@1", "two@1"]


def test_a_full_disk_is_told_with_what_to_do_and_what_is_kept(sent):
    with Recorder(sent.folder, full_from(4)):
        result = wordpl("season", "submit", sent.folder / "strategies" / "two.py", "-C", sent.folder)
    assert result.exit_code == 1
    told = "No space left on device. Free some disk space, then repeat the command: what was there is kept."
    assert told in " ".join(result.stderr.split())


@pytest.fixture
def disk(tmp_path, monkeypatch):
    """Return a folder with a season of two versions in cup/, where the seed of a round is kept, too."""
    folder = tmp_path / "disk"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    submit(new_season(folder / "cup", games=4), "one", "two")
    return folder


STATES = [["SeasonOpened", "Submitted", "Submitted"]]
STATES += [[*STATES[0], "Round"], [*STATES[0], "Round", "RunPlayed", "Ranked"]]


@isolated
@pytest.mark.parametrize("n_disks", some_or_all(40))
def test_a_round_is_announced_or_not_and_played_to_the_same_end(disk, tmp_path, monkeypatch, n_disks):
    season = Season(disk / "cup")
    with recording(disk) as recorder:
        season.announce_round(Observer(), jobs=1)
        n_announced = len(recorder.kinds)
        season.play(Observer(), jobs=1)
    assert kinds(season) == STATES[2]
    (event,) = (event for event in season.log.events if isinstance(event, Round))
    expected, n_played = content(season.run_of(event).folder), 0
    ended = 2 + max(
        place for place, (kind, name) in enumerate(recorder.kinds) if (kind, name[-8:]) == ("rename", RUN_JSON)
    )
    just_ended = f"cut {ended}, when the run had just ended", recorder.disk(ended, "all", "all", random.Random(1))
    for cut, files in [*recorder.disks(n_disks), just_ended]:
        folder = restore(files, tmp_path / "cut")
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
        left, n_done = Season(folder / "cup"), int(cut.split()[1].strip(","))
        state = STATES.index(kinds(left))
        assert state >= (n_done >= n_announced) + (n_done == len(recorder.kinds)), cut
        assert is_whole(left), cut
        if state == 0:
            assert left.pending is None, cut
            continue
        run = left.run_of(event)
        assert not run.damage, cut
        assert run.info.finished or len(official.read(run)) > 20, cut
        assert all(run.store.holds(digest) for entry in run.info.entries for digest in entry.digests), cut
        is_tried = n_played < (1 if n_disks else 12) and random.Random(cut).random() < 0.2
        if state == 1 and (run.info.finished or is_tried):
            n_played += not run.info.finished
            played = left.play(Observer(), jobs=1)
            assert played.files == digest_of_files(Run(run.folder)), cut
            assert not (run.folder / JOURNALS).exists(), cut
        if kinds(left) == STATES[2]:
            found = content(left.run_of(event).folder)
            assert found.keys() == expected.keys(), cut
            assert [name for name in found if found[name] != expected[name]] == [], cut
            assert left.log.events[-1].standings == season.log.events[-1].standings, cut


def announced(season, what):
    """Announce a round or a confirmation, and return its event."""
    if what == "round":
        return season.announce_round(Observer(), jobs=1)
    return season.announce_confirmation("one", "p_win", 0.5, Observer(), jobs=1)


@isolated
@pytest.mark.parametrize("what", ["round", "confirmation"])
@pytest.mark.parametrize("n_tries", [pytest.param(1, marks=pytest.mark.slow), pytest.param(24, marks=pytest.mark.long)])
def test_a_full_disk_or_ctrl_c_stops_a_round_or_confirmation_that_can_go_on(disk, tmp_path, monkeypatch, what, n_tries):
    with recording(shutil.copytree(disk, tmp_path / "counted")) as recorder:
        season = Season(tmp_path / "counted" / "cup")
        announced(season, what)
        season.play(Observer(), jobs=1)
    expected = kinds(season)
    faults = [full_from, lambda place: once_at(place, KeyboardInterrupt())]
    tries = [(place, fault) for place in range(len(recorder.kinds)) for fault in faults]
    for place, fault in random.Random(1).sample(tries, n_tries):
        folder = shutil.copytree(disk, tmp_path / "try")
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
        season = Season(folder / "cup")
        with Recorder(folder, fault(place)):
            try:
                announced(season, what)
                season.play(Observer(), jobs=1)
            except (OSError, UserError) as error:
                assert "ree some disk space" in getattr(error, "message", "") or error.filename
            except KeyboardInterrupt:
                pass
        season = Season(folder / "cup")
        if kinds(season) == STATES[0]:
            announced(season, what)
        if kinds(season) != expected:
            season.play(Observer(), jobs=1)
        (event,), end = season.announced, season.log.events[-1 if what == "confirmation" else -2]
        assert kinds(season) == expected, (place, recorder.kinds[place])
        run = season.run_of(event)
        assert end.files == digest_of_files(Run(run.folder))
        assert not run.damage
        assert verify(run, run.info.config.load_lists()).differences == []
        assert [path.name for path in run.folder.parent.iterdir()] == [event.run]
        shutil.rmtree(folder)


@isolated
@pytest.mark.parametrize("n_disks", some_or_all(12))
def test_a_confirmation_is_announced_or_not_and_played_to_the_same_end(disk, tmp_path, monkeypatch, n_disks):
    season = Season(disk / "cup")
    with recording(disk) as recorder:
        event = announced(season, "confirmation")
        n_announced = len(recorder.kinds)
        season.play(Observer(), jobs=1)
    expected = content(season.run_of(event).folder)
    for cut, files in recorder.disks(n_disks):
        folder, n_done = restore(files, tmp_path / "cut"), int(cut.split()[1])
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
        left = Season(folder / "cup")
        found = kinds(left)[3:]
        assert found in ([], ["Confirmation"], ["Confirmation", "RunPlayed"]), cut
        assert len(found) >= (n_done >= n_announced) + (n_done == len(recorder.kinds)), cut
        if not found:
            continue
        run = left.run_of(event)
        assert run.info.finished or len(official.read(run)) > 20, cut
        if len(found) == 1 and run.info.finished:
            left.play(Observer(), jobs=1)
        if len(kinds(left)) == 5:
            assert content(run.folder) == expected, cut
            assert left.log.events[-1].is_shown == season.log.events[-1].is_shown, cut


@isolated
@pytest.mark.parametrize(
    "n_disks", [pytest.param(20, marks=pytest.mark.slow), pytest.param(80, marks=pytest.mark.long)]
)
def test_a_round_that_somebody_brings_is_accepted_as_a_whole_or_not_at_all(disk, tmp_path, monkeypatch, n_disks):
    season = Season(shutil.copytree(disk / "cup", disk / "guest"))
    season.announce_round(Observer(), jobs=1)
    season.play(Observer(), jobs=1)
    accept.export(season, next(event for event in season.log.events if isinstance(event, Round)), tmp_path / "brought")
    with recording(disk / "cup") as recorder:
        accept.accept(Season(disk / "cup"), tmp_path / "brought")
    for cut, files in recorder.disks(n_disks):
        left = Season(restore(files, tmp_path / "cut"))
        assert kinds(left) in (STATES[0], STATES[2]), cut
        if kinds(left) == STATES[0]:
            assert int(cut.split()[1]) < len(recorder.kinds), cut
            accept.accept(left, tmp_path / "brought")
        (event,) = (event for event in left.log.events if isinstance(event, Round))
        assert content(left.run_of(event).folder) == content(season.run_of(event).folder), cut
        assert not Run(left.run_of(event).folder).damage


@pytest.fixture
def with_xantippe(cup, monkeypatch):
    """Return the folder of a season in which one more author has played and has a page."""
    send(cup, "xantippe", epsilon=30.0)
    cup.play_round()
    assert wordpl("season", "site", "-C", cup.folder).exit_code == 0
    return cup.folder


def require_all_replaced(folder, expected, cut):
    """Check that the season has lost the name and nothing else, after the command was given once more."""
    result = wordpl("season", "anonymize", "xantippe", "-C", folder)
    if result.exit_code != 0:
        assert "no version of the season is by 'xantippe'" in result.stderr, cut
    assert places_with(folder, ["xantippe"]) == [], cut
    assert not (folder / "anonymized").exists(), cut
    season = Season(folder)
    assert totals(season) == expected, cut
    (replaced,) = (event for event in season.log.events if isinstance(event, Anonymized))
    assert result.exit_code or replaced.digest == sha256(f"{result.stdout.split()[-1]}/xantippe".encode()).hexdigest()
    assert list(problems(season)) == [], cut


@pytest.mark.parametrize("n_disks", [pytest.param(5, marks=pytest.mark.slow), pytest.param(20, marks=pytest.mark.long)])
def test_a_name_is_replaced_in_all_files_or_in_none_after_any_power_cut(with_xantippe, tmp_path, n_disks):
    expected, n_before = totals(Season(with_xantippe)), len(places_with(with_xantippe, ["xantippe"]))
    with recording(with_xantippe) as recorder:
        assert wordpl("season", "anonymize", "xantippe", "-C", with_xantippe).exit_code == 0
    for cut, files in recorder.disks(n_disks):
        folder = restore(files, tmp_path / "cut")
        if (folder / "anonymized" / "log.jsonl").exists():
            with pytest.raises(UserError, match="repeat `wordpl season anonymize AUTHOR`"):
                Season(folder)
        else:
            shown = [version.name for version in Season(folder).versions]
            assert totals(Season(folder)) == expected, cut
            assert "xantippe" not in shown or len(places_with(folder, ["xantippe"])) >= n_before, cut
        require_all_replaced(folder, expected, cut)


@pytest.mark.parametrize("n_tries", [pytest.param(5, marks=pytest.mark.slow), pytest.param(20, marks=pytest.mark.long)])
def test_a_full_disk_or_ctrl_c_stops_the_replacement_of_a_name_which_can_be_repeated(with_xantippe, tmp_path, n_tries):
    expected = totals(Season(with_xantippe))
    words = ("season", "anonymize", "xantippe", "-C")
    with recording(shutil.copytree(with_xantippe, tmp_path / "counted")) as recorder:
        wordpl(*words, tmp_path / "counted")
    faults = [full_from, lambda place: once_at(place, KeyboardInterrupt())]
    tries = [(place, fault) for place in range(len(recorder.kinds)) for fault in faults]
    for place, fault in random.Random(1).sample(tries, n_tries or len(tries)):
        folder = shutil.copytree(with_xantippe, tmp_path / "try")
        with Recorder(folder, fault(place)):
            result = wordpl(*words, folder)
        told = "No space left on device" in result.stderr or "Stopped." in result.stderr
        assert told or result.exit_code == 0, (place, result.output)
        require_all_replaced(folder, expected, (place, recorder.kinds[place]))
        shutil.rmtree(folder)
