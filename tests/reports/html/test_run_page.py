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
from wordpl.reports.elements import Detail, Note
from wordpl.reports.html.document import joined, notebook_html, part_html
from wordpl.reports.html.run_page import run_page
from wordpl.reports.sections import sections_of


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


@pytest.mark.slow
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
    for part in ("all scores", "games won within a budget", "CPU time of a game", "hardest words", "lost by a fault: 1",
                 "bits left after each clue", "games by number of guesses", "differences of p50"):  # fmt: skip
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


@pytest.mark.slow
def test_a_page_lists_200_entries_in_3_mb():
    rng = np.random.default_rng(6)
    budgets = rng.choice(np.arange(10, 210), 200, replace=False) / 2
    won = rng.random((200, 60)) < (budgets[:, None] / 110) ** 0.5
    run = run_of({f"Bot(epsilon={b})": np.where(own, b, np.inf) for b, own in zip(budgets, won, strict=True)})
    page = run_page([model(run.assign(posterior=0.5))])
    assert len(page.encode()) < 3_000_000
    assert len(set(re.findall(r'<tr[^>]* data-entry="([^"]*)"', page))) == 200


def test_one_entry_has_a_card_for_each_score_and_a_slider_at_its_budget():
    run = run_of({"only": np.where(np.arange(40) % 3 > 0, 36.5, np.inf)}).assign(posterior=0.5)
    page = run_page([model(run)])
    assert re.findall(r'class="card[^"]*" data-score="(\w+)"', page) == ["p05", "p50", "p95", "p_win", "mean_cost"]
    assert re.search(r'<input type="range"[^>]* value="([^"]*)"', page)[1] == "36.5"


def test_a_classic_game_has_curves_of_the_games_solved_in_1_2_and_so_on():
    run = run_of({"one": [3, 4, 4, np.inf], "other": [2, 5, 6, 6]}, "guesses")
    page = run_page([model(run)])
    steps = [dict(pair.split(",") for pair in found.split()) for found in re.findall(r'data-steps="([^"]*)"', page)]
    assert {"3": "25.0%", "4": "75.0%"} in steps
    assert {"2": "25.0%", "5": "50.0%", "6": "100.0%"} in steps


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
    return [re.findall(r"<t[hd](?:.*?)>(.*?)</t[hd]>", row, re.DOTALL) for row in body.split("</tr>") if row]


def signs_of(page, caption):
    """Return which cells of a matrix are shown to be better (1) or worse (-1)."""
    body = re.search(rf"<caption>{re.escape(caption)}</caption>.*?<tbody>(.*?)</tbody>", page, re.DOTALL)[1]
    cells = [re.findall(r"<td(.*?)>", row) for row in body.split("</tr>") if row]
    return [[(re.findall(r'data-better="(-?\d)"', cell) or [""])[0] for cell in row] for row in cells]


def test_differences_are_in_the_row_and_column_of_their_entries():
    rng = np.random.default_rng(8)
    hardness = rng.gamma(3, 10, 300) + 5
    run = run_of({"worst": hardness + 40, "middle": hardness + 20, "best": hardness})  # the board turns the order round
    page, caption = run_page([model(run.assign(posterior=0.5))]), "wordpl/1: differences of p50"
    rows = rows_of(page, caption)
    assert [row[0].rpartition(">")[2] for row in rows] == ["best", "middle", "worst"]
    assert signs_of(page, caption) == [["", "1", "1"], ["-1", "", "1"], ["-1", "-1", ""]]
    assert "−20.0" in rows[0][2]
    assert "−40.0" in rows[0][3]


def test_each_command_that_reproduces_the_run_has_a_line(page):
    run = model(noisy_run(np.random.default_rng(1), n_games=5, game_ids=("wordle/1",)))
    text = run_page([replace(run, commands=["wordpl verify RUN", "wordpl report RUN"])])
    assert '<pre tabindex="0">wordpl verify RUN\nwordpl report RUN</pre>' in text


def test_the_boards_of_a_run_are_shown_in_a_notebook():
    results = model(noisy_run(np.random.default_rng(1), hostile=HOSTILE, n_games=20, game_ids=("wordpl/1",)))
    html = notebook_html([part for section in sections_of(results, Detail.BOARD) for part in section.parts])
    outline = Outline(html)
    assert [tag for tag, _ in outline.tags].count("tr") == 3
    assert "p50" in "".join(outline.text)
    assert not {"script", "img"} & {tag for tag, _ in outline.tags}


def test_a_run_in_which_nobody_wins_has_a_page_without_a_leader_at_any_budget():
    run = run_of({"a": np.full(40, np.inf), "b": np.full(40, np.inf)}).assign(posterior=0.0)
    page = run_page([model(run)])
    assert "Best at this budget" not in page
    assert "does not win 50% of games" in page


@pytest.mark.slow
def test_the_lead_passes_where_the_band_of_another_entry_lies_above_the_leaders():
    rng = np.random.default_rng(1)
    often = np.where(rng.random(1000) < 0.95, 90.0, np.inf)
    early = np.where(rng.random(1000) < 0.5, 30.0, np.inf)
    hardly_more = np.where(rng.random(1000) < 0.51, 40.0, np.inf)
    run = run_of({"often": often, "early": early, "hardly more": hardly_more}).assign(posterior=0.5)
    page = run_page([model(run)])
    leads = re.search(r"Best at this budget</h3><ol>(.*?)</ol>", page)[1]
    assert re.findall(r'class="from">from ([\d.]+)<.*?</svg>([a-z ]+)<', leads) == [
        ("30.0", "early"),
        ("90.0", "often"),
    ]


def test_a_long_legend_is_shown_whole():
    sentences = [f"Of sentence {number} the end must be readable." for number in range(200)]
    page = joined(part_html(Note(sentences, "legend")))
    assert [sentence for sentence in sentences if sentence not in page] == []
