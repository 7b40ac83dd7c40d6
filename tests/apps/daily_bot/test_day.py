"""A day of the bot on the page of `wordpl serve`, from the command to its records and posts."""

import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.browsing import answering, find_chromium, serving
from tests.helpers.cli import wordpl
from tests.helpers.paths import HOME
from wordpl import games
from wordpl.core.moves import MoveForm, Verdict
from wordpl.run.records import read_records

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
DAY = "2021-06-19"
NOISY = "NGuess(epsilon=24.0, n_guesses=4)"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    find_chromium()
    with serving(tmp_path_factory.mktemp("web") / "games.sqlite", "--daily-words", "puzzle-order") as server:
        yield f"{server.url}#/daily"


def play(url: str, folder: Path, *options: str) -> Any:
    return wordpl("bot", "play", url, "--folder", folder, *options)


def test_a_day_that_is_played_twice_is_recorded_and_posted_once(url: str, tmp_path: Path) -> None:
    shared = tmp_path / "shared.txt"
    options = (f"{url}/wordle/1/{DAY}", tmp_path / "bot", "--adapter", "wordpl", "--share", f"file:{shared}")
    dry_run = play(*options)
    assert (dry_run.exit_code, shared.exists()) == (0, False)
    assert "Nothing was posted" in dry_run.stderr
    for _ in range(2):
        assert play(*options, "--post").exit_code == 0
    (record,) = read_records(tmp_path / "bot" / "records" / "wordpl-wordle-1.jsonl", MoveForm.CLASSIC, 10)
    assert (record.secret, record.verdict) == ("cigar", Verdict.WON)
    assert shared.read_text(encoding="utf-8").strip() == dry_run.stdout.strip()
    assert "cigar" not in dry_run.stdout
    assert len(list((tmp_path / "bot" / "pictures").iterdir())) == 1


@pytest.mark.parametrize("day", [DAY, "today"])
def test_an_entry_plays_a_noisy_game_with_its_own_epsilons(url: str, tmp_path: Path, day: str) -> None:
    result = play(f"{url}/wordpl/1/{day}", tmp_path, "--adapter", "wordpl", "--strategy", NOISY, "--spoilers")
    assert result.exit_code == 0, result.stderr
    (record,) = read_records(tmp_path / "records" / "wordpl-wordpl-1.jsonl", MoveForm.NOISY, 10)
    assert [move.epsilon for move in record.moves] == [24, 24, 24, 24, 0]
    assert record.verdict in (Verdict.WON, Verdict.WRONG)
    assert record.moves[0].guess in result.stdout


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "UTC", "Pacific/Pago_Pago"])
def test_a_past_day_keeps_its_number_at_any_time_in_any_zone(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        result = play(f"{url}/wordle/1/2021-06-25", tmp_path, "--adapter", "wordpl")
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()
    assert result.stdout.startswith("wordpl 2021-06-25 ")
    assert "Wordle 6 " in (tmp_path / "results.txt").read_text(encoding="utf-8")
    assert [path.name for path in (tmp_path / "pictures").iterdir()] == ["wordpl-wordle-1-2021-06-25.png"]


FIBBLE = str(HOME / "examples" / "fibble.py:Fibble")


def test_an_own_game_is_played_on_the_own_page_and_each_game_of_a_day_is_kept(tmp_path: Path) -> None:
    find_chromium()
    bot = tmp_path / "bot.py"
    bot.write_text((HOME / "examples" / "fibble_bot.py").read_text(), encoding="utf-8")
    shared = tmp_path / "results.txt"
    options = ("--adapter", "wordpl", "--game", FIBBLE, "--strategy", bot, "--share", f"file:{shared}", "--post")
    with serving(tmp_path / "games.sqlite", "--game", FIBBLE) as server:
        for number in range(1, 4):
            done = play(f"{server.url}#/new/fibble/1", tmp_path / "kept", *options)
            assert done.exit_code == 0, done.stderr
            assert "already had a record" not in done.stderr
            assert shared.read_text(encoding="utf-8").count("wordpl 20") == number
    (file,) = (tmp_path / "kept" / "records").iterdir()
    assert len(list(read_records(file, MoveForm.CLASSIC, 10))) == 3
    assert len(list((tmp_path / "kept" / "pictures").iterdir())) == 3
    games.unbind("fibble/1")


def test_sharing_is_shown_without_the_secrets_of_its_targets(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WORDPL_DISCORD_WEBHOOK", raising=False)
    options = (f"{url}/wordle/1/2021-06-21", tmp_path, "--adapter", "wordpl", "--share", "discord")
    shown = play(*options)
    assert shown.exit_code == 0, shown.stderr
    assert "discord: dry run" in shown.stderr
    refused = play(*options, "--post")
    assert (refused.exit_code, "set WORDPL_DISCORD_WEBHOOK in the environment" in refused.stderr) == (1, True)
    assert "there is no target called 'discrod'" in play(*options[:-1], "discrod").stderr
    (picture,) = (tmp_path / "pictures").iterdir()
    assert struct.unpack(">2I", picture.read_bytes()[16:24])[0] == 1098  # pixels


def test_an_unclear_post_fails_and_is_repeated_only_with_resend(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies, paths = iter([(500, "text/plain", b""), (200, "application/json", b"{}")]), []

    def reply(request: Any, body: bytes) -> tuple[int, str, bytes]:
        paths.append(request.path)
        return next(replies)

    options = (f"{url}/wordle/1/2021-06-20", tmp_path, "--adapter", "wordpl", "--share", "webhook", "--post")
    with answering(reply) as address:
        monkeypatch.setenv("WORDPL_WEBHOOK_URL", f"{address}/s3cr3t")
        results = [play(*options), play(*options), play(*options, "--resend"), play(*options)]
    assert [result.exit_code for result in results] == [1, 1, 0, 0]
    assert paths == ["/s3cr3t"] * 2
    assert "--resend" in results[1].stderr
    outbox = "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("outbox/*"))
    assert "s3cr3t" not in outbox + "".join(result.output for result in results)


def test_an_unreachable_page_fails_after_three_attempts(tmp_path: Path) -> None:
    find_chromium()
    result = play("http://127.0.0.1:9/", tmp_path, "--adapter", "nyt")
    assert result.exit_code == 1
    assert [line[:12] for line in result.stderr.splitlines()][:2] == ["attempt 1 of", "attempt 2 of"]
    assert "127.0.0.1:9" in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr
