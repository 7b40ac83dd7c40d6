"""Tournament rooms: phases, clocks, points, and what nobody may see before the end."""

import json
import random
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli import wordpl
from tests.helpers.rooms import BANK_S, BREAK_S, new_room, reference
from tests.helpers.web_client import Client, MovableClock, web_client
from wordpl.apps.tournament import RoomStore, Terms, load_rules
from wordpl.core import words

pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
LISTS = words.load()
WRONG = [word for word in LISTS.guesses if word not in LISTS.answer_set]
"""Words that are never a secret."""


def words_in(texts: list[str]) -> set[str]:
    """Return the words in the values of these JSON texts; the names of fields can be words of the lists, too."""
    values = re.sub(r'"\w+":', " ", " ".join(texts).lower())
    return set(re.findall("[a-z]+", values)) - {"error", "wordle", "competitive", "false", "true"}


class Table:
    """A room with players, over HTTP, with a clock that the test moves."""

    def __init__(self, client: Client, folder: Path, clock: MovableClock, **terms: Any):
        self.client, self.clock = client, clock
        self.room, self.host, self.secrets = new_room(folder / "games.sqlite", clock(), **terms)
        self.path = f"/api/rooms/{self.room.id}"
        self.tokens: dict[str, str] = {}

    def enter(self, *phases: str) -> None:
        for phase in phases:
            assert self.client.send(f"{self.path}/phase", {"phase": phase}, self.host).status_code == 200

    def join(self, *names: str) -> None:
        for name in names:
            self.tokens[name] = self.client.send(f"{self.path}/players", {"name": name}).json()["token"]

    def see(self, name: str = "") -> dict[str, Any]:
        return self.client.send(self.path, None, self.tokens.get(name, "")).json()

    def guess(self, name: str, word: str, **changed: int) -> Any:
        """Guess in the player's current puzzle."""
        you = self.see(name)["you"]
        body = {name: you["current"][name] for name in ("round", "puzzle")} | {"number": you["number"], "word": word}
        return self.client.send(f"{self.path}/guesses", body | changed, self.tokens[name])

    def secret(self, name: str) -> str:
        """Return the secret of the player's current puzzle."""
        current = self.see(name)["you"]["current"]
        return self.secrets[2 * current["round"] + current["puzzle"] - 3]

    def standings(self) -> dict[str, dict[str, Any]]:
        self.clock.seconds += 1.0  # standings are kept for a second
        return {line["player"]: line for line in self.see()["standings"]}


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def client(tmp_path: Path, clock: MovableClock) -> Any:
    with web_client(tmp_path, now=clock) as client:
        yield client


@pytest.fixture
def table(client: Client, tmp_path: Path, clock: MovableClock) -> Table:
    return Table(client, tmp_path, clock)


def test_the_host_opens_starts_and_ends_a_tournament_and_nobody_else_does(table: Table) -> None:
    assert table.client.send(f"{table.path}/players", {"name": "Ada"}).status_code == 409
    table.enter("open")
    table.join("Ada")
    assert table.client.send(f"{table.path}/players", {"name": "Ada"}).status_code == 409
    for token in ("", "x", table.tokens["Ada"]):
        assert table.client.send(f"{table.path}/phase", {"phase": "playing"}, token).status_code == 403
    assert table.see("Ada")["you"]["current"] is None
    table.enter("playing", "playing")  # sent twice, it happens once
    assert table.see("Ada")["you"]["current"]["bank_s"] == BANK_S
    assert table.client.send(table.path, None, table.host).json()["seed"] is None, "who hosts may play, too"
    table.enter("ended")
    assert table.client.send(f"{table.path}/phase", {"phase": "open"}, table.host).status_code == 409
    body = {"round": 1, "puzzle": 1, "number": 0, "word": "crane"}
    assert table.client.send(f"{table.path}/guesses", body, table.tokens["Ada"]).status_code == 410
    assert table.client.send(table.path, None, "another token").status_code == 401
    assert table.client.send("/api/rooms/none").status_code == 404


def test_nobody_joins_once_play_has_begun_so_that_no_one_knows_the_words_before(table: Table) -> None:
    table.enter("open")
    table.join("Scout")
    table.enter("playing")
    table.guess("Scout", table.secret("Scout"))
    reply = table.client.send(f"{table.path}/players", {"name": "Real name"})
    assert (reply.status_code, reply.json()["error"]) == (409, "play has begun: nobody can join any more.")
    assert list(table.standings()) == ["Scout"]


