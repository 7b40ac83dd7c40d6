"""The scoring rules, one module each. Modules added to this folder are found automatically.

A module defines its scores as `SCORES = [...]`; modules without it contain shared code. A score says by the facts of a
game whether it applies to it.
"""

from functools import cache
from typing import TYPE_CHECKING

from wordpl.core import modules_in
from wordpl.core.messages import UserError, did_you_mean
from wordpl.core.moves import GameFacts, facts_from_text
from wordpl.games import game_class
from wordpl.stats.scores.score import LOSS_COST, Estimate, Score

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LOSS_COST", "Estimate", "Score", "facts_of", "main_score", "require_score", "score_names", "scores_for"]


@cache
def _scores() -> tuple[Score, ...]:
    return tuple(score for module in modules_in(__name__) for score in getattr(module, "SCORES", ()))


def scores_for(game: GameFacts, loss_cost: float = LOSS_COST) -> list[Score]:
    """Return the scores for a game.

    Args:
        game: The facts of the game, see `facts_of`.
        loss_cost: The cost of a lost game in means, if the game leaves it to the host.
    """
    cost = loss_cost if game.loss_cost is None else game.loss_cost
    return [score.with_loss(cost) for score in _scores() if score.applies(game)]


def main_score(game: GameFacts, name: str = "") -> Score:
    """Return the score by which the board of this game is ordered.

    Args:
        game: The facts of the game.
        name: The name of the score that the host has chosen. A game without this score has its usual one, so that a run
            of several games can have one choice.
    """
    scores = scores_for(game)
    chosen = [score for score in scores if score.name == name and score.ranks_boards]
    return chosen[0] if chosen else next(score for score in scores if score.main)


def require_score(name: str) -> str:
    """Return the name of a score by which boards can be ordered.

    Raises:
        UserError: No game has such a score.
    """
    names = score_names()
    if name not in names:
        raise UserError(f"no board is ordered by {name!r}.{did_you_mean(name, names)} Scores: {', '.join(names)}.")
    return name


def score_names() -> list[str]:
    """Return the names of the scores by which boards can be ordered."""
    return sorted({score.name for score in _scores() if score.ranks_boards})


def facts_of(run: "pd.DataFrame") -> GameFacts:
    """Return the facts of the game of the first row of a table of `load_run`.

    Raises:
        UserError: It is a host's own game, and the table lacks the column `facts`.
    """
    if "facts" in run:
        return _decoded(str(run["facts"].iloc[0]))
    name = str(run["rules"].iloc[0])
    try:
        return game_class(name).facts
    except UserError as error:
        raise UserError(f"the table has no column 'facts', and {error}") from None


_decoded = cache(facts_from_text)
