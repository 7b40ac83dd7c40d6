"""A tournament of eight browsers over three rounds, with two disconnects and a killed server."""

import itertools
import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.browsing import WebServer, chromium, serving
from tests.helpers.cli import wordpl
from tests.helpers.rooms import new_room, reference
from wordpl.core import words

pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]
WAIT_MS = 60_000
SIZES = {"desktop": (1280, 800), "phone": (390, 664), "small phone": (375, 553)}
WRONG = [word for word in words.load().guesses if word not in words.load().answer_set]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WebServer]:
    with serving(tmp_path / "games.sqlite") as server:
        yield server


class Visitor:
    """A browser of its own, with everything that it received."""

    def __init__(self, browser: Any, address: str, **options: Any):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.replies: list[Any] = []
        self.requests: list[Any] = []
        self.page.on("response", lambda reply: self.replies.append(reply))
        self.page.on("request", lambda request: self.requests.append(request))
        self.page.goto(address)

    def join(self, name: str) -> None:
        self.page.fill("#name", name)
        self.page.click("#join")
        self.page.wait_for_selector(f"text=You are {name}.")

    def words_received(self) -> set[str]:
        texts = [reply.text() for reply in self.replies if reply.status == 200 and "/api/" in reply.url]
        return set(re.findall("[a-z]+", re.sub(r'"\w+":', " ", " ".join(texts).lower())))

    def guess(self, word: str) -> None:
        """Type a guess and wait until the page shows another state."""
        before = self.page.locator(".game").inner_text()
        self.page.keyboard.type(word)
        with self.page.expect_response(lambda reply: reply.url.endswith("/guesses")):
            self.page.keyboard.press("Enter")
        self.page.wait_for_function("() => !document.body.hasAttribute('data-busy')")
        rows = f"(document.querySelector('.game')?.innerText ?? '') !== {json.dumps(before)}"
        self.page.wait_for_function(f"() => {rows}")


def check_with_axe(*pages: Any) -> None:
    """Check the pages with axe if WORDPL_AXE names it."""
    source = Path(os.environ.get("WORDPL_AXE", ""))
    for page in pages if source.is_file() else ():
        page.evaluate(source.read_text(encoding="utf-8"))
        found = page.evaluate("async () => (await axe.run()).violations.map((v) => [v.id, v.nodes[0].html])")
        assert found == []


def guess_without_a_network(visitor: Visitor, word: str) -> None:
    """Type a guess that cannot be sent, and delete it when the network is back."""
    visitor.context.set_offline(True)
    visitor.page.keyboard.type(word)
    visitor.page.keyboard.press("Enter")
    visitor.page.wait_for_selector("#message[data-kind=error]:has-text('cannot be reached')")
    visitor.context.set_offline(False)
    for _ in word:
        visitor.page.keyboard.press("Backspace")


def play_three_rounds(
    visitors: dict[str, Visitor], secrets: list[str], before_last: Callable[[str, int, int, str], None]
) -> dict[str, list[Any]]:
    """Let all play with wrong words drawn at random; return each one's guesses and secrets by round and puzzle."""
    rng = random.Random(3)
    played: dict[str, list[Any]] = {name: [[] for _ in range(3)] for name in visitors}
    for round_number, number, name in itertools.product(range(3), range(2), list(visitors)):
        first, secret = secrets[2 * round_number], secrets[2 * round_number + number]
        if number == 1 and played[name][round_number][0][0][-1][0] != first:
            continue  # the round ended with the first puzzle
        visitors[name].page.wait_for_selector(f"h1:text('Round {round_number + 1} of 3, puzzle {number + 1}')")
        words = [*rng.sample(WRONG, rng.choice([0, 1, 2, 6])), secret][:6]
        for word in words:
            if word is words[-1]:
                before_last(name, round_number, number, word)
            if word == secret:
                assert secret not in visitors[name].words_received()
            visitors[name].guess(word)
        played[name][round_number].append(([(word, 0.0) for word in words], secret))
    return played


