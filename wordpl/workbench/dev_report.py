"""Reports on one version of an entry, compared with the previous version on the same games."""

from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from wordpl.core.messages import amount
from wordpl.reports.cells import duration
from wordpl.workbench.match.result import MatchResult, MatchVerdict

N_SHOWN = 5


@dataclass(frozen=True)
class NewLoss:
    """A game that the previous version won, or won at a lower cost.

    Attributes:
        cost: Cost of the new version, infinite for a lost game.
        cost_before: Cost of the previous version.
        replay: Command that replays the game.
    """

    game: int
    secret: str
    cost: float
    cost_before: float
    replay: str


@dataclass(frozen=True)
class DevError:
    """A version that cannot play.

    Attributes:
        kind: "syntax" for a syntax error, "entry" if the entry cannot be created, otherwise the verdict of a game.
        seconds: Seconds from the start of the check to the error.
        replay: Command that replays the game, or "".
    """

    kind: str
    message: str
    seconds: float
    replay: str = ""

    def lines(self) -> list[str]:
        """Return the error as text."""
        head = "SYNTAX ERROR" if self.kind == "syntax" else "NO ENTRY" if self.kind == "entry" else self.kind.upper()
        lines = [f"{head}  (after {self.seconds:.1f} s)", *(f"    {line}" for line in self.message.splitlines())]
        return [*lines, f"    {self.replay}"] if self.replay else lines

    def to_json(self) -> dict[str, Any]:
        """Return the error as JSON."""
        return {"event": "error", **asdict(self), "lines": self.lines()}


@dataclass(frozen=True)
class DevReport:
    """The results of one version.

    Attributes:
        version: Number of the version, from 1 on.
        score: Mean of the goal, as text.
        cpu_s: Mean CPU time of a game.
        seconds: Duration of the check in seconds.
        plays_alike: Whether it made the same moves as the previous version in all games.
        change: Comparison with the previous version; None for the first version.
        losses: Games that are worse than before, the worst first.
        n_faults: Number of games that ended by a fault.
        fault: Message of the first fault.
        note: A note on how the entry was chosen, or "".
    """

    version: int
    name: str
    n_games: int
    n_won: int
    score: str
    cpu_s: float
    seconds: float
    plays_alike: bool = False
    change: MatchResult | None = None
    losses: list[NewLoss] = field(default_factory=list)
    n_faults: int = 0
    fault: str = ""
    note: str = ""

    def lines(self) -> list[str]:
        """Return the report as text."""
        head = f"v{self.version}  {self.name}  {amount(self.n_games, 'game')} in {self.seconds:.1f} s"
        lines = [head, f"    {self._score()}   won {self.n_won}{self._won()}   CPU {duration(self.cpu_s)} per game"]
        if self.note:
            lines.append(f"    {self.note}")
        if self.n_faults:
            lines += [
                f"    {amount(self.n_faults, 'game')} ended by a fault:",
                *(f"      {line}" for line in self.fault.splitlines()),
            ]
        if self.plays_alike:
            lines.append(f"    makes the same moves as v{self.version - 1}")
        elif self.change is not None:
            lines.append(f"    {verdict(self.change)}")
        if self.losses:
            lines.append(f"    worse than v{self.version - 1}:")
            lines += [f"      game {loss.game} {loss.secret}: {_cost(loss.cost)}, was {_cost(loss.cost_before)}"
                      for loss in self.losses[:N_SHOWN]]  # fmt: skip
            lines += [f"      {self.losses[0].replay}"] if self.losses[0].replay else []
        return lines

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON."""
        names = ("version", "name", "n_games", "n_won", "score", "cpu_s", "seconds", "plays_alike", "n_faults", "note")
        facts = {name: getattr(self, name) for name in names}
        change = self.change.to_json() if self.change else None
        losses = [{**asdict(loss), "cost": _plain(loss.cost)} for loss in self.losses]
        return {"event": "version", **facts, "change": change, "losses": losses, "lines": self.lines()}

    def _score(self) -> str:
        if self.change is None:
            return self.score
        goal = self.change.goal
        ends = sorted((goal.shown_difference(end) for end in (self.change.low, self.change.high)), key=float)
        was = goal.shown(self.change.scores[1])
        return f"{self.score} (was {was}: {goal.shown_difference(self.change.difference)}, {ends[0]} to {ends[1]})"

    def _won(self) -> str:
        if self.change is None:
            return ""
        n_won_before = self.n_won - self.change.only_new + self.change.only_old
        return f" (was {n_won_before}: {self.change.only_new} gained, {self.change.only_old} lost)"


def verdict(change: MatchResult) -> str:
    """Return a line on whether the new version is better."""
    if change.verdict == MatchVerdict.OPEN:
        if change.n_more < 1e6:
            return f"not significant yet: needs about {round(change.n_more):,} more games"
        return "no significant difference"
    return f"significantly {change.verdict} than before"


def _cost(cost: float) -> str:
    return f"{cost:g}" if isfinite(cost) else "lost"


def _plain(cost: float) -> float | None:
    return cost if isfinite(cost) else None
