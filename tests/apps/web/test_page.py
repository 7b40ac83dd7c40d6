"""The page in Chromium: keyboard, touch, two friends, a restart of the server, and accessibility."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.browsing import WebServer, chromium, find_axe, serving

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
PHONE = {"width": 390, "height": 800}
WAIT_MS = 60_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    options = ("--daily-words", "puzzle-order", "--results", "results")
    with serving(tmp_path_factory.mktemp("web") / "games.sqlite", *options) as server:
        yield server


@pytest.fixture
def new_page(browser: Any, server: WebServer) -> Iterator[Any]:
    """Yield a function that opens a page for a new visitor; errors of a page fail the test."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_page(fragment: str, **options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
        page.on("request", lambda request: request.url.startswith(server.url) or complaints.append(request.url))
        page.goto(server.url + fragment)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [text for text in complaints if "ERR_ABORTED" not in text and "failed: " not in text] == []


def rows(page: Any) -> int:
    return page.locator("#board .row[data-state=done]").count()


def guess(page: Any, word: str, key: str = "Enter") -> None:
    before = rows(page)
    page.keyboard.type(word)
    page.keyboard.press(key)
    page.wait_for_selector(f"#board .row[data-state=done] >> nth={before}")


def test_a_noisy_game_can_be_played_by_keyboard(new_page: Any) -> None:
    page = new_page("#/new/wordpl/1")
    page.wait_for_selector("#board")
    assert page.locator("#buys").inner_text() == "71% of marks true, all 5: 18% · total after it: 8"
    guess(page, "crane")
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.id") != "price-8":
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert page.locator("#buys").inner_text() == "85% of marks true, all 5: 43% · total after it: 20"
    guess(page, "slate")
    assert page.locator("[data-state=done] .price").all_inner_texts() == ["ε 8 · 71% true", "ε 12 · 85% true"]
    page.keyboard.type("aback")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector("#review")
    assert page.locator("#review .row").count() == 3  # two guesses and the answer
    assert "outlined" in page.locator("#review").inner_text()
    page.wait_for_selector("#judged .review")
    assert page.locator("#judged .reviewed tbody tr").count() == 3
    assert page.locator("#board").count() == 1
    assert len(page.locator("#secret").inner_text()) == 5
    assert "wordpl/1" in page.locator("#share").inner_text()


def test_a_wordle_game_can_be_played_by_touch_on_a_phone(new_page: Any) -> None:
    page = new_page("#/daily/wordle/1/2021-06-19", viewport=PHONE, has_touch=True, is_mobile=True)
    page.wait_for_selector("#board")
    for word in ("salet", "cigar"):
        for letter in word:
            page.tap(f"[data-key={letter}]")
        page.tap("[data-key=Enter]")
        page.wait_for_selector("#review, .row[data-state=done]")
        page.wait_for_function("() => !document.body.hasAttribute('data-busy')") if word == "salet" else None
    page.wait_for_selector("#review")
    assert page.locator("#review h2").inner_text() == "You won: 2 guesses."
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    heights = "(all) => all.map((one) => one.getBoundingClientRect().height).filter(Boolean)"
    assert min(page.locator("button").evaluate_all(heights)) >= 40


def test_an_unknown_word_is_refused_and_can_be_deleted(new_page: Any) -> None:
    page = new_page("#/new/wordle/1")
    page.wait_for_selector("#board")
    page.keyboard.type("zzzzz")
    page.keyboard.press("Enter")
    page.wait_for_selector("#message[data-kind=error]:not(:empty)")
    assert "not a word of the guesses" in page.locator("#message").inner_text()
    for _ in range(5):
        page.keyboard.press("Backspace")
    guess(page, "crane")


def test_enter_makes_the_guess_after_clicks_elsewhere(new_page: Any) -> None:
    page = new_page("#/new/wordpl/1")
    page.wait_for_selector("#board")
    page.check("#contrast")
    guess(page, "crane")
    page.keyboard.type("zzzzz")
    page.click("#answer")
    page.wait_for_selector("#message[data-kind=error]")
    page.click("#help")
    assert page.locator("#rules").is_visible()
    page.keyboard.press("Escape")
    for _ in range(5):
        page.keyboard.press("Backspace")
    guess(page, "slate")
    assert page.locator("#guess").is_visible()


