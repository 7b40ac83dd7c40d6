"""Replies of the web server, without a browser."""

import random
import re
import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from scipy.stats import ttest_ind

from tests.helpers.limits import LIMITS
from tests.helpers.paths import HOME
from tests.helpers.web_client import Client, MovableClock, web_client
from wordpl import games
from wordpl.apps.web.config import DailyWords
from wordpl.apps.web.service import GIVEN_UP, MIN_OTHERS
from wordpl.core import words
from wordpl.core.clues import counted

pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
DAY_S = 24 * 3600


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def client(tmp_path: Path, clock: MovableClock) -> Iterator[Client]:
    with web_client(tmp_path, now=clock) as client:
        yield client


def secrets_of(folder: Path) -> dict[str, str]:
    """Return the secret of each puzzle from the database."""
    with sqlite3.connect(folder / "games.sqlite") as db:
        secrets = dict(db.execute("SELECT id, secret FROM puzzles").fetchall())
    db.close()
    return secrets


@pytest.mark.slow
@pytest.mark.parametrize("game", [*games.names(), "fibble/1"])
def test_no_reply_before_the_end_contains_the_secret_in_200_games(tmp_path: Path, game: str) -> None:
    games.bind(str(HOME / "examples/fibble.py:Fibble"))
    rng, guesses = random.Random(7), words.load().guesses
    secrets_and_words: list[tuple[str, set[str]]] = []
    try:
        has_secret = games.game_class(game).facts.has_secret
        with web_client(tmp_path, max_open_per_address=1000) as client:
            for number in range(200):
                client.texts.clear()
                token = start_in_turn(client, game, number if has_secret else 0)
                secret = newest_secret(tmp_path)
                for round_ in range(1, 4):
                    guess = next(word for word in rng.sample(guesses, 2) if word != secret)
                    client.move(token, round_, guess, 8 if game.startswith("wordpl") else None)
                client.send("/api/game", None, token)
                client.send("/api/games")
                if has_secret:
                    secrets_and_words.append((secret, set(re.findall("[a-z]+", "".join(client.texts).lower()))))
                else:
                    assert client.send("/api/game", None, token).json()["review"] is None
    finally:
        games.unbind("fibble/1")
    if has_secret:
        # Names of fields and descriptions of games occur in all replies, how a friend's game ended in some.
        in_all = set.intersection(*(in_replies for _, in_replies in secrets_and_words))
        common_words = {"error", *GIVEN_UP.split(), *in_all}
        assert [one for one, in_replies in secrets_and_words if one in in_replies - common_words] == []


def start_in_turn(client: Client, game: str, number: int) -> str:
    """Start a game alone, a daily puzzle or, where a friend has won already, one with friends; return the token."""
    if number % 3 == 1:
        return client.start(game, "/api/daily", day=date.fromordinal(736_000 + number).isoformat())[0]
    if number % 3 == 2:
        token, state = client.start(game, players=2, name="One")
        friend = client.send(f"/api/invitations/{state['invitation']}", {"name": "Two"}).json()["token"]
        client.send("/api/game/end", {}, friend)
        return token
    return client.start(game)[0]


def newest_secret(folder: Path) -> str:
    with sqlite3.connect(folder / "games.sqlite") as db:
        (secret,) = db.execute("SELECT secret FROM puzzles ORDER BY rowid DESC LIMIT 1").fetchone()
    db.close()
    return str(secret)


