"""A tournament of thirty players whose host rules, on a server that is killed, against a second referee."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.browsing import WebServer, serving
from tests.helpers.cli import wordpl
from tests.helpers.rooms import POINTS, micro_points, new_room
from wordpl.core import words

httpx = pytest.importorskip("httpx", reason='needs pip install "wordpl[serve]"')
pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
pytestmark = pytest.mark.timeout(300)
NAMES = [f"Player {number:02}" for number in range(30)]
BANK_S = 900.0
WRONG = [word for word in words.load().guesses if word not in words.load().answer_set]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WebServer]:
    with serving(tmp_path / "games.sqlite") as server:
        yield server


class Client:
    """Requests to the room of a server."""

    def __init__(self, server: WebServer, room_id: str):
        self.address, self.http = f"{server.url}api/rooms/{room_id}", httpx.Client(timeout=60)

    def send(self, path: str, body: dict[str, Any], token: str = "") -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.http.post(f"{self.address}{path}", json=body, headers=headers)

    def see(self, token: str = "") -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.http.get(self.address, headers=headers).json()


def play(client: Client, token: str, secrets: list[str], rng: random.Random) -> None:
    """Play all rounds of two puzzles with some wrong words."""
    while (you := client.see(token)["you"])["current"]:
        current, number = you["current"], you["number"]
        secret = secrets[2 * current["round"] + current["puzzle"] - 3]
        for word in [*rng.sample(WRONG, rng.choice([0, 1, 2, 6])), secret][:6]:
            body = {"round": current["round"], "puzzle": current["puzzle"], "number": number, "word": word}
            assert client.send("/guesses", body, token).status_code == 200
            number += 1


def second_referee(file: dict[str, Any], secrets: list[str]) -> dict[str, tuple[float, int]]:
    """Return the total and the solved puzzles of each player who was not struck, from the words in a file alone."""
    struck = {ruling["player"] for ruling in file["rulings"] if ruling["kind"] == "strike player"}
    void = {
        (ruling["round_number"], ruling["number"]) for ruling in file["rulings"] if ruling["kind"] == "strike puzzle"
    }
    corrected = {
        (ruling["player"], ruling["round_number"], ruling["number"]): ruling.get("points", 0) + ruling.get("micro", 0)
        for ruling in file["rulings"]
        if ruling["kind"] == "correct"
    }
    totals = {}
    for player in file["players"]:
        made, total, n_solved = [guess["word"] for guess in player["guesses"]], 0.0, 0
        for round_number in (1, 2, 3):
            for number in (1, 2):
                secret = secrets[2 * round_number + number - 3]
                used = made[: made.index(secret) + 1 if secret in made[:6] else 6]
                made = made[len(used) :]
                place, is_solved = (round_number, number), secret in used
                earned = micro_points(used, secret) + (POINTS[len(used) - 1] if is_solved else 0)
                if place not in void:
                    total += corrected.get((player["player"], *place), earned)
                    n_solved += is_solved
                if not is_solved:
                    break
        assert made == []
        if player["player"] not in struck:
            totals[player["player"]] = (total, n_solved)
    return totals


@pytest.mark.long
def test_thirty_players_with_rulings_and_a_killed_server_equal_the_second_referee(
    server: WebServer, tmp_path: Path
) -> None:
    database = tmp_path / "games.sqlite"
    room, host, secrets = new_room(database, 0.0, bank_s=BANK_S, break_s=BANK_S)
    client, rng = Client(server, room.id), random.Random(7)
    client.send("/phase", {"phase": "open"}, host)
    tokens = {name: client.send("/players", {"name": name}).json()["token"] for name in NAMES}
    client.send("/phase", {"phase": "playing"}, host)
    late = client.send("/players", {"name": "Real name"})
    assert (late.status_code, late.json()["error"]) == (409, "play has begun: nobody can join any more.")
    for at, name in enumerate(NAMES):
        if at in (7, 19):
            client.http.close()
            server.kill()  # SIGKILL
            server.restart()
            client = Client(server, room.id)
        play(client, tokens[name], secrets, rng)

    def rule(*options: str) -> None:
        done = wordpl("tournament", "rule", room.id, *options, "--database", database)
        assert done.exit_code == 0, done.output

    rule("--player", NAMES[3], "--reason", "knew the words")
    rule("--puzzle", "1.2", "--reason", "a word of the news")
    rule("--player", NAMES[5], "--puzzle", "1.1", "--points", "200", "--micro", "1.5", "--reason", "the line was down")
    client.http.close()
    server.kill()
    server.restart()
    client = Client(server, room.id)
    client.send("/phase", {"phase": "ended"}, host)
    state = client.see()
    text = client.http.get(f"{client.address}/result").text
    client.http.close()
    file = tmp_path / "tournament.json"
    file.write_text(text, encoding="utf-8")
    expected = second_referee(json.loads(text), secrets)
    assert len(expected) == 29
    shown = {line["player"]: (line["total"], line["n_solved"]) for line in state["standings"]}
    assert shown == {name: (pytest.approx(total), n_solved) for name, (total, n_solved) in expected.items()}
    assert [line["player"] for line in state["board"]] == NAMES
    assert [text.rpartition(": ")[2] for text in state["rulings"]] == [
        "knew the words", "a word of the news", "the line was down",
    ]  # fmt: skip
    ranked = wordpl("tournament", "rank", file, "--json", "--output", tmp_path / "report.md")
    assert ranked.exit_code == 0, ranked.output
    tables = json.loads(ranked.stdout)["tables"]
    assert {row[1]: float(row[2].replace(",", "")) for row in tables[0]["rows"]} == {
        name: pytest.approx(total, abs=0.051) for name, (total, _) in expected.items()
    }
    assert "the line was down" in (tmp_path / "report.md").read_text(encoding="utf-8")
    content = json.loads(text)
    content["rulings"][0]["player"] = "Nobody"
    file.write_text(json.dumps(content), encoding="utf-8")
    assert "there is no player called 'Nobody'" in wordpl("tournament", "rank", file).stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--player", "Eve"], "there is no player called 'Eve'"),
        (["--puzzle", "9.1"], "there is no puzzle 9.1: write ROUND.PUZZLE, from 1.1 to 3.2"),
        (["--puzzle", "1"], "a puzzle is written ROUND.PUZZLE"),
        (["--player", "Ada", "--puzzle", "1.1"], "give --player or --puzzle to strike it, or both with --points"),
        ([], "give --player or --puzzle to strike it"),
    ],
)
def test_a_ruling_on_nobody_is_refused(tmp_path: Path, options: list[str], said: str) -> None:
    database = tmp_path / "games.sqlite"
    room, _, _ = new_room(database, 0.0)
    done = wordpl("tournament", "rule", room.id, *options, "--reason", "why", "--database", database)
    assert (done.exit_code, said in done.stderr) == (1, True), done.stderr
    unknown = wordpl("tournament", "rule", "none", "--player", "Ada", "--reason", "why", "--database", database)
    assert "has no tournament 'none'" in unknown.stderr
