"""Play many puzzles with the browser bot and count how they end.

    benchmarks/sverdle.sh /tmp/sverdle; PORT=4173 ORIGIN=http://127.0.0.1:4173 node /tmp/sverdle/build &
    python benchmarks/browser_bot.py sverdle --url http://127.0.0.1:4173/sverdle --games 20
    python benchmarks/browser_bot.py puzzles --games 220       play the original puzzles on a local page

Sverdle draws its own secrets, so LetterFrequency does not solve all of them. On the original puzzles, it should have
the published results of the letter-frequency bot: 11/75/90/34/8 puzzles in two to six guesses, and two failures,
puzzles 113 and 123.
"""

import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from wordpl.apps.daily_bot.adapters import adapter_class
from wordpl.apps.daily_bot.daily import BotConfig, make_guesser
from wordpl.apps.daily_bot.page_game import Result, browser_context, play_with_tries
from wordpl.core import words
from wordpl.core.moves import Verdict
from wordpl.core.words import FIRST_PUZZLE_DAY

EXPECTED = {2: 11, 3: 75, 4: 90, 5: 34, 6: 8, 7: 2}


@click.command()
@click.argument("what", type=click.Choice(["sverdle", "puzzles"]))
@click.option("--url", default="http://127.0.0.1:4173/sverdle", show_default=True)
@click.option("--games", default=20, show_default=True)
@click.option("--strategy", "strategies", multiple=True, default=["tree", "LetterFrequency"], show_default=True)
def main(what: str, url: str, games: int, strategies: tuple[str, ...]) -> None:
    """Play, and end with 1 if a result is not the expected one."""
    sys.exit(puzzles(games) if what == "puzzles" else sum(sverdle(url, games, name) for name in strategies))


def sverdle(url: str, n_games: int, strategy: str) -> bool:
    """Return whether the optimal tree lost games, or rows were marked against the rules."""
    results = played("sverdle", [url] * n_games, strategy)
    n_false = sum(len(result.false_marks()) for result in results)
    n_lost = sum(result.game.verdict != Verdict.WON for result in results)
    n_refused = sum(len(result.game.refused) for result in results)
    click.echo(
        f"{strategy}: {n_games - n_lost} of {n_games} solved, "
        f"{n_refused} words refused, {n_false} rows with false marks"
    )
    return n_false > 0 or (n_lost > 0 and strategy == "tree")


def puzzles(n_games: int) -> bool:
    """Return whether the distribution of guesses on a page with the original puzzles is not the expected one."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "wordpl", "serve", "--port", "0", "--rate", "0"]
        command += ["--daily-words", "puzzle-order", "--database", f"{folder}/games.sqlite"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            address = server.stdout.readline().split()[2]
            days = [FIRST_PUZZLE_DAY + timedelta(days=number) for number in range(n_games)]
            results = played("wordpl", [f"{address}#/daily/wordle/1/{day}" for day in days], "LetterFrequency")
        finally:
            server.terminate()
            server.wait(20)
    n_guesses = [len(result.game.moves) if result.game.verdict == Verdict.WON else 7 for result in results]
    failures = [number for number, n in enumerate(n_guesses) if n == 7]
    click.echo(f"guesses: {dict(sorted(Counter(n_guesses).items()))}; not solved: puzzles {failures}")
    return n_games == 220 and (Counter(n_guesses) != EXPECTED or failures != [113, 123])


def played(adapter: str, urls: list[str], strategy: str) -> list[Result]:
    """Return the result of a game on each page, without what the browser kept of the games before."""
    results = []
    with tempfile.TemporaryDirectory() as folder, browser_context() as context:
        config = BotConfig(urls[0], adapter, strategy, words.load(), Path(folder))
        page = context.new_page()
        with closing(make_guesser(config)) as guesser:
            for url in urls:
                context.clear_cookies()
                game = play_with_tries(adapter_class(adapter)(page), url, guesser, lambda line: None)
                results.append(Result(game, strategy, game.day or datetime.now(UTC).date()))
    return results


if __name__ == "__main__":
    main()
