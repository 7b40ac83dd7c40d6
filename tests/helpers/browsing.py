"""A browser for tests, and local servers for it."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

START_S = 60
AXE = Path(os.environ.get("WORDPL_AXE", "node_modules/axe-core/axe.min.js"))
READY_MS = 60_000
"""The longest wait for a page, on a machine that does other things."""


def find_chromium() -> str | None:
    """Return the system's Chromium, None for Playwright's own; without either the test is skipped, with the reason."""
    sync_api = pytest.importorskip("playwright.sync_api", reason='needs pip install "wordpl[browser]"')
    from wordpl.apps.daily_bot.page_game import find_browser

    program = find_browser()
    if program is None:
        with sync_api.sync_playwright() as playwright:
            if not Path(playwright.chromium.executable_path).exists():
                pytest.skip("needs Chromium: apt-get install chromium, or playwright install chromium")
    return program


def find_axe() -> Path:
    """Return the file of axe-core; without it the test is skipped, with the reason."""
    if not AXE.is_file():
        pytest.skip("needs axe-core: npm install axe-core, and WORDPL_AXE names its axe.min.js")
    return AXE


@contextmanager
def chromium(**options: Any) -> Iterator[Any]:
    """Yield a Playwright browser; where there is none, the test is skipped with the reason."""
    program = find_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, **options)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(file: Path, **context: Any) -> Iterator[tuple[Any, list[str]]]:
    """Open a file in Chromium; yield the page and its problems: console messages, requests, exceptions."""
    with chromium(args=["--no-sandbox"]) as browser:
        page = browser.new_context(**context).new_page()
        page.set_default_timeout(READY_MS)
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: request.url.startswith("file:") or problems.append(request.url))
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready=yes]" if context.get("java_script_enabled", True) else "main")
        yield page, problems


class WebServer:
    """`wordpl serve` in a process of its own, which can be killed and started again on the same database and port."""

    def __init__(self, database: Path, *options: str):
        self._command = [sys.executable, "-c", "from wordpl.cli import main; main()", "serve", "--rate", "0"]
        self._command += ["--database", str(database), *options]
        self.url = self._start("0")

    def _start(self, port: str) -> str:
        self._process = subprocess.Popen([*self._command, "--port", port], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return line.split()[2]

    def kill(self) -> None:
        """Kill the server as a crash does."""
        self._process.kill()
        self._process.wait(START_S)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def restart(self) -> None:
        """Start the server again at the same address."""
        port = self.url.rstrip("/").rpartition(":")[2]
        assert self._start(port) == self.url


@contextmanager
def serving(database: Path, *options: str) -> Iterator[WebServer]:
    """Yield a running `wordpl serve`."""
    server = WebServer(database, *options)
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def answering(reply: Callable[[BaseHTTPRequestHandler, bytes], tuple[int, str, bytes]]) -> Iterator[str]:
    """Yield the address of a server; reply: takes a request and its body, returns status, type and body."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            status, kind, data = reply(self, body)
            if status == 0:  # the connection breaks before a reply
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)  # seconds to notice a shutdown
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


@contextmanager
def serving_pages(pages: dict[str, str]) -> Iterator[str]:
    """Yield the address of a server with these pages, by path."""

    def reply(request: BaseHTTPRequestHandler, _: bytes) -> tuple[int, str, bytes]:
        text = pages.get(request.path.partition("?")[0].lstrip("/"))
        return (404, "text/plain", b"") if text is None else (200, "text/html; charset=utf-8", text.encode())

    with answering(reply) as address:
        yield address


def as_json(value: Any) -> bytes:
    """Return a value as the body of a reply."""
    return json.dumps(value).encode()
