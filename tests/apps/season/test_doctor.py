"""What a season lacks on a machine is named with the next command, and remarks name what only looks wrong."""

import shutil

import pytest

from tests.apps.season.test_check import rewrite, with_values
from tests.helpers.trusted_seasons import TrustedSeason, season_in, send
from wordpl.apps.season.doctor import examine, pending_run
from wordpl.apps.season.log import Voided
from wordpl.apps.season.remarks import remarks
from wordpl.contest import Observer, official
from wordpl.core.messages import UserError


def test_the_next_command_follows_from_what_is_announced_and_here(cup, tmp_path):
    assert examine(season_in(tmp_path / "new")).then == (("submit", "FILE"),)
    assert examine(cup).then == (("round",),)
    with pytest.raises(UserError, match="nothing is announced"):
        pending_run(cup)
    event = cup.announce_round(Observer(), beacon_from="the lottery")
    found = examine(cup)
    assert found.then == (("round", "--beacon", "TEXT"), ("doctor", "--save-seed", "DIR"))
    assert (found.missing, f"The secret seed of {event.run} is in " in found.only_here[0]) == ((), True)
    kept = official.copy_seed(pending_run(cup), tmp_path / "safe")
    official.remove(pending_run(cup))
    found = examine(cup)
    assert [sentence[:24] for sentence in found.missing] == [f"The secret seed of {event.run}"[:24]]
    assert found.then == (("doctor", "--load-seed", "DIR"), ("void", event.run, "--reason", "TEXT"))
    official.restore_seed(pending_run(cup), kept.parent)
    assert examine(cup).missing == ()


def test_each_folder_that_a_machine_lacks_is_named(cup):
    shutil.rmtree(cup.folder / "versions" / "one@1")
    shutil.rmtree(cup.folder / "rounds" / cup.played_rounds[0].run)
    shutil.rmtree(cup.folder / "strategies")
    missing = " ".join(examine(cup).missing)
    for name in ("The files of one@1", f"The folder rounds/{cup.played_rounds[0].run}", "The folder strategies/"):
        assert name in missing
    event = cup.announce_confirmation("late", "p05", 30.0, Observer())
    shutil.rmtree(cup.folder / "confirmations" / event.run)
    found = examine(cup)
    assert f"The folder confirmations/{event.run}" in " ".join(found.missing)
    assert found.then == (("void", event.run, "--reason", "TEXT"),)


def test_a_clock_that_was_set_back_is_a_remark_as_lines_have_an_order_of_their_own(cup):
    assert list(remarks(cup)) == []
    rewrite(cup.folder, lambda events: events[-1].update(time="2020-01-01T00:00:00+00:00"))
    (remark,) = remarks(TrustedSeason(cup.folder))
    assert "the clock was set back by" in remark
    rewrite(cup.folder, lambda events: events[-1].update(time="2999-01-01T00:00:00+00:00"))
    assert any("2999" in remark for remark in remarks(TrustedSeason(cup.folder)))


def test_what_lies_in_a_season_s_folder_and_is_not_of_it_is_a_remark(cup):
    (cup.folder / "queue.py").write_text("import os")
    (cup.folder / "LICENSE-MIT.txt").write_text("")
    (cup.folder / "LICENSE.py").write_text("")
    (cup.folder / ".github").mkdir()
    (cup.folder / ".github" / "run.yml").write_text("")
    (cup.folder / "strategies" / "more.py").write_text("class Bot: pass")
    send(cup, "new", epsilon=40.0)
    said = " ".join(remarks(cup))
    for name in ("queue.py", "more.py", "LICENSE.py", ".github/run.yml is no part"):
        assert name in said
    assert "new.py" not in said and "LICENSE-MIT" not in said


def test_what_an_earlier_release_found_and_whose_seed_is_called_unknown_are_remarks(cup):
    rewrite(cup.folder, with_values("played", 1, release="1.0.0", is_shown=True))
    season = TrustedSeason(cup.folder)
    (remark,) = remarks(season)
    assert "1.0.0 found; the test of today says that it does not show the record" in remark
    event = season.played_rounds[0]
    season.log.add(Voided(time=season.log.events[-1].time, run=event.run, reason="lost", is_known=False))
    assert f"{event.run} is void and called unknown, although nothing here" in " ".join(remarks(season))
