"""Measure the HTML page of a run of 20 entries and 20,000 games: its cost, and its speed in Chromium.

Run `python benchmarks/page.py`. The run is made up: secrets, clues and noise are real, guesses are drawn, and answers
are right as often as the entry's share of wins demands. No game is played, so its records take only seconds.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from wordpl.contest import run_folder
from wordpl.core import words
from wordpl.core.clues import decode, keep_probability
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.games import game_class
from wordpl.kernels.clue_matrix import clue_row
from wordpl.reports.html.run_page import run_page
from wordpl.reports.run_report import RunReport
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run, RunRecords
from wordpl.run.info import EntryInfo, RunInfo
from wordpl.run.records import Record, encode

CHROMIUM = "/usr/bin/chromium"
N_WORDS = 400
"""Words that entries guess."""
KINDS = ("fixed", "adaptive", "random", "prices")
"""Kinds of guesses: constant, derived from the clues so far, random, and random with random budgets."""
FILTER = """
() => new Promise((done) => {
  const field = [...document.querySelectorAll("#browser input")][0];
  const began = performance.now();
  field.value = "s..e";
  field.dispatchEvent(new Event("input"));
  requestAnimationFrame(() => done(performance.now() - began));
})
"""


def new_run(folder: Path, n_entries: int, n_games: int) -> Run:
    """Return a run whose entries are of each kind in turn, with the records of all their games."""
    lists = words.load()
    names = [f"{KINDS[number % len(KINDS)].title()}(number={number})" for number in range(n_entries)]
    info = RunInfo(
        config=RunConfig(n_games=n_games, repeats=0).resolved("D"), seed="page",
        entries=[EntryInfo(name, f"entry{number}", game_class("wordpl/1").facts, "x.py", name, "")
                 for number, name in enumerate(names)],
        versions=run_folder.versions(), machine={}, started="2026-01-01T00:00:00+00:00",
        finished="2026-01-01T01:00:00+00:00",
    )  # fmt: skip
    run = Run.create(folder, info)
    rng = np.random.default_rng(1)
    secrets = rng.integers(0, len(lists.answers), n_games)
    guess_words = [lists.guesses[row] for row in rng.choice(len(lists.guesses), N_WORDS, replace=False)]
    matrix_ = np.array([clue_row(lists, "anywhere", word) for word in guess_words])
    for number, entry in enumerate(info.entries):
        lines = games(rng, KINDS[number % len(KINDS)], number, (secrets, guess_words, matrix_))
        run.entry(entry).records_path.write_bytes(b"".join(lines))
    return run


def games(
    rng: np.random.Generator, kind: str, number: int, drawn: tuple[np.ndarray, list[str], np.ndarray]
) -> Iterator[bytes]:
    """Yield the lines of an entry's record file.

    Args:
        rng: The random generator.
        kind: The kind of the entry.
        number: The number of the entry.
        drawn: The secrets, the words to guess, and the clues of each word.
    """
    secrets, guess_words, clues = drawn
    answers, n = words.load().answers, len(secrets)
    n_rounds = np.full(n, 3) if kind == "fixed" else rng.integers(3, 9, n)
    played: list[list[NoisyMove]] = [[] for _ in range(n)]
    texts = [decode(code, 5) for code in range(3**5)]
    history = np.zeros(n, np.int64)
    for round_ in range(int(n_rounds.max())):
        followed = (history * 31 + round_) % N_WORDS
        guesses = {"fixed": np.full(n, round_), "adaptive": followed}.get(kind, rng.integers(0, N_WORDS, n))
        prices = rng.gamma(20, 0.5, n).round(2) if kind == "prices" else np.full(n, 8.0 + number)
        noisy_clues = noisy(rng, clues[guesses, secrets], prices)
        history = (history * 1009 + guesses * 243 + noisy_clues) % 1_000_003
        for game in np.flatnonzero(n_rounds > round_):
            move = NoisyMove(guess_words[guesses[game]], float(prices[game]), texts[noisy_clues[game]])
            played[game].append(move)
    won = rng.random(n) < 0.3 + 0.03 * number
    for game, moves in enumerate(played):
        secret = answers[secrets[game]]
        answer = NoisyMove(secret if won[game] else answers[secrets[game] - 1], 0, "")
        verdict = Verdict.WON if won[game] else Verdict.WRONG
        yield encode(Record(game, secret, [*moves, answer], verdict))


def noisy(rng: np.random.Generator, codes: np.ndarray, epsilons: np.ndarray) -> np.ndarray:
    """Return the numbers of the clues shown at these epsilons."""
    powers = 3 ** np.arange(4, -1, -1)
    digits = codes[:, None].astype(int) // powers % 3
    keep = np.array([keep_probability(epsilon) for epsilon in epsilons])[:, None]
    turned = (digits + rng.integers(1, 3, digits.shape)) % 3
    return np.where(rng.random(digits.shape) < keep, digits, turned) @ powers


def page_of(folder: Path) -> str:
    """Return the page of a run, and print its cost."""
    began = time.process_time()
    report = RunReport(RunRecords(Run(folder)))
    _ = report.boards
    before = time.process_time() - began
    page = run_page([report.results(with_commands=True)])
    took = time.process_time() - began
    click.echo(f"{len(page.encode()) / 1e6:.3f} MB; {took:.1f} CPU s, {took - before:.1f} of them the page's own part")
    return page


def show_in_browser(path: Path) -> None:
    """Print the speed of the page in Chromium: wall time, and CPU time of the page's own thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(120_000)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready=yes]")
        ready = page.evaluate("performance.getEntriesByName('ready')[0].startTime")
        metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
        cpu_ms = 1000 * metrics["TaskDuration"]
        page.locator("#games summary").click()
        page.wait_for_selector("#browser tbody tr")
        filters = [page.evaluate(FILTER) for _ in range(5)]
        click.echo(
            f"ready after {ready:.0f} ms, {cpu_ms:.0f} ms CPU; filters {', '.join(map('{:.0f}'.format, filters))} ms"
        )
        browser.close()


@click.command()
@click.option("--entries", default=20, show_default=True)
@click.option("--games", "n_games", default=20_000, show_default=True)
@click.option("--browser/--no-browser", default=True, help="Also open the page in Chromium.")
def main(entries: int, n_games: int, browser: bool) -> None:
    """Print size, CPU time and speed of the page of a made-up run, and whether it is reproducible."""
    with tempfile.TemporaryDirectory() as folder:
        run = new_run(Path(folder) / "run", entries, n_games)
        first = page_of(run.folder)
        click.echo(f"the same bytes twice: {'yes' if page_of(run.folder) == first else 'NO'}")
        path = Path(folder) / "page.html"
        path.write_text(first, encoding="utf-8")
        if browser:
            show_in_browser(path)


if __name__ == "__main__":
    main()
