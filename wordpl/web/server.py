"""Runs the web server."""

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from wordpl.core.errors import UserError
from wordpl.web.app import create_app
from wordpl.web.config import WebConfig
from wordpl.web.http_protocol import TimedProtocol

MAX_CONNECTIONS = 1000
KEEP_ALIVE_S = 20
SHUTDOWN_S = 5


def serve(config: WebConfig, ready: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Args:
        config: The settings.
        ready: Called with the server's address when it accepts requests.

    Raises:
        UserError: The server cannot listen on the address, or cannot use the database.
    """
    listening = _listen(config)
    app = create_app(config)
    options = uvicorn.Config(
        app,
        http=TimedProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    host, port = listening.getsockname()[:2]
    ready(config.public_url or f"http://{f'[{host}]' if ':' in host else host}:{port}{config.prefix}/")
    server = uvicorn.Server(options)
    with suppress(KeyboardInterrupt):  # uvicorn raises it again after it has finished all requests
        asyncio.run(server.serve(sockets=[listening]))


def _listen(config: WebConfig) -> socket.socket:
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the protocol is given; otherwise a body waits for the ACK of its headers.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((config.host, config.port))
    except OSError as error:
        listening.close()
        raise UserError(f"cannot listen on {config.host}, port {config.port}: {error.strerror}. Try --port.") from None
    listening.listen(256)
    return listening
