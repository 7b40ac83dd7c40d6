"""A year of a season: upgrades, lost machines, a dispute, a removal, a ban, a tie, the end; each verified."""

import shutil
from textwrap import dedent

import pytest

from tests.apps.season.test_bridge import BY_CHANCE
from tests.apps.season.test_promises import clone_of
from tests.apps.season.test_season import bot, isolated, new_season, own_folders, submit  # noqa: F401
from tests.helpers.cli import wordpl
from wordpl.apps.season import log
from wordpl.apps.season.season import Season
from wordpl.contest import run_folder

TERMS = {
    "games": 60,
    "players": 8,
    "leaders": 2,
    "confirmations": 3,
    "confirmation_games": 100,
    "versions_per_round": 9,
}


class Year:
    """A season whose folder moves from machine to machine, with the digests that were published."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.monkeypatch, self.published = folder, monkeypatch, []
        self.n_machines = 1

    @property
    def season(self):
        return Season(self.folder)

    def run(self, *words, code=0):
        options = () if words[0] in ("withdraw", "disqualify", "ban", "void", "bridge", "doctor") else ("--quiet",)
        if words[0] in ("round", "confirm", "end"):
            options += ("--jobs", "1")
        result = wordpl("season", *words, "-C", self.folder, *options)
        assert result.exit_code == code, result.output
        self.verify()
        return result.output

    def verify(self):
        """Verify the season, and that it continues what was published last, and with that all before."""
        for digest in self.published[-1:]:
            result = wordpl("season", "verify", "-C", self.folder, "--digest", digest)
            assert result.exit_code == 0, result.output
        self.published.append(self.season.log.last_digest)

    def upgrade(self, release, library=""):
        """Install another release, whose code players do or do not see."""
        self.monkeypatch.setattr(log, "own_release", lambda: release)
        if library:
            self.monkeypatch.setattr(run_folder, "_digest_of", lambda parts: library)

    def move(self):
        """Go on in a clone on another machine, which has neither the seeds nor the empty folders of this one."""
        self.n_machines += 1
        shutil.rmtree(self.folder / ".git", ignore_errors=True)
        self.folder = clone_of(self.folder, self.folder.parent / f"machine{self.n_machines}")
        self.monkeypatch.setenv("XDG_STATE_HOME", str(self.folder.parent / f"state{self.n_machines}"))
        self.monkeypatch.setenv("HOME", str(self.folder.parent / f"home{self.n_machines}"))


@pytest.mark.long
@pytest.mark.timeout(1800)
@isolated
def test_a_year_of_a_season(tmp_path, own_folders, monkeypatch):  # noqa: F811
    submit(new_season(tmp_path / "machine1", authors='team = ["ann", "bea"]', **TERMS), "ann", "ben", "cleo", "dora")
    year = Year(tmp_path / "machine1", monkeypatch)
    year.run("round")
    year.run("confirm", "ann", "--score", "p_win", "--value", "0.0001", code=0)

    # January: an upgrade that changes nothing for players; a machine is lost before anything is announced.
    year.upgrade("2.0.1")
    year.move()
    submit(year.season, "bea", epsilon=6.5)
    year.run("round")
    assert {row.n_games for row in year.season.standings().tables[0].rows} == {60, 120}

    # March: a machine is lost after an announcement; the copy of its seed is restored.
    year.run("round", "--beacon-from", "the lottery of 1 March")
    year.run("doctor", "--save-seed", tmp_path / "safe")
    year.move()
    year.run("doctor", code=1)
    year.run("doctor", "--load-seed", tmp_path / "safe")
    year.run("round", "--beacon", "1 2 3")

    # May: another one is lost with its seed, before the beacon was known; nothing counts as used.
    year.run("confirm", "ben", "--score", "p05", "--value", "30", "--beacon-from", "the lottery of 1 May")
    year.move()
    year.run("void", "--reason", "its machine was stolen")
    assert len(year.season.error_budget.used) == 1

    # June: an upgrade that changes the code of the posterior; one entry then plays otherwise.
    (year.folder / "strategies").mkdir(exist_ok=True)
    (year.folder / "strategies" / "eve.py").write_text(dedent(BY_CHANCE))
    year.season.submit(year.folder / "strategies" / "eve.py")
    year.run("round")
    year.upgrade("2.1.0", library="0" * 16)
    assert "would no longer be comparable" in year.run("round", code=1)
    said = year.run("bridge")
    assert "eve@1 starts anew" in said
    assert "ben@1 keeps its games" in said
    year.run("round")
    games = {row.version.name: row.n_games for row in year.season.standings().tables[0].rows}
    assert games["ben"] == max(games.values()) > games["eve"] == 60

    # August: a dispute over a machine, a removal, a ban.
    machine = year.season.ends[year.season.played_rounds[-1].run].machine
    run = year.season.played_rounds[-1].run
    assert machine
    year.run("void", run, "--reason", "its memory was faulty")
    assert run not in {event.run for event in year.season.played_rounds}
    year.run("disqualify", "cleo@1", "--reason", "knew the secrets")
    year.run("ban", "eve", "--reason", "sent a hostile version")
    bot(year.folder / "strategies", "eve", 20.0)
    assert "eve is banned" in wordpl("season", "submit", year.folder / "strategies/eve.py", "-C", year.folder).output
    terms = year.folder / "season.toml"
    terms.write_text(terms.read_text().replace("games = 60", "games = 61"))
    assert "games was promised when the season opened" in wordpl("season", "round", "-C", year.folder).output
    terms.write_text(terms.read_text().replace("games = 61", "games = 60"))

    # December: the end, with a tie.
    year.run("end", "--games", "80")
    assert year.season.has_ended
    rows = year.season.standings().tables[0].rows
    assert sum(row.first_rank == 1 for row in rows) > 1
    final = (year.folder / "FINAL.md").read_text()
    assert "the first place is shared by" in final
    assert f"Season of {year.season.log.events[0].time[:10]} to " in final
    assert year.season.log.last_digest in final
    assert {row.version.author for row in rows} == {"team", "ben", "dora"}
    assert "the season has ended" in wordpl("season", "round", "-C", year.folder).output
    assert sum(year.season.error_budget.used) <= 0.05
    year.move()
    year.verify()

    # A newer release checks it: what is known stays, and pages are those of the release that wrote them.
    year.upgrade("3.0.0", library="1" * 16)
    result = wordpl("season", "verify", "-C", year.folder, "--digest", year.published[0])
    assert result.exit_code == 0, result.output
