"""The proof that no opener is better, against every opener rated the plain way, and what the commands say."""

import json

import numpy as np
import pytest

from tests.helpers.cli import wordpl
from tests.solvers.search.plain import PlainGame
from tests.solvers.search.test_search import counted, position_of
from wordpl.core.errors import UserError
from wordpl.solvers.search.proof import Claim, Log, prove

pytestmark = pytest.mark.timeout(600)  # the first test compiles the search

CLAIM = Claim("answers", "guesses", None, False)


def small_game(lists, n, is_hard=False, weights=(1,)):
    rng = np.random.default_rng(n)
    answers = [str(word) for word in rng.choice(lists.answers, n, replace=False)]
    return PlainGame(answers, {word: int(rng.choice(weights)) for word in answers}, counted, is_hard)


@pytest.mark.parametrize(
    ("n", "left", "is_hard", "weights"),
    [(50, None, False, (1,)), (40, 3, False, (1,)), (16, None, True, (1,)), (30, None, False, (1, 2, 9))],
)
def test_a_proof_bounds_every_opener_and_finds_the_optimum(lists, tmp_path, n, left, is_hard, weights):
    game = small_game(lists, n, is_hard, weights)
    for jobs in (1, 2):
        log = Log(tmp_path / f"{jobs}.jsonl", CLAIM, game.guesses)
        proof = prove(position_of(game, left), log, jobs, lambda _: None)
        limit = np.inf if left is None else left
        totals = [game.total_after(guess, limit) for guess in game.guesses]
        assert proof.is_complete
        assert proof.best.bound == min(totals)
        assert all(proof.best.bound <= proof.bounds[row] <= total for row, total in enumerate(totals))


def test_a_proof_goes_on_where_it_was_interrupted(lists, tmp_path):
    game, path = small_game(lists, 30), tmp_path / "proof.jsonl"
    whole = prove(position_of(game), Log(path, CLAIM, game.guesses), 1, lambda _: None)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:11]) + lines[11][:9])  # the last line was cut off
    again = prove(position_of(game), Log(path, CLAIM, game.guesses), 1, lambda _: None)
    assert again.bounds == whole.bounds and again.best.bound == whole.best.bound
    with pytest.raises(UserError, match="another proof"):
        Log(path, Claim("others", "guesses", None, False), game.guesses)


def test_suggest_says_what_is_left_in_every_notation():
    shown = {wordpl("suggest", "tares:" + clue, "crony:..c..").stdout for clue in ("....i", "BBBBY", "⬛⬜⬛⬛🟨")}
    assert len(shown) == 1
    assert "9 of 2,315 answers are left" in shown.pop()


@pytest.mark.parametrize(
    ("hints", "fault"),
    [
        (["tares:ccccc"], "No answer gives tares:ccccc"),
        (["tares:.....", "tares:....i"], "No answer gives tares:....i after tares:....."),
        (["tarse:....."], "is not a word of the guesses"),
        (["tares:...."], "is no clue of 5 letters"),
    ],
)
def test_suggest_explains_what_is_wrong(hints, fault):
    done = wordpl("suggest", *hints)
    assert done.exit_code == 1
    assert fault in done.output


def test_solve_proves_saves_a_tree_and_the_tree_checks(lists, tmp_path):
    words = "".join(f"{word}\n" for word in sorted(small_game(lists, 40).guesses))
    (tmp_path / "words.txt").write_text(words)
    files = ["--answers", tmp_path / "words.txt", "--guesses", tmp_path / "words.txt"]
    log, tree = tmp_path / "proof.jsonl", tmp_path / "tree.json"
    proved = wordpl("solve", "--prove", "--log", log, "--tree", tree, *files)
    assert "Proved: no opener leads to less than" in proved.output
    assert len(log.read_text().splitlines()) == 41
    assert wordpl("tree", "check", tree, *files).exit_code == 0
    total = json.loads(tree.read_text())["sum"]
    exact = wordpl("solve", "--exact", "--top", "40", *files)
    assert f" {total} " in exact.output
    assert "holds a proof" in wordpl("solve", "--prove", "--log", log, *files).output
