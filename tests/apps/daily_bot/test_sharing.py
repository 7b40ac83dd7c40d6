"""Results are posted as documented by each target, and at most once."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.browsing import answering, as_json
from wordpl.core.messages import UserError
from wordpl.core.moves import MoveForm

pytest.importorskip("playwright", reason='needs pip install "wordpl[browser]"')
from tests.helpers.apps import needed
from wordpl.apps.daily_bot import ShareError, UnclearError
from wordpl.apps.daily_bot.daily import Outbox, OutboxPost, PostState
from wordpl.apps.daily_bot.targets import ShareMessage, names, target_of

MESSAGE = ShareMessage("Wordle 1,983 3/6\n\n⬛🟨⬛⬛⬛", "nyt-wordle-1-2026-11-22")
SECRET = "s3cr3t-t0ken"
Request = tuple[str, dict[str, str], bytes]


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "grid.png"
    path.write_bytes(b"\x89PNG picture")
    return path


def record_reply(requests: list[Request], status: int = 200, body: Any = None) -> Callable[..., tuple[int, str, bytes]]:
    def reply(request: BaseHTTPRequestHandler, data: bytes) -> tuple[int, str, bytes]:
        requests.append((request.path, {name.lower(): value for name, value in request.headers.items()}, data))
        return status, "application/json", as_json(body or {"id": "7"})

    return reply


def test_discord_gets_json_without_mentions(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[Request] = []
    with answering(record_reply(requests)) as address:
        monkeypatch.setenv("WORDPL_DISCORD_WEBHOOK", f"{address}/api/webhooks/1/{SECRET}")
        target_of("discord").send(MESSAGE)
    (path, headers, body) = requests[0]
    assert (path, headers["content-type"]) == (f"/api/webhooks/1/{SECRET}?wait=true", "application/json")
    assert json.loads(body) == {"content": MESSAGE.text, "allowed_mentions": {"parse": []}}


def test_discord_gets_the_picture_as_a_form(monkeypatch: pytest.MonkeyPatch, picture: Path) -> None:
    requests: list[Request] = []
    with answering(record_reply(requests)) as address:
        monkeypatch.setenv("WORDPL_DISCORD_WEBHOOK", f"{address}/api/webhooks/1/{SECRET}")
        target_of("discord").send(ShareMessage(MESSAGE.text, MESSAGE.key, picture))
    (_, headers, body) = requests[0]
    assert headers["content-type"].startswith("multipart/form-data; boundary=")
    assert b'name="payload_json"' in body
    assert b'name="files[0]"; filename="grid.png"' in body


def test_mastodon_gets_media_and_then_an_idempotent_status(monkeypatch: pytest.MonkeyPatch, picture: Path) -> None:
    requests: list[Request] = []
    with answering(record_reply(requests)) as address:
        monkeypatch.setenv("WORDPL_MASTODON_SERVER", f"{address}/")
        monkeypatch.setenv("WORDPL_MASTODON_TOKEN", SECRET)
        for _ in range(2):
            target_of("mastodon").send(ShareMessage(MESSAGE.text, MESSAGE.key, picture))
    paths = [path for path, _, _ in requests]
    assert paths == ["/api/v2/media", "/api/v1/statuses"] * 2
    assert all(headers["authorization"] == f"Bearer {SECRET}" for _, headers, _ in requests)
    assert b"media_ids%5B%5D=7" in requests[1][2]
    assert requests[1][1]["idempotency-key"] == requests[3][1]["idempotency-key"]


def test_a_webhook_gets_text_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[Request] = []
    with answering(record_reply(requests)) as address:
        monkeypatch.setenv("WORDPL_WEBHOOK_URL", f"{address}/hook")
        monkeypatch.setenv("WORDPL_WEBHOOK_TOKEN", SECRET)
        target_of("webhook").send(MESSAGE)
    assert json.loads(requests[0][2]) == {"text": MESSAGE.text, "key": MESSAGE.key}
    assert requests[0][1]["authorization"] == f"Bearer {SECRET}"


def test_results_are_appended_to_a_file(tmp_path: Path) -> None:
    for _ in range(2):
        target_of(f"file:{tmp_path / 'out.txt'}").send(MESSAGE)
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == f"{MESSAGE.text}\n\n" * 2


@pytest.mark.parametrize(
    ("status", "kind"), [(404, ShareError), (302, ShareError), (500, UnclearError), (0, UnclearError)]
)
def test_outcomes_of_a_post_are_reported_without_the_secret(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, status: int, kind: type[ShareError]
) -> None:
    caplog.set_level("DEBUG")
    with answering(record_reply([], status)) as address:
        monkeypatch.setenv("WORDPL_DISCORD_WEBHOOK", f"{address}/api/webhooks/1/{SECRET}")
        with pytest.raises(ShareError) as error:
            target_of("discord").send(MESSAGE)
    assert type(error.value) is kind
    assert SECRET not in str(error.value) + repr(error.value) + caplog.text


def test_an_unreachable_target_has_certainly_not_posted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDPL_WEBHOOK_URL", f"http://127.0.0.1:1/{SECRET}")
    with pytest.raises(ShareError, match=r"127\.0\.0\.1 could not be reached") as error:
        target_of("webhook").send(MESSAGE)
    assert not isinstance(error.value, UnclearError)


def test_every_target_names_the_settings_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in names():
        monkeypatch.setenv("WORDPL_DISCORD_WEBHOOK", "not a url")
        monkeypatch.delenv("WORDPL_MASTODON_SERVER", raising=False)
        monkeypatch.delenv("WORDPL_WEBHOOK_URL", raising=False)
        with pytest.raises(UserError):
            target_of(name)
    with pytest.raises(UserError, match="discord, file, mastodon, webhook"):
        target_of("twitter")


def draft(text: str = "text") -> OutboxPost:
    return OutboxPost("discord", "nyt-2026-11-22", PostState.SENDING, text)


def test_a_day_is_posted_once(tmp_path: Path) -> None:
    posts: list[int] = []
    for _ in range(3):
        assert Outbox(tmp_path).post_once(draft(), lambda: posts.append(1)) == PostState.SENT
    assert posts == [1]


def test_a_post_interrupted_by_a_kill_is_repeated_only_on_request(tmp_path: Path) -> None:
    def die_while_posting() -> None:
        raise KeyboardInterrupt

    posts: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        Outbox(tmp_path).post_once(draft(), die_while_posting)
    with pytest.raises(UnclearError, match="--resend"):
        Outbox(tmp_path).post_once(draft(), lambda: posts.append(1))
    assert posts == []
    assert Outbox(tmp_path).post_once(draft(), lambda: posts.append(1), resend=True) == PostState.SENT
    assert posts == [1]


def test_a_failed_post_is_tried_again(tmp_path: Path) -> None:
    def fail() -> None:
        raise ShareError("refused with 404")

    posts: list[int] = []
    with pytest.raises(ShareError):
        Outbox(tmp_path).post_once(draft(), fail)
    assert Outbox(tmp_path).post_once(draft(), lambda: posts.append(1)) == PostState.SENT
    assert posts == [1]


def test_a_result_is_stored_once_and_can_be_imported_into_a_league(tmp_path: Path) -> None:
    from wordpl.apps.daily_bot.daily import Archive
    from wordpl.apps.daily_bot.page_game import PageGame, Result
    from wordpl.core.moves import ClassicMove, Verdict
    from wordpl.run.records import read_records

    moves = (ClassicMove("salet", "..i.."), ClassicMove("lurid", "ccccc"))
    game = PageGame("nyt", "wordle-hard/1", moves, Verdict.WON, 0, ("aahed",), "", date(2025, 10, 3))
    result = Result(game, "tree", date(2025, 10, 3))
    archive = Archive(tmp_path / "bot")
    assert [archive.keep(result), archive.keep(result)] == [True, False]
    (record,) = read_records(tmp_path / "bot" / "records" / "nyt-wordle-hard-1.jsonl", MoveForm.CLASSIC, 10)
    assert (record.game, record.secret, list(record.moves)) == (1567, "lurid", list(moves))
    text = (tmp_path / "bot" / "results.txt").read_text(encoding="utf-8")
    (post,) = needed("league.share_text").read(text, None, datetime(2026, 1, 1, tzinfo=UTC))
    assert [(reported.person.key, reported.number, reported.guesses, reported.hard) for reported in post.results] == [
        ("tree", 1567, 2, True)
    ]


def test_marks_that_contradict_the_rules_are_found() -> None:
    from wordpl.apps.daily_bot.page_game import PageGame, Result
    from wordpl.core.moves import ClassicMove, Verdict

    moves = (ClassicMove("salet", "..c.."), ClassicMove("lurid", "ccccc"))
    page = "Wordle 1,567 2/6\n\n⬜⬜🟨⬜⬜\n🟩🟩🟩🟩🟩"
    result = Result(PageGame("nyt", "wordle/1", moves, Verdict.WON, 0, (), page), "tree", date(2025, 10, 3))
    assert result.false_marks() == ["the page marks salet ..c.., but the rules require ..i.."]
    assert "⬛⬛🟨⬛⬛" in result.difference()
