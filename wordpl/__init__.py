"""A harness for strategy contests on Wordle-family games: what contestants, hosts and solver users import.

All names are imported when they are first used, so that `import wordpl` costs nothing. Whatever is exported here, or by
`wordpl.games` and `wordpl.solvers`, is public and stable; all other modules may change.
"""

from typing import TYPE_CHECKING, Any

from wordpl.core.lazy_exports import lazy_getattr

if TYPE_CHECKING:
    from wordpl import games, solvers
    from wordpl.core import clues, priors, words
    from wordpl.core.errors import UserError
    from wordpl.core.game_kinds import GameKind, Measure, PlayerKind
    from wordpl.core.moves import ClassicMove, Move, NoisyMove
    from wordpl.core.posterior import Posterior
    from wordpl.core.records import Verdict
    from wordpl.core.run_records import load_run
    from wordpl.core.words import WordLists
    from wordpl.games import IllegalMoveError
    from wordpl.players.base import PlayerError
    from wordpl.solvers import trees
    from wordpl.solvers.solver import Solver, Suggestion
    from wordpl.stats import rankings
    from wordpl.strategy import EntryError, Strategy

    __version__: str

__all__ = [
    "ClassicMove",
    "EntryError",
    "GameKind",
    "IllegalMoveError",
    "Measure",
    "Move",
    "NoisyMove",
    "PlayerError",
    "PlayerKind",
    "Posterior",
    "Solver",
    "Strategy",
    "Suggestion",
    "UserError",
    "Verdict",
    "WordLists",
    "__version__",
    "clues",
    "games",
    "load_run",
    "priors",
    "rankings",
    "solvers",
    "trees",
    "words",
]

_get = lazy_getattr(
    __name__,
    {
        "ClassicMove": "wordpl.core.moves",
        "EntryError": "wordpl.strategy",
        "GameKind": "wordpl.core.game_kinds",
        "IllegalMoveError": "wordpl.games",
        "Measure": "wordpl.core.game_kinds",
        "Move": "wordpl.core.moves",
        "NoisyMove": "wordpl.core.moves",
        "PlayerError": "wordpl.players.base",
        "PlayerKind": "wordpl.core.game_kinds",
        "Posterior": "wordpl.core.posterior",
        "Solver": "wordpl.solvers.solver",
        "Strategy": "wordpl.strategy",
        "Suggestion": "wordpl.solvers.solver",
        "UserError": "wordpl.core.errors",
        "Verdict": "wordpl.core.records",
        "WordLists": "wordpl.core.words",
        "clues": "wordpl.core.clues",
        "games": "wordpl.games",
        "load_run": "wordpl.core.run_records",
        "priors": "wordpl.core.priors",
        "rankings": "wordpl.stats.rankings",
        "solvers": "wordpl.solvers",
        "trees": "wordpl.solvers.trees",
        "words": "wordpl.core.words",
    },
)


def __getattr__(name: str) -> Any:
    """Return a public name, imported when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        return version("wordpl")
    return _get(name)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
