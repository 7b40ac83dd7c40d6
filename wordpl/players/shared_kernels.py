"""What players share: modules, tables and kernels, compiled and cached on disk, and loaded before the first fork.

Loading all kernels takes a second, and compiling them more than half a minute, so they form groups by what they serve.
Of these, an entry gets those that its files name, as a process without rights reports (`source_facts`).
"""

import fcntl
import gc
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from itertools import product
from typing import IO, Any

from wordpl.core import collector_paused, current_folder, paths, words
from wordpl.core.clues import CLUE_RULES
from wordpl.core.words import WordLists
from wordpl.kernels import cache_folder, compile_events, compiled

MAX_SCHEDULE_LENGTH = 5
"""The maximum length of words for which schedules use tables of all clues."""
MODULES_BY_NAME = {
    "numpy": ("numpy.random",),
    "pandas": ("numpy.random", "pandas"),
    "numba": ("numpy.random", "numba"),
    "wordpl": ("numpy.random",),
}
"""The modules to load for an entry that uses a library; numpy.random, so that each game can seed it."""


@dataclass(frozen=True)
class KernelGroup:
    """Kernels that serve one purpose.

    Attributes:
        modules: The modules that define them.
        named: An entry may use them if it has all names of one of these sets.
        load: Loads and calls each of them, so that it is compiled.
    """

    modules: tuple[str, ...]
    named: tuple[frozenset[str], ...]
    load: Callable[[WordLists], None]


def used_by(names: Collection[str]) -> list[str]:
    """Return which libraries and groups of kernels an entry may use that has these names in its sources."""
    known = set(names)
    if "strategies" in known:
        known.add("wordpl")
    groups = [name for name, group in GROUPS.items() if any(known.issuperset(named) for named in group.named)]
    return [name for name in MODULES_BY_NAME if name in known] + (groups if "wordpl" in known else [])


def preload_for_entry(uses: Collection[str]) -> None:
    """Preload the libraries that an entry may use, so that it is ready sooner; unknown names are ignored.

    A wrong guess changes nothing but the time.
    """
    for name in MODULES_BY_NAME:
        if name in uses:
            for module in MODULES_BY_NAME[name]:
                _load(module)
    if "numba" in uses:
        _set_up_compiler()
    if "wordpl" in uses:
        _load_strategy_attributes(words.here())
        preload([name for name in GROUPS if name in uses])


@cache
def _set_up_compiler() -> None:
    compiled.set_up_compiler()
    freeze_objects()


@cache
def _load(module: str) -> None:
    import_module(module)
    if module == "numba":
        cache_folder.accept_read_only()
    freeze_objects()


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
    _build(name)
    freeze_objects()


def _build(name: str) -> None:
    compiled.use_for_all_work()
    GROUPS[name].load(words.here())


def freeze_objects() -> None:
    """Let the collector ignore all objects from now on: it would write to the pages that players share."""
    gc.collect()
    gc.freeze()


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


def _load_boards(lists: WordLists) -> None:
    for module in GROUPS["boards"].modules:
        import_module(module).load_kernels(lists)


def _named(*alternatives: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(names.split()) for names in alternatives)


BOARDS = "boards"
"""The kernels of the host, which no player uses."""
GROUPS = {
    "matrices": KernelGroup(
        ("wordpl.kernels.clue_matrix",), _named("solvers", "Solver", "Posterior", "ClueTable"), _load_matrices
    ),
    BOARDS: KernelGroup(
        ("wordpl.stats.clue_luck", "wordpl.stats.guess_luck", "wordpl.stats.hypothesis_tests"), (), _load_boards
    ),
    "posterior": KernelGroup(
        ("wordpl.kernels.posterior",), _named("Posterior", "solvers noisy", "solvers plans"), _load_posterior
    ),
    "noisy": KernelGroup(
        ("wordpl.solvers.noisy.final_guess",), _named("ClueTable", "solvers noisy", "solvers plans"), _load_noisy
    ),
    "entropy": KernelGroup(("wordpl.solvers.entropy",), _named("Solver", "solvers entropy"), _load_entropy),
    "absurdle": KernelGroup(("wordpl.solvers.absurdle",), _named("solvers absurdle"), _load_absurdle),
    "search": KernelGroup(("wordpl.solvers.search",), _named("Solver", "solvers search"), _load_search),
    "weighted": KernelGroup(("wordpl.solvers.weighted",), _named("Solver", "solvers weighted"), _load_weighted),
}
"""The groups of kernels by name; a group comes after those that it uses."""
KNOWN_NAMES = frozenset({*MODULES_BY_NAME, "strategies"}.union(*(n for group in GROUPS.values() for n in group.named)))
"""The names in sources that decide what is loaded."""
USES_IF_UNKNOWN = ["numba", "wordpl", *(name for name, group in GROUPS.items() if group.named)]
"""What is loaded for an entry of which nothing is known."""


STAMP = "compiled"
"""The file in the cache's folder with a digest of the sources, and the groups of kernels that were compiled from them.

It is locked while a process compiles.
"""
BACKGROUND_NICENESS = 10
"""Not the largest: another command may wait for what is compiled in the background."""
_ensured: set[str] = set()


