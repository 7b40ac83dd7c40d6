"""How many steps a second the environments make, and what is shown beside others, where these are installed.

    python -m venv /tmp/others && /tmp/others/bin/pip install -e '.[gym]' textarena openenv
    /tmp/others/bin/python -m benchmarks.environments    # a minute of an idle machine; writes environments.csv

Each figure is the best of several repetitions: a busy machine only makes steps slower.
"""

import csv
import random
import threading
import time
import tracemalloc
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import SimpleNamespace

import gymnasium
import numpy as np

import wordpl.apps.envs.gym  # noqa: F401
from wordpl import words

PAGE = Path(__file__).parent.parent / "docs" / "environments.md"
MARK = "<!-- benchmarks/environments.py -->"
REPEATS = 7
WORDS = words.load().guesses
rows = []


def show(what, figure, unit, package):
    try:
        named = f"{package} {version(package)}"
    except PackageNotFoundError:
        return
    rows.append([date.today(), named, what, figure, unit])
    print(*rows[-1], sep="\t", flush=True)


def best(steps, n, repeats=REPEATS):
    """The most steps a second of several repetitions of `steps`, which makes n."""
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        steps()
        found.append(n / (time.perf_counter() - start))
    return f"{max(found):.0f}"


def single():
    start = time.perf_counter()
    env = gymnasium.make("wordpl/Wordle-v0", form="text", disable_env_checker=True)
    show("construction of the first environment", f"{time.perf_counter() - start:.3f}", "s", "wordpl")
    start = time.perf_counter()
    gymnasium.make("wordpl/Wordle-v0", form="text", disable_env_checker=True)
    show("construction of another one", f"{time.perf_counter() - start:.4f}", "s", "wordpl")
    rng, n = random.Random(1), 20_000
    actions = [rng.choice(WORDS) for _ in range(n)]
    env.reset(seed=1)

    def steps():
        for action in actions:
            if env.step(action)[2]:
                env.reset()

    show("one text environment", best(steps, n), "steps/s", "wordpl")
    tracemalloc.start()
    env.reset()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(10_000):
        env.reset()
    show("memory of 10,000 resets", str(tracemalloc.get_traced_memory()[0] - before), "bytes", "wordpl")
    tracemalloc.stop()


def many(reward, n_envs=4096, n=60):
    start = time.perf_counter()
    env = gymnasium.make_vec(
        "wordpl/Wordle-v0", num_envs=n_envs, vectorization_mode="vector_entry_point", reward=reward
    )
    show(f"construction of {n_envs} games, {reward}", f"{time.perf_counter() - start:.4f}", "s", "wordpl")
    rng = np.random.default_rng(1)
    actions = [rng.integers(len(WORDS), size=n_envs) for _ in range(n)]
    env.reset(seed=1)

    def steps():
        for action in actions:
            env.step(action)

    steps()  # loads kernels, and values first guesses
    show(f"{n_envs} games in arrays, {reward}", best(steps, n * n_envs, 30), "steps/s", "wordpl")


def client(n=1500):
    import uvicorn
    from openenv import GenericEnvClient

    from wordpl.apps.envs.openenv import app

    server = uvicorn.Server(uvicorn.Config(app(), port=0, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    with GenericEnvClient(base_url=f"http://127.0.0.1:{port}").sync() as env:
        env.reset(seed=1, game=0)

        def steps():
            for number in range(n):
                if env.step({"word": WORDS[number]}).done:
                    env.reset(seed=1, game=number)

        show("client through its socket", best(steps, n), "steps/s", "openenv")
    server.should_exit = True


def textarena(n=500):
    import nltk

    what = "one text environment"
    try:
        nltk.pos_tag(["test"]), nltk.corpus.words.words()
    except LookupError:  # nothing can be downloaded here: the same numbers of words, of ours
        what += ", words of wordpl in place of its downloads"
        nltk.download = lambda *names, **options: True
        nltk.pos_tag = lambda words: [(word, "NN") for word in words]
        nltk.corpus.words = SimpleNamespace(words=lambda part="en": list(WORDS[:156] if part == "en-basic" else WORDS))
    import textarena as ta

    env = ta.make("Wordle-v0")
    env = getattr(env, "env", env)  # without the wrapper that adds up what was said
    rng = random.Random(1)
    actions = [f"[{rng.choice(WORDS)}]" for _ in range(n)]

    def steps():
        env.reset(num_players=1, seed=1)
        for action in actions:
            env.get_observation()
            done, _ = env.step(action)
            if done:
                env.reset(num_players=1, seed=1)

    show(what, best(steps, n), "steps/s", "textarena")


def main():
    single()
    for reward in ("cost", "luck-free"):
        many(reward)
    for other in (client, textarena):
        try:
            other()
        except ImportError as error:
            print(f"{other.__name__}: {error}")
    with Path(__file__).with_suffix(".csv").open("w") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["date", "version", "what", "figure", "unit"])
        table.writerows(rows)
    page()


def page():
    """Write the figures into the documentation, between its marks."""
    lines = ["||||", "|---|---|--:|"]
    with Path(__file__).with_suffix(".csv").open() as file:
        for row in csv.DictReader(file):
            figure = f"{float(row['figure']):,.4g}" if row["unit"] == "s" else f"{int(row['figure']):,}"
            lines.append(f"|{row['version']}|{row['what']}|{figure} {row['unit']}|")
    text = PAGE.read_text()
    before, rest = text.split(MARK, 1)
    after = rest.split(MARK, 1)[1]
    PAGE.write_text(f"{before}{MARK}\n\n" + "\n".join(lines) + f"\n\n{MARK}{after}")


if __name__ == "__main__":
    main()