def test_the_end_says_how_difficult_the_puzzle_was_for_the_group_beside_other_puzzles(
    client: Client, tmp_path: Path
) -> None:
    other = next(word for word in words.load().answers if word not in secrets_of(tmp_path).values())
    for _ in range(2):
        token, _ = client.start("wordle/1")
        client.move(token, 1, newest_secret(tmp_path))
    host, state = client.start("wordle/1", players=2, name="One")
    guest = client.send(f"/api/invitations/{state['invitation']}", {"name": "Two"}).json()["token"]
    secret = newest_secret(tmp_path)
    client.send("/api/game/end", {}, guest)
    client.move(host, 1, other if other != secret else "crane")
    last = client.move(host, 2, secret).json()
    assert last["review"]["difficulty"] == {
        "here": {"n": 2, "n_won": 1, "mean": (2 + 7) / 2},
        "others": {"n": 2, "n_won": 2, "mean": 1.0},
        "gap": None,
    }
    for _ in range(10):
        token, _ = client.start("wordle/1")
        client.send("/api/game/end", {}, token)
    gap = client.send("/api/game", None, host).json()["review"]["difficulty"]["gap"]
    interval = ttest_ind([7, 2], [1, 1] + [7] * 10).confidence_interval()
    assert gap == pytest.approx([4.5 - 6, (interval.high - interval.low) / 2], rel=0.001)


def test_a_budget_that_overflows_is_infinite_and_compared_with_no_other(client: Client, tmp_path: Path) -> None:
    for _ in range(MIN_OTHERS):
        token, _ = client.start("wordpl/1", players=2, name="One")
        client.move(token, 1, newest_secret(tmp_path), 0)
    host, state = client.start("wordpl/1", players=2, name="One")
    guest = client.send(f"/api/invitations/{state['invitation']}", {"name": "Two"}).json()["token"]
    client.move(guest, 1, newest_secret(tmp_path), 0)
    for round_ in (1, 2):
        client.move(host, round_, "crane", LIMITS[-1])
    last = client.move(host, 3, newest_secret(tmp_path), 0).json()
    assert (last["verdict"], last["spent"]) == ("won", None)
    assert [player["spent"] for player in last["players"]] == [None, 0]
    assert last["review"]["difficulty"] == {
        "here": {"n": 2, "n_won": 2, "mean": None},
        "others": {"n": MIN_OTHERS, "n_won": MIN_OTHERS, "mean": 0},
        "gap": None,
    }


def test_a_hint_depends_on_the_guesses_and_their_clues_only() -> None:
    from wordpl.apps.web.worker_process import hint

    first = hint("wordle/1", [["salet", "....."]])
    assert first["words"]
    assert hint("wordle/1", [["salet", "....."]]) == first


def test_a_move_sent_twice_is_made_once(client: Client) -> None:
    token, _ = client.start("wordpl/1")
    first = client.move(token, 1, "crane", 8).json()
    assert client.move(token, 1, "crane", 8).json() == first
    assert client.move(token, 1, "slate", 8).status_code == 409
    assert client.move(token, 3, "slate", 8).status_code == 409


def test_a_repeated_guess_buys_new_noise(client: Client) -> None:
    token, _ = client.start("wordpl/1")
    for round_ in range(1, 21):
        state = client.move(token, round_, "crane", 0.1).json()
    assert len({row["clues"] for row in state["rows"]}) > 5
    assert state["spent"] == pytest.approx(2.0)


def test_a_noisy_review_shows_true_clues_beside_noisy_ones(client: Client, tmp_path: Path) -> None:
    token, _ = client.start("wordpl-counted/1")
    (secret,) = secrets_of(tmp_path).values()
    client.move(token, 1, "crane", 3)
    state = client.move(token, 2, secret, 0).json()
    assert state["verdict"] == "won"
    assert state["review"]["truth"] == [counted("crane", secret)]
    assert state["share"].splitlines()[0] == "wordpl wordpl-counted/1 budget 3, 1 guess"


@pytest.mark.slow
def test_a_game_is_reviewed_once_its_secret_may_be_shown_and_not_before(client: Client) -> None:
    token, _ = client.start("wordpl/1")
    for round_, word in enumerate(("soare", "clint"), 1):
        client.move(token, round_, word, 8)
        refused = client.send("/api/game/review", None, token)
        assert (refused.status_code, "review" in refused.json()) == (409, False)
    client.move(token, 3, "abide", 0)
    review = client.send("/api/game/review", None, token).json()["review"]
    assert [move["guess"] for move in review["moves"]] == ["soare", "clint", "abide"]
    assert review["headline"].startswith("The costliest move was")
    friends = client.send("/api/games", {"game": "wordle/1", "players": 2, "name": "Ada"}).json()["token"]
    client.move(friends, 1, "soare")
    client.send("/api/game/end", {}, friends)
    assert client.send("/api/game/review", None, friends).status_code == 409  # the other one has not played


