"""The page of a run in Chromium, opened from disk."""

import os
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.browser import open_page
from tests.helpers.page_models import HOSTILE, KEY, model, noisy_run
from wordpl.core import seeds, words
from wordpl.core.clues import CLUE_RULES
from wordpl.core.posterior import Posterior
from wordpl.reports.html.run_page import run_page

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("default")]
AXE = Path(os.environ.get("WORDPL_AXE", "node_modules/axe-core/axe.min.js"))
NOISY = {"wordpl/1": "anywhere", "wordpl-counted/1": "counted"}
N_GAMES = 60


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A page with more games than its table of games shows at once."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    run = noisy_run(np.random.default_rng(1), n_games=N_GAMES, hostile=HOSTILE)
    path.write_text(run_page([model(run)]), encoding="utf-8")
    return path


def test_the_page_makes_no_request_and_runs_no_script_from_names(page_file):
    with open_page(page_file) as (page, problems):
        assert page.evaluate("window.hacked") is None
        assert page.locator("img").count() == 0
        assert "window.hacked=1" in page.inner_text("main")
        assert problems == []


@pytest.mark.parametrize("rules", NOISY)
def test_clues_and_posteriors_agree_with_python_in_200_games(tmp_path, rules):
    run = noisy_run(np.random.default_rng(6), n_games=100, game_ids=(rules,))  # two entries
    path = tmp_path / "page.html"
    path.write_text(run_page([model(run)]), encoding="utf-8")
    clue, lists = CLUE_RULES[NOISY[rules]], words.load()
    with open_page(path) as (page, _):
        games_in_page = page.evaluate(
            """() => {
              const { boards, Posterior } = window.wordpl, board = boards[0];
              return board.entries.flatMap((entry) => [...Array(entry.n).keys()].map((at) => {
                const posterior = new Posterior(board.answers, board.clues);
                const secret = board.answers[entry.secrets[at]];
                const moves = entry.moves(at);
                return moves.map((move) => {
                  if (!move.clues) return [move.guess, move.epsilon, move.clues, "", 0, "", 0];
                  posterior.update(move.guess, move.epsilon, move.clues);
                  const [word, p] = posterior.top(1)[0];
                  const true_ = secret ? posterior.clue(move.guess, secret) : "";
                  return [move.guess, move.epsilon, move.clues, true_, posterior.bits, word, p];
                });
              }));
            }"""
        )
    by_name = dict(tuple(run.groupby("entry", sort=False)))
    expected = [moves for rows in by_name.values() for moves in rows["moves"]]
    secrets = [secret for rows in by_name.values() for secret in rows["secret"]]
    games_in_page = [[[guess, float(epsilon), *rest] for guess, epsilon, *rest in game] for game in games_in_page]
    sorted_moves = sorted(map(repr, ([move[:3] for move in game] for game in games_in_page)))
    assert sorted_moves == sorted(map(repr, ([[m[0], float(m[1]), m[2]] for m in moves] for moves in expected)))
    games = zip(expected, secrets, strict=True)
    secret_of = {repr([[m[0], float(m[1]), m[2]] for m in moves]): secret for moves, secret in games}
    for game in games_in_page:
        posterior = Posterior.uniform(lists, NOISY[rules])
        secret = secret_of[repr([move[:3] for move in game])]
        for guess, epsilon, clues, true_clues, bits, word, p in game:
            if clues:
                posterior.update(guess, epsilon, clues)
                assert true_clues == clue(guess, secret)
                assert bits == pytest.approx(posterior.bits, abs=1e-9)
                best, chance = posterior.best()
                assert p == pytest.approx(chance, rel=1e-9)
                assert dict(posterior.top(2315))[word] == pytest.approx(dict(posterior.top(2315))[best], rel=1e-9)


@pytest.mark.parametrize("rules", ["wordle/1", "absurdle/1"])
def test_remaining_words_agree_with_python_in_200_games(tmp_path, rules):
    run = noisy_run(np.random.default_rng(7), n_games=100, game_ids=(rules,))
    path = tmp_path / "page.html"
    path.write_text(run_page([model(run)]), encoding="utf-8")
    with open_page(path) as (page, _):
        games = page.evaluate(
            """() => window.wordpl.boards[0].entries.flatMap((entry) => [...Array(entry.n).keys()].map((at) => {
              const posterior = new window.wordpl.Posterior(window.wordpl.boards[0].answers, "counted");
              return entry.moves(at).map((move) => {
                posterior.updateTrue(move.guess, move.clues);
                return [move.guess, move.clues, posterior.nLeft];
              });
            }))"""
        )
    assert len(games) == 200
    for game in games:
        left = list(words.load().answers)
        for guess, clues, n_left in game:
            left = [word for word in left if CLUE_RULES["counted"](guess, word) == clues]
            assert n_left == len(left)


def test_secrets_in_the_page_follow_from_the_seed(page_file):
    answers = words.load().answers
    with open_page(page_file) as (page, _):
        indices = page.evaluate("() => [...window.wordpl.boards[0].entries[0].secrets]")
    assert [answers[at] for at in indices] == [
        answers[seeds.secret_index(KEY, number, len(answers))] for number in range(len(indices))
    ]


