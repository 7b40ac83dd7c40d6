"""A harness for strategy contests on Wordle-family games.

The names exported here, and by `wordpl.games` and `wordpl.solvers`, are public and stable; all other modules may
change. Names are imported lazily, when they are first used, so that `import wordpl` is fast.
"""

from typing import TYPE_CHECKING, Any

from wordpl.core.lazy_exports import lazy_getattr

if TYPE_CHECKING:
    from wordpl import games, solvers
    from wordpl.contest import Contest, EntryProgress, Observer
    from wordpl.core import clues, priors, words
    from wordpl.core.errors import ConfigError, UserError, WordplError
    from wordpl.core.game_kinds import GameKind, Measure, PlayerKind
    from wordpl.core.moves import ClassicMove, Move, NoisyMove
    from wordpl.core.posterior import Posterior
    from wordpl.core.records import Run, Verdict
    from wordpl.core.run_config import Limits, RunConfig
    from wordpl.core.run_records import load_run
    from wordpl.core.words import WordLists
    from wordpl.games import IllegalMoveError
    from wordpl.players.base import PlayerError
    from wordpl.solvers import trees
    from wordpl.solvers.solver import RatedGuess, Solver
    from wordpl.stats import rankings
    from wordpl.stats.compare.sequential import sequential_test
    from wordpl.strategy import EntryError, Strategy

    __version__: str

__all__ = [
    "ClassicMove",
    "ConfigError",
    "Contest",
    "EntryError",
    "EntryProgress",
    "GameKind",
    "IllegalMoveError",
    "Limits",
    "Measure",
    "Move",
    "NoisyMove",
    "Observer",
    "PlayerError",
    "PlayerKind",
    "Posterior",
    "RatedGuess",
    "Run",
    "RunConfig",
    "Solver",
    "Strategy",
    "UserError",
    "Verdict",
    "WordLists",
    "WordplError",
    "__version__",
    "clues",
    "games",
    "load_run",
    "priors",
    "rankings",
    "sequential_test",
    "solvers",
    "trees",
    "words",
]

_get = lazy_getattr(
    __name__,
    {
        "ClassicMove": "wordpl.core.moves",
        "ConfigError": "wordpl.core.errors",
        "Contest": "wordpl.contest",
        "EntryError": "wordpl.strategy",
        "EntryProgress": "wordpl.contest",
        "GameKind": "wordpl.core.game_kinds",
        "IllegalMoveError": "wordpl.games",
        "Limits": "wordpl.core.run_config",
        "Measure": "wordpl.core.game_kinds",
        "Move": "wordpl.core.moves",
        "NoisyMove": "wordpl.core.moves",
        "Observer": "wordpl.contest",
        "PlayerError": "wordpl.players.base",
        "PlayerKind": "wordpl.core.game_kinds",
        "Posterior": "wordpl.core.posterior",
        "RatedGuess": "wordpl.solvers.solver",
        "Run": "wordpl.core.records",
        "RunConfig": "wordpl.core.run_config",
        "Solver": "wordpl.solvers.solver",
        "Strategy": "wordpl.strategy",
        "UserError": "wordpl.core.errors",
        "Verdict": "wordpl.core.records",
        "WordLists": "wordpl.core.words",
        "WordplError": "wordpl.core.errors",
        "clues": "wordpl.core.clues",
        "games": "wordpl.games",
        "load_run": "wordpl.core.run_records",
        "priors": "wordpl.core.priors",
        "rankings": "wordpl.stats.rankings",
        "sequential_test": "wordpl.stats.compare.sequential",
        "solvers": "wordpl.solvers",
        "trees": "wordpl.solvers.trees",
        "words": "wordpl.core.words",
    },
)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        return version("wordpl")
    return _get(name)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
