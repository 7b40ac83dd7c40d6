"""Certificates that no opener has less than a total: what the checker accepts is true, and it refuses all else."""

import importlib
import json
import sys
from functools import lru_cache
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from tests.helpers.cases import one_quick_of
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES
from wordpl.core.words import WordLists

clue = CLUE_RULES["counted"]
INFINITE = 1 << 40
MODULES = ("benchmarks.check_certificate", "benchmarks.certify")


@pytest.fixture(scope="module")
def plain():
    """The checker and the program that makes certificates, not compiled; all shortcuts hold for small sets."""
    with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):
        patch.setattr(numba, "njit", lambda **_: lambda function: function)
        for name in MODULES:
            patch.delitem(sys.modules, name, raising=False)
        checker, maker = (importlib.import_module(name) for name in MODULES)
        for name, value in {"MAX_IN_PAIRS": 4, "MAX_QUICK": 4, "MEMO_BITS": 7}.items():
            patch.setattr(checker, name, value)
        yield SimpleNamespace(checker=checker, maker=maker)
        for name in MODULES:
            sys.modules.pop(name, None)


def some_lists(rng, n_answers=8, n_guesses=13):
    """Return random word lists; most answers differ in one letter alone, so that they are hard to tell apart."""
    alike = [letter + "yz" for letter in "abcdefgh"[: n_answers - 2]]
    answers = dict.fromkeys(alike)
    while len(answers) < n_answers:
        answers["".join(rng.choice(list("abcyz"), 3))] = None
    guesses = dict.fromkeys(answers)
    while len(guesses) < n_guesses:
        guesses["".join(rng.choice(list("abcdyz"), 3))] = None
    return WordLists(tuple(answers), tuple(guesses))


def allows(guess, before, marks, word):
    """Return whether hard mode allows a word after a guess: all revealed letters, those in place in their places."""
    revealed = [letter for letter, mark in zip(before, marks, strict=True) if mark != "."]
    in_place = all(word[i] == before[i] for i, mark in enumerate(marks) if mark == "c")
    return in_place and all(word.count(letter) >= revealed.count(letter) for letter in set(revealed))


def totals(lists, is_hard):
    """Return a function that plays all games: (set, words still allowed, guesses left) -> the least total."""

    @lru_cache(None)
    def least(answers, allowed, left):
        if left < min(2, len(answers)):
            return INFINITE
        if len(answers) == 1:
            return 1
        return min((after(guess, answers, allowed, left) for guess in allowed), default=INFINITE)

    @lru_cache(None)
    def after(guess, answers, allowed, left):
        return min(INFINITE, len(answers) + sum(value for _, value in sets(guess, answers, allowed, left)))

    def sets(guess, answers, allowed, left):
        parts = {}
        for answer in answers:
            parts.setdefault(clue(guess, answer), []).append(answer)
        for marks, part in parts.items():
            if part == [guess]:
                yield part, 0
            elif len(part) == len(answers):
                yield part, INFINITE  # a guess that tells nothing is never the best one
            else:
                words = tuple(word for word in allowed if not is_hard or allows(word, guess, marks, word))
                yield part, least(tuple(part), words, left - 1)

    return after, sets


def written(plain, lists, total, limit, is_hard, folder):
    """Write a certificate, and return its path and arrays."""
    certifier = plain.maker.Certifier(lists, total, limit, is_hard)
    lines = {opener: certifier.line(opener) for opener in lists.guesses}
    arrays = plain.maker.packed(plain.maker.claim(lists, total, limit, is_hard), lines, lists.guesses)
    np.savez(folder / "made.npz", **arrays)
    return folder / "made.npz", arrays


def is_accepted(plain, path, lists):
    """Return whether the checker accepts a file."""
    try:
        plain.checker.Certificate(path, list(lists.answers), list(lists.guesses)).check()
    except (plain.checker.Refused, ValueError):
        return False
    return True


@pytest.mark.parametrize("is_hard", [False, True])
@pytest.mark.parametrize("limit", one_quick_of(3, [6, 0, 5]))
def test_a_certificate_is_made_of_the_least_total_of_all_games_and_of_no_greater_one(plain, is_hard, limit, tmp_path):
    rng = np.random.default_rng(limit + 10 * is_hard)
    for _ in range(2):
        lists = some_lists(rng, 9, 14)
        after, _ = totals(lists, is_hard)
        least = min(after(opener, lists.answers, lists.guesses, limit or 9) for opener in lists.guesses)
        if least < INFINITE:
            path, _ = written(plain, lists, least, limit, is_hard, tmp_path)
            assert is_accepted(plain, path, lists)
            with pytest.raises(SystemExit, match="less than"):
                written(plain, lists, least + 1, limit, is_hard, tmp_path)


