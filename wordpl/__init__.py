"""A harness for strategy contests on Wordle-family games.

The names exported here, and by `wordpl.games` and `wordpl.solvers`, are public and stable; all other modules may
change. Names are imported lazily, when they are first used, so that `import wordpl` is fast.
"""

from typing import TYPE_CHECKING, Any

from wordpl.core import lazy_getattr

if TYPE_CHECKING:
    from wordpl import games, solvers
    from wordpl.contest import Contest, EntryProgress, Observer
    from wordpl.contest.preflight import check
    from wordpl.core import clues, priors, words
    from wordpl.core.messages import ConfigError, UserError, WordplError
    from wordpl.core.moves import ClassicMove, GameFacts, Move, MoveForm, NoisyMove, Verdict
    from wordpl.core.words import WordLists
    from wordpl.games import IllegalMoveError
    from wordpl.kernels.posterior import Posterior
    from wordpl.players.base import PlayerError
    from wordpl.reports.publication import publish_run
    from wordpl.reports.record_boards import RecordReport
    from wordpl.reports.run_report import RunReport
    from wordpl.run.config import Limits, PlayerKind, RunConfig
    from wordpl.run.folder import Run, load_run
    from wordpl.season.season import Season
    from wordpl.solvers import trees
    from wordpl.solvers.solver import RatedGuess, Solver
    from wordpl.stats import rankings
    from wordpl.stats.compare.sequential import sequential_test
    from wordpl.strategy import EntryError, Strategy
    from wordpl.workbench.loss_analysis import analyse
    from wordpl.workbench.match import Match, MatchTerms
    from wordpl.workbench.profile import profile
    from wordpl.workbench.tune import Tuner, TuneTerms

    __version__: str

__all__ = [
    "ClassicMove",
    "ConfigError",
    "Contest",
    "EntryError",
    "EntryProgress",
    "GameFacts",
    "IllegalMoveError",
    "Limits",
    "Match",
    "MatchTerms",
    "Move",
    "MoveForm",
    "NoisyMove",
    "Observer",
    "PlayerError",
    "PlayerKind",
    "Posterior",
    "RatedGuess",
    "RecordReport",
    "Run",
    "RunConfig",
    "RunReport",
    "Season",
    "Solver",
    "Strategy",
    "TuneTerms",
    "Tuner",
    "UserError",
    "Verdict",
    "WordLists",
    "WordplError",
    "__version__",
    "analyse",
    "check",
    "clues",
    "games",
    "load_run",
    "priors",
    "profile",
    "publish_run",
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
        "ConfigError": "wordpl.core.messages",
        "Contest": "wordpl.contest",
        "EntryError": "wordpl.strategy",
        "EntryProgress": "wordpl.contest",
        "GameFacts": "wordpl.core.moves",
        "IllegalMoveError": "wordpl.games",
        "Limits": "wordpl.run.config",
        "MoveForm": "wordpl.core.moves",
        "Move": "wordpl.core.moves",
        "NoisyMove": "wordpl.core.moves",
        "Observer": "wordpl.contest",
        "PlayerError": "wordpl.players.base",
        "PlayerKind": "wordpl.run.config",
        "Posterior": "wordpl.kernels.posterior",
        "RatedGuess": "wordpl.solvers.solver",
        "Run": "wordpl.run.folder",
        "RunConfig": "wordpl.run.config",
        "Solver": "wordpl.solvers.solver",
        "Strategy": "wordpl.strategy",
        "UserError": "wordpl.core.messages",
        "Verdict": "wordpl.core.moves",
        "WordLists": "wordpl.core.words",
        "WordplError": "wordpl.core.messages",
        "clues": "wordpl.core.clues",
        "games": "wordpl.games",
        "load_run": "wordpl.run.folder",
        "priors": "wordpl.core.priors",
        "rankings": "wordpl.stats.rankings",
        "sequential_test": "wordpl.stats.compare.sequential",
        "solvers": "wordpl.solvers",
        "trees": "wordpl.solvers.trees",
        "Match": "wordpl.workbench.match",
        "MatchTerms": "wordpl.workbench.match",
        "RecordReport": "wordpl.reports.record_boards",
        "RunReport": "wordpl.reports.run_report",
        "Season": "wordpl.season.season",
        "TuneTerms": "wordpl.workbench.tune",
        "Tuner": "wordpl.workbench.tune",
        "analyse": "wordpl.workbench.loss_analysis",
        "check": "wordpl.contest.preflight",
        "profile": "wordpl.workbench.profile",
        "publish_run": "wordpl.reports.publication",
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
