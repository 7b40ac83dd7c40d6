"""Pictures of a league: ratings over time, and the distribution of guesses.

A picture is returned as the bytes of a PNG or SVG file. The same data gives the same bytes on the same machine; other
machines may have other fonts for the names.
"""

import logging
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from wordpl.core.errors import UserError
from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.reports import fonts
from wordpl.stats.rankings import Ranking
from wordpl.stats.rankings.results import X

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Kind = Literal["png", "svg"]
WIDTH_IN, HEIGHT_IN, ROW_IN = 8.0, 4.5, 0.19
DOTS_PER_INCH = 120
N_COLOURS = 10
"""The number of distinguishable colours; further players get different dashes."""
DASHES = ("-", "--", ":", "-.")
MAX_NAME_CHARACTERS = 24
MAX_NAMED = 200
MANY_PLAYERS = 20
"""With more players, the intervals are drawn thinner and get more space next to the curves."""
MAX_ENDS_SHARE = 0.7
"""The maximum width of the intervals, as a share of the width of the curves."""
WINDOW = 14
"""The number of games in the running mean of a player's curve."""
CONFIDENCE_FACTOR = 1.96


@dataclass(frozen=True)
class Theme:
    """The colours of a picture."""

    background: str
    ink: str
    grid: str


LIGHT, DARK = Theme("#ffffff", "#222222", "#eeeeee"), Theme("#313338", "#e3e5e8", "#45484f")
"""DARK matches Discord's dark theme."""


