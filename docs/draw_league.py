"""Draw the pictures in league.md: synthetic leagues of 3, 12 and 60 players, and the curve of one player.

Run `python docs/draw_league.py`, with Debian's fonts-noto-core, fonts-wqy-zenhei and fonts-symbola installed.
"""

from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from wordpl.league.settings import LeaderboardSettings
from wordpl.reports import pictures
from wordpl.stats import rankings

FOLDER = Path(__file__).parent / "pictures"
NAMES = ["Anna", "Борис", "陳明", "🔥 Dora", "佐藤", "Zoë", "Ívar", "Łukasz", "Jo 🏃", "Γιώργος", "😀", "김민수"]
FIRST, N_COLOURS = 1500, 40
THEMES = {3: pictures.DARK, 12: pictures.LIGHT, 60: pictures.DARK}


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


def save(name: str, picture: bytes) -> None:
    """Write a picture with fewer colours, which makes the file two thirds smaller."""
    Image.open(BytesIO(picture)).convert("RGB").quantize(N_COLOURS, dither=Image.Dither.NONE).save(
        FOLDER / f"{name}.png", optimize=True
    )
    print(f"{name}.png: {(FOLDER / f'{name}.png').stat().st_size:,} bytes")  # noqa: T201


def main() -> None:
    """Draw all pictures."""
    ranking = LeaderboardSettings().ranking()
    for n_players, theme in THEMES.items():
        found = league(n_players)
        curves = rankings.curves(found, ranking)
        save(f"league-{n_players}", pictures.rating_curves(curves, ranking(found), ranking, theme=theme))
    save("player", pictures.running_means(league(12), ["🔥 Dora"]))


if __name__ == "__main__":
    main()
