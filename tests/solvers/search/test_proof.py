"""Proofs that no opener is better, against a plain search, and the output of the commands."""

import json
import re

import numpy as np
import pytest

from tests.helpers.cli import wordpl
from tests.solvers.search.plain import PlainGame
from tests.solvers.search.test_search import counted, position_of
from wordpl.core.messages import UserError
from wordpl.solvers.search.proof import METHOD, ProofClaim, ProofLog, prove

pytestmark = pytest.mark.timeout(600)  # the first test compiles the search

CLAIM = ProofClaim((), "answers", "guesses", None, False)


def small_game(lists, n_words, is_hard=False, weights=(1,)):
    rng = np.random.default_rng(n_words)
    answers = [str(word) for word in rng.choice(lists.answers, n_words, replace=False)]
    return PlainGame(answers, {word: int(rng.choice(weights)) for word in answers}, counted, is_hard)


def log_of(path, game, claim=CLAIM):
    return ProofLog(path, claim, game.guesses, range(len(game.guesses)), list(game.weights.values()))


@pytest.mark.parametrize(
    ("n", "left", "is_hard", "weights"),
    [
        pytest.param(50, None, False, (1,), marks=pytest.mark.slow),
        (24, None, False, (1,)),
        (40, 3, False, (1,)),
        (16, None, True, (1,)),
        (30, None, False, (1, 2, 9)),
    ],
)
def test_a_proof_bounds_every_opener_and_finds_the_optimum(lists, tmp_path, n, left, is_hard, weights):
    game = small_game(lists, n, is_hard, weights)
    for jobs in (1, 2):
        with log_of(tmp_path / f"{jobs}.jsonl", game) as log:
            proof = prove(position_of(game, left), log, jobs, lambda _: None)
        limit = np.inf if left is None else left
        totals = [game.total_after(guess, limit) for guess in game.guesses]
        assert proof.is_complete
        assert proof.best.bound == min(totals)
        assert all(proof.best.bound <= proof.bounds[row] <= total for row, total in enumerate(totals))


def test_an_interrupted_proof_is_resumed(lists, tmp_path):
    game, path = small_game(lists, 30), tmp_path / "proof.jsonl"
    with log_of(path, game) as log:
        complete = prove(position_of(game), log, 1, lambda _: None)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:11]) + lines[11][:9])  # the last line was cut off
    with log_of(path, game) as log:
        assert len(log.ratings) == 10
        resumed = prove(position_of(game), log, 1, lambda _: None)
    assert resumed.bounds == complete.bounds and resumed.best.bound == complete.best.bound
    assert path.read_text().count("\n") == 31
    with pytest.raises(UserError, match="the log has answers with SHA-256 answers instead of others"):
        log_of(path, game, ProofClaim((), "others", "guesses", None, False))


def test_a_log_is_locked_while_a_proof_works_on_it(lists, tmp_path):
    game, path = small_game(lists, 12), tmp_path / "proof.jsonl"
    with log_of(path, game), pytest.raises(UserError, match="another process is working on the proof"):
        log_of(path, game)
    log_of(path, game).close()


WORDS = ["abide", "aloof", "amber", "angle", "armor", "audio", "raise", "salet", "tower", "under"]
OTHER_PROOFS = {
    "hints": (["abide:c...."], r"hints none instead of abide:c\.\.\.\."),
    "more hints": (["under:....c", "abide:c...."], r"hints none instead of abide:c\.\.\.\. under:\.\.\.\.c"),
    "answers": (["--answers", "fewer.txt"], "answers with SHA-256 [0-9a-f]{64} instead of [0-9a-f]{64}"),
    "guesses": (["--guesses", "more.txt"], "guesses with SHA-256 [0-9a-f]{64} instead of [0-9a-f]{64}"),
    "hard mode": (["--hard"], "hard mode off instead of on"),
    "the limit": (["--max-guesses", "5"], "limit 6 instead of 5"),
    "no limit": (["--max-guesses", "0"], "limit 6 instead of none"),
    "the prior": (["--prior", "prior.csv"], "prior with SHA-256 none instead of [0-9a-f]{64}"),
}


