"""Which strategies come with the project: anybody may read them, and they keep their names whoever else takes them."""

from pathlib import Path

from wordpl.core import paths

NAMES = frozenset(
    {
        "absurdle.py",
        "bayesian_random.py",
        "entropy.py",
        "letter_frequency.py",
        "max_clue_entropy.py",
        "n_guess.py",
        "published.py",
        "schedule.py",
        "tree.py",
        "tree_search.py",
    }
)
"""The files of strategies/ that are ours; a contestant's file lies beside them, so the folder does not tell."""


def is_bundled(file: Path) -> bool:
    """Return whether the file is one of the project's own strategies."""
    return file.name in NAMES and file.resolve().parent == (paths.bundled() / "strategies").resolve()
