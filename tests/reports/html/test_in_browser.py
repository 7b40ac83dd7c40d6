"""The page of a run in Chromium, opened from disk."""

import re

import numpy as np
import pytest

from tests.helpers.browsing import find_axe, open_page
from tests.helpers.frames import losing, run_of
from tests.helpers.page_models import HOSTILE, model, noisy_run, own_run
from tests.helpers.paths import HOME
from wordpl import games, reports
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES
from wordpl.kernels.posterior import Posterior
from wordpl.reports.html import page_data
from wordpl.reports.html.run_page import run_page
from wordpl.reports.publication import results_of
from wordpl.reports.results import RunResults

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("default")]
NOISY = {"wordpl/1": "anywhere", "wordpl-counted/1": "counted"}
N_GAMES = 60


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A page with more games than its table of games shows at once."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    run = noisy_run(np.random.default_rng(1), n_games=N_GAMES, hostile=HOSTILE)
    path.write_text(run_page([model(run)], max_reviewed=12), encoding="utf-8")
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
                  const state = posterior.state(1);
                  const [word, p] = state.top[0];
                  const true_ = secret ? posterior.clue(move.guess, secret) : "";
                  return [move.guess, move.epsilon, move.clues, true_, state.bits, word, p];
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
                return [move.guess, move.clues, posterior.state(1).nLeft];
              });
            }))"""
        )
    assert len(games) == 200
    for game in games:
        left = list(words.load().answers)
        for guess, clues, n_left in game:
            left = [word for word in left if CLUE_RULES["counted"](guess, word) == clues]
            assert n_left == len(left)


def open_list(page):
    """Open the list of all games."""
    page.locator("#games summary").click()
    page.wait_for_selector("#browser tbody tr")


def test_filters_show_only_matching_games(page_file):
    with open_page(page_file) as (page, _):
        open_list(page)
        verdicts = page.locator("#browser select >> nth=1")
        verdicts.select_option(index=1)
        verdict = verdicts.evaluate("list => list.selectedOptions[0].text.split(' (')[0]")
        rows = page.locator("#browser tbody tr")
        assert rows.count() > 0
        assert set(rows.locator("td:nth-child(3)").all_inner_texts()) == {verdict}
        page.get_by_label("Secret", exact=True).fill("s")
        assert all(word.startswith("s") for word in rows.locator("td:nth-child(2)").all_inner_texts())


def test_a_replayed_game_is_within_ten_stops_of_the_keyboard(page_file):
    with open_page(page_file) as (page, _):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        n_stops = 1
        while page.evaluate("document.activeElement.textContent") != "Replay":
            page.keyboard.press("Tab")
            n_stops += 1
            assert n_stops < 10
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.className") == "stage"
        n_moves = page.locator("#replay .moves >> nth=0").locator(".tiles .hit, .tiles .near, .tiles .miss").count()
        assert n_moves > 0
        page.keyboard.press("Home")
        assert page.locator("#replay .steps output").inner_text() == "before the first move"
        page.keyboard.press("ArrowRight")
        assert page.locator("#replay .steps output").inner_text().startswith("move 1 of ")
        assert page.locator("#replay .flip").count() > 0
        number = page.evaluate("window.wordpl.replay.number")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("window.wordpl.replay.number") > number


def test_each_step_shows_what_the_entry_knew_after_it(page_file):
    with open_page(page_file) as (page, _):
        page.evaluate("window.wordpl.replay.open(5)")
        games = page.evaluate("window.wordpl.replay.shown.map((one) => one.moves)")
        bits = page.evaluate("window.wordpl.replay.shown.map((one) => one.states.map((state) => state.bits))")
        for step in range(max(map(len, games)) + 1):
            page.evaluate("step => window.wordpl.replay.go(step)", step)
            for at, (moves, left) in enumerate(zip(games, bits, strict=True)):
                article = page.locator("#replay article").nth(at)
                n = min(step, len(moves))
                assert article.locator(".tile.hit, .tile.near, .tile.miss").count() == 5 * n
                assert article.locator(".entropy td").last.inner_text() == f"{left[n]:.2f}"


def test_false_marks_are_outlined(page_file):
    clue = CLUE_RULES["anywhere"]
    with open_page(page_file) as (page, _):
        page.evaluate("window.wordpl.replay.open(2)")
        (moves, *_), secret = page.evaluate(
            "[window.wordpl.replay.shown.map((one) => one.moves), window.wordpl.replay.shown[0].secret]"
        )
        expected = [
            a != b
            for move in moves
            if move["clues"]
            for a, b in zip(move["clues"], clue(move["guess"], secret), strict=True)
        ]
        tiles = page.locator("#replay article >> nth=0").locator(".moves .tile")
        outlined = tiles.evaluate_all("all => all.map((tile) => tile.classList.contains('turned'))")
        assert any(expected)
        assert outlined[: len(expected)] == expected


def test_a_link_opens_its_game(page_file):
    with open_page(page_file) as (page, _):
        page.evaluate("window.location.hash = '#game=17'")
        page.wait_for_function("window.wordpl.replay.number === 17")
        assert page.locator("#replay h3").inner_text().startswith("Game 17, secret ")
        assert page.evaluate("document.activeElement.className") == "stage"


def test_decisive_games_are_those_that_only_one_of_the_two_leaders_wins(page_file):
    with open_page(page_file) as (page, _):
        numbers = [int(text) for text in page.locator("#replay .decisive button").all_inner_texts()]
        won = page.evaluate(
            """() => window.wordpl.boards[0].entries.slice(0, 2)
                 .map((entry) => [...Array(entry.n).keys()].map((at) => entry.won(at)))"""
        )
        decisive = [number for number, (a, b) in enumerate(zip(*won, strict=True)) if a != b]
        assert numbers == decisive[: len(numbers)]
        assert len(numbers) == min(10, len(decisive))


def test_a_row_opens_to_the_numbers_and_the_worst_games_of_its_entry(page_file):
    with open_page(page_file) as (page, _):
        row = page.locator(".forest:visible tbody tr").first
        name = row.get_attribute("data-entry")
        row.locator("button.open").focus()
        page.keyboard.press("Enter")
        assert row.locator("button.open").get_attribute("aria-expanded") == "true"
        details = page.locator("tr.details .more")
        assert details.locator("p b").text_content() == name
        assert {"p05", "mean cost", "faults", "CPU per game"} <= set(details.locator("dt").all_inner_texts())
        link = details.locator(".worst a").first
        number = int(link.inner_text().split()[1])
        link.click()
        assert page.evaluate("[window.wordpl.replay.number, window.wordpl.replay.entries[0].name]") == [number, name]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_move_that_cost_most_is_found_in_one_click(page_file, width):
    with open_page(page_file, viewport={"width": width, "height": 844}) as (page, problems):
        page.locator("#replay .costliest").click()
        row = page.locator("#replay tr.is-now")
        review = page.evaluate("window.wordpl.replay.panel.review")
        prices = [move["price"] for move in review["moves"]]
        dearest = prices.index(max(prices))
        assert row.locator(".tile").all_inner_texts() == list(review["moves"][dearest]["guess"].upper())
        assert row.locator(".worth").inner_text().lower().startswith("costliest move")
        assert page.evaluate("window.wordpl.replay.step") == dearest + 1
        box = row.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 845  # a fraction of a pixel
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert problems == []


def test_the_game_with_the_costliest_move_is_shown_first_and_others_name_the_command(page_file):
    with open_page(page_file) as (page, _):
        worst = page.evaluate("window.wordpl.replay.entries[0].worst.map(([number]) => number)")
        assert [int(text) for text in page.locator("#replay .costly button").all_inner_texts()] == worst
        assert page.evaluate("window.wordpl.replay.number") == worst[0]
        known = page.evaluate("[...window.wordpl.replay.entries[0].reviews.keys()]")
        number = next(number for number in range(N_GAMES) if number not in known)
        page.evaluate("number => window.wordpl.replay.open(number)", number)
        assert f"wordpl replay made up {number}" in page.inner_text("#replay .judged")


def test_tabs_choose_the_score_by_arrow_keys(page_file):
    with open_page(page_file) as (page, _):
        bar = page.locator("[role=tablist]").first
        tabs = bar.locator("[role=tab]")
        chosen = bar.locator("[aria-selected=true]")
        assert chosen.inner_text() == "win 50%"
        chosen.focus()
        page.keyboard.press("ArrowRight")
        assert chosen.inner_text() == "win 95%"
        assert page.locator(".forest:visible .plot .of").first.text_content() == "win 95%"
        assert tabs.evaluate_all("all => all.filter((tab) => tab.tabIndex === 0).length") == 1


def test_the_focus_brings_one_line_of_a_chart_forward(page_file):
    with open_page(page_file) as (page, _):
        buttons = page.locator("figure >> nth=0").locator("ul.legend button")
        buttons.nth(0).focus()
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.closest('li').dataset.line") == "1"
        front = page.locator("figure >> nth=0").locator("svg .front")
        assert set(front.evaluate_all("all => all.map((one) => one.dataset.line)")) == {"1"}


def test_a_heading_sorts_its_column_the_best_values_first_and_says_in_which_direction(page_file):
    with open_page(page_file) as (page, _):
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        table = page.locator("table.sortable").first
        heads = table.locator("thead th")
        for name, first in (("p50", "ascending"), ("P(win)", "descending"), ("strategy", "ascending")):
            at = heads.all_inner_texts().index(name)
            for direction in (first, {"ascending": "descending", "descending": "ascending"}[first]):
                heads.nth(at).locator("button").focus()
                page.keyboard.press("Enter")
                assert heads.nth(at).get_attribute("aria-sort") == direction
                arrow = heads.nth(at).locator("button").evaluate("one => getComputedStyle(one, '::after').content")
                assert ("▲" in arrow, "▼" in arrow) == (direction == "ascending", direction == "descending")
                cells = table.locator("tbody tr").evaluate_all(
                    "(rows, at) => rows.map((r) => r.cells[at].dataset.s)", at
                )
                if name != "strategy":
                    values = [float(value.replace("Infinity", "inf")) for value in cells]
                    assert values == sorted(values, reverse=direction == "descending")


@pytest.fixture(scope="module")
def crowded_page(tmp_path_factory):
    """A page of twenty entries, many of which are not told apart."""
    rng = np.random.default_rng(20)
    hardness = rng.gamma(3, 30, 300) + 5
    costs = {f"Bot(epsilon={8 + n}.0, n_guesses={2 + n % 3})": losing(hardness * (1 + 0.02 * n), 0.01 * n, rng)
             for n in range(20)}  # fmt: skip
    run = run_of(costs).assign(posterior=0.9, n_moves=0)
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(run_page([RunResults(reports.boards(run, rng), run, name="twenty entries")]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def bundled_page(tmp_path_factory):
    """The page of the bundled run, without reviews of its games, which take half a minute."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(run_page([results_of(HOME / "results" / "bundled", is_verified=False)]), encoding="utf-8")
    return path


