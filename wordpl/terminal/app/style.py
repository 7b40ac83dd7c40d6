"""The look of the app: the style sheet of all screens, the themes, and the format of numbers and names."""

from rich.style import Style
from rich.text import Text
from textual.theme import BUILTIN_THEMES, Theme

from wordpl.terminal.screen import CONTRAST, NORMAL

CSS = """
Screen { layers: base; }
#tabs { height: 1; background: $panel; color: $foreground; padding: 0 1; }
Footer { height: 1; }
DataTable { height: 1fr; scrollbar-size: 1 1; }
OptionList { padding: 0; scrollbar-size: 1 1; }
ModalScreen OptionList { border: none; }
.error { color: $error; text-style: bold; }
.panel {
    border: round $foreground 40%; border-title-color: $foreground; border-title-style: bold;
    border-subtitle-color: $text-muted; scrollbar-size: 1 1;
}
.panel:focus, .panel:focus-within { border: round $primary; }

#solve, #play, #watch, #replay { height: 1fr; }
#solve-left { width: 34; }
#solve-rows { height: auto; max-height: 72%; }
#solve-answers { height: 1fr; padding: 0 1; }
#solve-right { width: 1fr; }
#solve-table { width: 100%; height: 1fr; min-height: 6; }
#solve-effect { height: 42%; max-height: 18; min-height: 8; }
.note { height: auto; margin: 0 1; }

#play-left { width: 35; }
#play-rows { height: auto; max-height: 75%; }
#play-note { height: 1fr; padding: 0 1; }
#play-right { width: 1fr; }
#play-letters { height: auto; align-horizontal: center; }
#play-panel { height: 1fr; padding: 0 1; }
#play-side { width: 40; height: 100%; padding: 0 1; display: none; }
#play.-wide #play-side { display: block; }

#watch-table { height: 2fr; }
#watch-faults { height: 1fr; min-height: 4; }
.failure { height: auto; color: $error; text-style: bold; margin: 0 1; display: none; }

#replay-filters { height: 1; padding: 0 1; }
#replay-filters Select { width: 1fr; }
#replay-filters Input { width: 14; }
#replay-body { height: 1fr; }
#replay-list.-hidden { display: none; }
.game { width: 1fr; }
#replay-beside { display: none; }
#replay-board { height: 1fr; display: none; }
#replay-board DataTable { height: auto; }
#replay-board Static { height: auto; }

ModalScreen { align: center middle; background: $background 60%; }
#help { width: 76; height: 90%; background: $surface; border: round $primary; padding: 0 1; }
#help-search { margin: 0 0 1 0; background: $panel; }
#help-body { height: 1fr; scrollbar-size: 1 1; }
.dialog { width: 60; height: auto; max-height: 95%; background: $surface; border: round $primary; padding: 0 1; }
.dialog OptionList { height: auto; max-height: 10; }
.dialog .buttons { height: 1; margin: 1 0 0 0; }
.dialog .buttons Button { margin: 0 2 0 0; }
.dialog-field { height: 1; }
.dialog-label { width: 12; }
.dialog Input, .dialog Select { width: 1fr; background: $panel; }

SetupScreen { align: left top; background: $background; }
#setup-title { height: 1; background: $panel; padding: 0 1; }
#setup-body { height: 1fr; }
#setup-fields { width: 38; padding: 0 1; scrollbar-size: 1 1; }
.setup-field { height: 1; margin: 0; }
.setup-label { width: 17; }
.setup-field Input, .setup-field Select { width: 1fr; background: $panel; }
.setup-field Button { margin: 0 0 0 1; }
#setup-exact { margin: 1 0 0 0; }
#setup-right { width: 1fr; padding: 0 1; }
.setup-head { text-style: bold; }
#setup-filters { height: 2fr; background: $panel; }
#setup-add { background: $panel; margin: 0 0 0 0; }
#setup-note { height: auto; max-height: 4; }
#setup-names { height: 1fr; background: $panel; }
"""
SHAPES = {"c": "●", "i": "○", ".": "·", " ": " "}
"""The shape next to a letter: in place, elsewhere, absent, not marked."""
DARK, LIGHT, HIGH_CONTRAST = "dark", "light", "high-contrast"
THEMES = (DARK, LIGHT, HIGH_CONTRAST)
EMPTY = {
    DARK: "#d0d0d0 on #303030",
    LIGHT: "#202020 on #d0d0d0",
    HIGH_CONTRAST: "#ffffff on #303030",
}


def themes() -> list[Theme]:
    """Return the app's themes."""
    dark, light = BUILTIN_THEMES["textual-dark"], BUILTIN_THEMES["textual-light"]
    blurred = {"block-cursor-blurred-background": "#444444", "block-cursor-blurred-foreground": "#ffffff"}
    return [
        Theme(name=DARK, primary=dark.primary, secondary=dark.secondary, accent=dark.accent, variables=blurred),
        Theme(name=LIGHT, primary="#004578", secondary=light.secondary, accent="#8a4b00", dark=False,
              background="#f5f5f5", surface="#eaeaea", panel="#dcdcdc", foreground="#101010"),
        Theme(name=HIGH_CONTRAST, primary="#ffff00", secondary="#00ffff", accent="#00ffff", warning="#ffd700",
              error="#ff8080", success="#00ff00", foreground="#ffffff", background="#000000", surface="#000000",
              panel="#202020", dark=True, variables=blurred | {"text-muted": "#ffffff"}),
    ]  # fmt: skip


def tile_style(theme: str, mark: str) -> Style:
    """Return the style of a tile with this mark; " " is a tile without a mark."""
    if mark == " ":
        return Style.parse(f"bold {EMPTY.get(theme, EMPTY[DARK])}")
    return Style.parse((CONTRAST if theme == HIGH_CONTRAST else NORMAL)[mark])


def word_tiles(word: str, marks: str, theme: str) -> Text:
    """Return a word as tiles, each a letter and the shape of its mark; marks may be missing at the end."""
    text = Text()
    for place, letter in enumerate(word):
        mark = marks[place : place + 1] or " "
        text.append(f"{letter.upper()}{SHAPES[mark]}", tile_style(theme, mark))
    return text


def percent(share: float) -> str:
    """Return a share in percent; only exact values are shown as 0% or 100%.

    >>> [percent(share) for share in (0.1234, 0.9999, 0.0001, 0.0, 1.0)]
    ['12.3%', '>99.9%', '<0.1%', '0%', '100%']
    """
    if share in (0, 1):
        return f"{100 * share:.0f}%"
    return "<0.1%" if share < 0.0005 else ">99.9%" if share > 0.9995 else f"{100 * share:.1f}%"


MIN_FIRST = 3
"""The number of characters of the first word that a shortened text keeps."""


def shortened(text: str, width: int) -> str:
    """Return the text in at most `width` characters, shortened in the middle since names often start alike.

    Of several words, the first is shortened if that is enough, so that no number is cut.

    >>> shortened("MaxClueEntropy(epsilon=13.0)", 15)
    'MaxClue…n=13.0)'
    >>> shortened("BayesianRandom 15.0 c0.96", 20)
    'Bayesian… 15.0 c0.96'
    """
    if len(text) <= width:
        return text
    first, space, others = text.partition(" ")
    n_first = width - 1 - len(space + others)
    if space and n_first >= MIN_FIRST:
        return f"{first[:n_first]}…{space}{others}"
    n_tail = max(0, width - 1) // 2
    return f"{text[: max(0, width - 1 - n_tail)]}…{text[len(text) - n_tail :]}"
