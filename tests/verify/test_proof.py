"""The log of a proof: edits that make it claim what is false are found, whatever is sampled."""

import json
from hashlib import sha256
from math import comb

import numpy as np
import pytest

from tests.helpers.cli import wordpl
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.search.proof import open_log, prove
from wordpl.verify import proof

pytestmark = pytest.mark.timeout(600)  # the first test compiles the search


@pytest.fixture(scope="module")
def problem(lists):
    rng = np.random.default_rng(3)
    words = tuple(sorted(map(str, rng.choice(lists.answers, 20, replace=False))))
    return Problem(WordLists(words, words))


@pytest.fixture(scope="module")
def lines(problem, tmp_path_factory):
    """The lines of a complete log, as objects without their digests."""
    path = tmp_path_factory.mktemp("proof") / "proof.jsonl"
    with open_log(path, problem, problem.position()) as log:
        assert prove(problem.position(), log, 1, lambda _: None).is_complete
    objects = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert path.read_bytes() == written(objects)
    return [{name: value for name, value in fields.items() if name != "chain"} for fields in objects]


def written(objects, bodies=None):
    """Return the log with these lines; their digests are made anew, as by someone who knows how."""
    chain, out = "", []
    for fields in objects:
        kept = {name: value for name, value in fields.items() if name != "chain"}
        body = kept["raw"] if "raw" in kept else json.dumps(kept, separators=(",", ":"))
        chain = sha256((chain + body).encode()).hexdigest()
        out.append(f'{body[:-1]},"chain":"{chain}"}}\n')
    return "".join(out).encode()


def raised(lines, **fields):
    return [*lines[:3], lines[3] | fields, *lines[4:]]


EDITS_OF_FIELDS = {
    "a bound as a float": lambda lines: raised(lines, bound=lines[3]["bound"] + 0.0),
    "a bound as text": lambda lines: raised(lines, bound=str(lines[3]["bound"])),
    "a bound that is true": lambda lines: raised(lines, bound=True),
    "no bound": lambda lines: raised(lines, bound=None),
    "NaN": lambda lines: raised(lines, bound=float("nan")),
    "infinity": lambda lines: raised(lines, bound=float("inf")),
    "a huge bound": lambda lines: raised(lines, bound=1 << 50),
    "more than infeasible": lambda lines: raised(lines, bound=(1 << 40) + 1),
    "a negative bound": lambda lines: raised(lines, bound=-1),
    "a bound above any total": lambda lines: raised(lines, bound=20 * 21 + 1, solved=False),
    "a total below any total": lambda lines: raised(lines, bound=38, solved=True),
    "solved without a tree": lambda lines: raised(lines, bound=1 << 40, solved=True),
    "solved as a number": lambda lines: raised(lines, solved=1),
    "an unknown opener": lambda lines: raised(lines, opener="zesty"),
    "an opener as a number": lambda lines: raised(lines, opener=7),
    "an opener twice": lambda lines: [*lines, lines[3] | {"bound": lines[3]["bound"] + 1, "solved": False}],
    "another field": lambda lines: raised(lines, checked=True),
    "a field less": lambda lines: [*lines[:3], {"opener": lines[3]["opener"], "bound": 60}, *lines[4:]],
    "a field twice": lambda lines: raised(lines, raw='{"opener":"abide","bound":1,"bound":99,"solved":false}'),
    "a list": lambda lines: [*lines[:3], {"raw": "[1]"}, *lines[4:]],
    "another limit": lambda lines: [lines[0] | {"limit": 3}, *lines[1:]],
    "hard mode": lambda lines: [lines[0] | {"is_hard": 1}, *lines[1:]],
    "other answers": lambda lines: [lines[0] | {"answers": "0" * 64}, *lines[1:]],
    "other guesses": lambda lines: [lines[0] | {"guesses": "0" * 64}, *lines[1:]],
    "a prior": lambda lines: [lines[0] | {"prior": "0" * 64}, *lines[1:]],
    "another clue rule": lambda lines: [lines[0] | {"clue_rule": "anywhere"}, *lines[1:]],
    "one field more in the claim": lambda lines: [lines[0] | {"checked": True}, *lines[1:]],
    "a limit of no guess": lambda lines: [lines[0] | {"limit": 0}, *lines[1:]],
    "a limit above all": lambda lines: [lines[0] | {"limit": 64}, *lines[1:]],
    "another version": lambda lines: [lines[0] | {"format": 4}, *lines[1:]],
    "a hint that is none": lambda lines: [lines[0] | {"hints": ["zzzzz:ccccc"]}, *lines[1:]],
    "no claim": lambda lines: lines[1:],
    "two claims": lambda lines: [lines[0], *lines],
    "the claim last": lambda lines: [*lines[1:], lines[0]],
    "digits of another script": lambda lines: raised(lines, raw='{"opener":"abide","bound":٦٦,"solved":false}'),
    "an exponent": lambda lines: raised(lines, raw='{"opener":"abide","bound":6e1,"solved":false}'),
    "a leading zero": lambda lines: raised(lines, raw='{"opener":"abide","bound":060,"solved":false}'),
    "a number of 5,000 digits": lambda lines: raised(lines, raw=f'{{"opener":"abide","bound":{"9" * 5000}}}'),
    "a list as a bound": lambda lines: raised(lines, bound=[lines[3]["bound"]]),
    "solved as null": lambda lines: raised(lines, solved=None),
    "an opener in capitals": lambda lines: raised(lines, opener=lines[3]["opener"].upper()),
    "an opener with a space": lambda lines: raised(lines, opener=lines[3]["opener"] + " "),
    "another word in place of an opener": lambda lines: raised(lines, opener=lines[4]["opener"]),
    "text after the object": lambda lines: raised(lines, raw=json.dumps(lines[3]) + " {}"),
}