def test_score_pair_and_budget_are_in_the_address_and_kept_on_reload(crowded_page):
    with open_page(crowded_page) as (page, _):
        picks = page.locator(".forest:visible .pick")
        for at in (1, 4, 9):  # the third one takes the place of the first one
            picks.nth(at).check()
        page.locator(".rankings [role=tab]", has_text="win 95%").click()
        slider = page.locator("input.reader")
        slider.evaluate("(one) => { one.value = 120; one.dispatchEvent(new Event('change')); }")
        pair = ",".join(page.locator(".forest:visible tr:has(.pick:checked)").evaluate_all(
            "all => all.map((one) => one.dataset.number)"
        ))  # fmt: skip
        kept = dict(part.split("=") for part in page.evaluate("location.hash").lstrip("#").split("&"))
        assert sorted(kept.pop("pair").split(",")) == sorted(pair.split(","))
        assert kept == {"score": "p95", "budget": "120"}
        compared = page.locator(".compare").inner_text()
        page.reload()
        page.wait_for_selector("html[data-ready=yes]")
        assert page.locator("[aria-selected=true]").all_text_contents() == ["win 95%", "win 95%"]
        assert page.locator("figure output").inner_text() == "120.0"
        assert page.locator(".compare").inner_text() == compared
        assert "shown to be" in compared or "not told apart" in compared
        page.locator("nav a", has_text="Budgets").click()
        assert page.evaluate("location.hash").startswith("#curve&")