def rating_curves(
    curves: pd.DataFrame, table: pd.DataFrame, ranking: Ranking, kind: Kind = "png", theme: Theme = LIGHT
) -> bytes:
    """Return a picture of the ratings over time, with the confidence interval of each player's last rating.

    Args:
        curves: The result of `rankings.curves`.
        table: The result of `ranking` for the same results, or a part of it; other players are drawn in grey.
        ranking: The ranking.
        kind: The file format.
        theme: Light or dark.
    """
    named_players = table["player"].head(MAX_NAMED).tolist()
    figure, axes = _new_figure(theme, len(named_players))
    by_player = dict(tuple(curves.groupby("player")))
    for player in by_player.keys() - set(named_players):
        axes.plot(by_player[player]["day"], by_player[player]["rating"], color=theme.grid, linewidth=0.6, zorder=1)
    first, last = curves["day"].min(), curves["day"].max()
    share = min(MAX_ENDS_SHARE, 0.2 * max(1, len(named_players) / 15))
    step = share * max(1, last - first) / max(10, len(named_players))
    for index, row in enumerate(_rows(table.head(MAX_NAMED))):
        label = f"{row.place} {_name(row.player)} ({amount(row.n_games, 'game')})"
        style: dict[str, Any] = {
            "color": f"C{index % N_COLOURS}",
            "linestyle": DASHES[index // N_COLOURS % len(DASHES)],
        }
        curve = by_player[row.player]
        axes.plot(curve["day"], curve["rating"], linewidth=1.5, label=label, zorder=3, **style)
        if not np.isnan(row.low):
            ends = [[row.rating - row.low], [row.high - row.rating]]
            place = [last + step * (index + 1)]
            wide = 1.5 if len(named_players) <= MANY_PLAYERS else 0.9
            axes.errorbar(
                place, [row.rating], yerr=ends, color=style["color"], capsize=wide, fmt="o", ms=2 * wide, lw=wide
            )
    if not ranking.higher_is_better:
        axes.invert_yaxis()
    direction = "higher is better" if ranking.higher_is_better else "guesses, fewer is better"
    axes.set(xlabel="day", ylabel=f"{ranking.name} ({direction})")
    title = f"Ratings after each day, with 95% interval of the last rating · {amount(len(by_player), 'player')}"
    axes.set_title(title, fontsize=10)
    return _picture_bytes(figure, axes, kind, theme)


def running_means(
    results: pd.DataFrame, players: Sequence[str], kind: Kind = "png", theme: Theme = LIGHT, window: int = WINDOW
) -> bytes:
    """Return a picture of the running mean of guesses of players, with 95% intervals.

    Args:
        results: A table with the columns player, day and guesses, with 7 for X.
        players: The players to draw.
        kind: The file format.
        theme: Light or dark.
        window: The number of games in each mean.
    """
    figure, axes = _new_figure(theme, len(players))
    for index, player in enumerate(players):
        own_guesses = results[results["player"] == player].set_index("day")["guesses"].sort_index()
        if own_guesses.empty:
            raise UserError(f"{player!r} has no results to draw.")
        rolling = own_guesses.rolling(window, min_periods=min(3, len(own_guesses)))
        mean, error = rolling.mean(), rolling.std() / np.sqrt(rolling.count())
        label = f"{_name(player)} ({amount(len(own_guesses), 'game')})"
        axes.plot(
            mean.index, mean, color=f"C{index}", linewidth=1.8, label=label, marker="o" if len(own_guesses) < 3 else ""
        )
        low, high = mean - CONFIDENCE_FACTOR * error, mean + CONFIDENCE_FACTOR * error
        axes.fill_between(mean.index, low, high, color=f"C{index}", alpha=0.18, linewidth=0)
    axes.invert_yaxis()
    axes.set(xlabel="day", ylabel="guesses, fewer is better")
    axes.set_title(f"Mean of the last {window} games (X counts as 7) with 95% interval", fontsize=10)
    return _picture_bytes(figure, axes, kind, theme)


def distribution(results: pd.DataFrame, player: str | None = None, kind: Kind = "png", theme: Theme = LIGHT) -> bytes:
    """Return a picture of the distribution of guesses.

    Args:
        results: A table with the columns player and guesses, with 7 for X.
        player: A player to show next to all players.
        kind: The file format.
        theme: Light or dark.
    """
    groups = {"all": results["guesses"]}
    if player is not None:
        groups[_name(player)] = results.loc[results["player"] == player, "guesses"]
    if not all(len(guesses) for guesses in groups.values()):
        raise UserError(f"there are no results to draw{f' of {player!r}' if player else ''}.")
    figure, axes = _new_figure(theme, len(groups))
    width = 0.8 / len(groups)
    for index, (name, guesses) in enumerate(groups.items()):
        shares = 100 * np.bincount(guesses, minlength=X + 1)[1:] / len(guesses)
        places = np.arange(1, X + 1) + (index - (len(groups) - 1) / 2) * width
        bars = axes.bar(places, shares, width, label=f"{name}, {amount(len(guesses), 'result')}", color=f"C{index}")
        percents = [f"{share:.0f}" if share >= 0.5 else "" for share in shares]
        axes.bar_label(bars, percents, fontsize=8, color=theme.ink)
    axes.set_xticks(range(1, X + 1), [*map(str, range(1, X)), "X"])
    axes.set(xlabel="guesses", ylabel="% of results")
    return _picture_bytes(figure, axes, kind, theme)


def _rows(table: pd.DataFrame) -> Any:
    return table.itertuples()


def _name(player: str) -> str:
    """Return a shortened name, with characters that no font covers replaced."""
    name = sanitize_untrusted_text(
        "".join(character for character in player if character not in fonts.SELECTORS), MAX_NAME_CHARACTERS
    )
    return fonts.drawable(name)


def _new_figure(theme: Theme, n_named: int) -> "tuple[Figure, Axes]":
    try:
        from matplotlib.figure import Figure  # slow to import, and rarely needed
    except ImportError:
        raise UserError('pictures need matplotlib: pip install "wordpl[plots]"') from None
    height = max(HEIGHT_IN, 0.6 + ROW_IN * n_named)
    figure = Figure(figsize=(WIDTH_IN, height), dpi=DOTS_PER_INCH, layout="constrained", facecolor=theme.background)
    axes = figure.add_subplot(facecolor=theme.background)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(theme.ink)
    axes.tick_params(colors=theme.ink)
    axes.grid(axis="y", color=theme.grid)
    axes.set_axisbelow(True)
    return figure, axes


def _picture_bytes(figure: "Figure", axes: "Axes", kind: Kind, theme: Theme) -> bytes:
    from matplotlib import rc_context

    for text in (axes.xaxis.label, axes.yaxis.label, axes.title):
        text.set_color(theme.ink)
    legend = axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), labelcolor=theme.ink)
    for text in legend.get_texts():
        text.set_parse_math(False)  # dollar signs in names are not formulas
        text.set_fontfamily(fonts.families_for([text.get_text()]))
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # hides warnings about missing weights
    file = BytesIO()
    with warnings.catch_warnings(), rc_context({"svg.hashsalt": "wordpl"}):
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)  # combined characters
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(file, format=kind, metadata=metadata, facecolor=theme.background)
    return file.getvalue()