def check_standings(host: Visitor, watcher: Any, played: dict[str, list[Any]], file: Path) -> None:
    """End the tournament, and compare the standings and the file of the page with the reference."""
    host.page.click("#phase-ended")
    for page in (host.page, watcher):
        page.wait_for_selector("#solution")
    rows = [row.split("\t") for row in watcher.locator("#standings tbody tr").all_inner_texts()]
    expected = {name: reference(rounds)[:2] for name, rounds in played.items()}
    shown = {row[1].removesuffix(" (you)"): (float(row[2]), int(row[5])) for row in rows}
    assert shown == {name: (pytest.approx(total), n_solved) for name, (total, n_solved) in expected.items()}
    with watcher.expect_download() as download:
        watcher.click("#solution a")
    download.value.save_as(file)
    ranked = json.loads(wordpl("tournament", "rank", file, "--json").output)["tables"][0]["rows"]
    assert [(row[0], row[1]) for row in ranked] == [(row[0], row[1].removesuffix(" (you)")) for row in rows]
    assert {row[1]: float(row[2].replace(",", "")) for row in ranked} == {name: line[0] for name, line in shown.items()}


@pytest.mark.long
def test_eight_browsers_play_three_rounds_with_two_disconnects(browser: Any, server: WebServer, tmp_path: Path) -> None:
    room, host_token, secrets = new_room(tmp_path / "games.sqlite", time.time(), bank_s=900, break_s=900)
    link = f"{server.url}#/room/{room.id}"
    host = Visitor(browser, f"{link}/{host_token}")
    host.page.on("dialog", lambda dialog: dialog.accept())
    host.page.click("#phase-open")
    host.page.wait_for_selector("#phase-playing")
    assert host_token not in host.page.url
    names = [f"Player {number}" for number in range(1, 9)]
    visitors = {name: Visitor(browser, link) for name in names}
    for name, visitor in visitors.items():
        visitor.join(name)
    personal = visitors[names[1]].page.evaluate("JSON.parse(localStorage['wordpl.rooms'])")[room.id]
    host.page.click("#phase-playing")

    def disconnect(name: str, round_number: int, number: int, word: str) -> None:
        if (name, round_number, number) == (names[0], 0, 0):
            guess_without_a_network(visitors[name], word)
        if (name, round_number, number) == (names[1], 1, 0):
            visitors[name].context.close()  # and the player goes on elsewhere, with the personal link
            server.kill()
            server.restart()
            visitors[name] = Visitor(browser, f"{link}/{personal}")
            visitors[name].page.wait_for_selector("#keyboard")
            assert personal not in visitors[name].page.url

    played = play_three_rounds(visitors, secrets, disconnect)
    typed = {name: {w for rounds in played[name] for guesses, _ in rounds for w, _ in guesses} for name in names}
    for name, visitor in visitors.items():
        assert not (set(secrets) - typed[name]) & visitor.words_received()
        assert room.seed not in visitor.page.content()
    requests = visitors[names[1]].requests
    assert not any(personal in f"{request.url} {request.headers.get('referer')}" for request in requests)
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("games.sqlite*"))
    assert [word for word in set(secrets).difference(*typed.values()) if word.encode() in stored] == []
    check_standings(host, visitors[names[7]].page, played, tmp_path / "tournament.json")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_a_puzzle_fits_the_window_and_axe_finds_nothing(
    browser: Any, server: WebServer, tmp_path: Path, size: str, scheme: str
) -> None:
    room, host_token, _ = new_room(tmp_path / "games.sqlite", time.time())
    width, height = SIZES[size]
    options = {"viewport": {"width": width, "height": height}, "color_scheme": scheme, "bypass_csp": True}
    link = f"{server.url}#/room/{room.id}"
    host = Visitor(browser, f"{link}/{host_token}", **options)
    host.page.click("#phase-open")
    ada = Visitor(browser, link, **options)
    ada.join("Ada")
    host.page.click("#phase-playing")
    ada.page.wait_for_selector("#keyboard")
    for word in WRONG[:5]:
        ada.guess(word)
        boxes = [ada.page.locator(part).bounding_box() for part in ("#board", "#keyboard", "#clock")]
        rows = ada.page.locator("#board .row")
        boxes += [rows.nth(index).bounding_box() for index in range(rows.count())]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
        assert all(box["y"] >= 0 and box["y"] + box["height"] <= height for box in boxes), boxes
    assert ada.page.evaluate("document.documentElement.scrollWidth") <= width
    host.page.on("dialog", lambda dialog: dialog.accept())
    check_with_axe(ada.page, host.page)
    host.page.click("#phase-ended")
    ada.page.wait_for_selector("#solution")
    check_with_axe(ada.page)