def test_a_ranking_is_searched_and_sorted_by_keyboard(crowded_page):
    with open_page(crowded_page) as (page, _):
        page.get_by_label("Search entries").fill("bot 9")
        rows = page.locator(".forest:visible tbody tr:visible")
        assert rows.locator("th").all_inner_texts() == ["Bot 9.0×3"]
        page.get_by_label("Search entries").fill("")
        assert rows.count() == 20
        heads = page.locator(".forest:visible thead th")
        values = {}
        for at, direction in ((0, "ascending"), (0, "descending"), (2, "ascending")):
            heads.nth(at).locator("button").focus()
            page.keyboard.press("Enter")
            assert heads.nth(at).get_attribute("aria-sort") == direction
            values[at, direction] = rows.evaluate_all(f"all => all.map((row) => Number(row.cells[{at}].dataset.s))")
        assert values[0, "ascending"] == values[0, "descending"][::-1] == list(range(20))
        assert values[2, "ascending"] == sorted(values[2, "ascending"])


def test_an_entry_that_leads_nothing_has_its_colour_and_its_name_beside_the_chart_once_it_is_chosen(crowded_page):
    with open_page(crowded_page) as (page, _):
        row = page.locator(".forest:visible tr:has(.glyph.aside)").first
        number = row.get_attribute("data-number")
        label = page.locator(f".chart .label[data-number='{number}']")
        colour = "one => getComputedStyle(one).fill"
        grey = row.locator(".glyph path").evaluate(colour)
        assert not label.is_visible()
        row.locator(".pick").check()
        assert row.locator(".glyph path").evaluate(colour) != grey
        assert label.is_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_bar_of_a_rank_stays_in_its_cell_and_below_the_value(page_file, width):
    with open_page(page_file, viewport={"width": width, "height": 800}) as (page, _):
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        bars = page.evaluate(
            """() => [...document.querySelectorAll("td svg.rank")].map((bar) => {
              const cell = bar.closest("td"), inner = bar.getBoundingClientRect(), outer = cell.getBoundingClientRect();
              const value = document.createRange();
              value.selectNode(cell.firstChild);
              const { bottom } = value.getBoundingClientRect();
              return [outer.left - inner.left, inner.right - outer.right, bottom - inner.top];
            })"""
        )
    assert bars
    assert [bar for bar in bars if max(bar[0], bar[1]) > 0 or bar[2] > 4] == []


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (768, 1024), (390, 844)])
@pytest.mark.parametrize("name", ["bundled_page", "crowded_page"])
def test_the_first_screen_says_who_leads_each_score_how_sure_that_is_and_where_the_best_changes(
    request, name, width, height
):
    page_path = request.getfixturevalue(name)
    with open_page(page_path, viewport={"width": width, "height": height}) as (page, _):
        cards = page.locator("#board .card")
        assert cards.count() == 5
        for card in cards.all():
            assert all(card.locator(f".{part}").inner_text() for part in ("leader", "value", "why"))
            assert re.search(r"sure|likely, |open", card.locator(".pill").inner_text())
            assert re.match(r"next: |not ruled out: |\d+% undecided", card.locator(".why").inner_text())
            box = card.bounding_box()
            assert box["y"] + box["height"] <= height
        last_change = page.locator(".leads li").last.bounding_box()
        assert last_change["y"] + last_change["height"] <= height


