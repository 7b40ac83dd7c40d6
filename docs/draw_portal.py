"""Draw the pictures in bot.md: schematic pages of Discord's developer portal, with what to choose on each.

Run `python docs/draw_portal.py`. The drawings are our own, and show places rather than exact looks, which change.
"""

from dataclasses import dataclass
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parent / "pictures"
MENU = ("General Information", "Installation", "OAuth2", "Bot", "Webhooks")
WIDTH, SIDE = 720, 200
INK, MUTED, LINE, PANEL, ACCENT = "#1f2328", "#59636e", "#d1d9e0", "#f6f8fa", "#4452c9"


@dataclass(frozen=True)
class Row:
    """A setting on a page of the portal.

    Attributes:
        label: Its name.
        control: A text field's content, a button's text in brackets, "on" or "off" for a switch, or a ticked box.
        note: What to do with it, in the callout beside it; "" for a setting that is only there for orientation.
    """

    label: str
    control: str
    note: str = ""


@dataclass(frozen=True)
class Step:
    """A picture.

    Attributes:
        name: The name of its file.
        title: The heading of the portal's page.
        chosen: The entry of the menu that is open; "" for the list of applications, which has no menu.
        rows: The settings shown.
    """

    name: str
    title: str
    chosen: str
    rows: tuple[Row, ...]


STEPS = (
    Step("portal-1-application", "Applications", "", (
        Row("", "[New Application]", "1  Give it the name of your bot"),
    )),
    Step("portal-2-token", "Bot", "Bot", (
        Row("Username", "Our Wordle league"),
        Row("Token", "[Reset Token]", "1  Copy: WORDPL_BOT_TOKEN"),
    )),
    Step("portal-3-intents", "Bot: Privileged Gateway Intents", "Bot", (
        Row("Presence Intent", "off"),
        Row("Server Members Intent", "on", "2  On: nicknames are recognized"),
        Row("Message Content Intent", "on", "2  On: needed to read results"),
    )),
)  # fmt: skip


def text(x: float, y: float, content: str, size: int = 14, colour: str = INK, weight: int = 400) -> str:
    """Return a line of text."""
    return f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{colour}">{escape(content)}</text>'


def box(x: float, y: float, width: float, height: float, fill: str = "#ffffff", line: str = LINE) -> str:
    """Return a rounded rectangle."""
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{line}"/>'


def control(content: str, x: float, y: float) -> str:
    """Return a switch, a button, or a text field."""
    if content in ("on", "off"):
        is_on = content == "on"
        knob = f'<circle cx="{x + (30 if is_on else 14)}" cy="{y + 16}" r="9" fill="#ffffff"/>'
        colour = ACCENT if is_on else MUTED
        return f'<rect x="{x}" y="{y + 4}" width="44" height="24" rx="12" fill="{colour}"/>{knob}' + text(
            x + 54, y + 21, content, 13, MUTED
        )
    if content.startswith("["):
        label = content.strip("[]")
        width = 24 + 8 * len(label)
        return box(x, y, width, 32, ACCENT, ACCENT) + text(x + 12, y + 21, label, 14, "#ffffff", 600)
    return box(x, y, 300, 32) + text(x + 10, y + 21, content, 13)


def drawing(step: Step) -> str:
    """Return the picture of a step as SVG, with its content as a text for screen readers."""
    left, height = SIDE + 24 if step.chosen else 24, 78 + 74 * len(step.rows)
    height = max(height, 240) if step.chosen else height
    parts = [box(0.5, 0.5, WIDTH - 1, height - 1)]
    if step.chosen:
        parts.append(f'<path d="M{SIDE} 1V{height - 1}" stroke="{LINE}"/>')
        for at, entry in enumerate(MENU):
            y = 56 + 36 * at
            if entry == step.chosen:
                parts.append(box(12, y - 20, SIDE - 24, 30, "#e6e8fa", "#e6e8fa"))
            is_chosen = entry == step.chosen
            parts.append(text(24, y, entry, 14, ACCENT if is_chosen else MUTED, 600 if is_chosen else 400))
    parts.append(text(left, 40, step.title, 19, INK, 600))
    for at, row in enumerate(step.rows):
        y = 74 + 74 * at
        parts += [text(left, y, row.label, 13, MUTED, 600), control(row.control, left, y + 8)]
        if row.note:
            is_field = row.control[0] not in "[o"  # its note stands beside the label, as the field is wide
            x = 14 + 7.6 * len(row.label) if is_field else max(32 + 8 * len(row.control), 130)
            parts.append(text(left + x, y if is_field else y + 29, f"◄ {row.note}", 14, "#9a3412", 600))
    steps = "; ".join(f"{row.label} {row.note}".strip() for row in step.rows if row.note)
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="system-ui, sans-serif">'
    return f"{head}<title>{escape(step.title)}: {escape(steps)}</title>{''.join(parts)}</svg>\n"


def main() -> None:
    """Draw all pictures."""
    for step in STEPS:
        (FOLDER / f"{step.name}.svg").write_text(drawing(step), encoding="utf-8")


if __name__ == "__main__":
    main()
