"""Pictures of a league: ratings over time and the distribution of guesses, with fonts for any script."""

import logging
import unicodedata
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from wordpl.core import current_folder
from wordpl.core.messages import UserError, amount, sanitize_untrusted_text
from wordpl.stats.rankings import Ranking
from wordpl.stats.rankings.ranking import X

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEFAULT = "DejaVu Sans"
"""The font that matplotlib includes."""
PREFERRED = ("Noto Sans", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Unifont", "Symbola", "Noto")
UNUSABLE = ("Last Resort", "Adobe Blank", "Noto Color Emoji")
"""Fonts that are not usable, since they draw boxes or nothing."""
PLAIN_WEIGHTS = ("400", "500", "normal", "regular", "book", "medium")
EMOJI_NAME = "[{}]"
SELECTORS = frozenset("\u200d\ufe0e\ufe0f")
"""Joiners and variation selectors, which have no glyph."""
MAX_FAMILIES = 8


@cache
def installed() -> tuple[tuple[str, str], ...]:
    """Return the family and the file of each installed regular font, the preferred fonts first."""
    with current_folder.no_settings("matplotlibrc"):
        from matplotlib.font_manager import findSystemFonts, fontManager

    known_files = {font.fname for font in fontManager.ttflist}
    for file in sorted(set(findSystemFonts()) - known_files):  # matplotlib's cached list may be outdated
        with suppress(OSError, RuntimeError, KeyError, ValueError):  # an unsupported kind of font
            fontManager.addfont(file)
    files: dict[str, str] = {}
    for font in fontManager.ttflist:
        is_plain = font.style == "normal" and str(font.weight) in PLAIN_WEIGHTS
        if is_plain and not font.name.startswith(UNUSABLE):
            files.setdefault(font.name, font.fname)
    order = {name: place for place, name in enumerate((DEFAULT, *PREFERRED))}

    def rank(item: tuple[str, str]) -> tuple[int, str]:
        name = item[0]
        return next(
            (place for preferred, place in order.items() if name == preferred or name.startswith(f"{preferred} ")), 99
        ), name

    return tuple(sorted(files.items(), key=rank))


@cache
def characters(file: str) -> frozenset[int]:
    """Return the code points that a font file covers; empty if it cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        font: FT2Font = FT2Font(file)
    except (OSError, RuntimeError):
        return frozenset()
    return frozenset(font.get_charmap())


def families_for(texts: list[str]) -> list[str]:
    """Return the installed font families that together cover these texts as far as possible, the default first."""
    missing_characters = {
        character for text in texts for character in text if not character.isspace() and character not in SELECTORS
    }
    families = [DEFAULT]
    for name, file in installed():
        if not missing_characters or len(families) == MAX_FAMILIES:
            break
        covered = {character for character in missing_characters if ord(character) in characters(file)}
        if covered:
            missing_characters -= covered
            families += [] if name in families else [name]
    return families


def drawable(text: str, families: list[str] | None = None) -> str:
    """Return the text with characters that no installed font covers replaced by their names or code points.

    >>> drawable("a\\u200d", ["DejaVu Sans"])
    'a'
    """
    files = dict(installed())
    covered_by_fonts = [characters(files[name]) for name in families or families_for([text]) if name in files]

    def replacement(character: str) -> str:
        if character.isspace() or any(ord(character) in font_characters for font_characters in covered_by_fonts):
            return character
        if character in SELECTORS or unicodedata.combining(character):
            return ""
        name = unicodedata.name(character, "")
        is_short = name and unicodedata.category(character) in ("So", "Sk")
        return EMOJI_NAME.format(name.lower() if is_short else f"U+{ord(character):04X}")

    return "".join(replacement(character) for character in text if character not in SELECTORS)


Kind = Literal["png", "svg"]
WIDTH_IN, HEIGHT_IN, ROW_IN = 8.0, 4.5, 0.19
DOTS_PER_INCH = 120
N_COLOURED = 8
"""The number of players with a colour of their own; the others are grey."""
MAX_NAME_CHARACTERS = 24
MAX_NAMED = 200
LINE_IN, MANY_LINE_IN, MANY_PLAYERS = 0.25, 0.19, 30
"""The height of a player's line, and that with many players."""
TOP_IN, BOTTOM_IN = 0.95, 0.5
NAME_IN, GAMES_IN, RATING_IN, DOTS_IN, SPARKS_IN = 0.45, 3.0, 3.55, (3.7, 5.6), (5.85, 7.8)
"""The places of the columns from the left, in inches: the left of names, the right of numbers, the ends of drawings."""
WINDOW = 14
"""The number of games in the running mean of a player's curve."""
CONFIDENCE_FACTOR = 1.96


@dataclass(frozen=True)
class Theme:
    """The colours of a picture.

    Attributes:
        background, ink, soft, grid: The colours of the background, of texts, of less important texts, and of lines.
        players: The colours of the first players, which also those can tell apart who see no red, green or blue.
    """

    background: str
    ink: str
    soft: str
    grid: str
    players: tuple[str, ...]


LIGHT = Theme(
    "#ffffff", "#222222", "#666a75", "#eaecf0",
    ("#003c69", "#a54b00", "#00785a", "#965a87", "#c37800", "#2d87d2", "#5a3cd2", "#5a2d00"),
)  # fmt: skip
DARK = Theme(
    "#313338", "#e3e5e8", "#a9aebb", "#45484f",
    ("#0099ff", "#ee7733", "#00ddaa", "#dd88bb", "#eebb44", "#99ccff", "#9977bb", "#bbaa77"),
)  # fmt: skip
"""DARK matches Discord's dark theme."""
MARKERS = "os^DvPhX"


def rating_curves(
    curves: pd.DataFrame, table: pd.DataFrame, ranking: Ranking, kind: Kind = "png", theme: Theme = LIGHT
) -> bytes:
    """Return a picture of the ranking: each player's last rating with its interval, beside its course over time.

    Args:
        curves: The result of `rankings.curves`.
        table: The result of `ranking` for the same results, or a part of it: a line for each player.
        ranking: The ranking.
        kind: The file format.
        theme: Light or dark.
    """
    rows: list[Any] = list(table.head(MAX_NAMED).itertuples())
    digits = 0 if table["rating"].abs().max() >= 100 else 2
    line_in = LINE_IN if len(rows) <= MANY_PLAYERS else MANY_LINE_IN
    height = TOP_IN + line_in * len(rows) + BOTTOM_IN
    figure = _bare_figure(theme, height)
    dots, sparks = (_panel(figure, theme, ends, height, len(rows)) for ends in (DOTS_IN, SPARKS_IN))
    by_player = dict(tuple(curves.groupby("player")))
    shown = pd.concat([by_player[row.player] for row in rows])
    reach = float(np.ptp(shown["rating"])) or 1.0
    for line, row in enumerate(rows):
        at, is_coloured = line_in * (line + 0.5), line < N_COLOURED
        colour = theme.players[line] if is_coloured else theme.soft
        size = 9.0 if line_in == LINE_IN else 7.5
        y_in = height - TOP_IN - at
        texts = [(f"{row.place}", NAME_IN - 0.12, "right", theme.soft), (_name(row.player), NAME_IN, "left", theme.ink),
                 (f"{row.n_games:,}", GAMES_IN, "right", theme.soft),
                 (f"{row.rating:,.{digits}f}", RATING_IN, "right", theme.ink)]  # fmt: skip
        for text, x_in, side, ink in texts:
            _write(figure, text, (x_in, y_in), size, ink, ha=side, weight="bold" if is_coloured and ink == theme.ink
                   and side == "left" else "normal")  # fmt: skip
        if not np.isnan(row.low):
            dots.plot([row.low, row.high], [line, line], color=colour, linewidth=2.2, alpha=0.7, solid_capstyle="round")
        dots.plot([row.rating], [line], MARKERS[line % len(MARKERS)] if is_coloured else "o", color=colour, ms=5)
        curve = by_player[row.player].sort_values("day")
        sign = 1 if ranking.higher_is_better else -1
        heights = line + 0.38 - 0.76 * (sign * curve["rating"] - (sign * shown["rating"]).min()) / reach
        sparks.plot(curve["day"], heights, color=colour, linewidth=1.2 if is_coloured else 0.9, solid_capstyle="round")
        sparks.plot(curve["day"].iloc[-1:], heights.iloc[-1:], "o", color=colour, ms=2.5)
    if not ranking.higher_is_better:
        dots.invert_xaxis()
    _headings(figure, theme, height, len(by_player), ranking)
    sparks.set_xlabel("puzzle", fontsize=8, color=theme.soft)
    dots.set_xlabel("rating, better to the right", fontsize=8, color=theme.soft)
    sparks.locator_params("x", integer=True, nbins=4)
    dots.locator_params("x", nbins=4)
    return _bytes_of(figure, kind, theme)


def _bare_figure(theme: Theme, height: float) -> "Figure":
    try:
        with current_folder.no_settings("matplotlibrc"):
            from matplotlib.figure import Figure  # slow to import, and rarely needed
    except ImportError:
        raise UserError('pictures need matplotlib: pip install "wordpl[plots]"') from None
    return Figure(figsize=(WIDTH_IN, height), dpi=DOTS_PER_INCH, facecolor=theme.background)


def _panel(figure: "Figure", theme: Theme, ends: tuple[float, float], height: float, n_lines: int) -> "Axes":
    """Return axes between these places, with a line for each player from top to bottom."""
    left, right = ends
    panel_in = height - TOP_IN - BOTTOM_IN
    axes = figure.add_axes(
        (left / WIDTH_IN, BOTTOM_IN / height, (right - left) / WIDTH_IN, panel_in / height), facecolor=theme.background
    )
    axes.set_ylim(n_lines - 0.5, -0.5)
    axes.set_yticks([])
    axes.spines[["top", "right", "left", "bottom"]].set_visible(False)
    axes.tick_params(colors=theme.soft, labelsize=8, length=0)
    axes.grid(axis="x", color=theme.grid)
    axes.set_axisbelow(True)
    return axes


def _headings(figure: "Figure", theme: Theme, height: float, n_players: int, ranking: Ranking) -> None:
    direction = "higher is better" if ranking.higher_is_better else "fewer guesses are better"
    _write(figure, f"Ranking of {amount(n_players, 'player')}", (0.2, height - 0.26), 13, theme.ink, weight="bold")
    text = f"{ranking.name}, {direction}; rating with its 95% interval, and after each puzzle"
    _write(figure, text, (0.2, height - 0.5), 8.5, theme.soft)
    for head, x_in, side in (("games", GAMES_IN, "right"), ("rating", RATING_IN, "right"),
                             ("last rating", DOTS_IN[0], "left"), ("course", SPARKS_IN[0], "left")):  # fmt: skip
        _write(figure, head, (x_in, height - TOP_IN + 0.12), 8, theme.soft, ha=side)


def _write(figure: "Figure", text: str, place_in: tuple[float, float], size: float, colour: str, **style: Any) -> None:
    """Write a text, which may be a name in any script, at a place in inches from the bottom left."""
    x_in, y_in = place_in
    figure.text(
        x_in / WIDTH_IN, y_in / float(figure.get_figheight()), text, fontsize=size, color=colour, va="center",
        parse_math=False, family=families_for([text]), **style,
    )  # fmt: skip


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
        colour, marker = theme.players[index % N_COLOURED], "o" if len(own_guesses) < 3 else ""
        axes.plot(mean.index, mean, color=colour, linewidth=1.8, label=label, marker=marker)
        low, high = mean - CONFIDENCE_FACTOR * error, mean + CONFIDENCE_FACTOR * error
        axes.fill_between(mean.index, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.invert_yaxis()
    axes.set(xlabel="puzzle", ylabel="guesses, fewer is better")
    title = f"Mean of the last {window} games (X counts as 7), 95% interval"
    axes.set_title(title, fontsize=10, loc="left", color=theme.ink)
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
        label = f"{name}, {amount(len(guesses), 'result')}"
        bars = axes.bar(places, shares, width, label=label, color=theme.players[index % N_COLOURED])
        percents = [f"{share:.0f}" if share >= 0.5 else "" for share in shares]
        axes.bar_label(bars, percents, fontsize=8, color=theme.ink)
    axes.set_xticks(range(1, X + 1), [*map(str, range(1, X)), "X"])
    axes.set(xlabel="guesses", ylabel="% of results")
    return _picture_bytes(figure, axes, kind, theme)


def _name(player: str) -> str:
    """Return a shortened name, with characters that no font covers replaced."""
    name = sanitize_untrusted_text(
        "".join(character for character in player if character not in SELECTORS), MAX_NAME_CHARACTERS
    )
    return drawable(name)


MARGIN_IN = 0.12


def _new_figure(theme: Theme, n_named: int) -> "tuple[Figure, Axes]":
    figure = _bare_figure(theme, max(HEIGHT_IN, 0.6 + ROW_IN * n_named))
    figure.set_layout_engine("constrained", w_pad=MARGIN_IN, h_pad=MARGIN_IN)
    axes = figure.add_subplot(facecolor=theme.background)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(theme.ink)
    axes.tick_params(colors=theme.ink)
    axes.grid(axis="y", color=theme.grid)
    axes.set_axisbelow(True)
    return figure, axes


def _picture_bytes(figure: "Figure", axes: "Axes", kind: Kind, theme: Theme) -> bytes:
    for text in (axes.xaxis.label, axes.yaxis.label):
        text.set_color(theme.ink)
    legend = axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), labelcolor=theme.ink)
    for text in legend.get_texts():
        text.set_parse_math(False)  # dollar signs in names are not formulas
        text.set_fontfamily(families_for([text.get_text()]))
    return _bytes_of(figure, kind, theme)


def _bytes_of(figure: "Figure", kind: Kind, theme: Theme) -> bytes:
    from matplotlib import rc_context

    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # hides warnings about missing weights
    file = BytesIO()
    with warnings.catch_warnings(), rc_context({"svg.hashsalt": "wordpl"}):
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)  # combined characters
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(file, format=kind, metadata=metadata, facecolor=theme.background)
    return file.getvalue()
