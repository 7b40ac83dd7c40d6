"""Draw the pictures of reports in README.md and docs/report.md: `python docs/draw_report.py`.

It takes `pip install "wordpl[browser,plots]"`, Chromium as /usr/bin/chromium, and Debian's fonts-noto-core,
fonts-wqy-zenhei and fonts-symbola. It writes, into docs/pictures, pages and the index of a site at three widths in
light and dark colours, an animated replay, boards as terminals show them, and the pictures of leagues and of a season.
Git keeps only those that a page shows (docs/pictures/.gitignore names them).
"""

import io
import math
import sys
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import click
import draw_league
import draw_season
from draw_replay import moves_of, replay_svg
from draw_screens import clean_svg
from rich.console import Console
from rich.text import Text

from wordpl import Contest, RunConfig, reports
from wordpl.core import words
from wordpl.reports.elements import Detail
from wordpl.reports.publication import write_page
from wordpl.reports.run_report import RunReport
from wordpl.reports.site import write_site
from wordpl.run.folder import Run, RunRecords

PICTURES = Path(__file__).parent / "pictures"
HOME = Path(__file__).parents[1]
RESULTS = HOME / "results"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
SIZES = {1280: 800, 768: 1024, 390: 844}
TERMINALS = (40, 60, 80, 120)
SCHEMES = ("light", "dark")
RUN, ENTRY, GAME = "bundled", "NGuess(epsilon=14.5, n_guesses=3)", 1


def show_curve(page: Any) -> None:
    """Scroll to the curves."""
    page.evaluate("document.querySelector('#curve').scrollIntoView()")


def show_pairs(page: Any) -> None:
    """Scroll to the comparisons of pairs."""
    page.evaluate("document.querySelector('#comparison').scrollIntoView()")


def show_replay(page: Any) -> None:
    """Show the review of the game with the costliest move."""
    page.evaluate("window.wordpl.replay.go(window.wordpl.replay.nSteps - 1)")
    page.evaluate("document.querySelector('#games').scrollIntoView({behavior: 'instant'})")
    page.wait_for_timeout(500)


def show_own(page: Any) -> None:
    """Play a game to its end, and scroll to its comparison with the entries."""
    page.evaluate("Math.random = () => 0.5")
    page.click("text=Play a game yourself")
    for word in ("crane", "moist", "lucky"):
        page.fill(".own-game input[type=text]", word)
        page.keyboard.press("Enter")
    page.click(".own-game button:has-text('Answer')")
    page.fill(".own-game input[type=text]", "aback")
    page.click(".own-game button:has-text('Answer')")
    page.evaluate("document.querySelector('#replay').scrollIntoView()")


def show_row(page: Any) -> None:
    """Open the second row of the ranking."""
    page.locator(".forest:visible button.open").nth(1).click()
    page.locator(".forest:visible tr.details").evaluate("(row) => row.scrollIntoView({ block: 'center' })")


VIEWS: dict[str, Callable[[Any], None]] = {
    "top": lambda page: None, "row": show_row, "curve": show_curve, "pairs": show_pairs, "replay": show_replay,
    "own": show_own,
}  # fmt: skip
DRAWN = [("bundled", *VIEWS), ("official", "top"), ("twenty", "top")]
N_GAMES = 300
"""The number of games of the run of twenty entries."""


@click.command()
@click.argument("only", nargs=-1)
def main(only: tuple[str, ...]) -> None:
    """Write all pictures, or only those whose names begin with one of the texts in ONLY."""
    from playwright.sync_api import sync_playwright

    def wanted(name: str) -> bool:
        return not only or name.startswith(only)

    if wanted("board"):
        write_terminals()
    if wanted("replay"):
        write_replay()
    if wanted("league"):
        draw_league.main()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for run, *views in DRAWN:
            views = [view for view in views if wanted(f"report-{run}-{view}")]
            if views:
                path = Path(folder) / f"{run}.html"
                write_page([twenty_entries(Path(folder)) if run == "twenty" else RESULTS / run], path)
                for view in views:
                    keep_sizes(browser, path, f"report-{run}-{view}", VIEWS[view])
        if wanted("site"):
            index, *_ = write_site(RESULTS, Path(folder) / "site", is_verified=False)
            keep_sizes(browser, index, "site")
        if wanted("season"):
            pages = draw_season.play_season(Path(folder) / "season")
            keep_sizes(browser, pages / "index.html", "season")
            keep_sizes(browser, pages / "entry-ada_bot.html", "season-entry")
        browser.close()


