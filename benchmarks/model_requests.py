"""What the harness costs per request to a model, in CPU time and memory, beside the client library.

A scripted server in a process of its own replies at once, to 64 requests at a time: first to the client library alone,
then to the harness. What the harness itself costs is measured without a network, with the same replies.

    python -m benchmarks.model_requests [N_REQUESTS]
"""

import asyncio
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.helpers.model_server import by_strategy
from wordpl.apps.models.client import Answer, Client
from wordpl.apps.models.endpoints import HOST
from wordpl.apps.models.prompts import default_prompt, first
from wordpl.contest import Contest
from wordpl.core.words import load
from wordpl.games import make_game
from wordpl.run.config import RunConfig

IN_FLIGHT = 64
REQUESTS_PER_GAME = 3.8
ENTRY = 'game = "wordle/1"\n[model]\nendpoint = "local"\nmodel = "m"\ntemperature = 0\n'


def library_alone(url: str, n: int) -> float:
    """Return the CPU time per request of the client library, in seconds, with the requests of first moves."""
    import openai

    messages = [{"role": "user", "content": first(default_prompt(make_game("wordle/1", load()), "text", 0))}]

    async def ask_all() -> float:
        left = iter(range(n))
        async with openai.AsyncOpenAI(api_key="none", base_url=url) as client:

            async def one_by_one() -> None:
                for _ in left:
                    await client.chat.completions.create(model="m", messages=messages, max_tokens=4096, temperature=0)

            await client.chat.completions.create(model="m", messages=messages)
            began = time.process_time()
            await asyncio.gather(*(one_by_one() for _ in range(IN_FLIGHT)))
            return (time.process_time() - began) / n

    return asyncio.run(ask_all())


def run_of(folder: Path, n_games: int) -> tuple[float, int]:
    """Return the CPU time per request of a run, with its start and end, and the number of its requests."""
    (folder / "my_model.toml").write_text(ENTRY)
    config = RunConfig(n_games=n_games, seed="7", repeats=0, level="D", results=folder / "results")
    contest = Contest(config, [str(folder / "my_model.toml")], jobs=1)
    contest.open()
    began = time.process_time()
    run = contest.play()
    took = time.process_time() - began
    n_requests = sum(one.requests for record in run.entries[0].read() for one in record.talk.moves)
    return took / n_requests, n_requests


def without_network(folder: Path, n_games: int) -> float:
    """Return the CPU time per request of a run whose replies need no network, without those for the replies."""
    reply, ask = by_strategy(), Client.ask
    spent_s = 0.0

    async def answer(self: Client, body: dict[str, object]) -> Answer:
        nonlocal spent_s
        await asyncio.sleep(0)
        began = time.thread_time()
        text = reply(body)
        spent_s += time.thread_time() - began
        return Answer(text, "stop", False, 100, 20)

    Client.ask = answer
    try:
        run_of(folder, 100)  # what is imported and compiled once
        spent_s = 0.0
        per_request, n = run_of(folder, n_games)
        return per_request - spent_s / n
    finally:
        Client.ask = ask


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    HOST.in_flight = IN_FLIGHT
    with TemporaryDirectory() as name:
        folder = Path(name)
        server = subprocess.Popen([sys.executable, "-m", "tests.helpers.model_server", str(folder / "url")])
        try:
            while not (folder / "url").exists():
                time.sleep(0.1)
            HOST.bind("local", (folder / "url").read_text())
            whole, n_requests = run_of(folder, int(n / REQUESTS_PER_GAME))
            peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            alone = library_alone(HOST.endpoints["local"].terms.url, min(n, 2000))
        finally:
            server.kill()
            server.wait()
        own = without_network(folder, 1000)
    print(f"the client library alone: {1e3 * alone:.2f} ms of CPU time for a request")
    print(f"the harness without a network: {1e3 * own:.2f} ms")
    print(f"a run of {n_requests:,} requests, with its start and end: {1e3 * whole:.2f} ms for each, {peak_mb:.0f} MiB")


if __name__ == "__main__":
    main()
