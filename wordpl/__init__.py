"""A harness for strategy contests on Wordle-family games.

The names exported here, and by `wordpl.games` and `wordpl.solvers`, are public and stable; all other modules may
change. Names are imported lazily, when they are first used, so that `import wordpl` is fast.
"""

from typing import TYPE_CHECKING, Any

from wordpl.core import lazy_getattr

if TYPE_CHECKING:
    from wordpl import games, solvers
    from wordpl.apps.season.season import Season
    from wordpl.apps.workbench.loss_analysis import analyse
    from wordpl.apps.workbench.match import Match, MatchTerms
    from wordpl.apps.workbench.profile import profile
    from wordpl.apps.workbench.tune import Tuner, TuneTerms
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
    from wordpl.run.folder import Run, load_moves, load_run
    from wordpl.solvers import trees
    from wordpl.solvers.solver import RatedGuess, Solver
    from wordpl.stats import rankings
    from wordpl.stats.compare.sequential import sequential_test
    from wordpl.strategy import EntryError, Strategy
    from wordpl.verify import Findings

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
    "load_moves",
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

_NAMES = {
    "wordpl.contest": "Contest EntryProgress Observer",
    "wordpl.contest.preflight": "check",
    "wordpl.core.clues": "clues",
    "wordpl.core.messages": "ConfigError UserError WordplError",
    "wordpl.core.moves": "ClassicMove GameFacts Move MoveForm NoisyMove Verdict",
    "wordpl.core.priors": "priors",
    "wordpl.core.words": "WordLists words",
    "wordpl.games": "IllegalMoveError games",
    "wordpl.kernels.posterior": "Posterior",
    "wordpl.players.base": "PlayerError",
    "wordpl.reports.publication": "publish_run",
    "wordpl.reports.record_boards": "RecordReport",
    "wordpl.reports.run_report": "RunReport",
    "wordpl.run.config": "Limits PlayerKind RunConfig",
    "wordpl.run.folder": "Run load_moves load_run",
    "wordpl.apps.season.season": "Season",
    "wordpl.solvers": "solvers",
    "wordpl.solvers.solver": "RatedGuess Solver",
    "wordpl.solvers.trees": "trees",
    "wordpl.stats.compare.sequential": "sequential_test",
    "wordpl.stats.rankings": "rankings",
    "wordpl.strategy": "EntryError Strategy",
    "wordpl.apps.workbench.loss_analysis": "analyse",
    "wordpl.apps.workbench.match": "Match MatchTerms",
    "wordpl.apps.workbench.profile": "profile",
    "wordpl.apps.workbench.tune": "TuneTerms Tuner",
}
"""The public names by the module that defines them."""
_APPS = {
    name: module.split(".")[2]
    for module, names in _NAMES.items()
    if module.startswith("wordpl.apps.")
    for name in names.split()
}
"""The apps of the public names that belong to one."""
_get = lazy_getattr(__name__, {name: module for module, names in _NAMES.items() for name in names.split()})


_WITH_RUNS = ("Contest", "Run", "load_run")
"""The names that give runs, to whose class their reports and their verification are attached: these lie above it."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used.

    Raises:
        MissingAppError: It belongs to an app whose folder is not installed.
    """
    if name == "__version__":
        from importlib.metadata import version

        return version("wordpl")
    if app := _APPS.get(name):
        from wordpl.core import apps

        apps.check_installed(app, f"wordpl.{name}")
    value = _get(name)
    if name in _WITH_RUNS:
        run = value if name == "Run" else _get("Run")
        run.report_with, run.verify_with = _report, _verify
    return value


def _report(run: "Run") -> "RunReport":
    from wordpl.reports.run_report import RunReport

    return RunReport.of(run)


def _verify(run: "Run", replay: int, commitment: str | None) -> "Findings":
    from wordpl.reports.verification import verify_run

    return verify_run(run, replay=replay, commitment=commitment)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
