"""Sverdle, the Wordle clone in the demo template of SvelteKit."""

from wordpl.web.bot.adapters.base import Adapter, PageShape


class Sverdle(Adapter):
    """A page that shows a refused word by shaking its row, and keeps the game in a cookie."""

    name = "sverdle"
    about = "Sverdle, the demo of SvelteKit. Tested on the real page, built by benchmarks/sverdle.sh."
    shape = PageShape(
        row=".grid .row",
        tile=".letter",
        marks=((".exact", "c"), (".close", "i"), (".missing", ".")),
        refused=".grid.shake",
    )