@pytest.fixture
def prove_few_words(tmp_path, monkeypatch):
    """Return a function that runs `wordpl solve --prove` on a few words in the test's folder."""
    lists = {"words.txt": WORDS, "fewer.txt": WORDS[1:], "more.txt": [*WORDS, "zesty"]}
    for name, words in lists.items():
        (tmp_path / name).write_text("".join(f"{word}\n" for word in words))
    (tmp_path / "prior.csv").write_text("word,probability\n" + "".join(f"{word},{len(word)}\n" for word in WORDS))
    monkeypatch.chdir(tmp_path)
    common_arguments = ["--answers", "words.txt", "--guesses", "words.txt", "--jobs", "1"]
    return lambda *arguments: wordpl("solve", "--prove", *common_arguments, *arguments)


@pytest.mark.parametrize("case", OTHER_PROOFS)
def test_a_log_of_another_proof_is_refused_with_the_difference(prove_few_words, tmp_path, case):
    other_arguments, expected = OTHER_PROOFS[case]
    arguments_by_log = {"one.jsonl": [], "other.jsonl": other_arguments}
    for log, arguments in arguments_by_log.items():
        proved = prove_few_words(*arguments, "--log", log)
        assert "Proved: " in proved.output, proved.output
        log_before = (tmp_path / log).read_bytes()
        repeated = prove_few_words(*arguments, "--log", log, "--resume")
        assert (repeated.exit_code, (tmp_path / log).read_bytes()) == (0, log_before), repeated.output
    for log, arguments in zip(arguments_by_log, reversed(arguments_by_log.values()), strict=True):
        log_before = (tmp_path / log).read_bytes()
        refused = prove_few_words(*arguments, "--log", log, "--resume")
        output = " ".join(refused.output.split())
        assert (refused.exit_code, (tmp_path / log).read_bytes()) == (1, log_before)
        assert output.count("the log has") == 1 and "Proved" not in output
        if log == "one.jsonl":
            assert re.search(expected, output), output


def test_a_proof_does_not_depend_on_the_order_of_hints(prove_few_words):
    hints = ["under:....c", "abide:c...."]
    assert "Proved: " in prove_few_words(*hints, "--log", "log.jsonl").output
    assert "Proved: " in prove_few_words(*reversed(hints), "--log", "log.jsonl", "--resume").output


OLD_HEAD = {"format": 1, "answers": "f40e", "guesses": "feac", "limit": 6, "is_hard": False, "prior": ""}


@pytest.mark.parametrize(
    ("first_line", "message"),
    [
        (json.dumps(OLD_HEAD), "format 1 and lacks hints, clue rule, search version; this version reads only format 3"),
        (json.dumps(CLAIM.head() | {"method": 0}), f"the log has search version 0 instead of {METHOD}"),
        ("a list of words", "it is not the log of a proof"),
        ("[1]", "it is not the log of a proof"),
        ("", "it is not the log of a proof"),
    ],
)
def test_older_logs_and_other_files_are_refused_and_unchanged(tmp_path, first_line, message):
    path = tmp_path / "log.jsonl"
    path.write_text(first_line + "\n" + "cut o")
    with pytest.raises(UserError, match=re.escape(message)):
        ProofLog(path, CLAIM, ["abide"], [0], [1])
    assert path.read_text() == first_line + "\n" + "cut o"


def test_solve_writes_a_proof_and_a_correct_tree(lists, tmp_path):
    words = "".join(f"{word}\n" for word in sorted(small_game(lists, 40).guesses))
    (tmp_path / "words.txt").write_text(words)
    files = ["--answers", tmp_path / "words.txt", "--guesses", tmp_path / "words.txt"]
    log, tree_file = tmp_path / "proof.jsonl", tmp_path / "tree.json"
    proof = wordpl("solve", "--prove", "--log", log, "--save", tree_file, *files)
    assert "Proved: no opener has a smaller total than" in proof.output
    assert len(log.read_text().splitlines()) == 41
    assert wordpl("tree", "check", tree_file, *files).exit_code == 0
    total = json.loads(tree_file.read_text())["sum"]
    ranking = wordpl("solve", "--exact", "--top", "40", *files)
    assert f" {total} " in ranking.output
    assert "contains a proof" in wordpl("solve", "--prove", "--log", log, *files).output
