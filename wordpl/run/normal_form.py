"""What sources of entries have in common, whatever their authors call things and however they lay them out.

No source is parsed: a single regular expression splits it into tokens, in time that grows with its length alone.
"""

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations

from wordpl.core import bounded
from wordpl.run.bundle import PYTHON, Bundle

MAX_SOURCE_BYTES = 1 << 18
"""The size up to which a source is brought into its normal form; a larger one is compared as it is."""
_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*+)
    | (?P<string>[rbfuRBFU]{0,2}(?:\"{3}(?:[^"\\]|\\.|"(?!""))*+(?:\"{3}|\\?\Z)
                 | '{3}(?:[^'\\]|\\.|'(?!''))*+(?:'{3}|\\?\Z)
                 | "(?:[^"\\\n]|\\.)*+(?:"|(?=\n)|\\?\Z) | '(?:[^'\\\n]|\\.)*+(?:'|(?=\n)|\\?\Z)))
    | (?P<name>[^\W\d]\w*+) | (?P<number>\d[\w.]*+) | (?P<line>\n) | (?P<blank>[ \t\f\r]++|\\\n) | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_KEPT = frozenset({*keyword.kwlist, *keyword.softkwlist, *dir(builtins)})
"""Names that mean something by themselves; others may be replaced by any name."""
_ABOUT = frozenset({"AUTHOR", "LINK"})


def normal_form(source: str, *, numbered: bool = True) -> str:
    """Return a source without what changes nothing: comments, docstrings, layout, and the choice of names.

    Names are numbered in the order in which they first occur. Attributes, built-in and imported names stay.

    Args:
        source: The source.
        numbered: Whether names are numbered; otherwise all of them are alike, so that parts can be compared.

    >>> normal_form("def f(x):  # twice\\n    return 2 * x") == normal_form("def g(y): return 2*y")
    True
    """
    tokens = [(str(match.lastgroup), match.group()) for match in _TOKEN.finditer(source)]
    tokens = [token for token in tokens if token[0] not in ("blank", "comment")]
    found: list[str] = []
    names: dict[str, str] = {}
    kept = set(_KEPT)
    depth, is_import = 0, False
    for place, (kind, text) in enumerate(tokens):
        before = tokens[place - 1] if place else ("line", "\n")
        after = tokens[place + 1] if place + 1 < len(tokens) else ("line", "\n")
        if kind == "line":
            is_import &= depth > 0
            continue
        if kind == "string" and depth == 0 and before[0] == "line" and after[0] == "line":
            continue
        if kind == "other":
            depth = max(0, depth + (text in "([{") - (text in ")]}"))
        if kind == "name":
            is_import |= text in ("import", "from") and before[0] == "line"
            if is_import and before[1] != "as":
                kept.add(text)
            if text not in kept and before[1] != ".":
                text = names.setdefault(text, f"${len(names)}") if numbered else "$"
        found.append(text)
    return "\n".join(found)


def _without_about(source: str) -> str:
    return "\n".join(line for line in source.splitlines() if line.partition("=")[0].strip() not in _ABOUT)


def normal_digest(bundle: Bundle) -> str:
    """Return the digest of what a bundle does, whatever its files and names are called.

    Raises:
        UserError: A file cannot be read.
    """
    digests = []
    for path in bundle.files.values():
        content = bounded.read(bounded.BUNDLE_FILE, path)
        if path.suffix == PYTHON and len(content) <= MAX_SOURCE_BYTES:
            content = normal_form(_without_about(content.decode("latin-1"))).encode()
        digests.append(sha256(content).hexdigest())
    return sha256("\n".join(sorted(digests)).encode()).hexdigest()


SEQUENCE = 8
"""The number of successive tokens that are compared."""
MIN_COMMON = 0.7
"""The share of common sequences from which two submissions are named."""
MIN_SEQUENCES = 20
"""The number of sequences of a submission from which a share means something."""
N_FOR_A_TEMPLATE = 5
"""The number of submissions from which sequences of more than a half of them are taken for a template of all."""


@dataclass(frozen=True)
class Similar:
    """Two submissions with common sources.

    Attributes:
        first, second: Their names.
        share: The share of the sequences of the shorter one that the other one has, too.
        n_sequences: The number of sequences of the shorter one.
    """

    first: str
    second: str
    share: float
    n_sequences: int

    def __str__(self) -> str:
        """Return the evidence as a sentence."""
        return (
            f"{self.first} and {self.second} share {self.share:.0%} of {self.n_sequences:,} sequences of {SEQUENCE} "
            "tokens, apart from names, comments and layout."
        )


def similar(bundles: Mapping[str, Bundle]) -> Iterator[Similar]:
    """Yield the pairs of submissions with common sources, the most similar ones first.

    Args:
        bundles: The submissions by their names.
    """
    sequences = {name: _sequences(bundle) for name, bundle in bundles.items()}
    if len(sequences) >= N_FOR_A_TEMPLATE:
        times = Counter(one for own in sequences.values() for one in own)
        template = {one for one, count in times.items() if count > len(sequences) / 2}
        sequences = {name: own - template for name, own in sequences.items()}
    found = []
    for first, second in combinations(sequences, 2):
        n_shorter = min(len(sequences[first]), len(sequences[second]))
        if n_shorter >= MIN_SEQUENCES:
            share = len(sequences[first] & sequences[second]) / n_shorter
            if share >= MIN_COMMON:
                found.append(Similar(first, second, share, n_shorter))
    yield from sorted(found, key=lambda pair: (-pair.share, pair.first, pair.second))


def _sequences(bundle: Bundle) -> frozenset[int]:
    """Return the sequences of tokens of a bundle's Python sources, by hashes that hold in this process."""
    found: set[int] = set()
    for path in bundle.files.values():
        if path.suffix == PYTHON:
            content = bounded.read(bounded.BUNDLE_FILE, path)[:MAX_SOURCE_BYTES]
            tokens = normal_form(_without_about(content.decode("latin-1")), numbered=False).split("\n")
            found |= {hash(tuple(tokens[i : i + SEQUENCE])) for i in range(len(tokens) - SEQUENCE + 1)}
    return frozenset(found)
