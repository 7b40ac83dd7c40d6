"""Pictures of a league: ratings over time, and in how many guesses its players are done.

A picture is returned as the bytes of a PNG or SVG file, the same for the same data.
"""

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from wordpl.core.errors import UserError
from wordpl.core.untrusted_text import sanitize_untrusted_text
from wordpl.stats.rankings import Ranking
from wordpl.stats.rankings.results import X

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Kind = Literal["png", "svg"]
SIZE_IN = (8, 4.5)
DOTS_PER_INCH = 120
MAX_NAMED = 10
"""Players with a colour and a name; more colours could not be told apart."""
NAME_CHARACTERS = 24
GREY = "#bbbbbb"


def rating_curves(curves: pd.DataFrame, table: pd.DataFrame, ranking: Ranking, kind: Kind = "png") -> bytes:
    """Return a picture of ratings over time, the best players named, with the interval of each last rating.

    curves: as `rankings.curves` gives them; table: as `ranking` gives it for the same results
    """
    figure, axes = _empty()
    named = table["player"].head(MAX_NAMED).tolist()
    by_player = dict(tuple(curves.groupby("player")))
    for player in [name for name in by_player if name not in named]:
        axes.plot(by_player[player]["day"], by_player[player]["rating"], color=GREY, linewidth=0.6, zorder=1)
    last_day = curves["day"].max()
    for at, row in enumerate(table.head(MAX_NAMED).itertuples()):
        curve = by_player[row.player]
        label = f"{row.place} {sanitize_untrusted_text(row.player, NAME_CHARACTERS)} ({row.n_games:,} games)"
        (line,) = axes.plot(curve["day"], curve["rating"], color=f"C{at}", linewidth=1.5, label=label, zorder=3)
        if not np.isnan(row.low):
            ends = [[row.rating - row.low], [row.high - row.rating]]
            shift = 0.02 * (at + 1) * max(1, last_day - curves["day"].min())
            axes.errorbar([last_day + shift], [row.rating], yerr=ends, color=line.get_color(), capsize=2, fmt="o", ms=3)
    if not ranking.higher_is_better:
        axes.invert_yaxis()
    better = "up is better" if ranking.higher_is_better else "guesses, fewer above"
    axes.set(xlabel="day", ylabel=f"{ranking.name} ({better})")
    title = f"Ratings after each day, with the 95% interval of the last · {len(by_player):,} players"
    axes.set_title(title, fontsize=10)
    return _as_file(figure, axes, kind)


def distribution(results: pd.DataFrame, player: str | None = None, kind: Kind = "png") -> bytes:
    """Return a picture of how many results took 1 to 6 guesses, or were X.

    results: columns player and guesses, 7 for X; player: one to show beside all
    """
    groups = {"all": results["guesses"]}
    if player is not None:
        groups[sanitize_untrusted_text(player, NAME_CHARACTERS)] = results.loc[results["player"] == player, "guesses"]
    if not all(len(guesses) for guesses in groups.values()):
        raise UserError(f"there is no result to draw{f' of {player!r}' if player else ''}.")
    figure, axes = _empty()
    width = 0.8 / len(groups)
    for at, (name, guesses) in enumerate(groups.items()):
        shares = 100 * np.bincount(guesses, minlength=X + 1)[1:] / len(guesses)
        places = np.arange(1, X + 1) + (at - (len(groups) - 1) / 2) * width
        bars = axes.bar(places, shares, width, label=f"{name}, {len(guesses):,} results", color=f"C{at}")
        axes.bar_label(bars, [f"{share:.0f}" if share >= 0.5 else "" for share in shares], fontsize=8)
    axes.set_xticks(range(1, X + 1), [*map(str, range(1, X)), "X"])
    axes.set(xlabel="guesses", ylabel="% of results")
    return _as_file(figure, axes, kind)


def _empty() -> "tuple[Figure, Axes]":
    try:
        from matplotlib.figure import Figure  # slow to import, and most reports have no picture
    except ImportError:
        raise UserError("pictures need matplotlib: pip install -e '.[plots]'") from None
    figure = Figure(figsize=SIZE_IN, dpi=DOTS_PER_INCH, layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_axisbelow(True)
    return figure, axes


def _as_file(figure: "Figure", axes: "Axes", kind: Kind) -> bytes:
    from matplotlib import rc_context

    legend = axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    for text in legend.get_texts():
        text.set_parse_math(False)  # a name with dollar signs is no formula
    file = BytesIO()
    with warnings.catch_warnings(), rc_context({"svg.hashsalt": "wordpl"}):
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)  # names hold any sign
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(file, format=kind, metadata=metadata)
    return file.getvalue()
