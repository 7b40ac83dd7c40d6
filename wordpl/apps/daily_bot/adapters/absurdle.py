"""Absurdle, qntm's adversarial game."""

from wordpl.apps.daily_bot.adapters import Adapter, PageShape


class AbsurdleAdapter(Adapter):
    """The adapter for Absurdle, whose table gets a new row with each guess."""

    name = "absurdle"
    about = "Absurdle, by qntm. Tested on an imitation with the same CSS classes, not on the real page."
    game_id = "absurdle/1"
    shape = PageShape(
        row="table.absurdle__guess-table tr",
        tile="td.absurdle__guess-box",
        marks=(
            (".absurdle__guess-box--exact", "c"),
            (".absurdle__guess-box--inexact", "i"),
            (".absurdle__guess-box--wrong", "."),
        ),
        refused=".absurdle__button--primary",
        refused_text="not a word",
    )
