import base64
import json
import re
import zlib
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pytest

from tests.helpers.frames import run_of
from tests.helpers.page_models import HOSTILE, model, noisy_run
from wordpl.reports.html.run_page import run_page


@pytest.fixture(scope="module")
def page(page_file):
    return page_file.read_text(encoding="utf-8")


class Outline(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_loads_nothing_and_allows_only_its_own_script_and_style(page):
    outline = Outline(page)
    assert not [attrs for _, attrs in outline.tags if attrs.get("src") or attrs.get("href", "#")[0] != "#"]
    policy = next(attrs["content"] for tag, attrs in outline.tags if attrs.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    for tag in ("script", "style"):
        content = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert len(content) == 1
        digest = base64.b64encode(sha256(content[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_names_and_messages_cannot_run_scripts(page):
    outline = Outline(page)
    assert not [tag for tag, _ in outline.tags if tag in ("img", "iframe", "object", "embed", "form")]
    assert not [name for _, attrs in outline.tags for name in attrs if name.startswith("on")]
    assert "window.hacked=1" in "".join(outline.text)
    assert "\x1b" not in page


def test_the_html_contains_the_tables_without_javascript(page):
    captions = re.findall(r"<caption>(.*?)</caption>", page)
    for part in ("all scores", "P(win) within a budget", "CPU time of a game", "Hardest words", "lost by a fault: 1",
                 "Bits left after each clue", "games by number of guesses", "differences of p50"):  # fmt: skip
        assert any(part in caption for caption in captions), part


def facts_of(page):
    block = zlib.decompress(base64.b64decode(re.search(r'id="data">([^<]+)<', page)[1]))
    return json.loads(block[8 : 8 + int.from_bytes(block[:8], "little")])


@pytest.mark.long  # a page of many games
def test_a_page_with_a_size_limit_contains_fewer_games_and_says_so():
    run = model(noisy_run(np.random.default_rng(2), n_games=700, game_ids=("wordpl/1",)))
    full_page = run_page([run])
    limited_page = run_page([run], max_bytes=len(full_page) - 5_000)
    assert "This page contains the moves of all games." in full_page
    n_kept = facts_of(limited_page)["runs"][0]["boards"][0]["entries"][0]["kept"]
    assert 400 < n_kept < 700
    assert f"the moves of the first {n_kept:,} games of each entry" in limited_page
    assert len(limited_page.encode()) <= len(full_page) - 5_000


@pytest.mark.long  # two pages
def test_the_same_run_gives_the_same_bytes():
    first, second = (run_page([model(noisy_run(np.random.default_rng(3), n_games=20))]) for _ in range(2))
    assert first == second


@pytest.mark.slow
def test_a_page_of_several_runs_has_a_history_of_their_entries():
    runs = [model(noisy_run(np.random.default_rng(seed), n_games=20, game_ids=("wordpl/1",)), f"run {seed}")
             for seed in (4, 5)]  # fmt: skip
    text = "".join(Outline(run_page(runs)).text)
    assert "History of entries" in text
    assert "All runs have the same seed" in text
    assert "run 4" in text
    assert "run 5" in text


def test_a_hostile_name_is_unchanged_in_the_data(page):
    names = [entry["name"] for board in facts_of(page)["runs"][0]["boards"] for entry in board["entries"]]
    assert any("<img src=x" in name for name in names)
    assert HOSTILE.split("\x1b")[0] in names[0] or HOSTILE.split("\x1b")[0] in names[1]


def rows_of(page, caption):
    """Return the rows of the table with this caption, as texts."""
    body = re.search(rf"<caption>{re.escape(caption)}</caption>.*?<tbody>(.*?)</tbody>", page, re.DOTALL)[1]
    return [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL) for row in body.split("</tr>") if row]


def test_differences_are_in_the_row_and_column_of_their_entries():
    rng = np.random.default_rng(8)
    hardness = rng.gamma(3, 10, 300) + 5
    run = run_of({"worst": hardness + 40, "middle": hardness + 20, "best": hardness})  # the board turns the order round
    rows = rows_of(run_page([model(run.assign(posterior=0.5))]), "wordpl/1: differences of p50")
    assert [row[0] for row in rows] == ["1 best", "2 middle", "3 worst"]
    signs = [["▲" if "▲" in cell else "▼" if "▼" in cell else "" for cell in row[1:]] for row in rows]
    assert signs == [["", "▲", "▲"], ["▼", "", "▲"], ["▼", "▼", ""]]
    assert "−20.0" in rows[0][2]
    assert "−40.0" in rows[0][3]


def test_each_command_that_reproduces_the_run_has_a_line(page):
    run = model(noisy_run(np.random.default_rng(1), n_games=5, game_ids=("wordle/1",)))
    text = run_page([replace(run, commands=["wordpl verify RUN", "wordpl report RUN"])])
    assert '<pre tabindex="0">wordpl verify RUN\nwordpl report RUN</pre>' in text


def test_a_board_displays_as_a_table_in_a_notebook():
    board = model(noisy_run(np.random.default_rng(1), hostile=HOSTILE, n_games=20, game_ids=("wordpl/1",))).boards[0]
    html = board._repr_html_()
    outline = Outline(html)
    assert [tag for tag, _ in outline.tags].count("tr") == 3
    assert "p50" in "".join(outline.text)
    assert not {"script", "img"} & {tag for tag, _ in outline.tags}