def twenty_entries(folder: Path) -> Path:
    """Return the folder of a run of twenty entries: bundled strategies with other parameters."""
    sys.path.insert(0, str(HOME / "strategies"))
    from bayesian_random import BayesianRandom
    from max_clue_entropy import MaxClueEntropy
    from n_guess import NGuess

    guesses = [(6, 2), (8.4, 2), (10, 3), (12, 3), (14.5, 3), (16, 3), (18, 4), (20, 4), (24, 4), (30, 4)]
    random = [(10, 0.05), (12, 0.3), (15, 0.8), (15, 0.96), (18, 0.9), (20, 0.96)]
    entropy = [(2, 9), (3, 12), (3, 13.5), (4, 20)]
    entries = [NGuess(epsilon=float(epsilon), n_guesses=n) for epsilon, n in guesses]
    entries += [BayesianRandom(epsilon=float(epsilon), certainty=certainty) for epsilon, certainty in random]
    entries += [MaxClueEntropy(n_guesses=n, epsilon_per_guess=float(epsilon)) for n, epsilon in entropy]
    config = RunConfig(n_games=N_GAMES, seed="twenty", results=str(folder / "twenty"))
    return Contest(config, entries).play().folder.rename(folder / "twenty-entries")


def keep_sizes(browser: Any, path: Path, name: str, act: Callable[[Any], None] = VIEWS["top"]) -> None:
    """Write a screen of a page at all widths, light and dark."""
    for width in SIZES:
        for scheme in SCHEMES:
            keep(browser, path, f"{name}-{width}-{scheme}", width, scheme, act)


def keep(browser: Any, path: Path, name: str, width: int, scheme: str, act: Callable[[Any], None]) -> None:
    """Write a screen of a page."""
    size = {"width": width, "height": SIZES[width]}
    page = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce").new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    act(page)
    draw_league.save(name, draw_league.opened(page.screenshot()))
    page.context.close()


def write_replay() -> None:
    """Write the animated replay."""
    secret, moves = moves_of(RESULTS / RUN, ENTRY, GAME)
    title = f"Game {GAME} of NGuess 14.5×3: the secret is {secret}"
    svg = replay_svg(title, moves, math.log2(len(words.load().answers)))
    (PICTURES / "replay.svg").write_text(svg + "\n", encoding="utf-8")


def write_terminals() -> None:
    """Write the board as terminals of several widths show it."""
    report = RunReport(RunRecords(Run(RESULTS / RUN)))
    for width in TERMINALS:
        for encoding, name in (("utf-8", f"board-{width}"), ("ascii", f"board-{width}-ascii")):
            file = io.TextIOWrapper(BytesIO(), encoding=encoding)
            reports.show(report.sections(Detail.BOARD), Console(file=file, width=width))
            file.flush()
            lines = [line.rstrip() for line in file.buffer.getvalue().decode().splitlines()]
            (PICTURES / f"{name}.txt").write_text("\n".join(lines).strip() + "\n", encoding="utf-8")
        for name, no_color in ((f"terminal-{width}", False), (f"terminal-{width}-no-color", True))[: 1 + (width == 80)]:
            screen = io.StringIO()
            console = Console(file=screen, width=width, force_terminal=True, color_system="256", no_color=no_color)
            reports.show(report.sections(Detail.BOARD), console)
            picture = Console(record=True, file=io.StringIO(), width=width)
            picture.print(Text.from_ansi(screen.getvalue()))
            svg = clean_svg(picture.export_svg(title=f"wordpl, {width} columns"))
            (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