def test_friends_see_the_secret_only_after_all_games_and_never_letters(client: Client, tmp_path: Path) -> None:
    host, state = client.start("wordle/1", players=2, name="One")
    (secret,) = secrets_of(tmp_path).values()
    reply = client.send(f"/api/invitations/{state['invitation']}", {"name": "One"}).json()
    guest = reply["token"]
    assert [player["name"] for player in reply["state"]["players"]] == ["One", "One 2"]
    client.move(host, 1, secret)
    guest_state = client.send("/api/game", None, guest).json()
    assert guest_state["players"][0]["rows"] == ["ccccc"]
    assert secret not in client.texts[-1].replace('"about":', "")  # a field, and a possible secret
    assert client.send("/api/game", None, host).json()["review"] is None
    client.send("/api/game/end", {}, guest)
    for token in (host, guest):
        assert client.send("/api/game", None, token).json()["review"]["secret"] == secret


def test_a_game_with_friends_has_fixed_places_and_a_deadline(client: Client, clock: MovableClock) -> None:
    host, state = client.start("wordpl/1", players=2, hours=1, name="One")
    path = f"/api/invitations/{state['invitation']}"
    assert client.send(path, {"name": "Two"}).status_code == 200
    assert client.send(path, {"name": "Three"}).status_code == 409
    clock.seconds += 3601
    state_after = client.send("/api/game", None, host).json()
    assert not state_after["is_open"]
    assert state_after["review"]["secret"]
    assert client.move(host, 1, "crane", 8).status_code == 410


def test_everybody_gets_the_same_daily_puzzle(client: Client, tmp_path: Path) -> None:
    first, state = client.start("wordpl/1", "/api/daily")
    second, _ = client.start("wordpl/1", "/api/daily", day=state["day"])
    rows = [client.move(token, 1, "crane", 5).json()["rows"] for token in (first, second)]
    assert rows[0] == rows[1]
    assert len(secrets_of(tmp_path)) == 1
    tomorrow = client.send("/api/daily", {"game": "wordpl/1", "day": "2099-01-01"})
    assert tomorrow.status_code == 422


def test_daily_secrets_can_come_from_a_list(tmp_path: Path) -> None:
    daily = DailyWords(words.bundled("puzzle-order"), date(2021, 6, 19))
    with web_client(tmp_path, daily=daily) as client:
        token, _ = client.start("wordle/1", "/api/daily", day="2021-06-20")
        assert client.move(token, 1, "rebut").json()["verdict"] == "won"
        assert client.send("/api/daily", {"game": "wordle/1", "day": "2021-06-18"}).status_code == 404


def test_games_survive_a_restart(tmp_path: Path) -> None:
    with web_client(tmp_path) as client:
        token, _ = client.start("wordpl/1")
        before = client.move(token, 1, "crane", 8).json()
    with web_client(tmp_path) as client:
        assert client.send("/api/game", None, token).json() == before
        assert client.move(token, 2, "slate", 8).json()["round"] == 3


def test_games_expire(tmp_path: Path, clock: MovableClock) -> None:
    with web_client(tmp_path, now=clock) as client:
        token, _ = client.start("wordle/1")
    clock.seconds += 15 * DAY_S
    with web_client(tmp_path, now=clock) as client:
        client.send("/api/games")
        assert client.send("/api/game", None, token).status_code == 404


def test_an_unchanged_game_is_not_sent_again(client: Client) -> None:
    token, _ = client.start("wordle/1")
    version = client.send("/api/game", None, token).json()["version"]
    assert client.send("/api/game", None, token, **{"If-None-Match": version}).status_code == 304
    client.move(token, 1, "crane")
    assert client.send("/api/game", None, token, **{"If-None-Match": version}).status_code == 200