def test_filters_show_only_matching_games(page_file):
    with open_page(page_file) as (page, _):
        verdicts = page.locator("#browser select >> nth=1")
        verdicts.select_option(index=1)
        verdict = verdicts.evaluate("list => list.selectedOptions[0].text.split(' (')[0]")
        rows = page.locator("#browser tbody tr")
        assert rows.count() > 0
        assert set(rows.locator("td:nth-child(3)").all_inner_texts()) == {verdict}
        page.get_by_label("Secret", exact=True).fill("s")
        assert all(word.startswith("s") for word in rows.locator("td:nth-child(2)").all_inner_texts())


def tab_to(page, text):
    """Press Tab until the element with this text has the focus."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == text:
            return
    raise AssertionError(f"no way by keyboard to {text!r}")


def test_a_replay_can_be_reached_by_keyboard(page_file):
    with open_page(page_file) as (page, _):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        tab_to(page, "Games")
        page.keyboard.press("Enter")
        tab_to(page, "replay 0")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.tagName") == "H3"
        assert page.locator("#replay .tiles").count() > 0


def test_enter_on_a_heading_sorts_its_column(page_file):
    with open_page(page_file) as (page, _):
        button = page.locator("table.sortable >> nth=0 >> th button >> nth=1")
        button.focus()
        page.keyboard.press("Enter")
        values = page.locator("table.sortable >> nth=0 >> tbody tr td[data-s]:nth-child(2)").evaluate_all(
            "cells => cells.map((cell) => Number(cell.dataset.s))"
        )
        assert values == sorted(values)


def test_a_phone_needs_no_sideways_scrolling(page_file):
    with open_page(page_file, viewport={"width": 390, "height": 800}) as (page, _):
        page.locator("#browser tbody button").first.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_tables_are_shown_without_javascript(page_file):
    with open_page(page_file, java_script_enabled=False) as (page, _):
        assert page.locator("table").count() > 10
        assert page.locator("svg.chart").count() > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_violation(page_file, scheme):
    if not AXE.is_file():
        pytest.skip(f"needs axe-core as {AXE}: npm install axe-core, and WORDPL_AXE names its axe.min.js")
    with open_page(page_file, color_scheme=scheme, bypass_csp=True) as (page, _):
        page.locator("#browser tbody button").first.click()
        page.add_script_tag(path=str(AXE))
        violations = page.evaluate("axe.run()")["violations"]
    assert [violation["id"] for violation in violations if violation["impact"] in ("serious", "critical")] == []


def test_all_games_can_be_paged_through(page_file):
    with open_page(page_file) as (page, _):
        numbers = page.locator("#browser tbody td:first-child")
        first = numbers.all_inner_texts()
        page.get_by_role("button", name="Next", exact=True).click()
        assert [int(text) for text in first + numbers.all_inner_texts()] == list(range(N_GAMES))
        assert page.get_by_role("button", name="Last", exact=True).is_disabled()


def test_two_entries_are_replayed_side_by_side_on_the_same_secret(page_file):
    with open_page(page_file) as (page, _):
        page.get_by_role("button", name="replay 7", exact=True).click()
        secret = page.locator("#replay h3").inner_text().split()[-1]
        page.get_by_label("Compare with").select_option(index=1)
        games = page.locator("#replay article")
        assert games.count() == 2
        assert all(game.locator(".tiles").count() for game in games.all())
        page.get_by_role("button", name="Next game").click()
        assert page.locator("#replay h3").inner_text().startswith("Game 8, secret ")
        page.get_by_role("button", name="Previous game").click()
        assert page.locator("#replay h3").inner_text() == f"Game 7, secret {secret}"


@pytest.mark.parametrize("rules", ["wordle/1", "absurdle/1"])
def test_a_game_without_noise_is_replayed_with_the_words_that_are_left(page_file, rules):
    with open_page(page_file) as (page, _):
        entry = page.locator("#browser select").first
        entry.select_option(label=f"Plain {rules} · {rules}")
        page.locator("#browser tbody button").first.click()
        assert "left)" in page.locator("#replay tbody tr").first.inner_text()


def test_the_slider_of_a_chart_shows_the_share_won_within_a_budget(page_file):
    run = noisy_run(np.random.default_rng(1), n_games=N_GAMES)
    with open_page(page_file) as (page, _):
        reader = page.locator("figure input.reader").first
        reader.evaluate("one => { one.value = 400; one.dispatchEvent(new Event('input')); }")
        budget = float(page.locator("figure output").first.inner_text())
        legend = page.locator("figure ul.legend").first.locator("li").all_inner_texts()
    costs = run.loc[run["entry"] == "Plain wordpl/1", "cost"]
    plain = next(text for text in legend if text.strip().startswith("Plain"))
    assert float(plain.split()[-1].rstrip("%")) == pytest.approx(100 * (costs <= budget + 0.05).mean(), abs=0.06)


def test_a_printed_page_has_every_table_and_no_buttons(page_file):
    with open_page(page_file, color_scheme="dark") as (page, _):
        page.emulate_media(media="print", color_scheme="dark")
        assert not page.locator("nav").is_visible()
        assert not page.locator("#browser").is_visible()
        pairs = page.locator("#pairs table")
        assert pairs.count() > 5
        assert all(table.bounding_box()["height"] > 20 for table in pairs.all())
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
