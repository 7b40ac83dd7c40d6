"""The page stays up for others while one address floods it."""

import asyncio
from contextlib import suppress

import pytest

from tests.helpers.web_client import listening

pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')


async def _flood(n_idle: int) -> tuple[bytes, bytes, bytes]:
    """Open idle connections from one address; return the replies to it, to a neighbour, and to it after they end."""
    from wordpl.apps.web.server import TimedProtocol

    class Small(TimedProtocol):
        max_of_address = 20

    async def app(scope: object, receive: object, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    async def ask(port: int, address: str) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
        with suppress(ConnectionError):
            writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            await writer.drain()
        reply = await reader.read()
        writer.close()
        return reply

    async with asyncio.timeout(60), listening(app, Small, "0.0.0.0", lifespan="off") as port:
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(n_idle)]
        await asyncio.sleep(0.1)
        from_flooder, from_neighbour = await ask(port, "127.0.0.1"), await ask(port, "127.0.0.2")
        for _, writer in idle:
            writer.close()
        while not (after := await ask(port, "127.0.0.1")).startswith(b"HTTP/1.1 200 "):
            await asyncio.sleep(0.05)
    return from_flooder, from_neighbour, after


def test_one_address_cannot_use_up_the_connections_of_others() -> None:
    from_flooder, from_neighbour, _ = asyncio.run(_flood(60))
    assert from_flooder.startswith(b"HTTP/1.1 429 ")
    assert from_neighbour.startswith(b"HTTP/1.1 200 ")


class _Transport(asyncio.Transport):
    """A connection from an address that this machine does not have."""

    def __init__(self, address: str):
        super().__init__({"peername": (address, 50_000)})
        self.written, self.closed = b"", False

    def write(self, data: bytes) -> None:  # type: ignore[override]
        self.written += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


async def _never_called(scope: object, receive: object, send: object) -> None:
    raise AssertionError


@pytest.mark.parametrize(
    ("address_of", "n_allowed"),
    [
        (lambda i: f"2001:db8:0:1::{i:x}", 100),
        (lambda i: f"2001:db8:0:{i % 256:x}::1", 200),
        (lambda i: f"2001:db8:0:{i % 250:x}{i % 256:02x}::1", 400),
        (lambda i: ["192.0.2.7", "::ffff:192.0.2.7"][i % 2], 100),
        (lambda i: f"192.0.2.{i % 256}", 500),
    ],
)
def test_connections_are_counted_by_network(address_of, n_allowed: int) -> None:
    import uvicorn
    from uvicorn.server import ServerState

    from wordpl.apps.web.server import TimedProtocol

    async def connect() -> int:
        config, state = uvicorn.Config(_never_called, lifespan="off", log_config=None), ServerState()
        transports = [_Transport(address_of(i)) for i in range(500)]
        protocols = [TimedProtocol(config, state, {}) for _ in transports]
        for protocol, transport in zip(protocols, transports, strict=True):
            protocol.connection_made(transport)
            if transport.closed:
                protocol.connection_lost(None)
        n_open = sum(not transport.closed for transport in transports)
        for protocol in protocols:
            protocol.connection_lost(None)
        return n_open

    assert asyncio.run(connect()) == n_allowed