@pytest.mark.parametrize("name", ["bundled_page", "crowded_page"])
def test_a_phone_shows_whole_charts_and_says_which_tables_go_on(request, name):
    with open_page(request.getfixturevalue(name), viewport={"width": 390, "height": 844}) as (page, _):
        ends = page.evaluate(
            """() => [...document.querySelectorAll(".chart")].map((chart) => {
              const box = chart.parentNode.getBoundingClientRect();
              const names = ["budget (sum of epsilons)", "best at this budget"];  // those of the axis, at its right end
              return [...chart.querySelectorAll(".grid, .tick, .line")]
                .filter((one) => getComputedStyle(one).display !== "none" && !names.includes(one.textContent))
                .map((one) => one.getBoundingClientRect())
                .map((one) => Math.min(one.left - box.left, box.right - one.right));
            })"""
        )
        assert ends
        assert min(map(min, ends)) > -1
        heat = page.locator("#comparison .panel:visible .scroll").first
        heat.scroll_into_view_if_needed()
        is_long = name == "crowded_page"
        shows = "([box, is_long]) => box.clientWidth > 0 && box.classList.contains('goes-on') === is_long"
        page.wait_for_function(shows, arg=[heat.element_handle(), is_long])
        assert heat.evaluate("box => box.scrollWidth > box.clientWidth + 4") == is_long
        heat.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
        page.wait_for_function(shows, arg=[heat.element_handle(), False])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(page_file, scheme):
    axe = find_axe()
    with open_page(page_file, color_scheme=scheme, bypass_csp=True) as (page, _):
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.locator("#browser tbody button").first.click()
        page.locator(".forest:visible button.open").first.click()
        page.add_script_tag(path=axe)
        violations = page.evaluate("axe.run()")["violations"]
    assert [
        (violation["id"], [node["html"][:120] for node in violation["nodes"][:3]]) for violation in violations
    ] == []


