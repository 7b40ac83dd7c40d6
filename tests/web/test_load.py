"""The page stays up for others while one address floods it, and pages without an origin cannot act for anybody."""

import asyncio
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from tests.helpers.web_client import web_client

pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')


def test_a_page_without_an_origin_of_its_own_is_refused(tmp_path: Path) -> None:
    headers = {"content-type": "application/json", "origin": "null"}
    with web_client(tmp_path) as client:
        assert client.http.post("/api/games", content=b'{"game": "wordle/1"}', headers=headers).status_code == 403


async def _flood(n_idle: int) -> tuple[bytes, bytes, bytes]:
    """Open idle connections from one address; return the replies to it, to a neighbour, and to it after they end."""
    import uvicorn

    from wordpl.web.server import TimedProtocol

    class Small(TimedProtocol):
        max_of_address = 20

    async def app(scope: object, receive: object, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    listening = socket.socket()
    listening.bind(("0.0.0.0", 0))
    port = listening.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, http=Small, lifespan="off", log_config=None))  # type: ignore[arg-type]
    serving = asyncio.create_task(server.serve(sockets=[listening]))

    async def ask(address: str) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
        with suppress(ConnectionError):
            writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            await writer.drain()
        reply = await reader.read()
        writer.close()
        return reply

    try:
        async with asyncio.timeout(60):
            while not server.started:
                await asyncio.sleep(0.01)
            idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(n_idle)]
            await asyncio.sleep(0.1)
            from_flooder, from_neighbour = await ask("127.0.0.1"), await ask("127.0.0.2")
            for _, writer in idle:
                writer.close()
            while not (after := await ask("127.0.0.1")).startswith(b"HTTP/1.1 200 "):
                await asyncio.sleep(0.05)
    finally:
        server.should_exit = True
        await serving
        listening.close()
    return from_flooder, from_neighbour, after


def test_one_address_cannot_use_up_the_connections_of_others() -> None:
    from_flooder, from_neighbour, _ = asyncio.run(_flood(60))
    assert from_flooder.startswith(b"HTTP/1.1 429 ")
    assert from_neighbour.startswith(b"HTTP/1.1 200 ")
