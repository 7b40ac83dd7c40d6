"""Pictures like those of a summary: a label with the puzzle's number above coloured tiles."""

from io import BytesIO
from itertools import product
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONTS = [
    "DejaVuSans",
    "DejaVuSans-Bold",
    "DejaVuSansMono",
    "DejaVuSerif",
    "STIXGeneral",
    "STIXGeneralBol",
    "cmss10",
    "cmr10",
]
SIZES = [12, 16, 20, 26]
BACKGROUNDS = ["#ffffff", "#313338", "#000000", "#787c7e", "gradient", "transparent"]
TILES = ["#538d4e", "#b59f3b", "#3a3a3c", "#6aaa64", "#c9b458"]
WIDTH, HEIGHT = 420, 220


def in_all_styles(seed):
    """Yield (number, picture's bytes) for each font, size and background."""
    rng = np.random.default_rng(seed)
    for font, size, background in product(FONTS, SIZES, BACKGROUNDS):
        number = int(rng.integers(1000, 2500))
        yield number, picture(number, font, size, background, rng)


def picture(number, font="DejaVuSans", size=20, background="#313338", rng=None):
    rng = rng or np.random.default_rng(0)
    canvas, ink = _canvas(background)
    draw = ImageDraw.Draw(canvas)
    label = str(rng.choice([f"Wordle No. {number}", f"No. {number}", f"Wordle {number:,}"]))
    path = Path(matplotlib.get_data_path(), "fonts", "ttf", f"{font}.ttf")
    at = int(rng.integers(8, 60)), int(rng.integers(6, 20))
    draw.text(at, label, fill=ink, font=ImageFont.truetype(path, size))
    for player, row, column in product(range(3), range(4), range(5)):
        x, y = 20 + player * 135 + column * 22, 80 + row * 22
        draw.rectangle([x, y, x + 18, y + 18], fill=str(rng.choice(TILES)))
    file = BytesIO()
    canvas.save(file, "PNG")
    return file.getvalue()


def _canvas(background):
    if background == "transparent":
        return Image.new("RGBA", (WIDTH, HEIGHT), (0, 0, 0, 0)), "#e8e8e8"
    if background == "gradient":
        across = np.linspace(30, 110, WIDTH)[None, :, None] * np.array([0.6, 0.8, 1.0])
        return Image.fromarray(np.repeat(across, HEIGHT, axis=0).astype(np.uint8)), "#ffffff"
    return Image.new("RGB", (WIDTH, HEIGHT), background), "#000000" if background == "#ffffff" else "#ffffff"
