"""A search for parameters, kept in a folder: it can be stopped at any moment, and goes on to the same end."""

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

from wordpl.core import entry_files, locks, os_errors, seeds, words
from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.core.game_kinds import GameKind
from wordpl.core.records import EntryInfo
from wordpl.core.run_config import RunConfig
from wordpl.games import game_class
from wordpl.workbench.arena import Arena
from wordpl.workbench.naming import one_for_each
from wordpl.workbench.tune import bisection, halving
from wordpl.workbench.tune.objective import Objective, win_share
from wordpl.workbench.tune.parameters import Parameter, TunedEntry, parse_parameters, tuned_entry
from wordpl.workbench.tune.result import BISECTION, HALVING, TuneResult
from wordpl.workbench.tune.trials import OutOfTimeError, Trial, Trials
from wordpl.workbench.values import GameValues, ValueReader

FILE = "tune.json"
MAX_ARMS = 27
N_VALIDATION = 2000
CPU_S = 60.0
BRACKETS_SHARE = 0.75
"""The share of the time that successive halving has; the rest is for its best sets."""


class TuneTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is searched; the file tune.json in its folder.

    Attributes:
        entry: The entry, as it was named.
        parameters: What is varied, as on the command line.
        goal: A name of `Objective.of`; "" for the usual one.
        budget: For the goal won: what a game may cost.
        cpu_s: The CPU time of the search; what validates its result comes on top.
        max_trials: The most sets of parameters.
        n_validation: The fresh games of the result, and of the author's own parameters.
        seed: Decides the games and the sets that are drawn.
        sha256: Of the entry's file.
        config: Where entries run and how long they may take.
        result: What was found, once the search has ended.
    """

    entry: str
    parameters: list[str]
    goal: str = ""
    budget: float | None = None
    cpu_s: float = CPU_S
    max_trials: int = 10**6
    n_validation: int = N_VALIDATION
    seed: str = ""
    sha256: str = ""
    config: RunConfig = RunConfig()
    result: dict[str, Any] | None = None


class Tuner:
    """A search for parameters.

    Example:
        tuner = Tuner.new(TuneTerms(entry="my_bot.py", parameters=["epsilon=5:20", "n_guesses=2,3"], goal="p50"))
        print(tuner.run().make)
    """

    def __init__(self, folder: Path, terms: TuneTerms, jobs: int | None = None):
        """Make a search of a folder; use `new` or `resume`."""
        self.folder, self.terms, self._jobs = folder, terms, jobs
        self.entry: TunedEntry = tuned_entry(terms.entry)
        self.parameters: list[Parameter] = parse_parameters(terms.parameters, self.entry)

    @classmethod
    def new(cls, terms: TuneTerms, *, jobs: int | None = None) -> "Tuner":
        """Return a search that has not begun, in a new folder of the results."""
        seed = terms.seed or terms.config.seed or seeds.new_seed()
        entry = tuned_entry(terms.entry)
        terms = msgspec.structs.replace(terms, seed=seed, sha256=entry_files.digest(entry.file))
        name = f"{datetime.now(UTC):%Y-%m-%d-%H%M%S}-tune-{entry.file.stem}"
        tuner = cls(terms.config.results.absolute() / name, terms, jobs)
        tuner.info  # noqa: B018 - a wrong entry is refused before there is a folder
        tuner.folder.mkdir(parents=True)
        tuner._write()
        return tuner

    @classmethod
    def resume(cls, folder: str | Path, *, jobs: int | None = None) -> "Tuner":
        """Return the search in this folder, to be gone on with."""
        folder = Path(folder).absolute()
        try:
            terms = msgspec.json.decode((folder / FILE).read_bytes(), type=TuneTerms, dec_hook=_to_path)
        except OSError:
            raise UserError(f"{folder} is no search: it has no {FILE}.") from None
        except msgspec.DecodeError as error:
            raise UserError(f"{folder / FILE} is not the description of a search: {error}") from None
        tuner = cls(folder, terms, jobs)
        if entry_files.digest(tuner.entry.file) != terms.sha256:
            raise UserError(f"{tuner.entry.file.name} has changed since: put it back, or start a new search.")
        return tuner

    @property
    def own(self) -> str:
        """The expression of the author's own entry."""
        return self.entry.expression({})

    @cached_property
    def info(self) -> EntryInfo:
        """The author's own entry, as a player tells it."""
        name = f"{self.entry.file}:{self.own}"
        found: EntryInfo = one_for_each([name], self.terms.config).entries[0]
        return found

    @cached_property
    def objective(self) -> Objective:
        """What is looked for."""
        loss_cost = self.terms.config.loss_cost
        return Objective.of(self.terms.goal or None, self.info.measure, self.terms.budget, loss_cost)

    def run(self, progress: Callable[["TuneProgress"], object] = lambda now: None) -> TuneResult:
        """Search until the time is used up, then play fresh games; Ctrl-C loses nothing."""
        reader = ValueReader(self.info, words.load(self.terms.config.answers, self.terms.config.guesses))
        is_noisy = game_class(self.info.game_id).kind == GameKind.NOISY
        self.objective  # noqa: B018 - a wrong goal is refused before games are played
        with locks.exclusive(self.folder), os_errors.explain(self.folder):
            with Arena(self.config_of("search"), jobs=self._jobs) as arena:
                trials = Trials(self.folder / "search.jsonl", arena, (self.info, reader, is_noisy))
                trials.cpu_limit_s, trials.max_trials = self.terms.cpu_s, self.terms.max_trials
                with closing(trials):
                    search = _Search(self, trials, progress)
                    make, method = search.run()
            with Arena(self.config_of("validation"), jobs=self._jobs) as arena:
                fresh = Trials(self.folder / "validation.jsonl", arena, (self.info, reader, is_noisy))
                with closing(fresh):
                    fresh.progress = lambda: progress(TuneProgress("validation", make, None, fresh))
                    games = [fresh.play(one, {}, self.terms.n_validation).games for one in (make, self.own)]
            result = self._result(make, method, games, trials)
            self.terms = msgspec.structs.replace(self.terms, result=result.to_json())
            self._write()
        return result

    def config_of(self, purpose: str) -> RunConfig:
        """Return the terms of the games of the search, or of those that validate its result: no game is in both."""
        return msgspec.structs.replace(self.terms.config, seed=f"{self.terms.seed}/{purpose}")

    def _result(self, make: str, method: str, games: Sequence[GameValues], trials: Trials) -> TuneResult:
        found, own = games
        score = self.objective.score
        return TuneResult(
            make, self.own, self.objective, method, score(found), score(own), win_share(found),
            trials.n_trials, trials.n_games, self.terms.n_validation, trials.cpu_s,
        )  # fmt: skip

    def _write(self) -> None:
        text = msgspec.json.format(msgspec.json.encode(self.terms, enc_hook=str), indent=2)
        write_atomically(self.folder / FILE, text + b"\n")


