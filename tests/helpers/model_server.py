"""A server of the chat completion protocol that plays through a bundled strategy, or replies what a test says.

With `fault_share`, so many requests meet a fault, drawn from a seed. It runs in a thread, or as a program of its own:
python -m tests.helpers.model_server URL_FILE [SHARE]
"""

import asyncio
import json
import random
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager, suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from tests.helpers.paths import HOME
from wordpl.apps.models.prompts import CLUES

MARKS = {told: mark for mark, told in CLUES.items()}
_TOLD = re.compile(r"([a-z]) (right place|elsewhere|absent)")
FAULTS = ("429", "500", "slow", "cut", "half", "large", "type", "choices", "empty")
Reply = Callable[[dict], str]


def history(body: dict) -> list[tuple[str, str]]:
    """Return the guesses and clues that the messages of a request tell."""
    found = []
    for message in body["messages"]:
        if message["role"] in ("user", "tool") and (told := re.match(r"([a-z]+): ([a-z] .*?)\. ", message["content"])):
            letters = _TOLD.findall(told[2])
            if "".join(letter for letter, _ in letters) == told[1]:
                found.append((told[1], "".join(MARKS[mark] for _, mark in letters)))
    return found


def strategy_of(name: str):
    """Return a class of a bundled strategy."""
    file, _, class_name = name.partition(":")
    spec = spec_from_file_location(f"played_{file}", HOME / "strategies" / f"{file}.py")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return getattr(module, class_name)


def by_strategy(name: str = "letter_frequency:LetterFrequency") -> Reply:
    """Return the replies of a model that plays like a strategy without draws: prose, with the word in brackets."""
    from wordpl.core.words import load

    lists, known = load(), {}
    strategy = strategy_of(name)()
    strategy.__dict__["lists"] = lists

    def reply(body: dict) -> str:
        made = tuple(history(body))
        if made not in known:
            proposed = strategy.first_move()
            for guess, clues in made:
                proposed = strategy.next_move(guess, clues)
            known[made] = proposed
        return f"<think>[about] it</think>After {len(made)} clues, I guess **[ {known[made].upper()} ]**."

    return reply


class ModelServer:
    """The server.

    Attributes:
        requests: The bodies of all requests that were answered, in order.
        headers: The headers of the last request.
        faults: How often each fault was met.
    """

    def __init__(self, reply: Reply, fault_share: float = 0.0, delay_s: float = 0.0, seed: int = 7):
        self.reply, self.fault_share, self.delay_s = reply, fault_share, delay_s
        self.requests: list[dict] = []
        self.answered: Counter[str] = Counter()
        self.headers = ""
        self.faults: Counter[str] = Counter()
        self.is_down = False
        self.as_is: Callable[[dict], bytes | None] = lambda body: None  # a whole HTTP reply in place of the usual one
        self._chance = random.Random(seed)
        self.port = 0
        self._open: set[asyncio.Task] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, stop: asyncio.Event) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            await stop.wait()
            for connected in self._open:
                connected.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(asyncio.current_task())
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.headers = head.decode("latin-1")
                length = int(re.search(r"content-length: (\d+)", self.headers, re.IGNORECASE)[1])
                body = json.loads(await reader.readexactly(length))
                if not await self._answer(body, writer):
                    break
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(asyncio.current_task())
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, body: dict, writer: asyncio.StreamWriter) -> bool:
        """Write a reply; return whether the connection stays open."""
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        fault = ""
        if self.is_down:
            fault = "500"
        elif self._chance.random() < self.fault_share:
            fault = self._chance.choice(FAULTS)
        self.faults[fault] += 1
        if own := self.as_is(body):
            writer.write(own)
            return True
        if fault == "429":
            writer.write(
                http(b'{"error":{"message":"slow down"}}', status="429 Too Many", more="Retry-After: 0.05\r\n")
            )
            return True
        if fault == "500":
            writer.write(http(b"oops", status="500 Error", kind="text/html"))
            return True
        if fault == "slow":
            await asyncio.sleep(0.3)
        text = completion(self.reply(body), tokens=sum(len(one.get("content") or "") for one in body["messages"]) // 4)
        self.requests.append(body)
        if fault == "cut":
            writer.write(http(text)[: -len(text) // 2])
            return False
        if fault == "half":
            text = text[: len(text) // 2]
        if fault == "large":
            text = completion("la " * 350_000 + "[crane]")
        if fault == "choices":
            one = json.loads(text)
            one["choices"].append({"index": 1, "message": {"role": "assistant", "content": "[about]"}})
            text = json.dumps(one).encode()
        if fault == "empty":
            text = completion("")
        writer.write(http(text, kind="text/html" if fault == "type" else "application/json"))
        return True


def http(content: bytes, status: str = "200 OK", kind: str = "application/json", more: str = "") -> bytes:
    """Return a reply with this content."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n{more}\r\n"
    return head.encode() + content


def completion(text: str | None, tokens: int = 100, finish: str = "stop", **message: object) -> bytes:
    """Return a chat completion with this reply."""
    reply = {"role": "assistant", "content": text, **message}
    usage = {"prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20}
    choice = {"index": 0, "message": reply, "finish_reason": finish}
    return json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
                       "usage": usage}).encode()  # fmt: skip


@contextmanager
def model_server(reply: Reply, **options):
    """Yield a server that runs in a thread."""
    server, loop = ModelServer(reply, **options), asyncio.new_event_loop()
    stop = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(server.serve(stop)), daemon=True)
    thread.start()
    while not server.port:
        time.sleep(0.005)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()


def main() -> None:
    server = ModelServer(by_strategy(), fault_share=float(sys.argv[2]) if len(sys.argv) > 2 else 0.0)

    async def run() -> None:
        serving = asyncio.create_task(server.serve(asyncio.Event()))
        while not server.port:
            await asyncio.sleep(0.01)
        Path(sys.argv[1]).write_text(server.url)
        await serving

    asyncio.run(run())


if __name__ == "__main__":
    main()