def test_two_friends_see_the_marks_of_each_other_without_letters(new_page: Any) -> None:
    ada = new_page("")
    ada.wait_for_selector("#invite")
    ada.select_option("#friends-game", "wordle/1")
    ada.fill("#name", "Ada")
    ada.click("#invite")
    link = ada.locator("#invitation").inner_text()
    bob = new_page(link.partition("#")[1] + link.partition("#")[2], viewport=PHONE)
    bob.fill("#name", "<b>Bob</b>")
    bob.click("#join")
    bob.wait_for_selector("#board")
    guess(bob, "crane")
    guess(ada, "slate")
    ada.wait_for_selector("#friends li:has-text('Bob') .squares")
    assert "<b>Bob</b>" in ada.locator("#friends").inner_text()
    assert "crane" not in ada.content().lower()
    for page in (ada, bob):
        page.on("dialog", lambda dialog: dialog.accept())
        page.click("#give-up")
        page.wait_for_selector("#review")
        if page is ada:
            assert "when all players have finished" in ada.locator("#waiting").inner_text()
    for page in (ada, bob):
        page.wait_for_selector("#secret")
        assert "when all players have finished" not in page.locator("body").inner_text()
        assert sorted(page.locator("#ranking th[scope=row]").all_inner_texts())[0].startswith("<b>Bob</b>")
        assert page.locator("#ranking tbody tr td:first-child").all_inner_texts() == ["1", "1"]  # both gave up
        assert page.locator("#difficulty").inner_text().startswith("This puzzle: 0 of 2 won, 7.0 guesses on average.")
    assert ada.locator("#secret").inner_text() == bob.locator("#secret").inner_text()


def test_a_game_continues_after_a_restart_of_the_server(new_page: Any, server: WebServer) -> None:
    page = new_page("#/new/wordpl/1")
    page.wait_for_selector("#board")
    guess(page, "crane")
    server.kill()
    page.keyboard.type("slate")
    page.keyboard.press("Enter")
    page.wait_for_selector("#message[data-kind=error]:has-text('cannot be reached')")
    server.restart()
    page.keyboard.press("Enter")
    page.wait_for_selector("#board .row[data-state=done] >> nth=1")
    page.reload()
    page.wait_for_selector("#board .row[data-state=done] >> nth=1")


def test_runs_are_shown_with_their_games(new_page: Any) -> None:
    page = new_page("runs/")
    page.click("a:has-text('bundled')")
    page.wait_for_selector("#replay .tile")
    assert page.locator("#replay .tile").count() >= 5


def test_back_after_start_returns_to_the_start_page_and_forward_to_the_game(new_page: Any) -> None:
    page = new_page("")
    page.select_option("#game", "wordle/1")
    page.click("#start")
    guess_when_ready(page, "crane")
    page.go_back()
    page.wait_for_selector("#start")
    page.go_forward()
    page.wait_for_selector("#board .row[data-state=done]")
    page.go_back()
    page.click("a.daily[href*='/wordle/1/']")
    page.wait_for_selector("#board")
    page.go_back()
    page.wait_for_selector("#start")


def test_a_reload_keeps_the_game_the_typed_letters_and_the_epsilon(new_page: Any) -> None:
    page = new_page("#/new/wordpl/1")
    guess_when_ready(page, "crane")
    page.fill("#exact", "11.5")
    page.locator("#exact").blur()
    page.keyboard.type("sla")
    page.reload()
    page.wait_for_selector("#board .row[data-state=done]")
    open_tiles = "#board [data-state=open] .tile"
    assert "".join(page.locator(open_tiles).all_inner_texts()) == "SLA"
    assert page.input_value("#exact") == "11.5"


def test_two_tabs_show_the_same_game_and_count_it_once(new_page: Any) -> None:
    first = new_page("#/daily/wordle/1/2021-06-22")
    guess_when_ready(first, "crane")
    second = first.context.new_page()
    second.goto(first.url)
    second.wait_for_selector("#board .row[data-state=done]")
    guess(second, "moist")
    first.wait_for_selector("#board .row[data-state=done] >> nth=1")
    first.keyboard.type("humph")
    first.keyboard.press("Enter")
    second.wait_for_selector("#review")
    third = first.context.new_page()
    third.goto(first.url.partition("#")[0])
    third.select_option("#game", "wordle/1")
    third.click("#start")
    third.wait_for_selector("#board")
    first.click("a.brand")
    first.wait_for_selector("#statistics td")
    assert first.locator("#statistics td").all_inner_texts()[0] == "1"
    assert first.locator("a[href^='#/play/']").count() == 1  # that of the third tab
    second.reload()
    second.wait_for_selector("#review")