def _to_path(kind: type, value: Any) -> Any:
    """Return a value of the file as its type, for those that JSON does not know: paths."""
    return kind(value)


@dataclass(frozen=True)
class TuneProgress:
    """How far a search has come: its phase, the best entry so far with its loss, and all games."""

    phase: str
    best: str
    loss: float | None
    trials: Trials


class _Search:
    """One search: it chooses its method, and remembers the best entry so far for who watches."""

    def __init__(self, tuner: Tuner, trials: Trials, progress: Callable[[TuneProgress], object]):
        self.tuner, self.trials = tuner, trials
        self._best: tuple[int, float, str] = (0, float("inf"), tuner.own)
        trials.progress = lambda: progress(TuneProgress("search", self._best[2], self._best[1], trials))

    def run(self) -> tuple[str, str]:
        """Return the expression of what was found, and by which method."""
        tuner = self.tuner
        try:
            first = self.play({}, halving.FIRST_GAMES // 4)
            if first.fault and not first.games.won.any():
                raise UserError(f"{tuner.own} plays no game to its end. {first.fault}")
            budget = self._budget_parameter()
        except OutOfTimeError:
            raise UserError(f"{tuner.terms.cpu_s:g} s of CPU time are too few for a search.") from None
        if budget is not None:
            return self._bisect(budget), BISECTION
        own = {one.name: tuner.entry.base.get(one.name, one.value(0.5)) for one in tuner.parameters}
        rng = np.random.default_rng(int.from_bytes(seeds.draw(seeds.run_key(tuner.terms.seed), b"tune", 0), "big"))
        found = halving.search(tuner.parameters, own, (self._early_loss, self.loss), rng)
        return (tuner.entry.expression(found[0].chosen) if found else tuner.own), HALVING

    def _budget_parameter(self) -> Parameter | None:
        """Return the one parameter that decides what a game costs, of entries that always spend the same."""
        if self.tuner.objective.q is None:
            return None
        deciding = []
        for one in self.tuner.parameters:
            others = {other.name: other.value(0.0) for other in self.tuner.parameters if other is not one}
            if one.is_range and bisection.decides_budget(one, others, self.games):
                deciding.append(one)
        return deciding[0] if len(deciding) == 1 else None

    def _bisect(self, parameter: Parameter) -> str:
        tuner = self.tuner
        others = [one for one in tuner.parameters if one is not parameter]
        rng = np.random.default_rng(0)
        few = halving.n_sets(others) <= MAX_ARMS
        arms = halving.all_sets(others) if few else halving.spread(others, MAX_ARMS, rng)
        roots = bisection.search(parameter, arms, tuner.objective.q or 0.0, self.games, tuner.terms.n_validation)
        best = next((root for root in roots if isfinite(root.budget)), None)
        if best is None:
            raise UserError(
                f"with {parameter.name} up to {parameter.high:g} no entry wins "
                f"{100 * (tuner.objective.q or 0):g} % of its games: allow more."
            )
        return tuner.entry.expression({**best.others, parameter.name: best.value})

    def _early_loss(self, chosen: Mapping[str, Any], n_games: int) -> float:
        """Return the loss as long as there is time for the brackets."""
        if self.trials.cpu_s >= BRACKETS_SHARE * self.tuner.terms.cpu_s:
            raise OutOfTimeError
        return self.loss(chosen, n_games)

    def play(self, chosen: Mapping[str, Any], n_games: int) -> Trial:
        """Return a trial with its first games."""
        return self.trials.play(self.tuner.entry.expression(chosen), chosen, n_games)

    def games(self, chosen: Mapping[str, Any], n_games: int) -> GameValues:
        """Return what the first games of a trial say."""
        self.loss(chosen, n_games)
        return self.play(chosen, n_games).games

    def loss(self, chosen: Mapping[str, Any], n_games: int) -> float:
        """Return what the first games of a trial count as."""
        trial = self.play(chosen, n_games)
        loss = self.tuner.objective.loss(trial.games)
        if (-n_games, loss) < (-self._best[0], self._best[1]):
            self._best = n_games, loss, trial.make
        return loss
