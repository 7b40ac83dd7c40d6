"""The three themes of the app, and marks that differ in shape as well as in colour."""

from rich.style import Style
from textual.theme import BUILTIN_THEMES, Theme

from wordpl.terminal.screen import CONTRAST, NORMAL

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