def test_a_message_appears_below_the_row_that_is_typed_which_shakes_where_motion_is_welcome(new_page: Any) -> None:
    for motion, n_moving in (("no-preference", 1), ("reduce", 0)):
        page = new_page("#/new/wordpl/1", viewport={"width": 375, "height": 553}, reduced_motion=motion)
        guess_when_ready(page, "crane")
        assert bool(page.locator(".flip").count())
        flips = "[...document.querySelectorAll('.flip .tile')].filter((one) => one.getAnimations().length).length"
        assert page.evaluate(flips) == 5 * n_moving
        page.keyboard.type("zzz")
        page.keyboard.press("Enter")
        row = page.locator("#board [data-state=open]").bounding_box()
        message = page.locator("#message").bounding_box()
        assert page.evaluate("document.querySelector('.shake').getAnimations().length") == n_moving
        assert 0 <= message["y"] - row["y"] - row["height"] < 10
        keyboard = page.locator("#keyboard").bounding_box()
        assert message["y"] + message["height"] <= keyboard["y"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("contrast", ["", "high"])
def test_keys_of_absent_letters_differ_from_unused_ones(new_page: Any, scheme: str, contrast: str) -> None:
    page = new_page("#/daily/wordle/1/2021-06-20", color_scheme=scheme)
    guess_when_ready(page, "crane")
    if contrast:
        page.check("#contrast")
    colours = (
        "(keys) => keys.map((key) => getComputedStyle(key).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number))"
    )
    absent = page.locator(".key[data-mark='.']").evaluate_all(colours)
    unused = page.locator(".key:not([data-mark])").evaluate_all(colours)
    assert min(contrast_of(one, other) for one in absent for other in unused) >= 3


def contrast_of(first: list[int], second: list[int]) -> float:
    """Return the contrast of two colours, as WCAG 2 defines it."""

    def luminance(colour: list[int]) -> float:
        parts = [part / 255 for part in colour]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted([luminance(first), luminance(second)])
    return (light + 0.05) / (dark + 0.05)


def test_a_result_is_shared_by_the_system_or_copied(new_page: Any) -> None:
    page = new_page("#/daily/wordle/1/2021-06-19", permissions=["clipboard-read", "clipboard-write"])
    guess_when_ready(page, "salet")
    page.keyboard.type("cigar")
    page.keyboard.press("Enter")
    page.wait_for_selector("#review")
    page.click("#send")
    page.wait_for_selector("#message:has-text('Copied.')")
    text = page.locator("#share").inner_text()
    assert page.evaluate("navigator.clipboard.readText()").strip() == text.strip()
    page.evaluate("() => { navigator.share = async (data) => { window.shared = data.text; }; }")
    page.click("#send")
    assert page.evaluate("window.shared").strip() == text.strip()


def test_the_end_shows_distribution_streaks_and_the_time_until_the_next_puzzle(new_page: Any) -> None:
    page = new_page("#/daily/wordle/1/2021-06-19")
    for day, (secret, n_guesses) in {19: ("cigar", 2), 20: ("rebut", 3), 21: ("sissy", 2)}.items():
        page.goto(f"{page.url.partition('#')[0]}#/daily/wordle/1/2021-06-{day}")
        page.wait_for_selector(f"#title h1:has-text('2021-06-{day}')")
        for word in ("crane", "moist")[: n_guesses - 1]:
            guess(page, word)
        page.keyboard.type(secret)
        page.keyboard.press("Enter")
        page.wait_for_selector("#review")
    facts = page.locator("#own-statistics dd").all_inner_texts()
    assert facts == ["3", "100%", "3", "3", "3"]
    assert page.locator("#own-statistics td").all_inner_texts() == ["0", "2", "1", "0", "0", "0", "0"]
    left = page.locator("#countdown").inner_text()
    hours, minutes, seconds = map(int, left.split(":"))
    assert hours < 24
    assert minutes < 60
    assert seconds < 60
    page.wait_for_function("(before) => document.getElementById('countdown').textContent !== before", arg=left)


def test_a_hint_names_ten_words_and_the_probability_of_each_mark(new_page: Any) -> None:
    page = new_page("#/new/wordpl/1", viewport=PHONE)
    guess_when_ready(page, "crane")
    guess(page, "moist")
    page.click("#hint-all")
    page.wait_for_selector("#hints")
    assert page.locator("#hints .likely li").count() == 10
    chances = page.locator("#board .chance").evaluate_all(
        "(all) => all.map((one) => one.style.getPropertyValue('--chance'))"
    )
    assert len(chances) == 10
    assert all(0 < float(chance) < 1 for chance in chances)
    page.keyboard.type("s")
    assert page.locator("#hints").is_visible()
    box = page.locator("#hints").bounding_box()
    assert box["y"] + box["height"] <= page.locator("#keyboard").bounding_box()["y"]  # the keys can be pressed
    assert page.locator("#board .chance").count() == 10


def test_hints_come_in_steps_while_the_player_goes_on_typing(new_page: Any) -> None:
    page = new_page("#/new/wordpl/1")
    guess_when_ready(page, "crane")
    page.evaluate(
        "() => { const fetched = window.fetch; window.fetch = (path, ...options) => String(path).endsWith('hint')"
        " ? new Promise((done) => setTimeout(done, 1500)).then(() => fetched(path, ...options))"
        " : fetched(path, ...options); }"
    )
    page.click("#hint-letter")
    page.keyboard.type("moist")
    assert page.locator(".row[data-state=open]").inner_text().replace("\n", "") == "MOIST"
    page.wait_for_function("() => document.getElementById('hint-text').textContent.includes('probability')")
    assert page.locator(".row[data-state=open]").inner_text().replace("\n", "") == "MOIST"
    assert page.locator("#hints").count() == 0
    page.click("#hint-word")
    assert "Suggested" in page.locator("#hint-text").inner_text()
    page.click("#hint-all")
    assert page.locator("#hints .likely li").count() == 10


def test_the_budget_counts_no_guess_before_it_is_made(new_page: Any) -> None:
    page = new_page("#/new/wordpl/1")
    page.wait_for_selector("#board")
    assert page.locator("#spent").inner_text() == "0 spent"
    assert "1 of 3" in page.locator("#coach").inner_text()
    guess(page, "crane")
    assert page.locator("#spent").inner_text() == "8 spent"
    page.keyboard.type("moist")
    assert page.locator("#spent").inner_text() == "8 spent"
    page.click("#coach button")
    assert page.locator("#coach").count() == 0


def test_a_browser_that_refuses_its_storage_plays(new_page: Any) -> None:
    page = new_page("")
    page.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage'])"
        " Object.defineProperty(window, name, { get() { throw new DOMException('refused', 'SecurityError'); } });"
    )
    page.goto(page.url.partition("#")[0])
    page.select_option("#game", "wordle/1")
    page.click("#start")
    guess_when_ready(page, "crane")
    assert rows(page) == 1


