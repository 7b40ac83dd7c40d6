"""The daily puzzle of a noisy game: its commitment, its ranking, and what nobody sees before midnight."""

import json
import random
import re
from datetime import UTC, datetime, timedelta
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.web_client import Client, MovableClock, web_client
from wordpl import Contest, RunConfig, games
from wordpl.apps.web.service import digest_of
from wordpl.apps.web.store import GameStore
from wordpl.contest.referee import secret_of
from wordpl.core import words
from wordpl.core.moves import total_epsilon
from wordpl.core.seeds import Draws

pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
from wordpl.apps.web.noisy_daily import play_strategies

DAY_S = 24 * 3600
STRATEGY = {"name": "NGuess()", "verdict": "won", "spent": 20.0, "n_guesses": 2}


class Days:
    """The days of a noisy game, over HTTP, with a clock that the test moves."""

    def __init__(self, folder: Path, client: Client, clock: MovableClock, game: str = "wordpl/1"):
        self.folder, self.client, self.clock, self.game = folder, client, clock, game

    @property
    def today(self) -> str:
        return datetime.fromtimestamp(self.clock(), UTC).date().isoformat()

    def after(self, n_days: int) -> str:
        return (datetime.fromtimestamp(self.clock(), UTC).date() + timedelta(days=n_days)).isoformat()

    def see(self, day: str = "today", token: str = "") -> dict[str, Any]:
        return self.client.send(f"/api/daily/{self.game}/{day}", None, token).json()

    def enter(self, name: str, day: str = "") -> str:
        return self.client.start(self.game, "/api/daily", name=name, day=day)[0]

    def store_strategies(self, *results: dict[str, Any]) -> None:
        """Store results of strategies for today, so that none has to play."""
        store = GameStore(self.folder / "games.sqlite")
        store.set(f"strategies {self.see()['commitment']}", json.dumps(results))
        store.close()

    def secret(self, token: str) -> tuple[str, str]:
        """Return the secret and the seed of a player's game, which the server alone has."""
        store = GameStore(self.folder / "games.sqlite")
        found = store.player(digest_of(token))
        store.close()
        assert found is not None
        return found[1].secret, found[1].seed


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def days(tmp_path: Path, clock: MovableClock) -> Any:
    with web_client(tmp_path, now=clock) as client:
        yield Days(tmp_path, client, clock)


def test_players_are_ranked_by_budget_beside_strategies(days: Days) -> None:
    days.store_strategies(STRATEGY, STRATEGY | {"name": "Other()", "verdict": "wrong", "spent": 5.0})
    tokens = {name: days.enter(name) for name in ("Ada", "Bob", "Eve", "Ada")}
    secret, _ = days.secret(tokens["Bob"])
    wrong = next(word for word in words.load().answers if word != secret)
    for name, epsilon, answer in (("Bob", 12.0, secret), ("Eve", 3.0, wrong)):
        days.client.move(tokens[name], 1, "crane", epsilon)
        assert days.see(token=tokens[name])["ranking"] is None
        days.client.move(tokens[name], 2, answer, 0)
    found = days.see(token=tokens["Bob"])
    lines = [(line["place"], line["name"], line["spent"], line["is_you"]) for line in found["ranking"]]
    assert lines == [
        (1, "Bob", 12.0, True), (2, "NGuess()", 20.0, False), (3, "Eve", 3.0, False), (3, "Other()", 5.0, False),
    ]  # fmt: skip
    assert (found["n_players"], found["n_open"], found["is_waiting"]) == (4, 2, False)


def test_everybody_gets_the_same_noise_in_the_same_round(days: Days) -> None:
    rows = []
    for name in ("Ada", "Bob"):
        token = days.enter(name)
        rows.append([days.client.move(token, n, "crane", 1).json()["rows"][-1]["clues"] for n in range(1, 6)])
    assert rows[0] == rows[1]


