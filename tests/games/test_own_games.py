"""A host's own game is one file, bound by the host alone; it plays, is stored and is read like the package's games."""

import itertools
import json
import shutil
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.cli import evaluate, wordpl
from wordpl import Contest, RunConfig, games
from wordpl.contest.spot_check import check_own_games
from wordpl.core.clues import CLUE_RULES
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists, as_text
from wordpl.reports.standings import boards
from wordpl.run.folder import Run
from wordpl.stats.scores import facts_of
from wordpl.verify import Findings, verify

EXAMPLES = Path(__file__).parents[2] / "examples"
FIBBLE = f"{EXAMPLES / 'fibble.py'}:Fibble"


@pytest.fixture(autouse=True)
def only_games_of_the_package():
    yield
    for game in games.bound():
        games.unbind(games.bind(game).id)


@pytest.fixture(scope="module")
def fibble_run(tmp_path_factory) -> Path:
    """Return the folder of a finished run of Fibble with 40 games, played by players in processes of their own."""
    folder = tmp_path_factory.mktemp("fibble")
    config = RunConfig(game_id=games.named(FIBBLE), n_games=40, repeats=2, seed="lies", results=folder)
    run = Contest(config, [EXAMPLES / "fibble_bot.py"], jobs=1).play()
    games.unbind("fibble/1")
    return run.folder


def test_each_row_of_fibble_lies_once_and_the_winning_one_not_at_all(fibble_run):
    (entry,) = Run(fibble_run).info.entries
    records = Run(fibble_run).entry(entry).read()
    assert len(records) == 40
    for record in records:
        assert str(record.verdict) in ("won", "unsolved")
        for move in record.moves:
            true = CLUE_RULES["counted"](move.guess, record.secret)
            n_lies = sum(a != b for a, b in zip(move.clues, true, strict=True))
            assert n_lies == (move.guess != record.secret)


def test_a_game_without_a_title_does_not_take_that_of_the_game_from_which_it_is_derived():
    assert games.game_class(games.named(FIBBLE)).title == ""
    assert games.game_class("wordle/1").title == "Wordle"


def test_a_game_is_named_by_its_file_or_by_its_id():
    assert games.option_of(games.named(FIBBLE)) == FIBBLE
    assert games.option_of("wordle/1") == "wordle/1"
    digest = sha256((EXAMPLES / "fibble.py").read_bytes()).hexdigest()
    assert games.game_class("fibble/1").facts.sha256 == games.own_game("fibble/1").sha256 == digest


def test_a_run_knows_what_boards_need_without_the_file_of_its_game(fibble_run):
    (entry,) = Run(fibble_run).info.entries
    facts = json.loads((fibble_run / "run.json").read_text())["entries"][0]["game"]
    assert (facts["id"], facts["limit"], facts["loss_cost"], facts["has_false_clues"]) == ("fibble/1", 9, 10.0, True)
    assert str(EXAMPLES) not in json.dumps(facts)
    table = Run(fibble_run).to_frame()
    assert facts_of(table) == entry.game
    (board,) = boards(table, rng=np.random.default_rng(1))
    assert "mean (X = 10)" in {score.head for score in board.scores}
    assert sum(board.table[f"n_solved_in_{n}"].iloc[0] for n in range(1, 10)) == (table["verdict"] == "won").sum()


def test_what_needs_the_rules_asks_for_the_file_of_equal_digest(fibble_run, tmp_path):
    (entry,) = Run(fibble_run).info.entries
    with pytest.raises(UserError, match=r"fibble/1 is a game of the host's own, .* --game FILE:CLASS"):
        games.game_class(entry.game)
    changed = tmp_path / "fibble.py"
    changed.write_text((EXAMPLES / "fibble.py").read_text() + "\n# changed\n")
    games.bind(f"{changed}:Fibble")
    with pytest.raises(UserError, match="but fibble/1 was played by a file with"):
        games.game_class(entry.game)
    games.bind(FIBBLE)
    assert games.game_class(entry.game).facts == entry.game


def test_verify_recomputes_an_own_game_with_the_readers_file_and_says_so(fibble_run, tmp_path):
    run = Run(fibble_run)
    lists = run.info.config.load_lists()
    without_file = verify(run, lists)
    check_own_games(run, lists, without_file)
    assert not without_file.differences
    assert "fibble/1 is a game of the host's own" in without_file.notes[-1]
    games.bind(FIBBLE)
    with_file = verify(run, lists)
    check_own_games(run, lists, with_file)
    assert (with_file.n_games, with_file.differences) == (40, [])
    assert "no independent second reading" in with_file.notes[-1]