def test_tiles_keep_their_colours_where_the_system_forces_colours(new_page: Any) -> None:
    page = new_page("#/daily/wordle/1/2021-06-19")
    guess_when_ready(page, "salet")
    page.emulate_media(forced_colors="active")
    colours = page.locator("#board .tile[data-mark]:not([data-mark=''])").evaluate_all(
        "(all) => all.map((one) => [one.dataset.mark, getComputedStyle(one).backgroundColor])"
    )
    assert len({colour for _, colour in colours}) == len({mark for mark, _ in colours}) > 1


def guess_when_ready(page: Any, word: str) -> None:
    page.wait_for_selector("#board")
    guess(page, word)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("contrast", ["", "high"])
def test_axe_finds_no_violation(new_page: Any, scheme: str, contrast: str) -> None:
    axe = find_axe().read_text(encoding="utf-8")

    def check(view: str) -> None:
        page.evaluate("document.getAnimations().forEach((one) => one.finish())")
        found = page.evaluate("async () => (await axe.run()).violations.map((v) => [v.impact, v.id, v.nodes[0].html])")
        assert found == [], view

    page = new_page("", color_scheme=scheme, viewport=PHONE, bypass_csp=True)
    page.on("load", lambda: page.evaluate(axe))
    page.evaluate(axe)
    if contrast:
        page.check("#contrast")
    page.wait_for_selector("#start")
    check("start page")
    go(page, "#/new/wordpl/1", "crane")
    check("noisy game")
    page.click("#hint-all")
    page.wait_for_selector("#hints")
    check("hints")
    page.click("#close-hints")
    page.click("#help")
    check("rules")
    page.keyboard.press("Escape")
    page.keyboard.type("aback")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector("#review")
    check("review of a noisy game")
    go(page, "#/daily/wordle/1/2021-06-21", "crane")
    page.keyboard.type("zzzzz")
    page.keyboard.press("Enter")
    page.wait_for_selector("#message[data-kind=error]")
    check("refused word")
    page.keyboard.press("Backspace")
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("#give-up")
    page.wait_for_selector("#review")
    check("review of a daily puzzle")


def go(page: Any, fragment: str, word: str) -> None:
    page.evaluate("(fragment) => { location.hash = fragment; }", fragment)
    page.wait_for_selector("#board [data-state=open]")
    guess(page, word)


def test_axe_finds_no_violation_in_runs_and_friends(new_page: Any) -> None:
    axe = find_axe().read_text(encoding="utf-8")
    for scheme in ("light", "dark"):
        page = new_page("runs/", color_scheme=scheme, viewport=PHONE, bypass_csp=True)
        page.wait_for_selector("table")
        page.evaluate(axe)
        assert page.evaluate("async () => (await axe.run()).violations.map((v) => [v.id, v.nodes[0].html])") == []
        page.goto(page.url.replace("runs/", ""))
        page.fill("#name", "Ada")
        page.click("#invite")
        page.wait_for_selector("#friends")
        page.evaluate(axe)
        assert page.evaluate("async () => (await axe.run()).violations.map((v) => [v.id, v.nodes[0].html])") == []