def refused(path, problem):
    """Return whether both readers refuse the log, and leave it as it is."""
    before, n_refused = path.read_bytes(), 0
    try:
        open_log(path, problem, problem.position()).close()
    except UserError:
        n_refused += 1
    try:
        proof.check(path, problem.lists, (0, np.random.default_rng(1)))
    except UserError:
        n_refused += 1
    assert path.read_bytes() == before
    return n_refused


@pytest.mark.parametrize("edit", EDITS_OF_FIELDS)
def test_a_line_that_no_proof_writes_is_refused_even_with_its_digests_made_anew(problem, lines, tmp_path, edit):
    path = tmp_path / "log.jsonl"
    path.write_bytes(written(EDITS_OF_FIELDS[edit](lines)))
    accepts_limit = edit == "another limit"  # the second reader takes the limit from the log, and says so
    assert refused(path, problem) == (1 if accepts_limit else 2)


EDITS_OF_TEXT = {
    "a raised bound": lambda text: text.replace(b'"bound":4', b'"bound":5', 1),
    "solved": lambda text: text.replace(b'"solved":false', b'"solved":true', 1),
    "a line removed": lambda text: b"".join(text.splitlines(keepends=True)[:4] + text.splitlines(keepends=True)[5:]),
    "lines exchanged": lambda text: b"".join(sorted(text.splitlines(keepends=True)[:1] + text.splitlines(True)[:0:-1])),
    "a line repeated": lambda text: text + text.splitlines(keepends=True)[-1],
    "a digest removed": lambda text: text[: text.rindex(b',"chain"')] + b"}\n",
    "a space": lambda text: text.replace(b'"bound":', b'"bound": ', 1),
    "an empty line": lambda text: text + b"\n",
    "text": lambda text: text + b"proved\n",
    "lines that end as on Windows": lambda text: text.replace(b"\n", b"\r\n"),
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "a zero byte": lambda text: text.replace(b'"bound":', b'"bound":\0', 1),
    "the last digests exchanged": lambda text: b"\n".join(_with_exchanged_digests(text.splitlines())) + b"\n",
    "the digest of the claim": lambda text: text.replace(text.splitlines()[0][-66:-2], b"0" * 64),
    "digests made anew up to a line": lambda text: _made_anew_up_to(text, 6),
}


def _with_exchanged_digests(lines):
    cut = len(',"chain":"') + 64 + len('"}')
    *before, a, b = lines
    return [*before, a[:-cut] + b[-cut:], b[:-cut] + a[-cut:]]


def _made_anew_up_to(text, n_lines):
    objects = [json.loads(line) for line in text.splitlines()]
    objects[3]["bound"] += 1
    return b"".join(written(objects).splitlines(True)[:n_lines] + text.splitlines(True)[n_lines:])


