"""Requests that the server refuses with a status code, without any loss."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.web_client import Client, listening, web_client
from wordpl.apps.web import guard

pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
JSON = {"content-type": "application/json"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with web_client(tmp_path) as client:
        yield client


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{", JSON, 400),
        (b"\xff\xfe", JSON, 400),
        (b"[" * 2000, JSON, 400),
        (b'{"game": 7}', JSON, 400),
        (b'{"game": "wordle/1", "secret": "crane"}', JSON, 400),
        (b'{"game": "wordle/1"}', {"content-type": "text/plain"}, 415),
        (b'{"game": "' + b"x" * 5000 + b'"}', JSON, 413),
        (b'{"game": "chess/1"}', JSON, 404),
        (b'{"game": "wordle/1", "players": 99}', JSON, 422),
        (b'{"game": "wordle/1", "players": 2, "hours": 1e300}', JSON, 422),
        (b'{"game": "absurdle/1", "players": 2}', JSON, 422),
        (b'{"game": "wordle/1"}', {**JSON, "origin": "https://evil.example"}, 403),
        (b'{"game": "wordle/1"}', {**JSON, "origin": "null"}, 403),
        (b'{"game": "wordle/1"}', {**JSON, "sec-fetch-site": "cross-site"}, 403),
        (b'{"game": "wordle/1"}', {**JSON, "host": "evil.example"}, 421),
    ],
)
def test_an_invalid_start_is_refused(client: Client, body: bytes, headers: dict[str, str], status: int) -> None:
    reply = client.http.post("/api/games", content=body, headers=headers)
    assert reply.status_code == status
    assert reply.json()["error"]


@pytest.mark.parametrize(
    ("word", "epsilon", "status"),
    [
        ("zzzzz", 8, 422),
        ("crane", -1, 422),
        ("crane", None, 422),
        ("aahed", 0, 422),
        ("toolong", 8, 422),
        ("", 8, 422),
        ("crane", 1e308, 200),
    ],
)
def test_an_illegal_move_does_not_change_the_game(client: Client, word: str, epsilon: float, status: int) -> None:
    token, _ = client.start("wordpl/1")
    assert client.move(token, 1, word, epsilon).status_code == status
    state = client.send("/api/game", None, token).json()
    assert state["round"] == (2 if status == 200 else 1)


def test_a_budget_that_overflows_is_null_and_the_game_goes_on(client: Client) -> None:
    token, _ = client.start("wordpl/1")
    for number, word in enumerate(("crane", "slimy"), 1):
        assert client.move(token, number, word, 1e308).status_code == 200
    assert client.send("/api/game", None, token).json()["spent"] is None
    ended = client.move(token, 3, "abide", 0).json()
    assert ended["verdict"] in ("won", "wrong")
    assert "inf" not in (ended["share"] or "")


def test_forged_tokens_and_identifiers_are_refused(client: Client) -> None:
    client.start("wordle/1")
    assert client.send("/api/game").status_code == 401
    assert client.send("/api/game", None, "x" * 24).status_code == 404
    assert client.send("/api/game", None, "' OR 1=1 --").status_code == 404
    assert client.send("/api/invitations/nothing").status_code == 404
    assert client.send("/static/../server.py").status_code == 404
    assert client.send("/static/%2e%2e/server.py").status_code == 404


def test_too_many_requests_from_an_address_are_refused_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "monotonic", lambda: 0.0)  # all requests are sent at once
    with web_client(tmp_path, rate=2) as client:
        replies = [client.send("/api/games") for _ in range(10)]
    assert [reply.status_code for reply in replies[:6]] == [200] * 6
    assert replies[-1].status_code == 429
    assert int(replies[-1].headers["retry-after"]) >= 1


def test_the_number_of_open_games_is_limited(tmp_path: Path) -> None:
    with web_client(tmp_path, max_open_games=5, max_open_per_address=3) as client:
        tokens = [client.start()[0] for _ in range(3)]
        assert client.send("/api/games", {"game": "wordle/1"}).status_code == 429
        client.send("/api/game/end", {}, tokens[0])
        client.start()


NETWORKS = {
    "one /64": (lambda i: f"2001:db8:0:1::{i:x}", 1),
    "one /64, written in full": (lambda i: f"2001:0db8:0000:0001:{i:04x}:0000:0000:0001", 1),
    "one /56": (lambda i: f"2001:db8:0:{i % 256:x}::1", 2),
    "one /48": (lambda i: f"2001:db8:0:{i % 250:x}{i % 256:02x}::1", 4),
    "an IPv4 address in IPv6": (lambda i: ["192.0.2.7", "::ffff:192.0.2.7", "::FFFF:c000:207"][i % 3], 1),
}


@pytest.mark.parametrize("network", NETWORKS)
def test_requests_and_open_games_are_counted_by_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: str
) -> None:
    monkeypatch.setattr(guard, "monotonic", lambda: 0.0)
    address_of, share = NETWORKS[network]
    with web_client(tmp_path, rate=1, is_behind_proxy=True) as client:
        replies = [client.send("/api/games", **{"x-forwarded-for": address_of(i)}) for i in range(30)]
        assert sum(reply.status_code == 200 for reply in replies) == 3 * share
        assert client.send("/api/games", **{"x-forwarded-for": "2001:db8:1::1"}).status_code == 200
        assert client.send("/api/games", **{"x-forwarded-for": "192.0.2.8"}).status_code == 200
    with web_client(tmp_path, max_open_per_address=2, is_behind_proxy=True) as client:
        game = {"game": "wordle/1"}
        replies = [client.send("/api/games", game, **{"x-forwarded-for": address_of(i)}) for i in range(12)]
        assert sum(reply.status_code == 200 for reply in replies) == 2 * share
        assert client.send("/api/games", game, **{"x-forwarded-for": "2001:db8:1::1"}).status_code == 200


def test_a_network_that_was_refused_takes_nothing_from_its_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "monotonic", lambda: 0.0)
    with web_client(tmp_path, rate=1, is_behind_proxy=True) as client:
        for host, n_allowed in ((1, 3), (2, 3), (3, 0)):  # a /56 has two shares
            headers = {"x-forwarded-for": f"2001:db8:0:{host}::1"}
            assert sum(client.send("/api/games", **headers).status_code == 200 for _ in range(10)) == n_allowed


FORWARDED = {
    "the last entry": ["198.51.100.{i}, 192.0.2.7"],
    "the last header": ["198.51.100.{i}", "192.0.2.7"],
    "a port": ["192.0.2.7:{i}"],
    "brackets and a port": ["[2001:db8::{i}]:8{i}"],
    "a zone": ["fe80::{i}%eth{i}"],
}


@pytest.mark.parametrize("forwarded", FORWARDED)
def test_a_proxy_names_the_client_and_nobody_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forwarded: str
) -> None:
    monkeypatch.setattr(guard, "monotonic", lambda: 0.0)
    with web_client(tmp_path, rate=2, is_behind_proxy=True) as client:
        headers = [[("x-forwarded-for", text.format(i=i)) for text in FORWARDED[forwarded]] for i in range(1, 20)]
        replies = [client.http.get("/api/games", headers=each).status_code for each in headers]
    assert replies == [200] * 6 + [429] * 13
    with web_client(tmp_path, rate=2) as client:  # without a proxy, the header is the client's own text
        replies = [client.http.get("/api/games", headers=each).status_code for each in headers]
    assert replies == [200] * 6 + [429] * 13


def test_every_reply_has_a_strict_content_policy_and_no_cookie(client: Client) -> None:
    for path in ("/", "/static/main.js", "/api/games", "/nothing", "/api/game"):
        reply = client.send(path)
        assert "default-src 'none'" in reply.headers["content-security-policy"]
        assert "unsafe" not in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "set-cookie" not in reply.headers
        assert "http://" not in reply.text.replace("http://www.w3.org", "")


def test_a_path_prefix_works_whether_or_not_a_proxy_strips_it(tmp_path: Path) -> None:
    with web_client(tmp_path, prefix="/fun", public_url="https://example.org/fun") as client:
        for path in ("/fun/", "/", "/fun/api/games", "/api/games", "/fun/static/main.js"):
            assert client.send(path, None, host="example.org").status_code == 200
        headers = {"host": "10.0.0.1", "origin": "https://example.org"}
        assert client.http.post("/fun/api/games", json={"game": "wordle/1"}, headers=headers).status_code == 421
        headers["host"] = "127.0.0.1:8000"
        assert client.http.post("/fun/api/games", json={"game": "wordle/1"}, headers=headers).status_code == 200


async def _slow_exchange(data: bytes) -> bytes:
    from wordpl.apps.web.server import TimedProtocol

    class Impatient(TimedProtocol):
        headers_timeout_s = 0.2

    async def app(scope: object, receive: object, send: object) -> None:
        raise AssertionError("no whole request was sent")

    async with asyncio.timeout(20), listening(app, Impatient, lifespan="off") as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(data)
        await writer.drain()
        reply = await reader.read()
        writer.close()
    return reply


@pytest.mark.parametrize("data", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
def test_a_request_with_incomplete_headers_times_out(data: bytes) -> None:
    assert asyncio.run(_slow_exchange(data)).startswith(b"HTTP/1.1 408 ")
