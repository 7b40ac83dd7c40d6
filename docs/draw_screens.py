"""Draw the pictures of the full-screen app for the documentation: `python docs/draw_screens.py`.

The pictures are SVG of text; they name no font and no host, so that nothing is loaded from anywhere.
"""

import asyncio
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

FOLDER = Path(__file__).parent / "screens"
SIZES = ((80, 24), (120, 40))
MAX_BYTES = 120_000
TIMEOUT_S = 300.0


@click.command()
def draw() -> None:
    """Write docs/screens/*.svg: each screen at 80 x 24 and at 120 x 40 characters."""
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
                os.environ[name] = f"{folder}/{name}"
            asyncio.run(asyncio.wait_for(drawn(size), TIMEOUT_S))


async def drawn(size: tuple[int, int]) -> None:
    """Drive the app from screen to screen."""
    from wordpl.apps.terminal.app import AppOptions
    from wordpl.apps.terminal.app.app import WordplApp
    from wordpl.apps.terminal.app.worker import WorkerClient

    client = WorkerClient()
    try:
        app = WordplApp(client, AppOptions(game_id="wordpl/1", seed="docs"))
        async with app.run_test(size=size) as pilot:
            solve = app.screen
            await until(lambda: solve.choice.answers)
            await pilot.press(*"tares", *["full_stop"] * 4, "i", "enter", *"crony")
            await until(lambda: solve.search.done and (solve.search.effect or {}).get("guess") == "crony")
            await keep(pilot, "solve")
            await pilot.press("ctrl+s")
            dialog = app.screen
            dialog.query_one("#setup-answers").value = dialog.query_one("#setup-guesses").value = "modern"
            dialog.query_one("#setup-add").focus()
            for text in ("suffix", "probability=0.05", "restore=answers-2023"):
                dialog.query_one("#setup-add").value = text
                await pilot.press("enter")
            await until(lambda: len(dialog._steps) == 3)
            await keep(pilot, "setup")
            await pilot.press("escape", "f3")
            play = app.screen
            await until(lambda: play.game)
            await pilot.press(*"crane", "8", "enter", *"moist")
            await until(lambda: play.prices and play.letters)
            await keep(pilot, "play")
    finally:
        client.stop()


async def keep(pilot, name: str) -> None:
    """Write the current screen as an SVG picture."""
    await pilot.pause(0.5)
    svg = clean_svg(pilot.app.export_screenshot(title=f"wordpl: {name}"))
    path = FOLDER / f"{name}-{pilot.app.size.width}.svg"
    path.write_text(svg, encoding="utf-8")
    if len(svg.encode()) > MAX_BYTES:
        raise SystemExit(f"{path} has {len(svg.encode()):,} bytes, more than {MAX_BYTES:,}")
    click.echo(f"{path}: {len(svg.encode()):,} bytes")


def clean_svg(svg: str) -> str:
    """Return the picture without web fonts and comments that refer to other hosts."""
    svg = re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code", "monospace").replace("monospace, monospace", "monospace")
    svg = re.sub(r"terminal-\d+-", "t-", svg)
    svg = re.sub(r'<clipPath id="t-line-\d+">.*?</clipPath>', "", svg, flags=re.DOTALL)
    svg = re.sub(r' clip-path="url\(#t-line-\d+\)"| shape-rendering="crispEdges"', "", svg)
    svg = re.sub(r"\n\s*\n+", "\n", svg)
    hosts = set(re.findall(r"https?://[^\s\"')<]+", svg)) - {"http://www.w3.org/2000/svg"}
    if hosts:
        raise SystemExit(f"the picture names {', '.join(sorted(hosts))}")
    return svg


async def until(condition: Callable[[], object]) -> None:
    """Wait until a condition is true."""
    end = asyncio.get_running_loop().time() + TIMEOUT_S
    while not condition():
        if asyncio.get_running_loop().time() > end:
            raise SystemExit("the app has not answered")
        await asyncio.sleep(0.02)


if __name__ == "__main__":
    draw()