def test_with_invitations_each_link_is_one_player_and_nobody_else_joins(
    client: Client, tmp_path: Path, clock: MovableClock
) -> None:
    database = tmp_path / "games.sqlite"
    done = wordpl("tournament", "new", "--puzzles", 2, "--invite", "Ada", "--invite", "Bob", "--database", database)
    assert done.exit_code == 0, done.output
    room_id, ada = re.findall(r"^    Ada: .*#/room/([\w-]+)/([\w-]+)$", done.output, re.M)[0]
    path = f"/api/rooms/{room_id}"
    host = re.findall(rf"^    \S+#/room/{room_id}/([\w-]+)$", done.output, re.M)[0]
    client.send(f"{path}/phase", {"phase": "open"}, host)
    for name in ("Eve", "Ada"):
        reply = client.send(f"{path}/players", {"name": name})
        assert (reply.status_code, reply.json()["error"].partition(":")[0]) == (403, "this tournament is by invitation")
    client.send(f"{path}/phase", {"phase": "playing"}, host)
    state = client.send(path, None, ada).json()
    assert (state["you"]["name"], state["you"]["current"]["puzzle"], state["by_invitation"]) == ("Ada", 1, True)
    assert [line["player"] for line in state["standings"]] == ["Ada", "Bob"]
    twice = wordpl("tournament", "new", "--invite", "Ada", "--invite", "Ada", "--database", database)
    assert "there is already a player called 'Ada'" in twice.stderr


def test_only_the_host_rules_and_all_see_what_and_why(table: Table) -> None:
    table.enter("open")
    table.join("Ada", "Bob")
    table.enter("playing")
    for name in ("Ada", "Bob"):
        table.guess(name, table.secret(name))
    before = table.standings()
    ruling = {"kind": "correct", "player": "Bob", "round_number": 1, "number": 1, "points": 50.0, "reason": "hurried"}
    for token in ("", table.tokens["Ada"]):
        assert table.client.send(f"{table.path}/rulings", ruling, token).status_code == 403
    for change in ({"player": "Eve"}, {"number": 9}, {"number": 0}):
        assert table.client.send(f"{table.path}/rulings", ruling | change, table.host).status_code == 422
    assert table.client.send(f"{table.path}/rulings", ruling | {"reason": ""}, table.host).status_code == 400
    assert table.client.send(f"{table.path}/rulings", ruling, table.host).status_code == 200
    after = table.standings()
    assert (after["Bob"]["points"], after["Bob"]["micro"]) == (50.0, 0.0)
    assert after["Ada"] | {"at": 0, "place": 0} == before["Ada"] | {"at": 0, "place": 0}
    assert table.see("Ada")["rulings"] == ["Bob gets 50 points and 0 micro points for puzzle 1.1: hurried"]
    struck = {"kind": "strike player", "player": "Ada", "reason": "knew the words"}
    table.client.send(f"{table.path}/rulings", struck, table.host)
    assert list(table.standings()) == ["Bob"]
    table.enter("ended")
    board = {line["player"]: line for line in table.see()["board"]}
    assert (board["Ada"]["is_struck"], board["Bob"]["is_struck"]) == (True, False)
    assert len(board["Ada"]["puzzles"]) >= 1


def test_breaks_and_puzzles_can_be_without_limit(client: Client, tmp_path: Path, clock: MovableClock) -> None:
    database = tmp_path / "games.sqlite"
    done = wordpl("tournament", "new", "--until-failure", "--no-break-limit", "--database", database)
    assert done.exit_code == 0, done.output
    room_id, host = re.findall(r"#/room/([\w-]+)/([\w-]+)$", done.output, re.M)[0]
    path = f"/api/rooms/{room_id}"
    client.send(f"{path}/phase", {"phase": "open"}, host)
    token = client.send(f"{path}/players", {"name": "Ada"}).json()["token"]
    client.send(f"{path}/phase", {"phase": "playing"}, host)
    clock.seconds += 40 * 24 * 3600
    state = client.send(path, None, token).json()
    assert (state["puzzles"], state["break_s"]) == (1000, None)
    assert state["you"]["current"]["bank_s"] == state["bank_s"]
    assert state["you"]["finished"] == []


