from datetime import date
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.paths import HOME
from wordpl.core import paths, words
from wordpl.core.messages import UserError

SHA256 = {
    "answers.txt": "f40e47975cf360ff9febe7d49c8e285054d8fa3fb9644cea575922060951d6ee",
    "valid.txt": "f430f3580011818063278684a9200b678ac005616bed8583c7708e753c30a3af",
    "wordpl/data/valid-sorted.txt": "feacc549249b5dcb43e2799fbbcda14ebc33d55904fb15d043779104e60c1579",
    "wordpl/data/answers-2023.txt": "3e443482b78dee0f6f8de4f74dbb67537db781524279b1d40ca3353c592b03ce",
    "wordpl/data/modern.txt": "ba86911aea83d038d53c0999fe6cbe310c8f59d2b79626c73bd0cd0773adc320",
    "wordpl/data/undated-answers.txt": "a2bd26f7e3e58bf2ba068068a3fa51ac232ded3dc02bff71a6c4bccb65074abd",
    "wordpl/data/puzzle-order.txt": "ecc0269bce8250738f277c63103ed81a0d9904549a6d6da2c7cd6d32cca401f0",
}


@pytest.mark.parametrize("name", SHA256)
def test_word_files_are_the_published_lists(name):
    assert sha256((HOME / name).read_bytes()).hexdigest() == SHA256[name]


def test_lists_have_their_sizes_and_nest(lists):
    modern, answers_2023, puzzle_order = (
        set(words.bundled(name)) for name in ("modern", "answers-2023", "puzzle-order")
    )
    assert (len(lists.answers), len(lists.guesses), len(modern), len(answers_2023)) == (2315, 12972, 14855, 3158)
    assert list(lists.answers) == sorted(lists.answers)
    assert lists.answer_set == puzzle_order <= lists.guess_set <= modern
    assert answers_2023 <= modern
    assert words.bundled("puzzle-order")[0] == "cigar"


def test_bundled_lists_are_found_by_their_names():
    files = {path.stem for path in paths.DATA.glob("*.txt")}
    assert files == set(words.BUNDLED)
    assert all(words.find(name) == words.read(paths.DATA / f"{name}.txt") for name in files)
    assert len(words.bundled("undated-answers")) == 1564


def test_the_digest_of_a_list_is_that_of_its_file(lists):
    assert lists.sha256 == {"answers": SHA256["answers.txt"], "guesses": SHA256["valid.txt"]}


def test_the_contests_lists_have_the_order_of_the_original_repository(lists):
    assert lists.guesses[:3] == ("noles", "melas", "waist")
    assert lists.guesses[-1] == "regma"
    assert words.bundled("valid-sorted") == tuple(sorted(lists.guesses))


def test_a_list_keeps_the_order_of_its_file(tmp_path):
    own = ("waist", "abide", "noles")
    files = [tmp_path / name for name in ("answers.txt", "guesses.txt")]
    for file in files:
        file.write_text(words.as_text(own))
    assert (words.load(*files).answers, words.load(*files).guesses) == (own, own)
    files[0].write_text("# a comment\nWaist\r\nabide noles\n", encoding="utf-8-sig")  # as spreadsheets may write it
    assert words.read(files[0]) == own


def test_lists_of_release_1_0_0_are_found_by_their_digests(lists, tmp_path):
    earlier = {"answers": SHA256["answers.txt"], "guesses": SHA256["wordpl/data/valid-sorted.txt"]}
    assert words.recorded_file(tmp_path / "valid.txt", earlier["guesses"]) == paths.DATA / "valid-sorted.txt"
    assert lists.in_order_of(earlier).guesses == tuple(sorted(lists.guesses))
    assert lists.in_order_of(earlier).sha256 == earlier == lists.set_sha256
    assert lists.in_order_of({"answers": SHA256["answers.txt"], "guesses": "0" * 64}) is lists
    others = words.of_words(lists.answers, lists.answers)
    assert others.in_order_of(earlier) is others, "these are other words"


def test_digests_without_order_tell_words_and_not_their_order(lists):
    reverse = words.of_words(lists.answers[::-1], lists.guesses[::-1])
    assert reverse.set_sha256 == lists.set_sha256 != lists.sha256 != reverse.sha256
    assert lists.has_words_of(reverse.set_sha256)
    assert lists.has_words_of(lists.sha256)
    assert not lists.has_words_of(reverse.sha256)
    assert reverse.puzzle_sha256["answers"] != lists.puzzle_sha256["answers"]


