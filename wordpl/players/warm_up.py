"""Preloading what players share before they are forked: modules, tables and kernels, each of which is used once.

Loading all kernels takes a second, and compiling them more than half a minute, so they form groups by what they serve.
Of these, an entry gets those that its files name.
"""

import gc
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

from wordpl.core import words
from wordpl.core.clues import CLUE_RULES
from wordpl.core.words import WordLists
from wordpl.kernels import cache_folder, compiled

MAX_SCHEDULE_LENGTH = 5
"""The maximum length of words for which schedules use tables of all clues."""
MAX_SEARCHED_BYTES = 4 << 20
LIBRARY_NAMES = (b"wordpl", b"strategies")
"""A file that mentions neither does not use the shared modules."""
MODULES_BY_MENTION = {
    b"numpy": ("numpy.random",),
    b"pandas": ("numpy.random", "pandas"),
    b"numba": ("numpy.random", "numba"),
    b"wordpl": ("numpy.random",),
}
"""The modules to load for a file that mentions a library; numpy.random, so that each game can seed it."""


@dataclass(frozen=True)
class KernelGroup:
    """Kernels that serve one purpose.

    Attributes:
        modules: The modules that define them.
        mention: A pattern of the Python code that uses them.
        load: Loads and calls each of them, so that it is compiled.
    """

    modules: tuple[str, ...]
    mention: re.Pattern[bytes]
    load: Callable[[WordLists], None]


def prepare(working: Path, shipped: Path, *, plays: bool) -> None:
    """Preload the libraries that an entry may use, so that it is ready sooner.

    Its files are only searched for names, and a wrong guess changes nothing but the time.

    Args:
        working: The working directory of its player.
        shipped: The folder with the strategies that the package ships.
        plays: Whether the player will play.
    """
    text = _python_code(working)
    for name, needed in MODULES_BY_MENTION.items():
        if name in text:
            for module in needed:
                _load(module)
    if plays and any(name in text for name in LIBRARY_NAMES):
        _load_strategy_attributes(words.here())
        preload(groups_of(working, shipped))


def groups_of(working: Path, shipped: Path) -> list[str]:
    """Return the names of the groups of kernels that an entry may use, by what its Python files mention.

    Args:
        working: The working directory of its player.
        shipped: The folder with the strategies that the package ships, which it may import.
    """
    text = _python_code(working)
    if not any(name in text for name in LIBRARY_NAMES):
        return []
    unread = {path.stem.encode(): path for path in shipped.glob("*.py")} if b"strategies" in text else {}
    while used := [stem for stem in unread if re.search(rb"\b%b\b" % re.escape(stem), text)]:
        text += b"".join(unread.pop(stem).read_bytes() for stem in used)
    return [name for name, group in GROUPS.items() if group.mention.search(text)]


def _python_code(working: Path) -> bytes:
    """Return the Python files of an entry, as far as they fit into MAX_SEARCHED_BYTES."""
    text = b""
    for path in sorted(working.glob("strategies/**/*.py")):
        with suppress(OSError), path.open("rb") as source:
            text += source.read(MAX_SEARCHED_BYTES - len(text))
    return text


@cache
def _load(module: str) -> None:
    import_module(module)
    if module == "numba":
        cache_folder.accept_read_only()
    _freeze_objects()


def import_kernels(groups: Collection[str]) -> None:
    """Import all modules whose kernels `preload` compiles."""
    for name in groups:
        for module in GROUPS[name].modules:
            import_module(module)


def preload(groups: Sequence[str]) -> None:
    """Import, build and compile the kernels of these groups and their tables, so that forked processes have them."""
    for name in groups:
        _preload(name)


@cache
def _preload(name: str) -> None:
    _load("numba")
    compiled.use_for_all_work()
    GROUPS[name].load(words.here())
    _freeze_objects()


def _freeze_objects() -> None:
    gc.collect()
    gc.freeze()  # the collector would write to pages that players share, so that they would be copied


@cache
def _load_strategy_attributes(lists: WordLists) -> None:
    """Compute the attributes of strategies, so that players neither compute them nor copy the memory pages of words."""
    from wordpl.strategy import Strategy

    for name in ("guesses", "answers", "clue_rule"):
        getattr(Strategy(), name)


def _load_matrices(lists: WordLists) -> None:
    from wordpl.kernels.clue_matrix import answer_rows, matrix_fits, matrix_of

    answer_rows(lists)
    for rule in CLUE_RULES:
        if matrix_fits(lists):
            matrix_of(lists, rule)


