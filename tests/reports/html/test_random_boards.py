"""Pages of random boards in Chromium: numbers, intervals and verdicts agree, and nothing lies over another."""

import numpy as np
import pytest
from hypothesis import settings

from tests.helpers.browsing import AXE, open_page
from tests.helpers.paths import HOME
from tests.helpers.random_boards import KINDS, random_board
from wordpl.reports.html.run_page import run_page
from wordpl.reports.results import RunResults

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("default"), pytest.mark.timeout(3600)]
CHECKS = HOME / "tests" / "helpers" / "page_checks.js"
MAX_ENTRIES = 60
FEW_ENTRIES = 9
"""The most entries of boards that axe-core looks at, which takes long for many."""
WIDTHS = (1280, 768, 390)
SCHEMES = ("light", "dark")
OPENED = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
ALL_PANELS = "document.querySelectorAll('.panel').forEach((one) => { one.hidden = false; })"


def wrong_in(path, axe_schemes):
    """Yield what is wrong on a page, at each width and in print; axe-core looks at it in these colours."""
    with open_page(path, bypass_csp=True) as (page, problems):
        for scheme in axe_schemes if AXE.is_file() else ():
            page.emulate_media(color_scheme=scheme)
            page.add_script_tag(path=AXE)
            found = page.evaluate("axe.run()")["violations"]
            yield from (f"{scheme}: {one['id']} {[node['html'][:120] for node in one['nodes'][:2]]}" for one in found)
        page.add_script_tag(path=str(CHECKS))
        yield from page.evaluate("checks.cards()")
        page.evaluate(OPENED)
        yield from page.evaluate("checks.readings()")
        page.evaluate(ALL_PANELS)
        yield from page.evaluate("checks.numbers()")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(50)
            yield from (f"{width}: {found}" for found in page.evaluate("checks.over()"))
        page.set_viewport_size({"width": 1280, "height": 900})
        page.emulate_media(media="print")
        yield from (f"print: {found}" for found in page.evaluate("checks.over()"))
        untitled = (
            "[...document.querySelectorAll('.forest')].filter((one) => one.caption.getBoundingClientRect().height < 8)"
        )
        yield from [f"{n} rankings in print without a name" for n in [page.evaluate(f"{untitled}.length")] if n]
        yield from problems


@pytest.mark.parametrize("seed", range(10))
def test_numbers_agree_and_nothing_lies_over_another_on_pages_of_random_boards(seed, tmp_path):
    rng = np.random.default_rng(seed)
    found = []
    n_boards = 3 * settings().max_examples // 20  # 3, half of all kinds, and with the profile `thorough` 30
    for number in range(n_boards * seed, n_boards * (seed + 1)):
        kind = KINDS[number % len(KINDS)]
        board, run = random_board(rng, kind, MAX_ENTRIES)
        path = tmp_path / "board.html"
        path.write_text(run_page([RunResults([board], run, name=f"board {number}")]), encoding="utf-8")
        schemes = [SCHEMES[number % 2]] if len(board.rows) <= FEW_ENTRIES else []
        found += [f"board {number}, {kind}, {len(board.rows)} entries: {one}" for one in wrong_in(path, schemes)]
    assert found == []