@pytest.mark.parametrize("edit", EDITS_OF_TEXT)
def test_an_edit_without_new_digests_is_refused(problem, lines, tmp_path, edit):
    path = tmp_path / "log.jsonl"
    text = EDITS_OF_TEXT[edit](written(lines))
    assert text != written(lines)
    path.write_bytes(text)
    assert refused(path, problem) == 2


def test_an_unfinished_log_is_not_called_a_proof(problem, lines, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(written(lines[:-5]))
    check = proof.check(path, problem.lists, (5, np.random.default_rng(1)))
    assert (check.is_complete, check.chance_to_find_one) == (False, 5 / 15)
    path.write_bytes(written(lines))
    assert proof.check(path, problem.lists, (20, np.random.default_rng(1))).is_complete


def test_a_sample_finds_false_bounds_as_often_as_draws_without_replacement(problem, lines, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(written(lines))
    check = proof.check(path, problem.lists, (5, np.random.default_rng(1)))
    assert check.chance_to_find(0.2) == pytest.approx(1 - comb(16, 5) / comb(20, 5))


def test_the_openers_with_the_best_total_are_searched_again_without_a_sample(problem, lines, tmp_path):
    path = tmp_path / "log.jsonl"
    best = min((line for line in lines[1:] if line["solved"]), key=lambda line: line["bound"])
    path.write_bytes(written([line | {"bound": line["bound"] - 1} if line is best else line for line in lines]))
    check = proof.check(path, problem.lists, (0, np.random.default_rng(1)))
    assert best["opener"] in check.checked
    assert len(check.faults) == 1


def test_a_bound_that_is_too_large_by_one_is_found(problem, lines, tmp_path):
    path, best = (
        tmp_path / "log.jsonl",
        min((line for line in lines[1:] if line["solved"]), key=lambda line: line["bound"]),
    )
    more = best | {"bound": best["bound"] + 1, "solved": False}
    path.write_bytes(written([more if line is best else line for line in lines]))
    assert len(proof.check(path, problem.lists, (20, np.random.default_rng(1))).faults) == 1


def test_a_line_has_each_field_once(problem, lines, tmp_path):
    path = tmp_path / "log.jsonl"
    twice = f'{{"opener":"{lines[3]["opener"]}",' + json.dumps(lines[3], separators=(",", ":"))[1:]
    path.write_bytes(written(raised(lines, raw=twice)))
    with pytest.raises(UserError, match="line 4 of the log is not an object of JSON with each field once"):
        proof.check(path, problem.lists, (0, np.random.default_rng(1)))


@pytest.mark.parametrize("hint", ["zzzzz:.....", "OPENER:....", "OPENER:xxxxx", "OPENER"])
def test_hints_that_are_no_guesses_with_their_clues_are_refused_as_such(problem, lines, tmp_path, hint):
    path = tmp_path / "log.jsonl"
    path.write_bytes(written([lines[0] | {"hints": [hint.replace("OPENER", lines[3]["opener"])]}, *lines[1:]]))
    with pytest.raises(UserError, match="hints that are no guesses with their clues"):
        proof.check(path, problem.lists, (0, np.random.default_rng(1)))


def test_the_best_opener_is_that_with_the_smallest_total_wherever_its_line_is(problem, lines, tmp_path):
    path, words = tmp_path / "log.jsonl", problem.lists.answers
    least = min(line["bound"] for line in lines[1:] if line["solved"])
    search = proof.OpenerBounds(proof.Question(words, words, [1] * len(words), (), lines[0]["limit"]))
    totals = {line["opener"]: search.bound(line["opener"], proof.INFEASIBLE) for line in lines[1:]}
    solved = [line | {"bound": totals[line["opener"]], "solved": True} for line in lines[1:]]
    path.write_bytes(written([lines[0], *sorted(solved, key=lambda line: -line["bound"])]))
    check = proof.check(path, problem.lists, (20, np.random.default_rng(1)))
    assert (check.best.bound, check.is_complete, check.faults) == (least, True, ())


def test_bounds_whose_search_takes_too_long_are_named_and_do_not_count_as_searched(
    problem, lines, tmp_path, monkeypatch
):
    monkeypatch.setattr(proof, "MAX_WORK", 1)
    path = tmp_path / "log.jsonl"
    path.write_bytes(written(lines))
    check = proof.check(path, problem.lists, (20, np.random.default_rng(1)))
    assert len(check.checked) == 20
    assert check.undecided == (check.best.opener,), "the other bounds need no search"
    assert (check.n_sampled, check.chance_to_find_one) == (19, 19 / 20)


@pytest.mark.slow
def test_the_sample_finds_a_false_bound_among_200_with_the_stated_probability(lists, tmp_path):
    path, n_sampled, n_checks = tmp_path / "log.jsonl", 20, 150
    rng = np.random.default_rng(4)
    guesses = tuple(sorted(map(str, rng.choice(lists.answers, 200, replace=False))))
    problem = Problem(WordLists(tuple(sorted(map(str, rng.choice(guesses, 12, replace=False)))), guesses))
    with open_log(path, problem, problem.position()) as log:
        assert prove(problem.position(), log, 1, lambda _: None).is_complete
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    least = min(fields["bound"] for fields in lines[1:])  # the best openers are searched in each check
    at = next(i for i, fields in enumerate(lines) if fields.get("bound", least) > least)
    false = lines[at] | {"bound": lines[at]["bound"] + 6 * len(problem.lists.answers)}  # more than six guesses each
    path.write_bytes(written([*lines[:at], false, *lines[at + 1 :]]))
    checks = [proof.check(path, problem.lists, (n_sampled, np.random.default_rng(i))) for i in range(n_checks)]
    assert {check.chance_to_find_one for check in checks} == {n_sampled / 200}
    n_found = sum(bool(check.faults) for check in checks)
    assert abs(n_found - n_checks / 10) < 4 * (n_checks * 9 / 100) ** 0.5
    assert all(lines[at]["opener"] in check.checked for check in checks if check.faults)
    everything = proof.check(path, problem.lists, (200, np.random.default_rng(1)))
    assert (len(everything.checked), len(everything.faults)) == (200, 1)


def test_commands_check_a_log_and_refuse_to_resume_a_false_one(problem, lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.txt").write_text("".join(f"{word}\n" for word in problem.lists.answers))
    files = ["--answers", "words.txt", "--guesses", "words.txt"]
    true, false = tmp_path / "true.jsonl", tmp_path / "false.jsonl"
    true.write_bytes(written(lines))
    least = min(fields["bound"] for fields in lines[1:])
    more = {"bound": least + 1, "solved": False}
    claims_more = [lines[0], *(fields | more if fields["bound"] == least else fields for fields in lines[1:])]
    false.write_bytes(written(claims_more))
    checked = wordpl("solve", "--check-proof", true, *files)
    assert (checked.exit_code, "20 of 20 bounds again" in checked.output) == (0, True), checked.output
    assert "The log is complete: it says that no opener has a smaller total than" in checked.output
    found = wordpl("solve", "--check-proof", false, *files)
    assert (found.exit_code, "FALSE: line" in found.output) == (1, True)
    resumed = wordpl("solve", "--prove", "--resume", "--log", false, *files)
    assert (resumed.exit_code, "Proved" in resumed.output) == (1, False), resumed.output
    assert "Proved: no opener" in wordpl("solve", "--prove", "--resume", "--log", true, *files).output


@pytest.fixture(scope="module")
def long_log(lists, tmp_path_factory):
    """A folder with word lists and a complete log of 200 openers, and the lines of the log without their digests."""
    folder, rng = tmp_path_factory.mktemp("long"), np.random.default_rng(4)
    guesses = tuple(sorted(map(str, rng.choice(lists.answers, 200, replace=False))))
    answers = tuple(sorted(map(str, rng.choice(guesses, 12, replace=False))))
    for name, words in (("answers", answers), ("guesses", guesses)):
        (folder / f"{name}.txt").write_text("".join(f"{word}\n" for word in words))
    problem = Problem(WordLists(answers, guesses), limit=6)
    with open_log(folder / "log.jsonl", problem, problem.position()) as log:
        assert prove(problem.position(), log, 1, lambda _: None).is_complete
    objects = [json.loads(line) for line in (folder / "log.jsonl").read_bytes().splitlines()]
    return folder, [{name: value for name, value in fields.items() if name != "chain"} for fields in objects]


def check_proof(folder, *arguments):
    files = ["--answers", folder / "answers.txt", "--guesses", folder / "guesses.txt"]
    return wordpl("solve", "--check-proof", folder / "edited.jsonl", *files, "--jobs", "1", *arguments)


def edit_of_lines(change):
    """Return an edit that replaces the fields of lines, given the least total and whether the line states it."""

    def edit(lines):
        least = min(fields["bound"] for fields in lines[1:] if fields["solved"])
        best = next(fields["opener"] for fields in lines[1:] if fields["solved"] and fields["bound"] == least)
        refuted = [fields["opener"] for fields in lines[1:] if not fields["solved"]]
        return [lines[0], *(fields | change(fields["opener"], least, best, refuted) for fields in lines[1:])]

    return edit


def edit_of_claim(**fields):
    return lambda lines: [lines[0] | fields, *lines[1:]]


def without_the_best(lines):
    least = min(fields["bound"] for fields in lines[1:])
    return [fields for fields in lines if fields.get("bound") != least or not fields["solved"]]


def with_exchanged_openers(lines):
    low, *_, high = sorted(lines[1:], key=lambda fields: fields["bound"])
    swapped = {low["opener"]: high["opener"], high["opener"]: low["opener"]}
    return [lines[0], *(fields | {"opener": swapped.get(fields["opener"], fields["opener"])} for fields in lines[1:])]


FALSE_EDITS = {
    "another opener solved with less": edit_of_lines(
        lambda opener, least, _, refuted: {"bound": least - 1, "solved": True} if opener == refuted[-1] else {}
    ),
    "another opener solved with as much": edit_of_lines(
        lambda opener, least, _, refuted: {"bound": least, "solved": True} if opener == refuted[-1] else {}
    ),
    "all others solved with as much": edit_of_lines(lambda _, least, *__: {"bound": least, "solved": True}),
    "the best solved with less": edit_of_lines(
        lambda opener, least, best, _: {"bound": least - 1} if opener == best else {}
    ),
    "the best solved with more": edit_of_lines(
        lambda opener, least, best, _: {"bound": least + 1} if opener == best else {}
    ),
    "the best refuted and another solved": edit_of_lines(
        lambda opener, least, best, refuted: {"bound": least + 1, "solved": opener == refuted[0]}
    ),
    "the best refuted": edit_of_lines(lambda opener, _, best, __: {"solved": False} if opener == best else {}),
    "the best without a tree": edit_of_lines(
        lambda opener, _, best, __: {"bound": 1 << 40, "solved": False} if opener == best else {}
    ),
    "one bound far too high": edit_of_lines(
        lambda opener, least, _, refuted: {"bound": least + 30} if opener == refuted[5] else {}
    ),
    "one opener without a tree": edit_of_lines(
        lambda opener, _, __, refuted: {"bound": 1 << 40} if opener == refuted[9] else {}
    ),
    "one bound too low": edit_of_lines(
        lambda opener, least, _, refuted: {"bound": least - 1} if opener == refuted[7] else {}
    ),
    "all bounds raised": edit_of_lines(lambda _, least, best, __: {"bound": least + 9, "solved": False}),
    "all without a tree": edit_of_lines(lambda *_: {"bound": 1 << 40, "solved": False}),
    "the refuted solved": edit_of_lines(
        lambda opener, least, _, refuted: {"bound": least + 20, "solved": True} if opener == refuted[3] else {}
    ),
    "two openers exchanged": with_exchanged_openers,
    "the best left out": without_the_best,
    "a line left out": lambda lines: [*lines[:50], *lines[51:]],
    "all but the best left out": lambda lines: [lines[0], *(fields for fields in lines[1:] if fields["solved"])],
    "no bounds": lambda lines: lines[:1],
    "a line in place of another": lambda lines: [*lines[:50], lines[51], *lines[51:]],
    "the claim last": lambda lines: [*lines[1:], lines[0]],
    "hard mode": edit_of_claim(is_hard=True),
    "a tighter limit": edit_of_claim(limit=2),
    "a wider limit": edit_of_claim(limit=7),
    "no limit": edit_of_claim(limit=None),
    "answers and guesses exchanged": lambda lines: [
        lines[0] | {"answers": lines[0]["guesses"], "guesses": lines[0]["answers"]},
        *lines[1:],
    ],
    "a clue": edit_of_claim(hints=["abide:....."]),
    "another search": edit_of_claim(method=3),
}


@pytest.mark.parametrize("edit", FALSE_EDITS)
def test_no_false_edit_of_a_log_passes_with_its_digests_made_anew(long_log, edit):
    folder, lines = long_log
    edited = FALSE_EDITS[edit](lines)
    assert edited != lines
    (folder / "edited.jsonl").write_bytes(written(edited))
    for sample in ("0", "20"):
        checked = check_proof(folder, "--sample", sample)
        assert checked.exit_code == 1, checked.output
        assert "The log is complete" not in checked.output


def test_a_log_may_have_its_lines_in_any_order(long_log):
    folder, lines = long_log
    (folder / "edited.jsonl").write_bytes(written([lines[0], *reversed(lines[1:])]))
    checked = check_proof(folder)
    assert checked.exit_code == 0, checked.output
    for words in (
        "Searched 200 bounds again: all hold.",
        "12 answers, 200 guesses, at most 6 of them in a game, normal",
    ):
        assert words in " ".join(checked.output.split())


@pytest.mark.parametrize(
    ("option", "difference"),
    [
        ("--hard", "hard mode off instead of on"),
        ("--max-guesses=0", "limit 6 instead of none"),
        ("OPENER:.....", "hints none instead of"),
    ],
)
def test_a_log_of_another_question_than_the_command_asks_is_not_checked(long_log, option, difference):
    folder, lines = long_log
    (folder / "edited.jsonl").write_bytes(written(lines))
    opener = max(lines[1:], key=lambda fields: fields["bound"])["opener"]
    checked = check_proof(folder, option.replace("OPENER", opener))
    assert (checked.exit_code, difference in " ".join(checked.output.split())) == (1, True), checked.output


def test_a_proof_that_no_opener_has_a_tree_is_checked(long_log, tmp_path):
    folder, _ = long_log
    files = ["--answers", folder / "answers.txt", "--guesses", folder / "guesses.txt", "--max-guesses", "2"]
    log = tmp_path / "none.jsonl"
    assert "Proved: no tree" in wordpl("solve", "--prove", "--log", log, *files).output
    checked = wordpl("solve", "--check-proof", log, *files)
    assert (checked.exit_code, "it says that no opener has a tree" in checked.output) == (0, True), checked.output


def test_a_resumed_proof_says_which_bounds_it_believes(long_log, tmp_path):
    folder, lines = long_log
    log = tmp_path / "resumed.jsonl"
    log.write_bytes(written(lines[:101]))
    files = ["--answers", folder / "answers.txt", "--guesses", folder / "guesses.txt", "--log", log]
    resumed = wordpl("solve", "--prove", "--resume", "--sample", "3", *files)
    assert resumed.exit_code == 0, resumed.output
    assert "Proved if the 9" in resumed.output and "is optimal" not in resumed.output
    assert "Proved: no opener" in wordpl("solve", "--prove", "--resume", "--sample", "200", *files).output


@pytest.mark.parametrize(
    "arguments",
    [
        ["--prove", "--worst"],
        ["--prove", "--opener", "salet"],
        ["--prove", "--width", "20"],
        ["--prove", "--top", "3"],
        ["--exact", "--width", "20"],
        ["--resume"],
        ["--log", "other.jsonl"],
        ["--sample", "20"],
        ["--worst", "--top", "3"],
    ],
)
def test_options_that_would_be_ignored_are_refused(arguments):
    result = wordpl("solve", *arguments)
    assert result.exit_code == 2
    assert "cannot be combined with" in result.output or "needs --" in result.output


def test_a_proof_with_a_prior_states_its_total_in_guesses(problem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.txt").write_text("".join(f"{word}\n" for word in problem.lists.answers))
    rows = "".join(f"{word},{1 + i % 3 if i else 1e-12}\n" for i, word in enumerate(problem.lists.answers))
    (tmp_path / "prior.csv").write_text("word,probability\n" + rows)
    files = ["--answers", "words.txt", "--guesses", "words.txt", "--prior", "prior.csv"]
    result = wordpl("solve", "--prove", *files)
    total = float(result.output.split(" with ")[1].split(" guesses")[0])
    assert 20 < total < 80
    checked = wordpl("solve", "--check-proof", "proof.jsonl", *files)
    assert checked.exit_code == 0, checked.output
    assert f"with {total:.1f} guesses" in checked.output