def test_all_games_can_be_paged_through(page_file):
    with open_page(page_file) as (page, _):
        open_list(page)
        numbers = page.locator("#browser tbody td:first-child")
        first = numbers.all_inner_texts()
        page.get_by_role("button", name="Next", exact=True).click()
        assert [int(text) for text in first + numbers.all_inner_texts()] == list(range(N_GAMES))
        assert page.get_by_role("button", name="Last", exact=True).is_disabled()


def test_two_entries_are_replayed_side_by_side_on_the_same_secret(page_file):
    with open_page(page_file) as (page, _):
        open_list(page)
        page.get_by_role("button", name="replay 7", exact=True).click()
        secret = page.locator("#replay h3").inner_text().split()[-1]
        games = page.locator("#replay article")
        assert games.count() == 2
        assert all(game.locator(".tiles").count() for game in games.all())
        page.get_by_role("button", name="Next game").click()
        assert page.locator("#replay h3").inner_text().startswith("Game 8, secret ")
        assert page.evaluate("window.location.hash") == "#game=8&entries=0,1"
        page.get_by_role("button", name="Previous game").click()
        assert page.locator("#replay h3").inner_text() == f"Game 7, secret {secret}"


@pytest.mark.parametrize("rules", ["wordle/1", "absurdle/1"])
def test_a_game_without_noise_is_replayed_with_the_words_that_are_left(page_file, rules):
    with open_page(page_file) as (page, _):
        page.locator("#replay select").first.select_option(label=rules)
        assert "left)" in page.locator("#replay .moves li").first.inner_text()


@pytest.fixture
def fibble_results():
    """Results of 200 games of a host's own game, one of whose marks lies in each clue."""
    games.bind(f"{HOME / 'examples' / 'fibble.py'}:Fibble")
    yield model(own_run("fibble/1", np.random.default_rng(9), n_games=200))
    games.unbind("fibble/1")


def test_the_posterior_of_a_hosts_own_game_agrees_with_python_in_200_games(tmp_path, fibble_results):
    path = tmp_path / "page.html"
    path.write_text(run_page([fibble_results]), encoding="utf-8")
    game = games.make_game("fibble/1", words.load())
    with open_page(path) as (page, _):
        shown = page.evaluate(
            """() => window.wordpl.boards[0].entries.flatMap((entry) => [...Array(entry.n).keys()].map((at) => [
              entry.answers[entry.secrets[at]], entry.moves(at).map((move) => [move.guess, move.clues, move.state]),
            ]))"""
        )
    assert len(shown) == 200
    for secret, moves in shown:
        posterior = Posterior.of(game)
        for guess, clues, state in moves:
            if guess == secret:
                assert state["bits"] == 0
                assert state["top"] == [[guess, 1]]
                continue
            posterior.update(guess, clues)
            assert state["bits"] == pytest.approx(posterior.bits, abs=1e-9)
            assert dict(state["top"]) == pytest.approx({w: dict(posterior.top(2315))[w] for w, _ in state["top"]})
            assert state["top"][0][1] == pytest.approx(posterior.best()[1])


