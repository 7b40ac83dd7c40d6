"""What release 1.0.0 wrote is read, verified and shown, with the numbers that 1.0.0 gave."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.apps import needed
from tests.helpers.cli import wordpl
from tests.helpers.web_client import MovableClock, web_client
from tests.release_1_0_0 import facts
from tests.release_1_0_0.corpus import unpacked
from wordpl import Run
from wordpl.players.sandbox.probe import probe
from wordpl.run.bundle import FileTree
from wordpl.solvers import plans

EXPECTED = json.loads((Path(__file__).parent / "expected.json").read_text(encoding="utf-8"))
QUICK = ("verify official", "verify killed", "tournament", "tree")
"""Commands with facts that the quick tests run."""
SHORT = ("data", "fibble", "files", "grade", "hard", "official_without_beacon", "program")
"""Runs whose pages are made in a few seconds."""


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the whole corpus, which no test changes."""
    return unpacked(tmp_path_factory.mktemp("corpus"))


@pytest.fixture
def corpus(content: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the folder of the corpus, as the current folder."""
    monkeypatch.chdir(content)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return content


@pytest.fixture
def own(corpus: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a copy of the corpus that a test may change, as the current folder."""
    folder = Path(shutil.copytree(corpus, tmp_path / "own"))
    monkeypatch.chdir(folder)
    return folder


def marked(names: list[str]) -> list[Any]:
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", facts.RUNS)
def test_a_run_has_the_games_that_it_had(corpus: Path, name: str) -> None:
    assert facts.games(corpus, name) == EXPECTED[f"games {name}"]


@pytest.mark.parametrize("name", marked(list(facts.COMMANDS)))
def test_a_command_gives_the_facts_that_it_gave(corpus: Path, name: str) -> None:
    result = wordpl(*facts.COMMANDS[name])
    assert facts.of_command(name, result.stdout) == EXPECTED[name], result.output


@pytest.mark.parametrize("name", ["data", "four", "files", "typed"])
def test_files_of_an_entry_have_the_digest_that_the_run_states(corpus: Path, name: str) -> None:
    entries = Run(corpus / "runs" / name).info.entries
    assert all(
        FileTree.below(corpus / "runs" / name / "bundles" / entry.sha256).digest == entry.sha256 for entry in entries
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["data", "four", "files", "typed", "official", "hard", "program"])
def test_stored_files_play_the_recorded_games_again(own: Path, name: str) -> None:
    result = wordpl("verify", f"runs/{name}", "--replay", "6", "--json")
    assert json.loads(result.stdout)["differences"] == [], result.output


@pytest.mark.slow
def test_a_run_of_an_own_game_is_verified_with_its_file(corpus: Path) -> None:
    result = wordpl("verify", "runs/fibble", "--json", "--game", "entries/fibble.py:Fibble")
    assert json.loads(result.stdout)["differences"] == [], result.output


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in SHORT else pytest.mark.long)
        for name in facts.RUNS
        if name != "waiting"
    ],
)
def test_a_page_of_each_run_names_its_entries(own: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordpl.reports.publication.MAX_REVIEWED", 2)  # 48 take half a minute
    result = wordpl("report", f"runs/{name}", "-o", "page.html")
    assert result.exit_code == 0, result.output
    text = (own / "page.html").read_text()
    assert all(entry.partition("(")[0] in text for entry in EXPECTED[f"games {name}"]["entries"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["typed", "classic", "official", "every"])
def test_boards_written_anew_hold(own: Path, name: str) -> None:
    assert wordpl("report", f"runs/{name}", "--boards").exit_code == 0
    result = wordpl("verify", f"runs/{name}", "--json")
    assert json.loads(result.stdout)["holds"], result.output


@pytest.mark.slow
@pytest.mark.parametrize(("cup", "n_events"), [("cup", 16), ("cup_announced", 17)])
def test_a_season_holds_once_its_pages_are_written_anew(own: Path, cup: str, n_events: int) -> None:
    result = wordpl("season", "site", "-C", cup)
    assert result.exit_code == 0, result.output
    result = wordpl("season", "verify", "-C", cup)
    assert f"The season holds: {n_events} events" in result.stdout, result.output


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_season_goes_on_after_the_upgrade_and_what_it_found_stays(own: Path) -> None:
    if not probe().level.is_official:
        pytest.skip("needs Landlock or bubblewrap")
    result = wordpl("season", "verify", "-C", "cup")
    assert result.exit_code == 0, result.output
    assert "Remark: Only release 1.0.0, which wrote the newest pages, can check these" in result.output
    result = wordpl("season", "round", "-C", "cup", "--quiet", "--jobs", "1")
    assert "the release of wordpl changed since the last round" in result.output
    result = wordpl("season", "bridge", "-C", "cup")
    assert "alice@1 keeps its games: 60 of 60 replayed games equal" in result.output, result.output
    assert "ben@2 starts anew: 40 of 40 replayed games equal, and 60 are needed" in result.output, result.output
    result = wordpl("season", "round", "-C", "cup", "--quiet", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert len((own / "cup/log.jsonl").read_text().splitlines()) == 16 + 5  # terms, bridge, round, end, standings
    assert "Remark" not in (result := wordpl("season", "verify", "-C", "cup")).output, result.output
    assert result.exit_code == 0

    result = wordpl("season", "doctor", "-C", "cup_announced")
    assert "Release 1.0.0 of wordpl" in result.output
    assert wordpl("season", "void", "-C", "cup_announced", "--reason", "the release is gone").exit_code == 0
    result = wordpl("season", "verify", "-C", "cup_announced")
    assert result.exit_code == 0, result.output


@pytest.mark.slow
def test_a_version_with_data_beside_it_plays_with_its_data(own: Path) -> None:
    round_ = sorted((own / "cup" / "rounds").iterdir())[0]
    assert (own / "cup" / "versions" / "alice@1" / "alice_plan.json").exists()
    result = wordpl("verify", round_, "--replay", "8", "--json")
    differing = {difference["source"] for difference in json.loads(result.stdout)["differences"]}
    assert differing <= {"scores.csv", "LEADERBOARD.md"}, result.output  # a round of a season has no boards


@pytest.mark.slow
def test_an_archive_is_read_by_name_and_by_folder(own: Path) -> None:
    shutil.unpack_archive("classic.zip", "opened")
    (folder,) = (path.parent for path in (own / "opened").rglob("run.json"))
    result = wordpl("verify", folder, "--json")
    assert json.loads(result.stdout)["holds"], result.output


@pytest.mark.slow  # compiles the search
def test_a_proof_is_checked_and_an_interrupted_one_is_finished(own: Path) -> None:
    checked = wordpl("solve", "--check-proof", "solver/proof.jsonl", *facts.LISTS)
    assert checked.exit_code == 0, checked.output
    assert "adore with 93 guesses" in " ".join(checked.stdout.split())
    resumed = wordpl("solve", "--prove", "--resume", "--jobs", "1", "--log", "solver/interrupted.jsonl", *facts.LISTS)
    assert resumed.exit_code == 0, resumed.output
    assert "93" in resumed.stdout
    assert wordpl("solve", "--check-proof", "solver/interrupted.jsonl", *facts.LISTS).exit_code == 0


@pytest.mark.slow
def test_evidence_is_collected_again_with_the_same_result(corpus: Path) -> None:
    result = wordpl("record", "--check", "evidence/p05.json", "--sample", "60")
    assert result.exit_code == 0, result.output
    assert "at least 0.055759 of all games within 14.9: proved" in " ".join(result.stdout.split())


def test_a_plan_is_loaded(corpus: Path) -> None:
    plan = plans.load(corpus / "solver/strategies/schedule-mine.json")
    assert (plan.first, plan.budget, plan.shares, len(plan.second)) == ("trace", 15.0, (0.68, 0.32), 243)


@pytest.mark.slow
def test_a_server_continues_the_games_of_its_database(own: Path) -> None:
    kept, clock = json.loads((own / "web/tokens.json").read_text()), MovableClock()
    clock.seconds = kept["now"]
    with web_client(own / "web", now=clock) as client:
        for name, token in kept["games"].items():
            state, before = client.send("/api/game", None, token).json(), kept["states"][name]
            shown = ("game", "mode", "day", "rows", "spent", "verdict", "is_open", "round")
            assert [state[field] for field in shown] == [before[field] for field in shown], name
            assert (state["review"] or {}).get("secret") == (before["review"] or {}).get("secret"), name
        moved = client.move(kept["games"]["open"], 3, "bland", 8.0)
        assert moved.status_code == 200, moved.text
        invitation = kept["states"]["friends"]["invitation"]
        joined = client.send(f"/api/invitations/{invitation}", {"name": "Bob"}).json()["token"]
        client.move(joined, 1, "slate")
        rows = client.send("/api/game", None, joined).json()["rows"]
        assert rows[0]["clues"] == kept["states"]["friends"]["rows"][0]["clues"]


def test_a_server_continues_a_tournament_and_shows_one_that_has_ended(own: Path) -> None:
    kept, clock = json.loads((own / "web/tokens.json").read_text()), MovableClock()
    clock.seconds = kept["now"]
    with web_client(own / "web", now=clock) as client:
        for room in kept["rooms"].values():
            assert client.send(f"/api/rooms/{room['id']}").json()["standings"] == room["standings"]
        room = kept["rooms"]["running"]
        path, token = f"/api/rooms/{room['id']}", room["players"]["Ann"]
        you = client.send(path, None, token).json()["you"]
        place = {key: you["current"][key] for key in ("round", "puzzle")} | {"number": you["number"]}
        assert client.send(f"{path}/guesses", place | {"word": "crony"}, token).status_code == 200
        clock.seconds += 5
        client.send(f"{path}/phase", {"phase": "ended"}, room["host"])
        (own / "second.json").write_bytes(client.send(f"{path}/result").content)
    assert wordpl("tournament", "rank", "second.json").exit_code == 0


@pytest.mark.slow
def test_a_league_keeps_its_settings_aliases_and_schedule(corpus: Path) -> None:
    settings, log = (wordpl("league", name, *facts.FRIENDS).stdout for name in ("settings", "log"))
    assert re.search("Europe/Berlin", settings)
    assert re.search("left out", settings)
    assert re.search("1 .*alias +Annie is Ann", log)
    assert re.search("2 .*merge +.reverted. +Cy is Bob", log)
    schedule = wordpl("league", "schedule", "--store", "league/league.sqlite", "--league", "900000000000000001").stdout
    assert re.search("daily +09:30 +Europe/Berlin", schedule)


@pytest.mark.slow
def test_a_backup_of_a_league_is_restored(own: Path) -> None:
    assert wordpl("league", "restore", "league/backup.sqlite", "--store", "new.sqlite").exit_code == 0
    result = wordpl("league", "leaderboard", "--league", "friends", "--store", "new.sqlite", "--format", "csv")
    assert facts.of_command("leaderboard", result.stdout) == EXPECTED["leaderboard"]


@pytest.mark.slow
def test_a_dump_of_postgresql_has_the_same_league(corpus: Path, postgresql: str) -> None:
    import psycopg

    dump = (corpus / "league/postgresql.sql").read_text(encoding="utf-8")
    with psycopg.connect(postgresql) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        connection.execute("\n".join(line for line in dump.splitlines() if not line.startswith("\\")))
    result = wordpl("league", "leaderboard", "--league", "friends", "--store", postgresql, "--format", "csv")
    assert facts.of_command("leaderboard", result.stdout) == EXPECTED["leaderboard"]


def test_the_app_reads_its_users_history_and_setups(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setups, user_files = needed("terminal.app.setups"), needed("terminal.app.user_files")
    monkeypatch.setenv("XDG_DATA_HOME", str(corpus / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(corpus / "config"))
    history = user_files.read_history()
    assert [(game.game_id, game.verdict.value, game.n_guesses) for game in history] == [
        ("wordle/1", "won", 3),
        ("wordle/1", "won", 4),
        ("wordle/1", "unsolved", 5),
    ]
    assert (setups.load("mine").width, setups.load("mine").past) == (50, "weigh")


@pytest.mark.slow
def test_the_daily_bot_neither_records_nor_posts_a_puzzle_again(own: Path) -> None:
    pytest.importorskip("playwright", reason='needs pip install "wordpl[browser]"')
    daily = needed("daily_bot.daily")
    key = "nyt-wordle-hard-1-2026-11-20"
    post = daily.Outbox(own / "bot").find("discord", key)
    assert (post.key, post.state) == (key, daily.PostState.SENT)
    records = list(
        daily.read_records(
            own / "bot/records/nyt-wordle-hard-1.jsonl", daily.game_class("wordle-hard/1").facts.form, 10
        )
    )
    assert [record.moves[0].guess for record in records] == ["crane", "slate"]