def test_the_commitment_of_the_day_before_fits_the_seed_that_is_shown_after_the_day(days: Days) -> None:
    tomorrow = days.after(1)
    published = days.see()["commitments"][tomorrow]
    assert days.see(tomorrow)["commitment"] == published
    assert days.see(tomorrow)["seed"] is None
    days.clock.seconds += 2 * DAY_S
    found = days.see(tomorrow)
    terms = {"game": days.game, "day": tomorrow, "zone": "UTC", "lists": words.load().puzzle_sha256}
    canonical = json.dumps(terms, sort_keys=True, separators=(",", ":"))
    lines = f"wordpl/commitment/1\n{found['seed']}\n{sha256(canonical.encode()).hexdigest()}\n"
    assert sha256(lines.encode()).hexdigest() == published
    run_key = sha256(f"wordpl/{found['seed']}".encode()).digest()
    key = blake2b(b"game/0/0", key=run_key).digest()
    drawn = int.from_bytes(blake2b(b"secret/0/0", key=key).digest()[:16], "big")
    answers = words.load().answers
    assert answers[drawn % len(answers)] == found["secret"]


def test_the_day_ends_all_games_and_later_games_are_not_ranked(days: Days) -> None:
    days.store_strategies()
    day, token = days.today, days.enter("Ada")
    days.clock.seconds += DAY_S
    assert days.client.move(token, 1, "crane", 8).status_code == 410
    later = days.enter("Bob", day)
    assert days.client.move(later, 1, days.secret(later)[0], 0).json()["review"]["secret"] == days.secret(token)[0]
    assert [line["name"] for line in days.see(day)["ranking"]] == ["Ada"]


def test_a_coming_day_shows_its_commitment_only(days: Days) -> None:
    assert days.client.send(f"/api/daily/wordpl/1/{days.after(8)}").status_code == 422
    assert days.client.send("/api/daily", {"game": "wordpl/1", "day": days.after(1), "name": "Ada"}).status_code == 422
    assert days.see(days.after(7))["secret"] is None


@pytest.mark.slow
@pytest.mark.parametrize("game", ["wordpl/1", "wordpl-counted/1"])
def test_no_reply_contains_the_secret_or_the_seed_before_midnight_in_200_games(
    tmp_path: Path, clock: MovableClock, game: str
) -> None:
    rng = random.Random(2)
    with web_client(tmp_path, now=clock) as client:
        days = Days(tmp_path, client, clock, game)
        own_names = {"error", "daily", "wrong"}  # values that are no guesses
        for _ in range(100):
            day = days.today
            days.store_strategies(STRATEGY)
            client.texts.clear()
            tokens = [days.enter(name) for name in ("Ada", "Bob")]
            secret, seed = days.secret(tokens[0])
            others = [word for word in words.load().answers if word != secret]
            for token in tokens:
                for round_ in (1, 2):
                    client.move(token, round_, rng.choice(others), 8)
                client.move(token, 3, rng.choice(others), 0)
                assert client.send("/api/game", None, token).json()["review"] is None
                days.see(token=token)
            days.see()
            text = re.sub(r'"\w+":', " ", " ".join(client.texts))
            about = client.send("/api/games").text
            assert seed not in text
            assert (
                secret
                not in set(re.findall("[a-z]+", text.lower())) - set(re.findall("[a-z]+", about.lower())) - own_names
            )
            days.clock.seconds += DAY_S
            assert (days.see(day)["secret"], days.see(day)["seed"]) == (secret, seed)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_strategies_play_the_game_of_the_day_as_in_a_run(tmp_path: Path) -> None:
    secret = secret_of(games.make_game("wordpl/1", words.load()), 0, Draws.of("the seed of a day"))
    results = {line["name"]: line for line in play_strategies("wordpl/1", "the seed of a day", secret)}
    config = RunConfig(n_games=1, seed="the seed of a day", results=str(tmp_path), repeats=0)
    run = Contest(config, ["n_guess", "schedule"], jobs=1).play()
    for entry in run.info.entries:
        (record,) = run.entry(entry).read()
        result = results[entry.name]
        assert (result["verdict"], result["spent"]) == (record.verdict, pytest.approx(total_epsilon(record.moves)))
    assert len(run.info.entries) == 6
