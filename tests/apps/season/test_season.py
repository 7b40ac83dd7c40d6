"""A season from its first version to its verification, with official runs of tiny strategies."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from textwrap import dedent

import numpy as np
import pytest

from tests.helpers.cli import wordpl
from tests.release_1_0_0.corpus import unpacked
from wordpl import games
from wordpl.apps.season import check, report
from wordpl.apps.season import site as season_site
from wordpl.apps.season.credits import Credits, SeasonScore
from wordpl.apps.season.log import Round, Submitted
from wordpl.apps.season.season import Season
from wordpl.apps.season.standings import reaches, required
from wordpl.apps.season.terms import SeasonTerms
from wordpl.contest import Contest
from wordpl.core.messages import UserError
from wordpl.players.sandbox.probe import probe
from wordpl.reports.elements import Entry
from wordpl.run.bundle import Bundle, FileTree

BOT = """
    class Bot:
        def first_move(self):
            return "crane", {epsilon}

        def next_move(self, guess, epsilon, clues):
            return "slate", 0
"""
isolated = pytest.mark.skipif(not probe().level.is_official, reason="needs Landlock or bubblewrap")


@pytest.fixture
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def new_season(folder, authors="", **values):
    result = wordpl("season", "new", folder, "--no-bundled", "--score", "p_win", "--score", "p05")
    assert result.exit_code == 0, result.output
    path = folder / "season.toml"
    values = {"games": 8, "players": 4, "leaders": 1, "confirmations": 2, "confirmation_games": 100} | values
    lines = path.read_text().splitlines()
    for name, value in values.items():
        lines = [f"{name} = {value}" if line.startswith(f"{name} =") else line for line in lines]
    path.write_text("\n".join([*lines, authors, ""]))
    return Season(folder)


def bot(folder, name, epsilon=5.0):
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.py"
    path.write_text(dedent(BOT.format(epsilon=epsilon)))
    return path


def submit(season, *names, epsilon=5.0):
    for number, name in enumerate(names):
        season.submit(bot(season.folder / "strategies", name, epsilon + number / 8))


def test_versions_have_numbers_owners_and_one_of_each_author_is_ranked(tmp_path):
    season = new_season(tmp_path / "cup", authors='ada = ["one", "two"]')
    for name, epsilon in (("one", 5.0), ("two", 6.0), ("one", 7.0), ("other", 8.0)):
        submit(season, name, epsilon=epsilon)
    assert [version.label for version in season.versions] == ["one@1", "two@1", "one@2", "other@1"]
    assert [version.author for version in season.versions] == ["ada", "ada", "ada", "other"]
    assert season.ranked == [2, 3]
    season.withdraw("one@2")
    assert season.ranked == [1, 3]
    assert season.version("one").label == "one@1"
    season.disqualify("other", "knew the secrets")
    assert season.ranked == [1]
    assert season.versions[3].disqualified == "knew the secrets"
    n_events = len(season.log.events)
    season.withdraw("other@1")
    assert len(season.log.events) == n_events, "it does not play anyway"
    assert season.next_number("other") == 2
    with pytest.raises(UserError, match="no version 'other'"):
        season.version("other")
    with pytest.raises(UserError, match="is a season already"):
        Season.new(season.folder, "Cup", "wordpl/1", ["p50"])
    with pytest.raises(UserError, match="needs a reason"):
        season.disqualify("one@1", " ")


def test_equal_files_are_one_version(tmp_path):
    season = new_season(tmp_path / "cup")
    submit(season, "one")
    assert season.submit(season.folder / "strategies" / "one.py") == (season.versions[0], False)
    season.withdraw("one")
    with pytest.raises(UserError, match="same files as one@1, which was withdrawn"):
        season.submit(season.folder / "strategies" / "one.py")


def test_two_strategies_of_a_file_are_versions_of_two_names(tmp_path):
    season = new_season(tmp_path / "cup")
    place = bot(tmp_path / "sent", "both")
    place.write_text(place.read_text() + dedent(BOT.format(epsilon=7.0)).replace("Bot", "Other"))
    sent = [season.submit(place, make, name) for make, name in (("Bot()", "one"), ("Other()", "two"), ("Bot()", "one"))]
    assert [(version.label, version.make, is_new) for version, is_new in sent] == [
        ("one@1", "Bot()", True), ("two@1", "Other()", True), ("one@1", "Bot()", False)]  # fmt: skip
    with pytest.raises(UserError, match="same files as one@1"):
        season.submit(place, "Bot()", "third")


def names_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_version_has_its_entry_s_files_and_the_modules_that_the_host_shares(tmp_path):
    season = new_season(tmp_path / "cup")
    (season.folder / "strategies" / "utils.py").write_text("# of the host")
    (season.folder / "strategies" / "shared.txt").write_text("utils.py")
    own = bot(tmp_path / "sent", "one").rename(tmp_path / "sent" / "bot.py")
    for name in ("one.json", "utils.py", "one/table.json"):
        (tmp_path / "sent" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "sent" / name).write_text("of the author")
    os.mkfifo(tmp_path / "sent" / "shared.txt")
    own.rename(tmp_path / "sent" / "one" / "bot.py")
    version, _ = season.submit(tmp_path / "sent" / "one")
    kept = season.folder / "versions" / "one@1"
    assert names_in(kept) == ["one/bot.py", "one/table.json", "utils.py"]
    assert (kept / "utils.py").read_text() == "# of the host"
    assert Bundle.of(version.place(season.folder)).digest == version.digest


def test_nobody_takes_the_name_of_an_entry_of_the_season(tmp_path):
    season = new_season(tmp_path / "cup", authors='ann = ["owned"]')
    folder = season.folder / "strategies"
    submit(season, "alice")
    for number, name in enumerate(("Alice", "a1ice", "aIice", "ALICE", "0wned", "Ann", "ANN")):
        bot(folder, name, 6.0 + number)
    (folder / "alice.toml").write_text('game = "wordpl/1"\ncommand = ["./x"]\n')
    bot(folder / "alice", "alice", 20.0)
    bot(folder, "alice_plan", 21.0)
    added, refused = season.submit_changed()
    assert [version.label for version in added] == ["alice_plan@1"]
    assert {version.author for version in season.versions} == {"alice", "alice_plan"}
    assert (
        refused["Alice.py"] == "Alice looks like alice, which is in the season: give it another name, with --as NAME."
    )
    assert "belongs to ann" in refused["0wned.py"]
    assert "alice is alice.py in this season" in refused["alice"]
    assert "alice is alice.py in this season" in refused["alice.toml"]
    with pytest.raises(UserError, match="looks like alice"):
        season.submit(folder / "Alice.py", name="A1ice")
    (folder / "alice.py").unlink()  # its author has moved it into the folder
    assert [version.label for version in season.submit_changed()[0]] == ["alice@2"]


def send_as_release_1_0(season, name):
    """Send a file with data beside it, which release 1.0.0 took for a part of it."""
    folder = season.folder / "strategies"
    files = {f"{name}.py": bot(folder, name), f"{name}.json": folder / f"{name}.json", "utils.py": folder / "utils.py"}
    for file in (f"{name}.json", "utils.py"):
        (folder / file).write_text("{}")
    digest = FileTree(files).copy_to(season.folder / "versions" / f"{name}@1")
    (season.folder / "versions" / f"{name}@1" / "shared.txt").write_text("utils.py\n")
    season.log.add(Submitted(time="2026-11-01T00:00:00+00:00", name=name, number=1, digest=digest, file=f"{name}.py"))
    (folder / "shared.txt").write_text("utils.py")
    return folder / f"{name}.py"


def test_a_version_with_data_beside_it_stays_until_its_author_makes_a_folder(tmp_path, monkeypatch):
    season = new_season(tmp_path / "cup")
    monkeypatch.chdir(season.folder)
    place = send_as_release_1_0(season, "one")
    assert not [problem for problem in check.problems(season) if "versions" in problem or "files of" in problem]
    assert season.submit_changed() == ([], {})
    assert season.submit(place) == (season.versions[0], False)
    place.write_text(place.read_text() + "\n# better")
    (added, refused) = season.submit_changed()
    assert not added
    *_, commands = refused["one.py"].splitlines()
    assert commands == "mkdir strategies/one && mv strategies/one.py strategies/one.json strategies/one/"
    subprocess.run(["bash", "-c", commands], check=True)
    ((version,), refused) = season.submit_changed()
    assert (version.label, refused) == ("one@2", {})
    assert names_in(season.folder / "versions" / "one@2") == ["one/one.json", "one/one.py", "utils.py"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("players", 1, "players should be from 2 to 1,000, got 1"),
        ("improvement", 2, "improvement should be from 0"),
        ("games", '"many"', "Expected `int`, got `str`"),
        ("scores", "[]", "scores should name at least one score, each once, got"),
        ("scores", '["p50", "p50"]', "scores should name at least one score, each once, got"),
    ],
)
def test_wrong_terms_are_refused(tmp_path, name, value, message):
    with pytest.raises(UserError, match=message):
        new_season(tmp_path / "cup", **{name: value})


def test_a_name_has_one_owner(tmp_path):
    with pytest.raises(UserError, match="'one' belongs to two authors"):
        new_season(tmp_path / "cup", authors='ada = ["one"]\nbob = ["one"]')
    for values, message in (
        ({"authors": {"one": ["two"], "two": ["three"]}}, "'two' is an author and a name of another author"),
        ({"records": {"p95": 3.0}}, "records has 'p95', which is none of the scores p50"),
    ):
        with pytest.raises(UserError, match=message):
            SeasonTerms(title="", game="wordpl/1", scores=["p50"], **values)
    own = SeasonTerms(title="", game="wordpl/1", scores=["p50"], authors={"ada": ["ada", "one"]})
    assert [own.author_of(name) for name in ("one", "ada", "two")] == ["ada", "ada", "two"]


def played(folder, season):
    result = wordpl("season", "round", "-C", folder, "--jobs", "1", "--quiet")
    assert result.exit_code == 0, result.output
    return Season(folder)


def problems(folder):
    season = Season(folder)
    return list(check.problems(season)) or season_site.unpublished(season)


@pytest.mark.parametrize("value", ["nan", "inf", "0", "1"])
def test_an_impossible_record_uses_no_confirmation(tmp_path, value):
    submit(new_season(tmp_path / "cup"), "one")
    result = wordpl("season", "confirm", "one", "--score", "p_win", "--value", value, "-C", tmp_path / "cup")
    assert "should be above 0 and below 1, got" in result.output
    assert Season(tmp_path / "cup").pending is None


def test_changed_entries_are_submitted_once_and_refused_ones_are_named(tmp_path):
    season = new_season(tmp_path / "cup")
    for name in ("one", "two"):
        bot(season.folder / "strategies", name, 5.0 if name == "one" else 6.0)
    (season.folder / "strategies" / "link.py").symlink_to("/etc/passwd")
    added, refused = season.submit_changed()
    assert [version.label for version in added] == ["one@1", "two@1"]
    assert list(refused) == ["link.py"]
    season.withdraw("two")
    bot(season.folder / "strategies", "one", 7.0)
    assert [version.label for version in season.submit_changed()[0]] == ["one@2"]
    assert season.submit_changed()[0] == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@isolated
def test_a_season_from_its_first_round_to_its_verification(tmp_path, own_folders):
    folder = tmp_path / "cup"
    play_a_season(folder)

    shown = json.loads(wordpl("season", "standings", "-C", folder, "--json").output)
    assert {row["version"] for row in shown["standings"]["p_win"]} == {"one@2", "late@1", "broken@1", "crashes@1"}
    assert (folder / "README.md").read_text().count("versions/late@1/late.py") >= 1

    result = wordpl("season", "confirm", "late", "--score", "p_win", "--value", "0.9", "-C", folder, "--quiet")
    assert "do not show the record" in result.output
    assert problems(folder) == []

    moved = tmp_path / "elsewhere" / "cup"
    shutil.copytree(folder, moved)
    assert problems(moved) == []
    assert wordpl("season", "site", "-C", moved).exit_code == 0
    assert "entry-late.html" in (moved / "docs" / "index.html").read_text()
    assert "late@1" in (moved / "docs" / "entry-late.html").read_text()
    assert problems(moved) == []


def play_a_season(folder):
    """Play two rounds of a season, in which a version cannot be loaded, one is withdrawn and one crashes."""
    season = new_season(folder)
    submit(season, "one")
    submit(season, "two", epsilon=6.0)
    bot(folder / "strategies", "broken").write_text("import nothing_of_this_name\n")
    season.submit(folder / "strategies" / "broken.py")
    season = played(folder, season)
    (first,) = season.played_rounds
    assert sorted(first.players.values()) == ["one@1", "two@1"]
    assert "nothing_of_this_name" in first.faults["broken@1"]

    season.withdraw("two")
    submit(season, "one", epsilon=9.0)
    submit(season, "late", epsilon=8.0)
    crashes = bot(folder / "strategies", "crashes")
    crashes.write_text(crashes.read_text().replace('return "crane", 5.0', "raise ValueError"))
    season.submit(crashes)
    season = played(folder, season)
    assert {"one@2", "late@1"} <= set(season.played_rounds[1].players.values())
    assert "two@1" not in season.played_rounds[1].players.values()
    runs = [season.run_of(event) for event in season.played_rounds]
    assert runs[0].info.seed != runs[1].info.seed


@pytest.mark.long
@pytest.mark.timeout(600)
@isolated
def test_a_new_season_begins_with_a_round_of_the_bundled_strategies(tmp_path, own_folders):
    folder = tmp_path / "cup"
    result = wordpl("season", "new", folder, "--games", "2", "--score", "p_win", "--quiet")
    assert result.exit_code == 0, result.output
    season = Season(folder)
    (first,) = season.played_rounds
    labels = {version.label for version in season.versions}
    assert set(first.players.values()) == labels
    assert {"NGuess-14.5-3@1", "Schedule-p50-38@1"} <= labels
    assert problems(folder) == []


def test_the_curve_of_a_version_has_a_step_at_each_budget():
    spent = np.array([20.0, 10.0, 30.0, 10.0])
    line = season_site.curve_of(Entry("one@1"), Credits(spent, np.array([0.5, 1.0, 1.0, 0.0])))
    assert list(line.x) == [10.0, 20.0, 30.0]
    assert list(line.y) == [0.25, 0.375, 0.625]
    assert all(low <= y <= high for low, y, high in zip(line.low, line.y, line.high, strict=True))
    many = season_site.curve_of(Entry("one@1"), Credits(np.arange(1.0, 2001.0), np.ones(2000)))
    assert len(many.x) <= season_site.MAX_STEPS
    assert many.y[-1] == 1.0
    assert many.low[-1] > 0.99


def test_everything_that_changes_a_season_is_published_at_once(tmp_path):
    folder = tmp_path / "cup"
    season = new_season(folder)
    assert wordpl("season", "submit", bot(tmp_path / "sent", "one"), "-C", folder).exit_code == 0
    assert wordpl("season", "site", "-C", folder).exit_code == 0
    for command in (["submit", bot(tmp_path / "sent", "two", 6.0)], ["withdraw", "two"],
                    ["disqualify", "one", "--reason", "knew the secrets"]):  # fmt: skip
        assert wordpl("season", *command, "-C", folder).exit_code == 0
        assert season_site.unpublished(Season(folder)) == []
    page = season.folder / "docs" / "entry-one.html"
    assert "knew the secrets" in page.read_text()
    page.write_text(page.read_text().replace("knew", "had"))
    result = wordpl("season", "verify", "-C", folder)
    assert (result.exit_code, "docs/entry-one.html" in result.output) == (1, True)


@pytest.mark.slow
@pytest.mark.timeout(300)
@isolated
def test_an_announced_round_is_played_later_with_its_beacon(tmp_path, own_folders):
    folder = tmp_path / "cup"
    submit(new_season(folder), "one", "two")
    result = wordpl("season", "round", "-C", folder, "--beacon-from", "the lottery", "--quiet")
    assert re.search(r"wordpl season round -C .*cup --beacon TEXT", result.output)
    waiting = Season(folder)
    assert waiting.is_waiting
    assert waiting.played_rounds == []
    result = wordpl("season", "confirm", "one", "--score", "p_win", "--value", "0.5", "-C", folder)
    assert "not played to its end yet" in result.output
    result = wordpl("season", "round", "-C", folder, "--beacon", "1 2 3", "--quiet", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert Season(folder).run_of(Season(folder).played_rounds[0]).info.beacon == "1 2 3"
    assert problems(folder) == []


@pytest.mark.slow
@pytest.mark.timeout(300)
@isolated
def test_a_round_is_played_in_parts_and_counts_when_they_are_joined(tmp_path, own_folders):
    folder = tmp_path / "cup"
    submit(new_season(folder), "one", "two")
    wordpl("season", "round", "-C", folder, "--beacon-from", "the lottery", "--quiet")
    run = Season(folder).run_of(Season(folder).pending)
    played = [Contest.part(run.folder, f"{n}/2", beacon="1 2 3", jobs=1).play().folder for n in (1, 2)]
    joined = Contest.resume(run.folder, jobs=1).play(parts_played=played)
    result = wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert set(joined.info.parts) == {"1/2", "2/2"}
    assert Season(folder).ends[run.folder.name].seal == joined.info.seal
    assert problems(folder) == []


SLOW_BOT = """
    import time

    class Bot:
        def first_move(self):
            time.sleep(0.2)
            return "crane", 5.0

        def next_move(self, guess, epsilon, clues):
            return "slate", 0
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
@isolated
def test_a_round_that_was_killed_is_played_to_its_end(tmp_path, own_folders):
    folder = tmp_path / "cup"
    season = new_season(folder, games=12)
    for name in ("one", "two"):
        source = dedent(SLOW_BOT).replace("5.0", "5.0" if name == "one" else "6.0")
        (folder / "strategies" / f"{name}.py").write_text(source)
        season.submit(folder / "strategies" / f"{name}.py")
    command = [sys.executable, "-m", "wordpl", "season", "round", "-C", str(folder), "--jobs", "1", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not any((folder / "rounds").glob("*/.begun/*/*")) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait(30)
    announced = Season(folder).pending
    assert announced is not None
    season = played(folder, Season(folder))
    assert [event.run for event in season.played_rounds] == [announced.run]
    assert problems(folder) == []


def test_each_change_of_the_published_table_is_a_difference_and_prose_of_the_host_is_none(tmp_path):
    season = new_season(tmp_path / "cup")
    submit(season, "one")
    season_site.publish(season)
    readme, numbers = season.folder / "README.md", season.folder / "standings.json"
    published = readme.read_text()
    assert season_site.unpublished(season) == []
    readme.write_text(published + "Welcome.\n")
    assert season_site.unpublished(season) == []
    readme.write_text(published.replace("Intervals and", "All"))
    assert season_site.unpublished(season) == ["README.md"]
    numbers.write_text(numbers.read_text().replace('"n_versions": 1', '"n_versions": 2'))
    assert season_site.unpublished(season) == ["README.md", "standings.json"]


def test_standings_are_plain_numbers(tmp_path):
    season = new_season(tmp_path / "cup")
    submit(season, "one")
    season_site.publish(season)
    (row,) = json.loads((season.folder / "standings.json").read_text())["standings"]["p05"]
    assert (row["version"], row["value"], row["low"], row["high"], row["n_games"]) == ("one@1", None, None, None, 0)


def test_a_record_needs_its_improvement_and_wins_the_prize_by_a_greater_one():
    budget, share = SeasonScore("p50", 0.5), SeasonScore("p_win", None)
    assert required(None, 0.01, budget) is None
    assert reaches(50.0, None, budget)
    assert required(40.0, 0.05, budget) == pytest.approx(38.0)
    assert reaches(38.0, required(40.0, 0.05, budget), budget)
    assert not reaches(38.1, required(40.0, 0.05, budget), budget)
    assert reaches(0.84, required(0.8, 0.05, share), share)
    assert not reaches(0.83, required(0.8, 0.05, share), share)


def test_the_season_starts_with_the_records_of_its_terms(tmp_path):
    season = new_season(tmp_path / "cup")
    path = season.folder / "season.toml"
    path.write_text(path.read_text().replace("[records]", "[records]\np05 = 20.0"))
    assert Season(season.folder).value_to_improve("p05") == 20.0
    path.write_text(path.read_text().replace("p05 = 20.0", "p50 = 20.0"))
    with pytest.raises(UserError, match="records has 'p50', which is none of the scores p_win, p05"):
        Season(season.folder)


SOLVER = """
    from pathlib import Path

    ANSWERS = Path("answers.txt").read_text().split()

    def clues_of(guess, secret):
        return "".join("c" if g == s else "i" if g in secret else "." for g, s in zip(guess, secret))

    class Bot:
        def first_move(self):
            self.left = ANSWERS
            return "raise", 1000.0

        def next_move(self, guess, epsilon, clues):
            self.left = [word for word in self.left if clues_of(guess, word) == clues]
            return (self.left[0], 1000.0) if len(self.left) > 1 else (self.left[0], 0)
"""


@pytest.mark.slow
@pytest.mark.timeout(900)
@isolated
def test_records_are_announced_with_and_without_a_beacon(tmp_path, own_folders):
    folder = tmp_path / "cup"
    season = new_season(folder, prize_improvement=0.05)
    solver = folder / "strategies" / "solver.py"
    solver.write_text(dedent(SOLVER))
    season.submit(solver)

    def confirm(value, *options):
        options = ("--score", "p_win", "--value", value, "-C", folder, "--jobs", "1", "--quiet", *options)
        return wordpl("season", "confirm", "solver", *options)

    result = confirm("0.5")
    assert "The record is confirmed." in result.output, result.output
    assert "(record, trusts its host) | [solver" in (folder / "README.md").read_text()
    assert "needs 0.505 or better, got 0.504" in confirm("0.504").output

    result = confirm("0.9", "--beacon-from", "the lottery")
    assert re.search(r"wordpl season round -C .*cup --beacon TEXT", result.output)
    assert len(Season(folder).records["p_win"]) == 1
    result = wordpl("season", "round", "-C", folder, "--beacon", "1 2 3", "--quiet", "--jobs", "1")
    assert "The record is confirmed." in result.output, result.output
    first, second = json.loads((folder / "standings.json").read_text())["records"]["p_win"]
    assert (first["value"], first["beacon"], first["before"], first["wins_prize"]) == (0.5, None, None, False)
    assert (second["value"], second["beacon"], second["before"], second["wins_prize"]) == (0.9, "1 2 3", 0.5, True)
    assert "(record, wins the prize) | [solver" in (folder / "README.md").read_text()

    assert "all 2 confirmations of the season were used" in confirm("0.99").output
    assert problems(folder) == []
    path = folder / "standings.json"
    path.write_text(path.read_text().replace("0.9,", "0.95,"))
    assert problems(folder) == ["standings.json"]


@pytest.mark.long
@pytest.mark.timeout(300)
@isolated
def test_a_host_s_own_game_has_a_season(tmp_path, own_folders):
    entries = unpacked(tmp_path, "entries") / "entries"
    game = ("--game", f"{entries / 'fibble.py'}:Fibble")
    folder = tmp_path / "cup"
    result = wordpl("season", "new", folder, *game, "--no-bundled", "--score", "mean", "--games", "6")
    assert result.exit_code == 0, result.output
    assert 'game = "fibble/1"' in (folder / "season.toml").read_text()
    source = (entries / "fibble_bot.py").read_text()
    for name in ("one", "two"):
        place = folder / "strategies" / f"{name}.py"
        place.write_text(source if name == "one" else source + "\nNUMBER = 2\n")
        assert wordpl("season", "submit", place, "-C", folder, *game).exit_code == 0
    result = wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1", *game)
    assert result.exit_code == 0, result.output
    result = wordpl("season", "verify", "-C", folder, *game)
    assert result.exit_code == 0, result.output
    games.unbind("fibble/1")
    assert "name its file: --game FILE:CLASS" in wordpl("season", "verify", "-C", folder).output


def test_a_version_that_could_not_be_loaded_is_not_called_new(tmp_path):
    season = new_season(tmp_path / "cup")
    submit(season, "one", "broken")
    round_ = {"number": 1, "run": "x", "commitment": "", "players": {"one": "one@1"}}
    season.log.add(Round(time="2026-11-01T00:00:00+00:00", faults={"broken@1": "SyntaxError"}, **round_))
    season.void("x", "a rehearsal of faults")
    shown = {row.version.label: report.ranks(row) for row in season.standings().tables[0].rows}
    assert shown == {"one@1": "new", "broken@1": "not loaded"}