def ensure_compiled(groups: Collection[str] = tuple(GROUPS)) -> None:
    """Compile groups of kernels into the cache unless they are there: in a sandbox, players can only read it.

    The first call on a machine takes up to half a minute and reports its progress through `compile_events`; then all
    other groups are compiled in the background, so that nobody waits twice.

    Args:
        groups: Names of GROUPS.
    """
    if _ensured.issuperset(groups):
        return
    _ensured.update(groups)
    if _compile_missing(groups):
        compile_in_background()


def _compile_missing(groups: Collection[str]) -> bool:
    """Compile those of the groups that are not in the cache; return whether there were any, and it succeeded.

    Boards come next in most commands, so that their kernels are compiled at the same time.
    """
    folder = cache_folder.choose_folder()
    if folder is None:
        return False
    try:
        folder.mkdir(exist_ok=True)
        stamp = (folder / STAMP).open("a+")
    except OSError:  # the file belongs to another user, or the disk is full
        return False
    with stamp:
        _lock(stamp)
        compiled = _words_in(stamp)
        if _key() not in compiled:
            compiled = {_key()}
        missing = [name for name in GROUPS if name in {*groups, BOARDS} and name not in compiled]
        if not missing or not _compile(missing):
            return False
        stamp.truncate(0)
        stamp.write(" ".join([_key(), *sorted({*compiled, *missing} - {_key()})]))
    return True


def are_compiled(groups: Collection[str] = tuple(GROUPS)) -> bool:
    """Return whether groups of kernels are in the cache.

    Args:
        groups: Names of GROUPS.
    """
    folder = cache_folder.choose_folder()
    try:
        if folder is None:
            return False
        with (folder / STAMP).open("a+") as stamp:
            return {_key(), *groups} <= _words_in(stamp)
    except OSError:  # there is no such folder, or the file belongs to another user
        return False


def compile_in_background(groups: Collection[str] = tuple(GROUPS)) -> bool:
    """Start to compile groups of kernels in a process of low priority that outlives this one.

    Args:
        groups: Names of GROUPS.

    Returns:
        Whether it was started: not if everything is compiled, if another process compiles, or if the cache is not
        writable.
    """
    folder = cache_folder.choose_folder()
    if folder is None:
        return False
    try:
        folder.mkdir(exist_ok=True)
        with (folder / STAMP).open("a+") as stamp:
            fcntl.flock(stamp, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if {_key(), *groups} <= _words_in(stamp):
                return False
    except OSError:  # another process compiles, the file belongs to another user, or the disk is full
        return False
    opened = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in range(3)]
    command = current_folder.python_command("players.shared_kernels", "compile_quietly()", *groups)
    os.posix_spawn(sys.executable, command, os.environ, file_actions=opened, setsid=True)
    return True


def compile_quietly() -> None:
    """Compile the groups that are arguments at a low priority, one after another, until another process compiles."""
    os.nice(BACKGROUND_NICENESS)
    os.chdir(current_folder.EMPTY)
    with compile_events.observe(_stop_if_waiting):
        for name in sys.argv[1:]:
            _compile_missing([name])


def _stop_if_waiting(n_done: int, n_total: int) -> None:
    if not n_total:
        raise SystemExit


def _words_in(stamp: IO[str]) -> set[str]:
    stamp.seek(0)
    return set(stamp.read().split())


def _lock(stamp: IO[str]) -> None:
    """Lock the stamp; a second process waits for the first."""
    try:
        fcntl.flock(stamp, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        compile_events.publish(0, 0)
        fcntl.flock(stamp, fcntl.LOCK_EX)


def _compile(groups: Sequence[str]) -> bool:
    """Compile groups in a separate process, which Ctrl-C stops; finished kernels stay in the cache."""
    command = current_folder.python_command("players.shared_kernels", "compile_and_report()", *groups)
    process = subprocess.Popen(
        command, cwd=current_folder.EMPTY, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
    )
    with process:
        try:
            for line in process.stdout or ():
                n_done, n_total = map(int, line.split())
                compile_events.publish(n_done, n_total)
        except BaseException:  # Ctrl-C, or an observer's error
            process.kill()
            raise
        compile_events.publish(1, 1)
        return process.wait() == 0


def compile_and_report() -> None:
    """Compile the groups that are arguments, and print the number of compiled kernels and their total after each."""
    groups = sys.argv[1:]

    def report(n_done: int, n_total: int) -> None:
        try:
            os.write(1, f"{n_done} {n_total}\n".encode())
        except BrokenPipeError:  # the parent process has ended
            os._exit(1)

    import_kernels(groups)  # import all of them first, so that the total is known from the beginning
    with compile_events.observe(report), collector_paused():
        for name in groups:
            _build(name)
    os._exit(0)  # the interpreter would take a second to free what the compiler made


@cache
def _key() -> str:
    """Return a digest of everything that the compiled code depends on: the sources and the versions of compilers."""
    from importlib.metadata import version

    sources = sorted(paths.PACKAGE.rglob("*.py"))
    facts = [f"{path} {path.stat().st_mtime_ns}" for path in sources]
    facts += [sys.version, version("numba"), version("numpy"), os.environ.get(cache_folder.VARIABLE, "")]
    return sha256("\n".join(facts).encode()).hexdigest()
