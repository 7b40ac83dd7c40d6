"""Draw the pictures in league.md: synthetic leagues of 3, 12 and 60 players, and the curve of one player.

Run `python docs/draw_league.py`, with Debian's fonts-noto-core, fonts-wqy-zenhei and fonts-symbola installed.
"""

from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from wordpl.apps.league import pictures
from wordpl.apps.league.settings import LeaderboardSettings
from wordpl.stats import rankings

FOLDER = Path(__file__).parent / "pictures"
NAMES = ["Anna", "Борис", "陳明", "🔥 Dora", "佐藤", "Zoë", "Ívar", "Łukasz", "Jo 🏃", "Γιώργος", "😀", "김민수"]
FIRST, N_COLOURS = 1500, 256
SIZES = (3, 12, 60)
THEMES = {"light": pictures.LIGHT, "dark": pictures.DARK}


def league(n_players: int) -> pd.DataFrame:
    """Return results of players who differ in skill and miss one day in six."""
    rng, n_days = np.random.default_rng(n_players), 60 if n_players <= len(NAMES) else 24
    rows = []
    for at in range(n_players):
        name = f"{NAMES[at % len(NAMES)]} {at // len(NAMES) + 1}" if at >= len(NAMES) else NAMES[at]
        skill = rng.normal(4, 0.35)
        for day in np.flatnonzero(rng.random(n_days) < 5 / 6):
            rows.append((name, FIRST + int(day), int(np.clip(round(rng.normal(skill, 1.1)), 1, 7)), "date"))
    return pd.DataFrame(rows, columns=["player", "day", "guesses", "source"])


def save(name: str, picture: Image.Image) -> None:
    """Write a picture with its most frequent colours only, which makes the file two thirds smaller."""
    frequent = sorted(picture.getcolors(picture.width * picture.height), reverse=True)[:N_COLOURS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, colour in frequent for part in colour])
    path = FOLDER / f"{name}.png"
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size:,} bytes")  # noqa: T201


def opened(picture: bytes) -> Image.Image:
    """Return a picture without transparency."""
    return Image.open(BytesIO(picture)).convert("RGB")


def main() -> None:
    """Draw all pictures."""
    ranking = LeaderboardSettings().ranking()
    for n_players in SIZES:
        found = league(n_players)
        curves = rankings.curves(found, ranking)
        for scheme, theme in THEMES.items():
            picture = pictures.rating_curves(curves, ranking(found), ranking, theme=theme)
            save(f"league-{n_players}-{scheme}", opened(picture))
    save("player", opened(pictures.running_means(league(12), ["🔥 Dora"])))


if __name__ == "__main__":
    main()
