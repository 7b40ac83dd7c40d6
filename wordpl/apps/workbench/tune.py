"""Searches for the best parameters of an entry. A search that was stopped can be resumed with the same result."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from wordpl.apps.workbench import tune_question, tune_search
from wordpl.apps.workbench.arena import Arena
from wordpl.apps.workbench.entry_lookup import entries_for
from wordpl.apps.workbench.goals import GameValues, ValueReader
from wordpl.apps.workbench.terms import TuneTerms
from wordpl.apps.workbench.tune_question import win_share
from wordpl.apps.workbench.tune_search import OutOfTimeError, Trial, Trials
from wordpl.contest.entries import FoundEntries
from wordpl.contest.isolation import require_own_choice
from wordpl.core import bounded, seeds
from wordpl.core.files import write_atomically
from wordpl.core.intervals import CONFIDENCE
from wordpl.core.messages import UserError, amount
from wordpl.reports.elements import Table, text_table
from wordpl.run.bundle import Bundle
from wordpl.run.config import RunConfig
from wordpl.run.folder import exclusive, explain
from wordpl.run.info import EntryInfo

__all__ = ["TuneProgress", "TuneResult", "TuneTerms", "Tuner"]

BISECTION, HALVING = "bisection", "successive halving"


@dataclass(frozen=True)
class TuneResult:
    """The result of a search.

    Attributes:
        make: Expression of the entry that was found.
        own: Expression of the author's own entry.
        method: "bisection" or "successive halving".
        score: Score of the found entry on fresh games.
        own_score: Score of the author's own entry on the same games.
        win_share: Probability of winning of the found entry on the fresh games, with its standard error.
        n_trials: Number of sets of parameters that were tried.
        n_games: Number of games that they played.
        cpu_s: CPU time of the search.
        p_value: The probability of fresh games that speak so much for the found entry, if it is not better.
        difference: The found entry's score minus the author's own, paired game by game; None for quantiles.
    """

    make: str
    own: str
    objective: tune_question.Objective
    method: str
    score: tune_question.ScoreEstimate
    own_score: tune_question.ScoreEstimate
    win_share: tuple[float, float]
    n_trials: int
    n_games: int
    n_fresh: int
    cpu_s: float
    p_value: float = 1.0
    difference: tune_question.ScoreEstimate | None = None

    @property
    def is_better(self) -> bool:
        """Whether the fresh games show that the found entry is better; it is worse in at most 5% of such runs."""
        return self.is_new and self.p_value < 1 - CONFIDENCE

    @property
    def is_settled(self) -> bool | None:
        """Whether the fresh games show that the entry wins the share; None for entries with varying costs."""
        if self.objective.q is None or self.method != BISECTION:
            return None
        share, error = self.win_share
        return share - tune_question.HALF_WIDTH * error >= self.objective.q

    @property
    def is_new(self) -> bool:
        """Whether the found entry differs from the author's own."""
        return self.make != self.own

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON, where infinite numbers are null."""

        def plain(score: tune_question.ScoreEstimate) -> dict[str, float | None]:
            return {name: value if isfinite(value) else None for name, value in vars(score).items()}

        return {
            "entry": self.make, "own_entry": self.own, "goal": self.objective.name, "method": self.method,
            "score": plain(self.score), "own_score": plain(self.own_score), "win_share": list(self.win_share),
            "is_settled": self.is_settled, "is_better": self.is_better, "p_value": self.p_value,
            "difference": None if self.difference is None else plain(self.difference),
            "n_trials": self.n_trials, "n_games": self.n_games,
            "cpu_s": round(self.cpu_s, 3),
        }  # fmt: skip


def table(result: TuneResult, n_games: int) -> Table:
    """Return a table of the scores on fresh games."""
    rows = [
        [entry, result.objective.shown(score.value), _interval(result, score)]
        for entry, score in ((result.make, result.score), (result.own, result.own_score))
    ][: 1 + result.is_new]
    title = f"{result.objective.in_words()}; {n_games:,} fresh games, not used in the search"
    return text_table(title, ["entry", "score", "95% interval"], rows, frozenset({"entry"}))


def sentences(result: TuneResult) -> list[str]:
    """Return the sentences below the table, with a line to paste into the file."""
    lines = []
    if result.objective.q is not None:
        lines.append(_wins(result, result.objective.q))
    lines.append(
        f"Found by {result.method}: {result.n_trials} sets, {amount(result.n_games, 'game')}, "
        f"{result.cpu_s:.0f} s of CPU time."
    )
    if not result.is_new:
        return [*lines, "No better parameters than your own were found."]
    chance = "below 0.001" if result.p_value < 0.001 else f"{result.p_value:.3f}"
    if result.difference is not None:
        gap, show = result.difference, result.objective.shown
        lines.append(f"Its score minus yours, game by game: {show(gap.value)} ({show(gap.low)} to {show(gap.high)}).")
    if not result.is_better:
        return [
            *lines,
            f"It is not shown to be better than your own (p-value {chance}): keep yours, or play more games.",
        ]
    lines.append(f"It is better than your own on the fresh games (p-value {chance}). Paste this into your file:")
    return [*lines, f"    ENTRIES = [{result.make}]"]


def _wins(result: TuneResult, q: float) -> str:
    """Return a sentence on the share of fresh games won, and whether the required share is shown."""
    share, error = (100 * value for value in result.win_share)
    low, high = share - tune_question.HALF_WIDTH * error, share + tune_question.HALF_WIDTH * error
    text = f"It wins {share:.2f} % of the {result.n_fresh:,} fresh games (95 %: {low:.2f} to {high:.2f})"
    if result.is_settled is None:
        return f"{text}."
    if result.is_settled:
        return f"{text}, so at least {100 * q:g} %."
    return f"{text}, which does not show that it wins {100 * q:g} %. Increase --time and --validate."


def _interval(result: TuneResult, score: tune_question.ScoreEstimate) -> str:
    if score.low == score.high:
        return "–"
    return f"{result.objective.shown(score.low)} to {result.objective.shown(score.high)}"


FILE = "tune.json"
MAX_ARMS = 27
N_PLAYABLE = 4
"""The number of games that show whether an entry can play with a value of a parameter."""
BRACKETS_SHARE = 0.75
"""Share of the CPU time for the brackets of successive halving. The rest is for the best sets."""


class Tuner:
    """A search for parameters.

    Example:
        tuner = Tuner.new(TuneTerms(entry="my_bot.py", parameters=["epsilon=5:20", "n_guesses=2,3"], goal="p50"))
        print(tuner.run().make)
    """

    def __init__(self, folder: Path, terms: TuneTerms, jobs: int | None = None):
        """Create a search in its folder. Use `new` or `resume` instead."""
        self.folder, self.terms, self._jobs = folder, terms, jobs
        self.entry = tune_question.tuned_entry(terms.entry)
        self.parameters: list[tune_question.Parameter] = tune_question.parse_parameters(terms.parameters, self.entry)

    @classmethod
    def new(cls, terms: TuneTerms, *, jobs: int | None = None) -> "Tuner":
        """Create a search in a new folder."""
        seed = terms.seed or terms.config.seed or seeds.new_seed()
        entry = tune_question.tuned_entry(terms.entry)
        terms = msgspec.structs.replace(terms, seed=seed, sha256=Bundle.of(entry.file).digest)
        name = f"{datetime.now(UTC):%Y-%m-%d-%H%M%S}-tune-{entry.file.stem}"
        tuner = cls(terms.config.results.absolute() / name, terms, jobs)
        tuner.info  # noqa: B018 - an invalid entry is refused before the folder is created
        tuner.folder.mkdir(parents=True)
        tuner._write()
        return tuner

    @classmethod
    def resume(cls, folder: str | Path, *, jobs: int | None = None, level: str = "", trusted: bool = False) -> "Tuner":
        """Load the search in this folder, to be continued.

        Args:
            folder: Folder of the search.
            jobs: Number of games played in parallel. By default one per processor.
            level: The sandbox level of the search, if that is C or D.
            trusted: Whether to play in this process, if the entry of the search is trusted.

        Raises:
            UserError: The folder does not contain a search, the file of the entry has changed, or the search plays
                without isolation, and this was not chosen.
        """
        folder = Path(folder).absolute()
        try:
            facts = bounded.read_json(bounded.TUNE_TERMS, folder / FILE)
            terms = msgspec.convert(facts, TuneTerms, dec_hook=lambda kind, value: kind(value))  # paths
        except OSError:
            raise UserError(f"{folder} is not a search, because it has no {FILE}.") from None
        except msgspec.ValidationError as error:
            raise UserError(f"{folder / FILE} is invalid: {error}") from None
        require_own_choice(terms.config, level, trusted=trusted)
        tuner = cls(folder, terms, jobs)
        if Bundle.of(tuner.entry.file).digest != terms.sha256:
            raise UserError(f"{tuner.entry.file.name} has changed since then. Restore it, or start a new search.")
        return tuner

    @property
    def own(self) -> str:
        """Expression of the author's own entry."""
        return self.entry.expression({})

    @cached_property
    def info(self) -> EntryInfo:
        """The author's own entry."""
        info: EntryInfo = self._found.entries[0]
        return info

    @cached_property
    def _found(self) -> FoundEntries:
        return entries_for([f"{self.entry.file}:{self.own}"], self.terms.config)

    @cached_property
    def objective(self) -> tune_question.Objective:
        """The objective of the search."""
        loss_cost = self.terms.config.loss_cost
        return tune_question.Objective.of(self.terms.goal or None, self.info.game, self.terms.budget, loss_cost)

    def run(self, progress: Callable[["TuneProgress"], object] = lambda now: None) -> TuneResult:
        """Search until the CPU time is used up, then play fresh games. Ctrl-C loses no finished games."""
        reader = ValueReader(self.info, self.terms.config.load_lists())
        self.objective  # noqa: B018 - an invalid goal is refused before games are played
        with exclusive(self.folder), explain(self.folder):
            with Arena.open(self.config_of("search"), jobs=self._jobs, store=self._found.store) as arena:
                trials = Trials(self.folder / "search.jsonl", arena, self.info, reader)
                trials.cpu_limit_s, trials.max_trials = self.terms.cpu_s, self.terms.max_trials or 10**6
                with closing(trials):
                    search = _Search(self, trials, progress)
                    make, method = search.run()
            with Arena.open(self.config_of("validation"), jobs=self._jobs, store=self._found.store) as arena:
                fresh_trials = Trials(self.folder / "validation.jsonl", arena, self.info, reader)
                with closing(fresh_trials):
                    fresh_trials.progress = lambda: progress(TuneProgress("validation", make, None, fresh_trials))
                    games = [
                        fresh_trials.play(expression, {}, self.terms.n_validation).games
                        for expression in (make, self.own)
                    ]
            result = self._result(make, method, games, trials)
            self.terms = msgspec.structs.replace(self.terms, result=result.to_json())
            self._write()
        return result

    def config_of(self, purpose: str) -> RunConfig:
        """Return the configuration of the games of the search or of the validation, which have different seeds."""
        return msgspec.structs.replace(self.terms.config, seed=f"{self.terms.seed}/{purpose}")

    def _result(self, make: str, method: str, games: Sequence[GameValues], trials: Trials) -> TuneResult:
        tuned, own = games
        score = self.objective.score
        return TuneResult(
            make, self.own, self.objective, method, score(tuned), score(own), win_share(tuned),
            trials.n_trials, trials.n_games, self.terms.n_validation, trials.cpu_s,
            self.objective.p_better(tuned, own), self.objective.difference(tuned, own),
        )  # fmt: skip

    def _write(self) -> None:
        text = msgspec.json.format(msgspec.json.encode(self.terms, enc_hook=str), indent=2)
        write_atomically(self.folder / FILE, text + b"\n")