def test_the_same_files_give_the_same_lists(lists):
    assert words.load() is lists


def test_letters_are_codes_from_0():
    assert np.array_equal(words.letters(["abz", "cat"]), np.array([[0, 1, 25], [2, 0, 19]], np.uint8))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty"),
        ("crane\nCRANE\n", "'crane' occurs twice"),
        ("crane\nna\u00efve\n", "has the letter '\u00ef': words must consist of the letters a to z"),
        ("crane\nslate\ncrane\n", "'crane' occurs twice"),
        ("crane\nhouses\n", "'houses' has 6 letters, but the first word has 5"),
        ("ab\n", "has 2 letters, not 3 to 11"),
        ("abcdefghijkl\n", "has 12 letters, not 3 to 11"),
    ],
)
def test_a_file_that_is_no_word_list_is_refused_with_the_reason(tmp_path, text, complaint):
    path = tmp_path / "list.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=complaint):
        words.read(path)


def test_answers_have_to_be_guesses_of_the_same_length(tmp_path):
    (tmp_path / "a").write_text("dog\ncat\n")
    (tmp_path / "g").write_text("cat\ncow\n")
    with pytest.raises(UserError, match=r"1 of .* are not in .*: dog"):
        words.load(tmp_path / "a", tmp_path / "g")
    with pytest.raises(UserError, match="give both --answers and --guesses"):
        words.load(tmp_path / "a")


def test_an_unknown_bundled_list_is_refused_with_the_valid_names():
    with pytest.raises(UserError, match="choose one of answers-2023, answers-predicted, modern, past"):
        words.bundled("nyt")


def test_copies_of_the_same_files_are_the_same_lists_so_that_players_find_what_was_computed_for_them(tmp_path):
    copies = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        for file, text in (("answers.txt", "crane\n"), ("valid.txt", "crane\nslate\n")):
            (tmp_path / name / file).write_text(text)
        copies.append(words.load(tmp_path / name / "answers.txt", tmp_path / name / "valid.txt"))
    assert copies[0] is copies[1] is words.of_words(("crane",), ("crane", "slate"))
    assert copies[0] is not words.of_words(("crane",), ("slate", "crane"))


def test_a_record_s_words_must_be_guesses_and_a_list_s_words_must_be_in_the_longer_one():
    own = words.of_words(("crane",), ("crane", "slate"))
    own.require_guesses(["crane", "slate"])
    with pytest.raises(UserError, match="has the guess 'abide', which is not in the list"):
        own.require_guesses(["slate", "abide"])
    words.check_subset(["crane"], own.guesses, "x")
    with pytest.raises(UserError, match=r"2 words of x are not among the 2 words that can be guessed \(abide, zesty\)"):
        words.check_subset(["zesty", "crane", "abide"], own.guesses, "x")


def test_guesses_stand_in_for_answers_only_where_no_answer_fits_the_clues():
    own = words.of_words(("crane", "abide"), ("crane", "abide", "slate", "plate"))
    assert own.with_fitting_guesses([("crane", "..c.c")]).answers == ("slate", "plate")
    assert own.with_fitting_guesses([("crane", "ccccc")]) is None
    assert own.with_fitting_guesses([("crane", "c....")]) is None


def test_a_file_says_up_to_which_day_its_answers_were_known(tmp_path):
    head = "# Answers up to: 2026-01-31\n"
    for text, day in (
        (f"# x\n{head}crane\n", date(2026, 1, 31)),
        (f"crane\n{head}", None),
        ("# Answers up to: x", None),
    ):
        (tmp_path / "list").write_text(text)
        assert words.answers_until(tmp_path / "list") == day
    assert words.answers_until(tmp_path / "nowhere") is None


def test_a_file_comes_before_a_bundled_list_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words.locate("modern") == paths.DATA / "modern.txt"
    assert words.portable_name(paths.DATA / "modern.txt") == "modern"
    (tmp_path / "modern").write_text("crane\n")
    assert words.locate("modern") == tmp_path / "modern"
    assert words.find("modern") == ("crane",)
    assert words.here() is words.load()
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    for name in ("answers.txt", "valid.txt"):
        Path(name).write_text("crane\n")
    assert words.here().guesses == ("crane",)
