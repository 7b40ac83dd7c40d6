"""The terms of a match and of a search for parameters, which become options of `wordpl match`, `grade` and `tune`."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from wordpl.core.seeds import is_drawn
from wordpl.core.settings import Setting, documented
from wordpl.run.config import RunConfig
from wordpl.run.info import TYPED_SEED


@documented
class MatchTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a match ends. It is stored as match.json in the folder of the match, with the result once it has ended."""

    goal: Annotated[
        str,
        Setting(
            "--goal",
            "Measure to compare: games won, mean cost (a lost game costs --loss-cost), or mean number of guesses. "
            "[default: cost; guesses for classic games]",
            choices=("", "won", "cost", "guesses"),
        ),
    ] = ""
    budget: Annotated[
        float | None,
        Setting(
            "--budget",
            "With --goal won: count only games won within this budget, or within this number of guesses.",
            low=0.0,
            is_open=True,
        ),
    ] = None
    margin: Annotated[
        float,
        Setting(
            "--margin",
            "Stop with the verdict `equal` if the difference is smaller than this, in percentage points, budget or "
            "guesses.",
            low=0.0,
        ),
    ] = 0.0
    max_games: Annotated[int, Setting("--games", "Stop with the verdict `open` after this number of games.", low=1)] = (
        20_000
    )
    exact: Annotated[
        bool, Setting("--exact/--no-exact", "Compute the exact result from all clues if that needs fewer games.")
    ] = True
    result: dict[str, Any] | None = None


@documented
class TuneTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a search. They are stored as tune.json in its folder, with the result once it has ended.

    The entry is named as on the command line. The seed decides which games are played and which sets are drawn.
    """

    entry: str
    parameters: Annotated[
        Sequence[str],
        Setting(
            "--param",
            "Parameter to vary: a range such as epsilon=5:20, or choices such as n_guesses=2,3,4. Repeatable.",
            "NAME=VALUES",
        ),
    ]
    goal: Annotated[
        str,
        Setting(
            "--goal",
            "What to optimize: the smallest budget that wins 5, 50 or 95 % of all games, the number of games won, the "
            "mean cost, or the mean number of guesses. [default: p50; guesses for classic games]",
            choices=("", "p05", "p50", "p95", "won", "cost", "guesses"),
        ),
    ] = ""
    budget: Annotated[
        float | None,
        Setting("--budget", "With --goal won: count only games won within this budget.", low=0.0, is_open=True),
    ] = None
    cpu_s: Annotated[float, Setting("--time", "CPU time of the search.", "SECONDS", low=1.0)] = 60.0
    max_trials: Annotated[
        int | None, Setting("--trials", "Maximum number of parameter sets to try. [default: no limit]", low=1)
    ] = None
    n_validation: Annotated[
        int,
        Setting("--validate", "Number of fresh games for the best set and for your own parameters.", "GAMES", low=100),
    ] = 2000
    seed: str = ""
    sha256: str = ""
    config: RunConfig = RunConfig()
    result: dict[str, Any] | None = None

    @property
    def seed_remark(self) -> str:
        """A sentence about the seed, if the entry could have known it; "" otherwise."""
        return "" if is_drawn(self.seed) else TYPED_SEED