def test_a_changed_clue_of_an_own_game_is_found(fibble_run, tmp_path):
    folder = shutil.copytree(fibble_run, tmp_path / "run")
    (path,) = (folder / "records").glob("*.jsonl")
    lines = path.read_text().splitlines()
    record = json.loads(lines[3])
    record["moves"][0][1] = "ccccc"
    lines[3] = json.dumps(record)
    path.write_text("\n".join(lines) + "\n")
    games.bind(FIBBLE)
    findings = Findings()
    run = Run(folder)
    check_own_games(run, run.info.config.load_lists(), findings)
    assert "the clue of move 1 is ccccc, expected" in str(findings.differences[0])


def test_an_own_game_is_replayed_and_reported_by_the_commands(fibble_run, tmp_path):
    shown = evaluate(EXAMPLES / "fibble_bot.py", "--game", FIBBLE, "--seed", "lies", "--number", 0, "--trust")
    assert "plays game 0 of fibble/1" in shown.stdout
    assert "Verdict: won" in shown.stdout
    games.unbind("fibble/1")
    page = tmp_path / "page.html"
    assert wordpl("report", fibble_run, "-o", page).exit_code == 0
    assert "mean (X = 10)" in page.read_text()


WRONG_FILES = {
    "x = 1": "has no game called 'Mine'.*Its games: none",
    "1 / 0": "fails with ZeroDivisionError: division by zero",
    "import wordpl.games as g\nclass Mine(g.Wordle):\n    pass": "has no game called 'Mine'",
    "from wordpl.games import Game, Wordle\nclass Mine(Game):\n    facts, max_guesses = Wordle.facts, 6": (
        "has no game called 'Mine'"
    ),
    "from wordpl.games import Game, Wordpl\nclass Mine(Game):\n    facts, check, reply = Wordpl.facts, None, None": (
        "has no game called 'Mine'"  # nor does it say how many guesses a game has
    ),
    "from wordpl.games import Wordle\nclass Mine(Wordle):\n    facts = Wordle.facts": "'wordle/1' of a game of the",
    "from wordpl.core.clues import RandomizedResponse\nfrom wordpl.games import GameFacts, Wordle\n"
    "class Mine(Wordle):\n    facts = GameFacts.of_guesses('mine/1', 6)\n    channel_type = RandomizedResponse": (
        "the channel of .*:Mine fails with TypeError: randomized response needs a move with an epsilon"
    ),
}


@pytest.mark.parametrize("source", WRONG_FILES)
def test_a_file_without_the_game_is_refused_with_the_reason(tmp_path, source):
    (tmp_path / "mine.py").write_text(source)
    with pytest.raises(UserError, match=WRONG_FILES[source]):
        games.bind(f"{tmp_path / 'mine.py'}:Mine")
    assert games.bound() == ()


def test_a_missing_or_huge_file_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"cannot read the game .*: No such file"):
        games.bind(f"{tmp_path / 'none.py'}:Mine")
    (tmp_path / "huge.py").write_text("#" * 70_000)
    with pytest.raises(UserError, match=r"is larger than 64 KiB, the limit for a file of a game"):
        games.bind(f"{tmp_path / 'huge.py'}:Mine")


@pytest.mark.parametrize(("name", "length", "limit"), [("SixLetters", 6, 7), ("ThreeGuesses", 5, 3)])
def test_games_of_another_length_or_limit_are_played_and_scored(tmp_path, name, length, limit):
    words = sorted(
        {"".join(letters) for letters in itertools.islice(itertools.permutations("abcdefg", length), 0, 200, 9)}
    )
    (tmp_path / "words.txt").write_text(as_text(words))
    game_id = games.named(f"{EXAMPLES / 'other_lengths.py'}:{name}")
    bot = tmp_path / "bot.py"
    bot.write_text((EXAMPLES / "fibble_bot.py").read_text().replace("fibble/1", game_id).replace("slate", words[0]))
    files = {"answers": tmp_path / "words.txt", "guesses": tmp_path / "words.txt"}
    config = RunConfig(
        game_id=game_id, n_games=20, repeats=0, seed="1", player="trusted", results=tmp_path / "results", **files
    )
    run = Contest(config, [bot]).play()
    table = run.to_frame()
    lost = table[table["verdict"] == "unsolved"]
    assert (lost["n_moves"] == limit).all()
    assert table["n_moves"].max() <= limit
    (board,) = boards(table, rng=np.random.default_rng(1))
    assert (board.game.bins, board.game.loss_cost) == (limit, limit + 1)


@pytest.mark.parametrize("length", [3, 4, 7, 8, pytest.param(11, marks=pytest.mark.slow)])
def test_words_of_3_to_11_letters_play_in_a_game_that_lies(length):
    games.bind(FIBBLE)
    words = tuple(letter * length for letter in "abcdefgh")
    game = games.make_game("fibble/1", WordLists(words, words))
    move = game.check(words[0])
    clues = game.reply(words[1], [], move, lambda: [7] * length).clues
    assert game.still_possible([move.with_clues(clues)]).tolist() == [False, *[True] * 7]
