"""The page answers others while an address sends slow bodies, huge ones, floods and forged requests to it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.helpers.web_client import listening
from wordpl.core import words

pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
from wordpl.apps.web import api
from wordpl.apps.web.config import WebConfig
from wordpl.apps.web.server import TimedProtocol, create_app

MALICIOUS, OTHER = "127.0.0.1", "127.0.0.2"
N_EACH = 25
"""Connections of each kind of attack at a time; all of them are on loopback."""


@asynccontextmanager
async def page(folder: Path) -> AsyncIterator[int]:
    """Yield the port of a page that runs in this process."""
    app = create_app(WebConfig(words.load(), folder / "games.sqlite", host="0.0.0.0"))
    async with listening(app, TimedProtocol, "0.0.0.0", lifespan="on", limit_concurrency=1000) as port:
        yield port


async def send(port: int, data: bytes, address: str = MALICIOUS) -> bytes:
    """Return what the page answers to these bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    try:
        writer.write(data)
        await writer.drain()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


def post(path: str, body: bytes, token: str = "", length: int = -1) -> bytes:
    """Return a POST request; `length`: what it claims to be the length of its body."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n"
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    return f"{head}{authorization}Content-Length: {len(body) if length < 0 else length}\r\n\r\n".encode() + body


def content(reply: bytes) -> dict:
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), reply[:300]
    return json.loads(body)


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_player_plays_on_while_another_address_attacks_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "BODY_TIMEOUT_S", 3.0)

    async def scenario() -> None:
        async with page(tmp_path) as port:
            start = post("/api/games", b'{"game": "wordle/1"}')
            game = content(await send(port, start, OTHER))
            token = game["token"]
            slow = post("/api/games", b'{"game":', length=60)
            huge = post("/api/games", b"x" * 100_000)
            endless = post("/api/games", b"x", length=1 << 40)
            forged = post("/api/game/moves", b'{"round": 1, "word": "crane"}', "A" * len(token))
            deep = post("/api/games", b"[" * 5000)
            head = b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            split = head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            attacks = [slow, huge, endless, forged, deep, split, b"\x16\x03\x01" + bytes(500), b"A" * 70_000]
            sent = [asyncio.create_task(send(port, attack)) for attack in attacks for _ in range(N_EACH)]
            await asyncio.sleep(0.2)
            move = post("/api/game/moves", b'{"round": 1, "word": "crane"}', token)
            state = content(await send(port, move, OTHER))
            assert state["round"] == 2
            again = content(await send(port, move, OTHER))  # sent twice, it is played once
            assert again["round"] == 2
            replies = await asyncio.gather(*sent)
            statuses = {reply[9:12].decode() for reply in replies if reply}
            assert statuses <= {"400", "401", "403", "404", "408", "413", "415", "422", "429"}, statuses
            assert not [reply for reply in replies if b"Traceback" in reply or game["token"].encode() in reply]

    asyncio.run(scenario())
