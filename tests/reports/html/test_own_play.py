"""Games that a reader plays on the page of a run without a server: the secrets, noise and rules of the run."""

import numpy as np
import pytest

from tests.helpers.browsing import find_axe, open_page
from tests.helpers.page_models import DRAWS, GAMES, model, noisy_run
from wordpl import games
from wordpl.core import words
from wordpl.core.moves import ClassicMove
from wordpl.games import IllegalMoveError
from wordpl.reports.html.run_page import run_page

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("default")]
N_GAMES = 30
PLAY_AGAIN = """() => window.wordpl.boards.flatMap((board) => board.entries.flatMap((entry) =>
  entry.stored().map((at) => {
  const game = new window.wordpl.OwnGame(board, entry.number(at));
  const moves = entry.moves(at);
  moves.forEach((move) => game.play(move.guess, move.epsilon));
  return [entry.verdict(at), game.verdict, moves.map((move) => move.clues), game.moves.map((move) => move.clues)];
})))"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    run = noisy_run(np.random.default_rng(2), n_games=N_GAMES, hostile="Second()")
    path.write_text(run_page([model(run)]), encoding="utf-8")
    return path


def test_the_moves_of_each_entry_get_their_recorded_clues_and_verdicts(page_file):
    with open_page(page_file) as (page, problems):
        played = page.evaluate(PLAY_AGAIN)
        assert problems == []
    assert len(played) == 2 * N_GAMES * len(GAMES)
    for verdict, own_verdict, clues, own_clues in played:
        assert own_clues == clues
        assert verdict in (own_verdict, "crashed")


def test_the_noise_of_any_guess_is_that_of_the_referee(page_file):
    rng, lists = np.random.default_rng(5), words.load()
    game = games.make_game("wordpl/1", lists)
    moves = [(int(rng.integers(N_GAMES)), str(rng.choice(lists.guesses)), float(rng.gamma(4, 2))) for _ in range(300)]
    with open_page(page_file) as (page, _):
        shown = page.evaluate(
            """(moves) => moves.map(([number, guess, epsilon]) => {
              const board = window.wordpl.boards.find((one) => one.rules === "wordpl/1");
              const game = new window.wordpl.OwnGame(board, number);
              game.play(guess, epsilon);
              game.play(guess, epsilon);
              return game.moves.map((move) => move.clues);
            })""",
            moves,
        )
    for (number, guess, epsilon), clues in zip(moves, shown, strict=True):
        secret = lists.answers[DRAWS.game(number).secret_index(len(lists.answers))]
        for round_, own in enumerate(clues, 1):
            move = game.check((guess, epsilon))
            assert own == game.reply(secret, [], move, lambda n=number, at=round_: DRAWS.game(n).noise(at, 5)).clues


def test_hard_mode_refuses_the_same_guesses_as_the_referee(page_file):
    rng, lists = np.random.default_rng(8), words.load()
    game = games.make_game("wordle-hard/1", lists)
    pairs = [
        (str(rng.choice(lists.answers)), str(rng.choice(lists.answers)), int(rng.integers(N_GAMES)))
        for _ in range(2000)
    ]
    with open_page(page_file) as (page, _):
        refused = page.evaluate(
            """(pairs) => pairs.map(([first, second, number]) => {
              const board = { ...window.wordpl.boards.find((one) => one.rules === "wordle/1") };
              const rules = { play: { max: 6, hard: true }, words: new Set([first, second]) };
              const game = new window.wordpl.OwnGame({ ...board, ...rules }, number);
              try {
                game.play(first);
                game.play(second);
                return "";
              } catch (error) {
                return error.message;
              }
            })""",
            pairs,
        )
    for (first, second, number), message in zip(pairs, refused, strict=True):
        secret = lists.answers[DRAWS.game(number).secret_index(len(lists.answers))]
        clues = game.reply(secret, [], ClassicMove(first, ""), lambda: ()).clues
        try:
            game.reply(secret, [ClassicMove(first, clues)], ClassicMove(second, ""), lambda: ())
            assert message == ""
        except IllegalMoveError as error:
            assert message.partition(": ")[2].rstrip(".") in str(error)
    assert 0 < refused.count("") < len(pairs)


@pytest.mark.parametrize("size", [(1280, 800), (390, 664)])
def test_a_reader_plays_a_game_without_a_server_and_then_sees_the_path_of_every_entry(page_file, size):
    with open_page(page_file, viewport={"width": size[0], "height": size[1]}) as (page, problems):
        page.click("text=Play a game yourself")
        assert page.locator(".replays .game").count() == 0
        number = page.evaluate("window.wordpl.replay.number")
        secret = words.load().answers[DRAWS.game(number).secret_index(len(words.load().answers))]
        page.keyboard.type("zzzzz")
        page.keyboard.press("Enter")
        assert page.locator(".own-game output").inner_text() == "zzzzz is not a word of the guesses."
        page.fill(".own-game input[type=text]", "crane")
        page.fill(".own-game input[type=number]", "9.5")
        page.keyboard.press("Enter")
        page.wait_for_selector(".own-game .tiles")
        told = page.locator(".own-game .note").inner_text()
        assert told == "77.0% of marks true, all: 27.0% · 9.50 spent, 19.00 with this guess"
        if secret != "crane":
            assert secret not in page.locator("#replay").inner_text().lower()
        page.fill(".own-game input[type=text]", secret)
        page.click(".own-game button:has-text('Answer')")
        page.wait_for_selector(".standing")
        assert page.locator(".standing").inner_text().startswith("You: won with 9.50 spent. Better than ")
        assert page.locator(".replays .game h4").all_inner_texts()[0].startswith("You")
        assert page.locator(".replays .game").count() == 1 + page.evaluate("window.wordpl.replay.board.entries.length")
        assert f"secret {secret}" in page.locator(".stage h3").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_while_a_reader_plays(page_file, scheme):
    axe = find_axe()
    with open_page(page_file, color_scheme=scheme, bypass_csp=True) as (page, _):
        page.evaluate(axe.read_text(encoding="utf-8"))
        page.click("text=Play a game yourself")
        for then in ("Guess", "Give up"):
            page.fill(".own-game input[type=text]", "crane")
            page.click(f".own-game button:has-text('{then}')")
            found = page.evaluate(
                "async () => (await axe.run('#replay')).violations.map((v) => [v.id, v.nodes[0].html])"
            )
            assert found == []


def test_a_page_whose_seed_is_not_known_has_no_games_to_play(tmp_path):
    from dataclasses import replace

    run = noisy_run(np.random.default_rng(2), n_games=5, hostile="Second()")
    path = tmp_path / "page.html"
    path.write_text(run_page([replace(model(run), draws=None)]), encoding="utf-8")
    with open_page(path) as (page, _):
        assert page.locator("text=Play a game yourself").is_hidden()
