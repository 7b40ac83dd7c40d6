"""The requests that other apps answer, where their folders are installed: tournaments, and the pages of a league."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wordpl.apps.web.api import json_response, read, token_in
from wordpl.apps.web.config import WebConfig
from wordpl.apps.web.guard import refusal
from wordpl.apps.web.pages import error_page
from wordpl.core import apps
from wordpl.core.messages import UserError
from wordpl.core.offers import Content, Endpoint, Offer, RefusedError


def offers(config: WebConfig) -> Iterator[Offer]:
    """Yield what other apps offer to a server with these settings.

    Raises:
        UserError: A database or store cannot be used, or the league, which is asked for, lacks its folder or a library.
    """
    if apps.is_installed("tournament"):
        yield apps.module("tournament", "rooms").offer(config.lists, config.database, config.now)
    if config.league:
        apps.check_installed("league", "a league's store")
        try:
            pages = apps.module("league", "pages")
        except ModuleNotFoundError as error:
            raise UserError(
                f'a league needs the library {error.name}: pip install "wordpl[league,rankings,plots]"'
            ) from None
        yield pages.offer(config.league)


class Guests:
    """The other apps of one server."""

    def __init__(self, config: WebConfig):
        """Open what they store. Raises UserError as `offers` does."""
        self.routes: list[Route] = []
        self.scripts: dict[str, str] = {}
        with ExitStack() as opened:
            for offer in offers(config):
                thread = ThreadPoolExecutor(1, "guest")
                opened.callback(offer.close)
                opened.callback(thread.shutdown)
                self.scripts |= offer.scripts
                self.routes += [
                    Route(endpoint.path, _handler(endpoint, thread), methods=[endpoint.method])
                    for endpoint in offer.endpoints
                ]
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Wait for the current requests, and close what is stored."""
        self._opened.close()


def _handler(endpoint: Endpoint, thread: Executor) -> Callable[[Request], Awaitable[Response]]:
    """Return the request handler of an endpoint, which answers in this thread."""

    async def answer(request: Request) -> dict[str, Any] | Content:
        body: dict[str, Any] = {"body": await read(request, endpoint.body)} if endpoint.body else {}
        call = partial(endpoint.answer, **request.path_params, token=token_in(request), **body)
        return await asyncio.get_running_loop().run_in_executor(thread, call)

    async def respond(request: Request) -> Response:
        try:
            found = await answer(request)
        except RefusedError as error:
            is_page = not request.url.path.startswith("/api/")
            return error_page(error.message, error.status) if is_page else refusal(error)
        if isinstance(found, Content):
            return Response(found.data, media_type=found.media_type, headers=dict(found.headers))
        return json_response(request, found)

    return respond
