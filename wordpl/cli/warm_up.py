"""`wordpl warm-up`: compile all kernels in advance, so that no first use has to wait for them."""

from dataclasses import replace

import click

from wordpl.cli._output import say, working
from wordpl.core import collector_paused
from wordpl.core.messages import amount


def compile_all() -> int:
    """Compile all kernels that are not in the cache on disk.

    `compile_events` reports each of them. If interrupted, the kernels compiled so far stay in the cache.

    Returns:
        The number of kernels that were compiled.
    """
    from wordpl.kernels import compile_events, compiled  # here and below: slow to import, and --help needs none
    from wordpl.players import shared_kernels

    n_compiled = 0

    def count(n_done: int, n_total: int) -> None:
        nonlocal n_compiled
        if n_total > 1:
            n_compiled = max(n_compiled, n_done)

    compiled.use_for_all_work()
    with compile_events.observe(count), collector_paused():
        shared_kernels.ensure_compiled()
        _compile_search()
        _compile_rarely_used()
        _compile_rankings()
    return n_compiled


def _compile_search() -> None:
    """Compile the kernels of the search that commands use and players do not."""
    from wordpl.core import priors, words
    from wordpl.solvers.search import ClassicSearch, best_guesses
    from wordpl.solvers.search.problem import Problem, least_limit

    lists = words.load()
    few = (("tares", "....i"), ("crony", "..c.."))
    for is_hard, prior in ((False, None), (True, None), (False, priors.load(priors.find("default"), lists.answers))):
        problem = Problem(lists, few, 6, is_hard, prior)
        search = ClassicSearch(problem.position(), 2)
        best = best_guesses(search, 2)
        problem.tree(search, best.best.guess)
    least_limit(Problem(lists, few, None).position(), None, 2)


def _compile_rarely_used() -> None:
    """Compile the kernels that only some positions need."""
    import numpy as np

    from wordpl.core import words
    from wordpl.kernels.clue_matrix import matrix_of
    from wordpl.solvers import absurdle, weighted
    from wordpl.solvers.search import board

    lists = words.load()
    matrix, few = matrix_of(lists, "counted"), np.arange(3)
    weighted.information(matrix, few, np.ones(3), few)
    absurdle.cornered(matrix, few, 1, absurdle.in_order(lists.length), 1)
    board.copy_entries(np.zeros((16, 4), np.uint64), np.zeros((32, 4), np.uint64))


def _compile_rankings() -> None:
    """Compile the kernels of the rankings."""
    import numpy as np
    import pandas as pd

    from wordpl.stats import rankings
    from wordpl.stats.rankings.elo import Elo
    from wordpl.stats.rankings.ranking import Sheet

    results = pd.DataFrame(
        {
            "player": ["Ann", "Bob"] * 4,
            "day": np.repeat(np.arange(4), 2),
            "guesses": [3.0, 4.0, 5.0, 3.0, 4.0, 4.0, 2.0, 6.0],
        }
    )
    for name in ("elo", "map-elo"):
        replace(rankings.find(name), draws=2)(results)
    sheet = Sheet.of(results)
    Elo(name="elo").approximated(sheet, np.ones((2, len(sheet.days)), int))  # as in large leagues


@click.command(name="warm-up")
def command() -> None:
    """Compile all kernels in advance.

    Afterwards, no command has to wait for the compiler. This takes about a minute, once per machine and after each
    upgrade. Without it, each command compiles what it needs on first use. After Ctrl-C, the finished kernels are kept.
    """
    with working("loading the kernels"):
        n_compiled = compile_all()
    say(f"{amount(n_compiled, 'kernel')} compiled. Everything is ready." if n_compiled else "Everything is ready.")
