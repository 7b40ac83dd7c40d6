"""Play many puzzles with the browser bot and count how they end.

    benchmarks/sverdle.sh /tmp/sverdle; PORT=4173 ORIGIN=http://127.0.0.1:4173 node /tmp/sverdle/build &
    python benchmarks/browser_bot.py sverdle --url http://127.0.0.1:4173/sverdle --games 20
    python benchmarks/browser_bot.py bookmarklet --games 5     compare the bookmarklets' guesses with the library's
    python benchmarks/browser_bot.py puzzles --games 220       play the original puzzles on a local page

Sverdle draws its own secrets, so LetterFrequency does not solve all of them. On the original puzzles, it should have
the published results of the letter-frequency bot: 11/75/90/34/8 puzzles in two to six guesses, and two failures,
puzzles 113 and 123.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from urllib.parse import unquote

from wordpl.core import words
from wordpl.core.moves import Verdict
from wordpl.core.words import FIRST_PUZZLE_DAY
from wordpl.web.bot import bookmarklet
from wordpl.web.bot.adapters import adapter_class
from wordpl.web.bot.daily import BotConfig, make_guesser
from wordpl.web.bot.page_game import Result, browser_context, play_with_tries

EXPECTED = {2: 11, 3: 75, 4: 90, 5: 34, 6: 8, 7: 2}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["sverdle", "bookmarklet", "puzzles"])
    parser.add_argument("--url", default="http://127.0.0.1:4173/sverdle")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--strategy", action="append")
    options = parser.parse_args()
    if options.what == "puzzles":
        return puzzles(options.games)
    if options.what == "bookmarklet":
        return sum(bookmarklets(options.url, options.games, name) for name in bookmarklet.STRATEGIES)
    return sum(sverdle(options.url, options.games, name) for name in options.strategy or ["tree", "LetterFrequency"])


def sverdle(url: str, n_games: int, strategy: str) -> int:
    """Return how many games the optimal tree lost or had rows marked against the rules."""
    results = played("sverdle", [url] * n_games, strategy)
    n_false = sum(len(result.false_marks()) for result in results)
    n_lost = sum(result.game.verdict != Verdict.WON for result in results)
    n_refused = sum(len(result.game.refused) for result in results)
    print(
        f"{strategy}: {n_games - n_lost} of {n_games} solved, "
        f"{n_refused} words refused, {n_false} rows with false marks"
    )
    return n_false + (n_lost if strategy == "tree" else 0)


def bookmarklets(url: str, n_games: int, strategy: str) -> int:
    """Return how many guesses of the bookmarklet differ from those of the library after the same clues."""
    lists, adapter = words.load(), adapter_class("sverdle")
    address = bookmarklet.bookmarklet(lists, strategy)
    source = unquote(address.removeprefix("javascript:"))
    n_guesses = n_other = n_won = 0
    with tempfile.TemporaryDirectory() as folder, browser_context() as context:
        name = "LetterFrequency" if strategy == "letter-frequency" else "tree"
        config = BotConfig(url, "sverdle", name, lists, Path(folder), is_hard=strategy == "tree-hard")
        with closing(make_guesser(config)) as guesser:
            page = context.new_page()
            for _ in range(n_games):
                context.clear_cookies()
                adapter(page).open(url)
                page.evaluate(source)
                page.wait_for_function("() => window.wordplBookmarkletEnd", timeout=120_000)
                moves = adapter(page).moves()
                expected = [guesser.proposal("wordle/1", moves[:n], ())[0] for n in range(len(moves))]
                n_other += sum(move.guess != guess for move, guess in zip(moves, expected, strict=True))
                n_guesses += len(moves)
                n_won += moves[-1].clues == "ccccc"
    print(f"bookmarklet {strategy}, {len(address):,} bytes: {n_won} of {n_games} solved, ", end="")
    print(f"{n_other} of {n_guesses} guesses differ from the library's")
    return n_other


def puzzles(n_games: int) -> int:
    """Return 1 if the distribution of guesses is not the expected one, else 0."""
    with served() as address:
        days = [FIRST_PUZZLE_DAY + timedelta(days=number) for number in range(n_games)]
        results = played("wordpl", [f"{address}#/daily/wordle/1/{day}" for day in days], "LetterFrequency")
    n_guesses = [len(result.game.moves) if result.game.verdict == Verdict.WON else 7 for result in results]
    failures = [number for number, n in enumerate(n_guesses) if n == 7]
    print(f"guesses: {dict(sorted(Counter(n_guesses).items()))}; not solved: puzzles {failures}")
    return int(n_games == 220 and (Counter(n_guesses) != EXPECTED or failures != [113, 123]))


def played(adapter: str, urls: list[str], strategy: str) -> list[Result]:
    """Return the result of a game on each page, each in its own browser context."""
    lists = words.load()
    results = []
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        config = BotConfig(urls[0], adapter, strategy, lists, Path(folder))
        guesser = make_guesser(config)
        try:
            with browser_context() as context:
                page = context.new_page()
                for number, url in enumerate(urls):
                    context.clear_cookies()
                    game = play_with_tries(adapter_class(adapter)(page), url, guesser, lambda line: None)
                    results.append(Result(game, strategy, config.day))
                    print(f"\r{number + 1} of {len(urls)}", end="", file=sys.stderr)
        finally:
            guesser.close()
    print(f", {(time.monotonic() - started) / len(urls):.2f} s a game by the clock", file=sys.stderr)
    return results


@contextmanager
def served():
    """Serve a page whose daily puzzles are the original ones, and yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", "from wordpl.cli import main; main()", "serve", "--port", "0", "--rate", "0"]
        command += ["--daily-words", "puzzle-order", "--database", f"{folder}/games.sqlite"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            yield server.stdout.readline().split()[2]
        finally:
            server.terminate()
            server.wait(20)


if __name__ == "__main__":
    sys.exit(main())