@pytest.mark.slow
def test_guesses_are_judged_only_after_the_end_and_only_for_their_player(table: Table) -> None:
    table.enter("open")
    table.join("Ada", "Eve")
    table.enter("playing")
    secret = table.secret("Ada")
    assert table.guess("Ada", WRONG[0]).status_code == 200
    path = f"{table.path}/reviews/0"
    assert table.client.send(path, None, table.tokens["Ada"]).status_code == 409
    assert table.guess("Ada", secret).json()["you"]["finished"]
    assert table.client.send(path, None, table.tokens["Ada"]).status_code == 409  # Eve has not played this puzzle
    table.enter("ended")
    review = table.client.send(path, None, table.tokens["Ada"]).json()["review"]
    assert [move["guess"] for move in review["moves"]] == [WRONG[0], secret]
    for token, number in ((table.tokens["Eve"], "0"), (table.host, "0"), (table.tokens["Ada"], "x" * 9)):
        assert table.client.send(f"{table.path}/reviews/{number}", None, token).status_code == 404


def test_a_window_starts_and_ends_play_by_itself(client: Client, tmp_path: Path, clock: MovableClock) -> None:
    opens, closes = (datetime.fromtimestamp(clock() + seconds, UTC) for seconds in (100, 200))
    table = Table(client, tmp_path, clock, opens=opens, closes=closes)
    table.join("Ada")
    assert table.client.send(f"{table.path}/phase", {"phase": "playing"}, table.host).status_code == 409
    clock.seconds += 100
    assert table.guess("Ada", table.secret("Ada")).json()["you"]["finished"][0]["ending"] == "solved"
    clock.seconds += 100
    assert table.see()["phase"] == "ended"
    assert table.see()["secrets"] == table.secrets


def test_the_clock_runs_from_the_first_guess_and_a_break_has_a_limit(table: Table, clock: MovableClock) -> None:
    table.enter("open")
    table.join("Ada")
    table.enter("playing")
    clock.seconds += 20  # a break: no clock runs
    table.guess("Ada", WRONG[0])
    clock.seconds += 7
    table.guess("Ada", table.secret("Ada"))
    assert table.see("Ada")["you"]["current"]["bank_s"] == BANK_S - 7
    clock.seconds += BREAK_S + 10  # the break is over, so the clock has been running for 10 s
    state = table.guess("Ada", table.secret("Ada")).json()
    assert [puzzle["used_s"] for puzzle in state["you"]["finished"]] == [7, 10]
    current = state["you"]["current"]
    assert (current["round"], current["puzzle"], current["bank_s"]) == (2, 1, BANK_S)


def test_an_empty_bank_ends_a_round_even_if_the_player_is_away(table: Table, clock: MovableClock) -> None:
    table.enter("open")
    table.join("Ada", "Bob")
    table.enter("playing")
    table.guess("Ada", WRONG[0])
    late = table.see("Ada")["you"]
    clock.seconds += BANK_S
    body = {"round": 1, "puzzle": 1, "number": late["number"], "word": table.secrets[0]}
    reply = table.client.send(f"{table.path}/guesses", body, table.tokens["Ada"])
    assert (reply.status_code, reply.json()["error"]) == (410, "the time for this puzzle is over.")
    you = table.see("Ada")["you"]
    assert [puzzle["ending"] for puzzle in you["finished"]] == ["out of time"]
    assert (you["current"]["round"], you["current"]["puzzle"]) == (2, 1)
    clock.seconds += 3 * (BANK_S + BREAK_S)
    for name in ("Ada", "Bob"):
        assert [puzzle["ending"] for puzzle in table.see(name)["you"]["finished"]] == ["out of time"] * 3
        assert table.see(name)["you"]["current"] is None


def test_a_guess_sent_twice_is_made_once_and_a_refused_one_costs_only_time(table: Table, clock: MovableClock) -> None:
    table.enter("open")
    table.join("Ada")
    table.enter("playing")
    first = table.guess("Ada", WRONG[0]).json()
    assert table.guess("Ada", WRONG[0], number=0).json()["you"] == first["you"]
    assert table.guess("Ada", WRONG[1], number=0).status_code == 409
    for word in ("zzzzz", "xx", "tiber", "12345"):
        reply = table.guess("Ada", word)
        assert reply.status_code == 422
        assert "did you mean" not in reply.text.lower()
    assert len(table.see("Ada")["you"]["current"]["rows"]) == 1


