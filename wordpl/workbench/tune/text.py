"""What a search has found, in words."""

from wordpl.core.amounts import amount
from wordpl.reports.plain_table import PlainTable
from wordpl.workbench.tune.bisection import GUARD
from wordpl.workbench.tune.objective import NEVER, Score
from wordpl.workbench.tune.tuner import TuneProgress, Tuner, TuneResult


def live_line(now: TuneProgress, tuner: Tuner) -> str:
    """Return in a line how far a search has come."""
    if now.phase == "validation":
        return f"fresh games: {now.trials.n_games:,} of {2 * tuner.terms.n_validation:,}"
    time = f"{now.trials.cpu_s:.0f} of {tuner.terms.cpu_s:g} s"
    best = f"best so far {now.best}" + ("" if now.loss is None or now.loss >= NEVER else f" {_shown(now.loss, tuner)}")
    return f"{time}  {now.trials.n_trials} sets  {amount(now.trials.n_games, 'game')}  {best}"


def table(result: TuneResult, n_games: int) -> PlainTable:
    """Return the scores on fresh games."""
    rows = [
        [entry, result.objective.shown(score.value), _interval(result, score)]
        for entry, score in ((result.make, result.score), (result.own, result.own_score))
    ][: 1 + result.is_new]
    title = f"{result.objective.in_words()}; {n_games:,} fresh games, unseen in the search"
    return PlainTable(title, ["entry", "score", "95% interval"], rows, frozenset({"entry"}))


def sentences(result: TuneResult) -> list[str]:
    """Return what was found and how, and the line to paste."""
    said = []
    if result.objective.q is not None:
        share, error = result.win_share
        said.append(f"It wins {100 * share:.2f} ± {100 * error:.2f} % of the fresh games (standard error).")
    if result.method == "bisection":
        said.append(f"It always spends the same: its chance to win lay {GUARD:g} standard errors above the share.")
    said.append(
        f"Found by {result.method}: {result.n_trials} sets, {amount(result.n_games, 'game')}, "
        f"{result.cpu_s:.0f} s of CPU time."
    )
    if result.is_new:
        said += ["To paste:", f"    ENTRIES = [{result.make}]"]
    else:
        said.append("Nothing better than your own parameters was found.")
    return said


def _interval(result: TuneResult, score: Score) -> str:
    if score.low == score.high:
        return "–"
    return f"{result.objective.shown(score.low)} to {result.objective.shown(score.high)}"


def _shown(loss: float, tuner: Tuner) -> str:
    objective = tuner.objective
    return objective.shown(loss if objective.goal is None else objective.goal.score(1 - loss))
