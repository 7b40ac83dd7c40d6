"""The log of a season: each line is bound to the one before, and nothing that is read changes what was written."""

import os
from hashlib import sha256

import pytest

from tests.helpers.trusted_seasons import TrustedSeason, send
from wordpl.apps.season import log
from wordpl.apps.season.check import problems
from wordpl.core.messages import UserError
from wordpl.run.bundle import Bundle


def test_each_line_has_the_digest_of_the_whole_line_before(cup):
    lines = cup.log.path.read_bytes().splitlines()
    assert len(lines) == len(cup.log.events) == len(cup.log.digests) > 9
    digests = [sha256(line).hexdigest() for line in lines]
    for before, event in zip(["", *digests], cup.log.events, strict=False):
        assert event.before == before
    assert cup.log.last_digest == digests[-1]
    assert cup.log.until(3).last_digest == cup.log.digests[2]


@pytest.mark.parametrize(("place", "other"), [(0, "1"), (1, ""), (4, "0" * 64), (8, "")])
def test_a_line_that_is_not_bound_to_the_one_before_is_refused(cup, place, other):
    lines = cup.log.path.read_bytes().splitlines()
    old, new = (f'"before":"{digest}"'.encode() for digest in (cup.log.events[place].before, other))
    assert old in lines[place]
    lines[place] = lines[place].replace(old, new)
    cup.log.path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(UserError, match=f"line {place + 1} of .* does not follow the line before it"):
        log.Log(cup.folder)


def test_an_event_is_added_or_the_log_stays_as_it_was(cup, monkeypatch):
    """A disk that fills up, or a crash, between the bytes of a line leaves no half of it."""
    before = cup.log.path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        cup.withdraw("late@1")
    monkeypatch.undo()
    assert cup.log.path.read_bytes() == before
    assert TrustedSeason(cup.folder).version("late@1").is_active


def test_events_that_belong_together_are_all_added_or_none(cup):
    before, events = cup.log.path.read_bytes(), list(cup.log.events)
    with pytest.raises(KeyboardInterrupt), cup.log.together():
        cup.withdraw("late@1")
        raise KeyboardInterrupt
    assert (cup.log.path.read_bytes(), cup.log.events, len(cup.log.digests)) == (before, events, len(events))
    with cup.log.together():
        cup.withdraw("late@1")
        cup.withdraw("two@1")
        assert cup.log.path.read_bytes() == before
    assert len(TrustedSeason(cup.folder).log.events) == len(events) + 2


def test_the_past_of_a_log_has_the_terms_and_the_versions_of_its_time(cup):
    path = cup.folder / "season.toml"
    path.write_text(path.read_text() + '[authors]\nteam = ["new"]\n')
    season = TrustedSeason(cup.folder)
    n_events = len(season.log.events)
    send(season, "new", epsilon=20.0)
    assert season.version("new").author == "team"
    past = season.until(n_events)
    assert (past.terms.authors, len(past.versions)) == ({}, 4)
    assert season.log.terms_at(n_events).authors == {"team": ["new"]}  # from its own line on
    assert season.log.terms_at(n_events - 1).authors == {}


def test_the_standings_of_the_past_are_of_its_rounds(cup):
    first = next(place for place, event in enumerate(cup.log.events) if isinstance(event, log.Ranked))
    assert [len(season.standings().rounds) for season in (cup, cup.until(first + 1), cup)] == [2, 1, 2]
    send(cup, "new", epsilon=20.0)
    assert len(cup.standings().tables[0].rows) == 4, "they follow each event"


def test_versions_are_counted_for_the_quota_from_the_last_announced_round_on(cup):
    def everybody(name):
        return True

    assert cup.log.n_since_round(everybody) == 0
    send(cup, "two", epsilon=20.0)
    send(cup, "late", epsilon=21.0)
    assert cup.log.n_since_round(everybody) == 2
    assert cup.log.n_since_round(lambda name: name == "two") == 1
    cup.play_round()
    assert cup.log.n_since_round(everybody) == 0


def test_files_that_a_crash_has_left_are_no_part_of_a_version(cup):
    for name in ("two@2", ".two@2.new"):
        (cup.folder / "versions" / name).mkdir()
        (cup.folder / "versions" / name / "left.py").write_text("")
    send(cup, "two", epsilon=20.0)
    assert [path.name for path in (cup.folder / "versions" / "two@2").iterdir()] == ["two.py"]
    version = cup.version("two")
    assert Bundle.of(version.place(cup.folder)).digest == version.digest
    assert list(problems(TrustedSeason(cup.folder))) == []


def test_only_lines_before_it_can_be_said_to_be_written_anew(cup):
    """A line may not excuse itself or a later one from the chain."""
    n_lines = len(cup.log.events)
    for place in (n_lines + 1, n_lines + 2, 0):
        season = TrustedSeason(cup.folder)
        kept = season.log.path.read_bytes()
        season.log.add(log.Anonymized(time="", author="author-1", digest="", lines={place: ("0" * 64, "0" * 64)}))
        assert log.Log(cup.folder).replaced == {}
        season.log.path.write_bytes(kept)


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "a b", "ä", "x" * 61, "-x"])
def test_a_name_that_is_no_plain_name_is_refused(tmp_path, name):
    if name:
        with pytest.raises(UserError, match="cannot be the name of an entry"):
            log.version_name(tmp_path / "x.py", name)
    assert log.version_name(tmp_path / "x.py") == "x"
    (tmp_path / "x.y").mkdir()
    assert log.version_name(tmp_path / "x.y") == "x.y"