def test_a_page_says_for_which_games_of_a_hosts_own_game_it_tells_what_was_known(tmp_path, monkeypatch, fibble_results):
    path = tmp_path / "page.html"
    monkeypatch.setattr(page_data, "MAX_STATES", 100)
    path.write_text(run_page([fibble_results]), encoding="utf-8")
    with open_page(path) as (page, _):
        n_known = page.evaluate(
            """() => {
              const [entry] = window.wordpl.boards[0].entries;
              return [...Array(entry.n).keys()].filter((at) => entry.moves(at).some((move) => move.state)).length;
            }"""
        )
        assert 10 < n_known < 50
        assert f"by its own code, for the first {n_known} of each entry" in page.inner_text("#games")
        missing = "This page does not contain what was known in this game."
        for number, is_known in ((n_known - 1, True), (n_known, False)):
            page.evaluate(f"window.wordpl.replay.open({number})")
            assert (page.locator("#replay .beliefs tr").count() > 0) == is_known
            assert (missing in page.inner_text("#replay")) != is_known


def test_a_lie_of_a_hosts_own_game_is_outlined(tmp_path, fibble_results):
    path = tmp_path / "page.html"
    path.write_text(run_page([fibble_results]), encoding="utf-8")
    with open_page(path) as (page, _):
        row = page.locator("#replay article .moves li").first
        assert row.locator(".turned").count() == 1


def test_the_cursor_of_a_chart_reads_the_shares_won_within_the_budget_below_it(page_file):
    run = noisy_run(np.random.default_rng(1), n_games=N_GAMES)
    costs = run.loc[run["entry"] == "Plain wordpl/1", "cost"].to_numpy()
    with open_page(page_file) as (page, _):
        figure = page.locator("figure").first
        chart = figure.locator("svg.chart")
        chart.scroll_into_view_if_needed()
        box, view = chart.bounding_box(), chart.evaluate("one => one.viewBox.baseVal.width")
        ticks = chart.locator("text.tick.middle").all()
        places = {float(tick.text_content()): float(tick.get_attribute("x")) for tick in ticks[:6]}
        most, end = max(places.items())
        for share in np.linspace(0, 1, 20):
            x = places[0.0] + share * (end - places[0.0])
            page.mouse.move(box["x"] + x / view * box["width"], box["y"] + box["height"] / 2)
            budget = float(figure.locator("output").inner_text())
            assert budget == pytest.approx(share * most, abs=most / 500)
            line = float(chart.locator("line.reader").get_attribute("x1"))
            assert line == pytest.approx(x, abs=2)
            legend = figure.locator("ul.legend li").all_inner_texts()
            plain = next(text for text in legend if text.strip().startswith("Plain"))
            won = float(plain.split()[-1].rstrip("%"))
            low, high = (100 * (costs <= budget + step).mean() for step in (-0.06, 0.06))
            assert low - 0.06 <= won <= high + 0.06


def test_a_printed_page_has_every_table_and_no_buttons(page_file):
    with open_page(page_file, color_scheme="dark") as (page, _):
        page.emulate_media(media="print", color_scheme="dark")
        assert not page.locator("nav").is_visible()
        assert not page.locator("#browser").is_visible()
        pairs = page.locator("#comparison table")
        assert pairs.count() > 5
        assert all(table.bounding_box()["height"] > 20 for table in pairs.all())
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_opening_a_row_leaves_the_axis_of_the_ranking_as_wide_as_it_was(bundled_page, width):
    with open_page(bundled_page, viewport={"width": width, "height": 800}) as (page, _):
        axis = page.locator(".forest:visible td.plot").first
        before = axis.bounding_box()["width"]
        page.locator(".forest:visible button.open").nth(1).click()
        assert axis.bounding_box()["width"] == pytest.approx(before, abs=1)
