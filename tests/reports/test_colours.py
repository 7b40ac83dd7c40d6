"""The colours of entries can be told apart also by those who see no red, no green or no blue, and on every background.

Colour blindness is simulated as by G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, IEEE Transactions on
Visualization and Computer Graphics 15 (2009), at full severity; differences are those of CIEDE2000, for which 2.3 is
just noticeable. `python -m tests.reports.test_colours` prints the smallest ones.
"""

import re
from itertools import combinations

import numpy as np
import pytest

from tests.helpers.paths import HOME
from wordpl.apps.league.pictures import DARK, LIGHT

STYLE = (HOME / "wordpl/reports/html/assets/style.css").read_text(encoding="utf-8")
SEEN = {
    "all colours": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
THEMES = {"light": LIGHT, "dark": DARK}
LEAST = {"light": 13.0, "dark": 9.5}
"""The smallest difference of two colours, on light and on dark pages."""
MIN_CONTRAST = 3.0
"""The contrast that WCAG 2.2 asks of graphics (criterion 1.4.11)."""


def linear(colour):
    """Return the linear red, green and blue of a colour such as #003c69."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """Return a colour in CIELAB."""
    share = TO_XYZ @ rgb / TO_XYZ.sum(axis=1)
    x, y, z = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(first, second):
    """Return the difference of two colours in CIELAB, as CIEDE2000 defines it."""
    (l1, a1, b1), (l2, a2, b2) = first, second
    chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    grey = 1.5 - 0.5 * np.sqrt(chroma**7 / (chroma**7 + 25**7))
    c1, c2 = np.hypot(grey * a1, b1), np.hypot(grey * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, grey * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180
    hue, light, c = h1 + turn / 2, (l1 + l2) / 2, (c1 + c2) / 2
    cosines = np.cos(np.radians([hue - 30, 2 * hue, 3 * hue + 6, 4 * hue - 63]))
    d_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    d_chroma = (c2 - c1) / (1 + 0.045 * c)
    d_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    d_hue /= 1 + 0.015 * c * (1 + cosines @ [-0.17, 0.24, 0.32, -0.20])
    rotation = -np.sin(np.radians(60 * np.exp(-((((hue - 275 + 180) % 360 - 180) / 25) ** 2))))
    rotation *= 2 * np.sqrt(c**7 / (c**7 + 25**7))
    return np.sqrt(d_light**2 + d_chroma**2 + d_hue**2 + rotation * d_chroma * d_hue)


def smallest(colours, seen):
    """Return the smallest difference of two of these colours to somebody, with the two colours."""
    found = [(colour, lab(np.clip(np.array(SEEN[seen]) @ linear(colour), 0, 1))) for colour in colours]
    return min((difference(one[1], other[1]), one[0], other[0]) for one, other in combinations(found, 2))


def contrast(colour, background):
    """Return the contrast of a colour with a background, from 1 to 21."""
    one, other = (TO_XYZ[1] @ linear(part) for part in (colour, background))
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, -1.3802, -84.2814), (50, 0, -82.7485), 1.0),
     ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644), ((2.0776, 0.0795, -1.1350),
                                                                          (0.9033, -0.0636, -0.5514), 0.9082)],
)  # fmt: skip
def test_differences_are_those_of_published_examples(first, second, expected):
    assert difference(first, second) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("name", THEMES)
def test_no_two_entries_have_colours_that_look_alike(name, seen):
    assert smallest(THEMES[name].players, seen)[0] >= LEAST[name]


@pytest.mark.parametrize(("name", "block"), [("light", 0), ("dark", 1)])
def test_the_page_has_the_colours_of_pictures_and_each_stands_out_from_its_backgrounds(name, block):
    root = re.findall(r":root {(.*?)}", STYLE, re.DOTALL)[block]
    theme, backgrounds = THEMES[name], re.findall(r"--(?:paper|raised|tied): (#\w+)", root)
    assert tuple(re.findall(r"--e\d: (#\w{6})", root)) == theme.players
    assert len(backgrounds) == 3
    whole = [one if len(one) == 7 else "#" + "".join(2 * digit for digit in one[1:]) for one in backgrounds]
    assert min(contrast(colour, one) for colour in theme.players for one in [*whole, theme.background]) >= MIN_CONTRAST


if __name__ == "__main__":
    for title, theme in THEMES.items():
        for seen in SEEN:
            print(title, seen, "{:.1f} {} {}".format(*smallest(theme.players, seen)), sep=": ")
