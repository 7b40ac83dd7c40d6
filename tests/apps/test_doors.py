"""A whole game of every game with every kind of word list, through every door; what a door cannot do it says first."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.apps import needed
from tests.helpers.cli import wordpl
from tests.helpers.whole_games import GAMES, LISTS, SEED, Choice, choice_of, played, typed
from wordpl import games
from wordpl.contest.session import Session
from wordpl.core.moves import NoisyMove

MARKS = {"contest": pytest.mark.slow, "8 letters": pytest.mark.slow, "11 letters": pytest.mark.long}
"""Of lists with thousands of words, or thousands of clues of a word."""
OWN = ("wordle/1", "wordpl/1")  # games whose own lists are played in the quick part
SHORT = (*OWN, "fibble/1", "blurred/1", "endless/1")  # those that are played there with three letters
QUICK = {"own": OWN, "3 letters": SHORT}
CELLS = [
    pytest.param(
        game_id,
        list_name,
        id=f"{game_id}-{list_name}",
        marks=MARKS.get(list_name, () if game_id in QUICK.get(list_name, ()) else pytest.mark.slow),
    )
    for game_id in GAMES
    for list_name in LISTS
    if list_name not in ("contest", "11 letters")
    or game_id in ("wordle/1", "wordle-hard/1", "wordpl/1", "absurdle/1", "fibble/1")
]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    yield
    for own in games.bound():
        games.unbind(games.bind(own).id)


@pytest.fixture
def choice(game_id: str, list_name: str, tmp_path: Path) -> Choice:
    return choice_of(game_id, list_name, tmp_path)


@pytest.fixture
def session(choice: Choice) -> Session:
    return played(choice)


@pytest.mark.parametrize(("game_id", "list_name"), CELLS)
def test_play_and_interactive_play_it_with_hints_and_help(choice: Choice, session: Session) -> None:
    from click.testing import CliRunner

    command = needed("terminal.command").play_command  # what interactive.py runs, too
    first, *others = typed(session)
    lines = ["help", first, "?", *others]
    done = CliRunner().invoke(command, [*choice.options, "--seed", SEED], input="\n".join(lines))
    assert done.exit_code == 0, done.output
    assert done.exception is None
    for move in session.moves_with_clues:
        assert f"{move.guess}  {move.clues}" in done.output
    assert session.moves[-1].guess.upper() in done.output
    assert done.output.count("Suggested: ") == 1


@pytest.mark.parametrize(("game_id", "list_name"), CELLS)
def test_the_app_plays_it_and_leaves_no_silent_change_of_its_words(choice: Choice, session: Session) -> None:
    app, tasks = needed("terminal.app"), needed("terminal.app.solve_tasks")
    play_game, play_screen = needed("terminal.app.play_game"), needed("terminal.app.play_screen")
    chosen = {} if choice.answers is None else {"answers": str(choice.answers), "guesses": str(choice.guesses)}
    options = app.options_for((), True, game_id=games.named(choice.game), screen="play", seed=SEED, **chosen)
    game = play_game.PlayGame.begin(
        play_game.NewGame(options.game_id, options.seed, 0, answers=options.answers, guesses=options.guesses)
    )
    assert (game.session.secret, game.length) == (session.secret, session.game.lists.length)
    lists = game.session.game.lists
    tasks.define_words("play", needed("terminal.app.setups").WordChoice(lists.answers, lists.guesses), "counted")
    for move in session.moves:
        for key in move.guess:
            assert game.type(key)
        if isinstance(move, NoisyMove):
            for key in "!" if move.is_answer else f"{move.epsilon:g}":
                assert game.type(key)
            assert play_screen.price_table(next(tasks.price("play", guess=move.guess, **game.request()))).text.plain
        play_screen.note(game, None)
        game.play()
        if not game.is_over:
            assert play_game.resume().session.moves == game.session.moves
            letters = next(tasks.letters("play", **game.request())) if not game.session.leaves_a_set else None
            assert play_screen.note(game, letters).plain
            assert play_screen.side_panel(game, letters).text.plain or letters
    assert game.session.moves == session.moves
    assert game.session.verdict == session.verdict
    assert play_screen.review(game, "dark").text.plain


@pytest.mark.parametrize(("game_id", "list_name"), CELLS)
def test_serve_plays_it_with_hints(choice: Choice, session: Session, tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
    from tests.helpers.web_client import web_client

    worker, game_id = needed("web.worker_process"), choice.game_id
    with web_client(tmp_path, lists=choice.lists) as client:
        token, state = client.start(game_id)
        assert (state["length"], state["game"]) == (session.game.lists.length, game_id)
        worker.prepare(choice.lists, ())
        try:
            own = Session(session.game, "", 0, choice.lists.answers[0])
            while state["verdict"] is None:
                is_second = state["round"] == 2
                rows = [[row["guess"], row["epsilon"], row["clues"]] if "epsilon" in row else
                        [row["guess"], row["clues"]] for row in state["rows"]]  # fmt: skip
                if is_second:
                    assert worker.hint(game_id, rows)["lines"]
                word, epsilon = _next_word(own, state), None
                if session.has_epsilon:
                    epsilon = 8.0 if state["round"] < 3 else 0
                reply = client.move(token, state["round"], word, epsilon)
                assert reply.status_code == 200, reply.text
                state = reply.json()
        finally:
            worker.prepare(None, ())
    assert state["verdict"] in ("won", "wrong", "unsolved")
    assert state["share"] and state["review"]


def _next_word(own: Session, state: dict[str, Any]) -> str:
    """Return a word that fits the rows of a page, so that hard mode allows it; any answer where clues may be false."""
    from wordpl.core.moves import ClassicMove

    if not own.leaves_a_set:
        return own.game.lists.answers[state["round"] % len(own.game.lists.answers)]
    return own.game.possible_answers([ClassicMove(row["guess"], row["clues"]) for row in state["rows"]])[-1]


@pytest.mark.parametrize(("game_id", "list_name"), CELLS)
def test_suggest_rates_guesses_of_it_or_says_why_not(choice: Choice, session: Session) -> None:
    hints = [f"{move.guess}:{move.clues}" for move in session.moves_with_clues]
    is_known = session.leaves_a_set and session.game.facts.has_secret and session.game.clue_rule == "counted"
    if not is_known:
        done = wordpl("suggest", *choice.options, *hints)
        assert (done.exit_code, done.stdout) == (1, "")
        assert re.search(rf"suggest cannot rate guesses of {session.game.facts.id}: .*wordpl play --game", done.stderr)
        return
    for n_known in range(1, len(hints) + 1):
        done = wordpl("suggest", *choice.options, *hints[:n_known], "--width", "3", "--top", "2")
        assert done.exit_code == 0, done.output
    assert f"Solved: {session.secret} is the answer" in done.stdout


@pytest.mark.parametrize(("game_id", "list_name"), CELLS)
def test_the_room_plays_it_or_refuses_it_before_it_begins(choice: Choice, session: Session, tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
    from tests.helpers.web_client import web_client

    facts, database = session.game.facts, tmp_path / "games.sqlite"
    rules = tmp_path / "rules.toml"
    text = (Path(games.__file__).parents[1] / "data" / "tournament.toml").read_text(encoding="utf-8")
    for name, number in (("times_base", 1), ("bonus_seconds", 0)):
        text = re.sub(rf"^{name} = .*$", f"{name} = {[number] * (facts.limit or 6)}", text, flags=re.M)
    rules.write_text(text, encoding="utf-8")
    done = wordpl("tournament", "new", "--rules", rules, *choice.options, "--puzzles", 1, "--database", database)
    if facts.has_epsilon or not facts.limit or not facts.has_secret:
        assert (done.exit_code, database.exists()) == (1, False)
        assert f"must have a secret and a limit of guesses; {facts.id} has not" in done.stderr
        return
    assert done.exit_code == 0, done.output
    room_id, host = re.findall(r"#/room/([\w-]+)/([\w-]+)", done.output)[0]
    with web_client(tmp_path, lists=choice.lists) as client:
        path = f"/api/rooms/{room_id}"
        client.send(f"{path}/phase", {"phase": "open"}, host)
        token = client.send(f"{path}/players", {"name": "Ada"}).json()["token"]
        client.send(f"{path}/phase", {"phase": "playing"}, host)
        own, rows = Session(session.game, "", 0, choice.lists.answers[0]), []
        for number in range(facts.limit):
            word = _next_word(own, {"rows": rows, "round": number})
            body = {"round": 1, "puzzle": 1, "number": number, "word": word}
            reply = client.send(f"{path}/guesses", body, token)
            assert reply.status_code == 200, reply.text
            if (current := reply.json()["you"]["current"]) is None:
                break
            rows = current["rows"]
        client.send(f"{path}/phase", {"phase": "ended"}, host)
        file = tmp_path / "tournament.json"
        file.write_text(client.send(f"{path}/result").text, encoding="utf-8")
    ranked = wordpl("tournament", "rank", file, *choice.options)
    assert ranked.exit_code == 0, ranked.output
    assert "Ada" in ranked.stdout
