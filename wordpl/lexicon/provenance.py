"""The comments at the head of a file of words or probabilities: how to reproduce it, its sources and its licence."""

from collections.abc import Iterable, Sequence
from hashlib import sha256

from wordpl.core.priors import HEADER
from wordpl.core.words import as_text
from wordpl.lexicon import features
from wordpl.lexicon.ranking import Method
from wordpl.lexicon.sources import WORDFREQ, WordSource

DIGITS = 4
SHARE_ALIKE = (
    "Licence: Creative Commons Attribution-ShareAlike 4.0, since it is derived from the frequencies of wordfreq "
    "(Robyn Speer), whose data carry it."
)


def remarks(command: str, words: Sequence[str], known: Iterable[str], method: Method | None, facts: list[str]) -> str:
    """Return the head of a file: the command, digests of its inputs, its sources and its licence, as comment lines.

    Args:
        command: The command that makes the file.
        words: The words from which the file's words were chosen.
        known: The known answers the model learned from.
        method: The ranking method; None if only filters were used.
        facts: Further lines, such as what the filters did.
    """
    lines = [f"Made by: {command}", f"Of {_described(words)}", f"Known answers: {_described(sorted(known))}", *facts]
    sources = [WORDFREQ] if method is None else features.sources(method.sets)
    if method is not None:
        lines.append(f"Method: {method.name}, seed {method.seed}")
    lines += [f"Source: {_credit(source)}" for source in sources]
    if WORDFREQ in sources:
        lines.append(SHARE_ALIKE)
    return "".join(f"# {line}\n" for line in lines)


def _described(words: Iterable[str]) -> str:
    listed = list(words)
    return f"{len(listed):,} words, SHA-256 of their lines {sha256(as_text(listed).encode()).hexdigest()}"


def _credit(source: WordSource) -> str:
    return f"{source.package} {source.version}, {source.what} ({source.licence})"


def answer_file(head: str, words: Iterable[str]) -> bytes:
    """Return the content of a word list, sorted."""
    return (head + as_text(sorted(words))).encode()


def prior_file(head: str, chances: dict[str, float]) -> bytes:
    """Return the content of a prior: the words, sorted, with their probabilities to four significant digits."""
    rounded = {word: f"{chance:.{DIGITS}g}" for word, chance in sorted(chances.items())}
    rows = [f"{word},{text}\n" for word, text in rounded.items() if float(text) > 0]
    return (head + ",".join(HEADER) + "\n" + "".join(rows)).encode()