def _load_posterior(lists: WordLists) -> None:
    from wordpl.kernels.posterior import Posterior

    for rule in CLUE_RULES:
        posterior = Posterior.uniform(lists, rule)
        posterior.update(lists.guesses[0], 1.0, "." * lists.length)
        posterior.best()


def _load_noisy(lists: WordLists) -> None:
    import numpy as np

    from wordpl.kernels.clue_matrix import ClueTable, matrix_fits, matrix_of
    from wordpl.solvers.noisy import clue_entropy
    from wordpl.solvers.noisy.final_guess import next_guess

    if not matrix_fits(lists):
        return
    uniform = np.full(len(lists.answers), 1 / len(lists.answers))
    for rule in CLUE_RULES:
        first_rows = matrix_of(lists, rule)[: clue_entropy.LANES]
        clue_entropy.best_guess(first_rows, uniform, 1.0, lists.length)
    if lists.length <= MAX_SCHEDULE_LENGTH:
        planned = ClueTable.of(lists, "anywhere")
        for n_left in (1, 2):
            next_guess(planned, uniform, (1.0,) * n_left)


def _first_candidates(lists: WordLists) -> tuple[Any, Any]:
    """Return the first answers, as columns and as rows of the clue matrix."""
    import numpy as np

    candidates = np.arange(min(5, len(lists.answers)))
    return candidates, np.array([lists.guesses.index(word) for word in lists.answers[: len(candidates)]])


def _load_entropy(lists: WordLists) -> None:
    from wordpl.kernels.clue_matrix import matrix_fits, matrix_of
    from wordpl.solvers import entropy

    if matrix_fits(lists):
        candidates, own = _first_candidates(lists)
        for rule in CLUE_RULES:
            entropy.opening(lists, rule)
            entropy.best_guess(matrix_of(lists, rule), candidates, own)


def _load_absurdle(lists: WordLists) -> None:
    from wordpl.kernels.clue_matrix import matrix_fits, matrix_of
    from wordpl.solvers import absurdle

    if matrix_fits(lists):
        candidates, own = _first_candidates(lists)
        matrix = matrix_of(lists, "counted")
        absurdle.best_guess(matrix, candidates, own)
        for n_guesses in (1, 2):
            absurdle.cornered(matrix, candidates, n_guesses, absurdle.in_order(lists.length), 1)


def _load_search(lists: WordLists) -> None:
    from wordpl.kernels.clue_matrix import matrix_fits, matrix_of
    from wordpl.solvers import search

    if not matrix_fits(lists):
        return
    candidates, own = _first_candidates(lists)
    for rule, letters in product(CLUE_RULES, (None, words.letters(lists.guesses))):
        hard = None if letters is None else own
        matrix = matrix_of(lists, rule)
        search.best_guess(search.Position(matrix, candidates, own, guesses=hard, left=6, letters=letters), 2)


def _load_weighted(lists: WordLists) -> None:
    import numpy as np

    from wordpl.kernels.clue_matrix import matrix_fits, matrix_of
    from wordpl.solvers import weighted

    if matrix_fits(lists):
        candidates, own = _first_candidates(lists)
        weighted.information(matrix_of(lists, "counted"), candidates, np.ones(len(candidates)), own)


def _mention(*names: str) -> re.Pattern[bytes]:
    """Return a pattern of the names, and of `solvers` with a name that is in lower case, as in imports."""
    patterns = [rf"solvers[\w\s.,()]*\b{name}\b" if name.islower() else rf"{name}\b" for name in names]
    return re.compile("|".join(patterns).encode())


GROUPS = {
    "matrices": KernelGroup(
        ("wordpl.kernels.clue_matrix",), re.compile(rb"solvers|Solver|osterior|ClueTable"), _load_matrices
    ),
    "posterior": KernelGroup(
        ("wordpl.kernels.posterior",), re.compile(rb"osterior|" + _mention("noisy", "plans").pattern), _load_posterior
    ),
    "noisy": KernelGroup(("wordpl.solvers.noisy.final_guess",), _mention("ClueTable", "noisy", "plans"), _load_noisy),
    "entropy": KernelGroup(("wordpl.solvers.entropy",), _mention("Solver", "entropy"), _load_entropy),
    "absurdle": KernelGroup(("wordpl.solvers.absurdle",), _mention("absurdle"), _load_absurdle),
    "search": KernelGroup(("wordpl.solvers.search",), _mention("Solver", "search"), _load_search),
    "weighted": KernelGroup(("wordpl.solvers.weighted",), _mention("Solver", "weighted"), _load_weighted),
}
"""The groups of kernels by name; a group comes after those that it uses."""
