"""Sverdle, the Wordle clone in the demo template of SvelteKit."""

from wordpl.apps.daily_bot.adapters import Adapter, PageShape


class Sverdle(Adapter):
    """The adapter for Sverdle, which shakes the row of a refused word and stores the game in a cookie."""

    name = "sverdle"
    about = "Sverdle, the demo of SvelteKit. Tested on the real page, which benchmarks/sverdle.sh builds."
    shape = PageShape(
        row=".grid .row",
        tile=".letter",
        marks=((".exact", "c"), (".close", "i"), (".missing", ".")),
        refused=".grid.shake",
    )