@pytest.mark.parametrize("is_hard", [False, True])
def test_a_certificate_is_accepted_exactly_if_each_of_its_bounds_holds(plain, is_hard, tmp_path):
    rng = np.random.default_rng(is_hard)
    lists = some_lists(rng, 7, 10)
    after, sets = totals(lists, is_hard)
    least = min(after(opener, lists.answers, lists.guesses, 9) for opener in lists.guesses)
    path, arrays = written(plain, lists, least, 0, is_hard, tmp_path)
    most = max(len({clue(guess, answer) for answer in lists.answers}) for guess in lists.guesses)
    highest = []
    for opener in sorted(lists.guesses):
        for part, value in sets(opener, tuple(sorted(lists.answers)), lists.guesses, 9):
            highest.append(value - max(2 * len(part) - 1, 3 * len(part) - most - 1) if value else 0)
    raised = np.flatnonzero(arrays["excess"])
    for giver in raised[:3]:  # what one bound gives to its neighbour leaves the total as it is
        for taker in (giver - 1, giver + 1):
            excess = arrays["excess"].copy()
            excess[giver] -= 1
            excess[taker % len(excess)] += 1
            np.savez(path, **{**arrays, "excess": excess})
            assert not is_accepted(plain, path, lists) or np.all(excess <= highest)
    assert np.all(arrays["excess"] <= highest)
    assert len(raised) > 3


def test_every_other_edit_of_a_certificate_is_refused(plain, tmp_path):
    lists = some_lists(np.random.default_rng(5), 9)
    after, _ = totals(lists, True)
    least = min(after(opener, lists.answers, lists.guesses, 6) for opener in lists.guesses)
    path, arrays = written(plain, lists, least, 6, True, tmp_path)
    said, excess = json.loads(arrays["claim"].tobytes()), arrays["excess"]
    raised = np.flatnonzero(excess)[:4]
    assert len(raised) > 2
    claims = [
        {"total": least + 1}, {"total": least - 1}, {"total": str(least)}, {"total": True}, {"limit": -1},
        {"hard": 1}, {"answers": said["guesses"]}, {"guesses": "0" * 64}, {"remark": "checked"},
    ]  # fmt: skip
    edits = [{"claim": np.frombuffer(json.dumps(said | claim).encode(), np.uint8)} for claim in claims]
    edits += [{"excess": excess - np.eye(len(excess), dtype=np.uint16)[place]} for place in raised]
    edits += [{"excess": excess + np.eye(len(excess), dtype=np.uint16)[place]} for place in raised]
    edits += [
        {"excess": excess[:-1]}, {"excess": np.append(excess, np.uint16(0))}, {"excess": excess.astype(np.int64)},
        {"limited": arrays["limited"][1:]}, {"limited": arrays["limited"] + np.uint8(2)}, {"more": excess},
        {"claim": np.frombuffer(b"[]", np.uint8)},
    ]  # fmt: skip
    assert is_accepted(plain, path, lists)
    for edit in edits:
        np.savez(path, **{**arrays, **edit})
        assert not is_accepted(plain, path, lists)
    path.write_bytes(b"PK\x03\x04 no certificate")
    with pytest.raises(SystemExit, match="is refused"):
        plain.checker.main([str(path)])


@pytest.mark.long  # 35 CPU seconds, most of them to compile
@pytest.mark.timeout(600)
def test_the_compiled_checker_accepts_the_kept_certificate_and_refuses_a_false_bound(tmp_path):
    from benchmarks import check_certificate

    kept = check_certificate.CERTIFICATES / "original-hard.npz"
    lists = words.load()
    certificate = check_certificate.Certificate(kept, list(lists.answers), list(lists.guesses))
    assert certificate.check((1, 1000)) == 13
    one_word = int(np.flatnonzero(np.bincount(certificate.board.labels[:, certificate.column_of("aahed")]) == 1)[0])
    with np.load(kept) as file:
        arrays = dict(file)
    giver = int(np.argmax(arrays["excess"][:50]))
    arrays["excess"][giver] -= 1
    arrays["excess"][one_word] += 1
    np.savez(tmp_path / "edited.npz", **arrays)
    edited = check_certificate.Certificate(tmp_path / "edited.npz", list(lists.answers), list(lists.guesses))
    with pytest.raises(check_certificate.Refused, match="aahed: the bound of the clue set of"):
        edited.check((1, 1000))
