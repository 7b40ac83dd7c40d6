"""Rankings of players, one method per module. Modules added to this folder are found automatically.

A module defines its rankings as `RANKINGS = [...]`; modules without it contain shared code. A ranking turns results
into a sorted table, whether they come from a league or from a contest's run.

    table = RANKINGS["mean"](results, game_cutoff=3)
"""

from wordpl.core import modules_in
from wordpl.core.messages import UserError, did_you_mean
from wordpl.stats.rankings.prediction import compare_methods
from wordpl.stats.rankings.ranking import Ranking, Sheet, curves, results_of

__all__ = ["RANKINGS", "Ranking", "Sheet", "compare_methods", "curves", "find", "results_of"]


def _found() -> dict[str, Ranking]:
    rankings = [ranking for module in modules_in(__name__) for ranking in getattr(module, "RANKINGS", ())]
    return {ranking.name: ranking for ranking in rankings}


RANKINGS = _found()


def find(name: str) -> Ranking:
    """Return the ranking with this name.

    Raises:
        UserError: There is no such ranking; the message suggests a similar name.
    """
    try:
        return RANKINGS[name]
    except KeyError:
        hint = did_you_mean(name, RANKINGS)
        raise UserError(f"there is no ranking called {name!r}.{hint} Rankings: {', '.join(RANKINGS)}.") from None