def test_everything_survives_a_restart_of_the_server(tmp_path: Path, clock: MovableClock) -> None:
    with web_client(tmp_path, now=clock) as client:
        table = Table(client, tmp_path, clock)
        table.enter("open")
        table.join("Ada")
        table.enter("playing")
        before = table.guess("Ada", WRONG[0]).json()
    with web_client(tmp_path, now=clock) as client:
        table.client = client
        assert table.see("Ada")["you"] == before["you"]
        clock.seconds += 5
        assert table.guess("Ada", table.secret("Ada")).json()["you"]["finished"][0]["used_s"] == 5


@pytest.mark.slow
def test_standings_equal_the_reference_and_the_ranking_of_the_file(
    table: Table, clock: MovableClock, tmp_path: Path
) -> None:
    table.enter("open")
    rng = random.Random(5)
    names = [f"Player {number}" for number in range(4)]
    table.join(*names)
    table.enter("playing")
    played: dict[str, list[Any]] = {}
    for name in names:
        rounds = played.setdefault(name, [])
        began_s = clock.seconds
        while (current := table.see(name)["you"]["current"]) is not None:
            if current["puzzle"] == 1:
                rounds.append([])
            secret, n_wrong = table.secret(name), rng.choice([0, 1, 2, 3, 6])
            first_s, guesses = clock.seconds, []
            for word in [*rng.sample(WRONG, n_wrong), secret][:6]:
                table.guess(name, word)
                guesses.append((word, clock.seconds - first_s))
                clock.seconds += rng.choice([1.0, 2.0])
            rounds[-1].append((guesses, secret))
        clock.seconds = began_s  # the next player begins at the same time
    clock.seconds += 10_000
    table.enter("ended")
    for name, line in table.standings().items():
        total, n_solved, used_s = reference(played[name])
        assert line["n_solved"] == n_solved
        assert (line["total"], line["used_s"]) == (pytest.approx(total), pytest.approx(used_s))
    file = tmp_path / "tournament.json"
    file.write_text(table.client.send(f"{table.path}/result").text)
    ranked = wordpl("tournament", "rank", file, "--json")
    assert ranked.exit_code == 0, ranked.output
    rows = json.loads(ranked.output)["tables"][0]["rows"]
    live = [[str(line["place"]), line["player"], f"{line['total']:,.1f}"] for line in table.see()["standings"]]
    assert [row[:3] for row in rows] == live


@pytest.mark.slow
def test_no_reply_contains_a_word_or_the_seed_before_the_end_in_50_puzzles(
    client: Client, tmp_path: Path, clock: MovableClock
) -> None:
    rng = random.Random(1)
    n_puzzles, seen = 0, []
    while n_puzzles < 50:
        table = Table(client, tmp_path, clock)
        client.texts.clear()
        table.enter("open")
        table.join("Ada", "Bob")
        table.enter("playing")
        own: dict[str, set[str]] = {"Ada": set(), "Bob": set()}
        for name in own:
            while table.see(name)["you"]["current"] is not None:
                secret = table.secret(name)
                before = len(client.texts)
                table.guess(name, rng.choice(WRONG))
                table.guess(name, f"{secret[:4]}{'z' if secret[4] != 'z' else 'q'}")  # resembles the secret
                n_puzzles += 1
                assert secret not in words_in(client.texts[before:])
                if rng.random() < 0.8:
                    table.guess(name, secret)
                    own[name].add(secret)
                else:
                    clock.seconds += 2 * BANK_S
        table.see()
        assert table.room.seed not in " ".join(client.texts)
        seen += (set(table.secrets) - own["Ada"] - own["Bob"]) & words_in(client.texts)
        assert client.send(f"{table.path}/result").status_code == 409
        table.enter("ended")
        assert table.see()["seed"] == table.room.seed
    assert seen == []


def test_tokens_are_stored_as_digests_and_appear_in_no_reply(table: Table, tmp_path: Path) -> None:
    table.enter("open")
    table.join("Ada", "Bob")
    table.enter("playing")
    table.client.texts.clear()
    table.guess("Ada", WRONG[0])
    table.see("Bob")
    table.see()
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("games.sqlite*"))
    for token in (*table.tokens.values(), table.host):
        assert token.encode() not in stored
        assert token not in " ".join(table.client.texts)


def test_the_id_of_a_room_is_never_read_as_an_option_of_a_command(tmp_path: Path) -> None:
    store = RoomStore(tmp_path / "games.sqlite")
    rooms = [store.create(Terms.new(load_rules()), 0.0)[0].id for _ in range(200)]
    store.close()
    assert all(re.fullmatch("[a-z0-9]+", room) for room in rooms)