@dataclass(frozen=True)
class TuneProgress:
    """The progress of a search: its phase, the best entry so far with its loss, and its trials."""

    phase: str
    best: str
    loss: float | None
    trials: Trials


def live_line(now: TuneProgress, tuner: Tuner) -> str:
    """Return a line with the progress of a search."""
    if now.phase == "validation":
        return f"fresh games: {now.trials.n_games:,} of {2 * tuner.terms.n_validation:,}"
    time = f"{now.trials.cpu_s:.0f} of {tuner.terms.cpu_s:g} s"
    best = f"best so far {now.best}" + (
        "" if now.loss is None or now.loss >= tune_question.NEVER else f" {_shown(now.loss, tuner)}"
    )
    return f"{time}  {now.trials.n_trials} sets  {amount(now.trials.n_games, 'game')}  {best}"


def _shown(loss: float, tuner: Tuner) -> str:
    objective = tuner.objective
    return objective.shown(loss if objective.goal is None else objective.goal.score(1 - loss))


class _Search:
    """Runs a search: chooses the method, and reports the best entry so far."""

    def __init__(self, tuner: Tuner, trials: Trials, progress: Callable[[TuneProgress], object]):
        self.tuner, self.trials = tuner, trials
        self._best: tuple[int, float, str] = (0, float("inf"), tuner.own)
        trials.progress = lambda: progress(TuneProgress("search", self._best[2], self._best[1], trials))

    def run(self) -> tuple[str, str]:
        """Return the expression of the entry that was found, and the method."""
        tuner = self.tuner
        try:
            first_trial = self.play({}, tune_search.FIRST_GAMES // 4)
            if first_trial.fault and not first_trial.games.won.any():
                raise UserError(f"{tuner.own} finishes no game. {first_trial.fault}")
            self._require_playable()
            budget = self._budget_parameter()
        except OutOfTimeError:
            if self.trials.n_trials >= self.trials.max_trials:
                raise UserError(
                    f"a search needs more than {amount(self.trials.max_trials, 'trial')}: your own parameters and both "
                    "ends of each range are tried first."
                ) from None
            raise UserError(f"{tuner.terms.cpu_s:g} s of CPU time is not enough for a search.") from None
        if budget is not None:
            return self._bisect(budget), BISECTION
        own = {
            parameter.name: tuner.entry.values.get(parameter.name, parameter.value(0.5))
            for parameter in tuner.parameters
        }
        rng = np.random.default_rng(seeds.Draws.of(tuner.terms.seed).generator_seed(b"tune"))
        finalists = tune_search.successive_halving(tuner.parameters, own, self._early_loss, self.loss, rng)
        return (tuner.entry.expression(finalists[0].chosen) if finalists else tuner.own), HALVING

    def _require_playable(self) -> None:
        """Check that the entry can play with each choice of a parameter, and with both ends of a range.

        Raises:
            UserError: It finishes no game with one of them.
        """
        for parameter in self.tuner.parameters:
            for value in parameter.ends:
                trial = self.play({parameter.name: value}, N_PLAYABLE)
                if trial.fault and not trial.games.won.any():
                    raise UserError(
                        f"{trial.make} finishes no game, so {value!r} is no value to try for {parameter.name}: change "
                        f"--param {parameter.name}=... {trial.fault}"
                    )

    def _budget_parameter(self) -> tune_question.Parameter | None:
        """Return the only parameter that determines the cost of a game, if all games cost the same, or None."""
        if self.tuner.objective.q is None:
            return None
        budget_parameters = []
        for parameter in self.tuner.parameters:
            others = {other.name: other.value(0.0) for other in self.tuner.parameters if other is not parameter}
            if parameter.is_range and tune_search.decides_budget(parameter, others, self.games):
                budget_parameters.append(parameter)
        return budget_parameters[0] if len(budget_parameters) == 1 else None

    def _bisect(self, parameter: tune_question.Parameter) -> str:
        tuner = self.tuner
        others = [other for other in tuner.parameters if other is not parameter]
        rng = np.random.default_rng(0)
        tries_all = tune_search.n_sets(others) <= MAX_ARMS
        arms = tune_search.all_sets(others) if tries_all else tune_search.sobol_sets(others, MAX_ARMS, rng)
        roots = tune_search.bisect_budget(
            parameter, arms, tuner.objective.q or 0.0, self.games, tuner.terms.n_validation
        )
        best = next((root for root in roots if isfinite(root.budget)), None)
        if best is None:
            raise UserError(
                f"no entry with {parameter.name} up to {parameter.high:g} wins "
                f"{100 * (tuner.objective.q or 0):g} % of its games. Increase the upper end of the range."
            )
        return tuner.entry.expression({**best.others, parameter.name: best.value})

    def _early_loss(self, chosen: Mapping[str, Any], n_games: int) -> float:
        """Return the loss, unless the CPU time of the brackets is used up."""
        if self.trials.cpu_s >= BRACKETS_SHARE * self.tuner.terms.cpu_s:
            raise OutOfTimeError
        return self.loss(chosen, n_games)

    def play(self, chosen: Mapping[str, Any], n_games: int) -> Trial:
        """Return a trial with its first games."""
        return self.trials.play(self.tuner.entry.expression(chosen), chosen, n_games)

    def games(self, chosen: Mapping[str, Any], n_games: int) -> GameValues:
        """Return the results of the first games of a trial."""
        self.loss(chosen, n_games)
        return self.play(chosen, n_games).games

    def loss(self, chosen: Mapping[str, Any], n_games: int) -> float:
        """Return the loss of the first games of a trial."""
        trial = self.play(chosen, n_games)
        loss = self.tuner.objective.loss(trial.games)
        if (-n_games, loss) < (-self._best[0], self._best[1]):
            self._best = n_games, loss, trial.make
        return loss
