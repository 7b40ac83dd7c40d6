"""Text output of a search for parameters."""

from wordpl.core.messages import amount
from wordpl.reports.plain_table import PlainTable
from wordpl.workbench.tune.objective import HALF_WIDTH, NEVER, ScoreEstimate
from wordpl.workbench.tune.result import TuneResult
from wordpl.workbench.tune.tuner import TuneProgress, Tuner


def live_line(now: TuneProgress, tuner: Tuner) -> str:
    """Return a line with the progress of a search."""
    if now.phase == "validation":
        return f"fresh games: {now.trials.n_games:,} of {2 * tuner.terms.n_validation:,}"
    time = f"{now.trials.cpu_s:.0f} of {tuner.terms.cpu_s:g} s"
    best = f"best so far {now.best}" + ("" if now.loss is None or now.loss >= NEVER else f" {_shown(now.loss, tuner)}")
    return f"{time}  {now.trials.n_trials} sets  {amount(now.trials.n_games, 'game')}  {best}"


def table(result: TuneResult, n_games: int) -> PlainTable:
    """Return a table of the scores on fresh games."""
    rows = [
        [entry, result.objective.shown(score.value), _interval(result, score)]
        for entry, score in ((result.make, result.score), (result.own, result.own_score))
    ][: 1 + result.is_new]
    title = f"{result.objective.in_words()}; {n_games:,} fresh games, not used in the search"
    return PlainTable(title, ["entry", "score", "95% interval"], rows, frozenset({"entry"}))


def sentences(result: TuneResult) -> list[str]:
    """Return the sentences below the table, with a line to paste into the file."""
    said = []
    if result.objective.q is not None:
        said.append(_wins(result, result.objective.q))
    said.append(
        f"Found by {result.method}: {result.n_trials} sets, {amount(result.n_games, 'game')}, "
        f"{result.cpu_s:.0f} s of CPU time."
    )
    if result.is_new:
        said += ["Paste this into your file:", f"    ENTRIES = [{result.make}]"]
    else:
        said.append("No better parameters than your own were found.")
    return said


def _wins(result: TuneResult, q: float) -> str:
    """Return a sentence on the share of fresh games won, and whether the required share is shown."""
    share, error = (100 * value for value in result.win_share)
    low, high = share - HALF_WIDTH * error, share + HALF_WIDTH * error
    text = f"It wins {share:.2f} % of the {result.n_fresh:,} fresh games (95 %: {low:.2f} to {high:.2f})"
    if result.is_settled is None:
        return f"{text}."
    if result.is_settled:
        return f"{text}, so at least {100 * q:g} %."
    return f"{text}, which does not show that it wins {100 * q:g} %. Increase --time and --validate."


def _interval(result: TuneResult, score: ScoreEstimate) -> str:
    if score.low == score.high:
        return "–"
    return f"{result.objective.shown(score.low)} to {result.objective.shown(score.high)}"


def _shown(loss: float, tuner: Tuner) -> str:
    objective = tuner.objective
    return objective.shown(loss if objective.goal is None else objective.goal.score(1 - loss))
