"""What a version of an entry does, beside the version before it on the same games."""

from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from wordpl.core.amounts import amount
from wordpl.reports.columns import duration
from wordpl.workbench.match.result import MatchResult, MatchVerdict

N_SHOWN = 5


@dataclass(frozen=True)
class NewLoss:
    """A game that the version before won, or won for less: its number, the secret, both costs, how to see it again."""

    game: int
    secret: str
    cost: float
    cost_before: float
    replay: str


@dataclass(frozen=True)
class DevError:
    """A version that does not play.

    Attributes:
        kind: "syntax" of Python that cannot be read, "entry" where no entry can be made, else the verdict of a game.
        message: What is wrong.
        seconds: How long after the file was looked at it was known.
        replay: The command that shows the game, "" where there is none.
    """

    kind: str
    message: str
    seconds: float
    replay: str = ""

    def lines(self) -> list[str]:
        """Return the error as text."""
        head = "SYNTAX ERROR" if self.kind == "syntax" else "NO ENTRY" if self.kind == "entry" else self.kind.upper()
        said = [f"{head}  (after {self.seconds:.1f} s)", *(f"    {line}" for line in self.message.splitlines())]
        return [*said, f"    {self.replay}"] if self.replay else said

    def to_json(self) -> dict[str, Any]:
        """Return the error as JSON has it."""
        return {"event": "error", **asdict(self), "lines": self.lines()}


@dataclass(frozen=True)
class DevReport:
    """What a version does.

    Attributes:
        version: Its number, from 1 on.
        name: The entry's name.
        n_games: The games it played.
        n_won: Those it won.
        score: The mean of the goal, as text.
        cpu_s: The CPU time of a game.
        seconds: How long it took to know.
        plays_alike: Whether it made the same moves as the version before in all games.
        change: What both versions did on the same games, this one as the new entry; None for the first version.
        losses: The games that went worse than before, the worst first.
        n_faults: The games that ended by a fault.
        fault: The first fault's message.
        note: What else is to be known.
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
        said = [head, f"    {self._score()}   won {self.n_won}{self._won()}   CPU {duration(self.cpu_s)} a game"]
        if self.note:
            said.append(f"    {self.note}")
        if self.n_faults:
            said += [
                f"    {amount(self.n_faults, 'game')} ended by a fault:",
                *(f"      {one}" for one in self.fault.splitlines()),
            ]
        if self.plays_alike:
            said.append(f"    plays exactly as v{self.version - 1}")
        elif self.change is not None:
            said.append(f"    {verdict(self.change)}")
        if self.losses:
            said.append(f"    worse than v{self.version - 1}:")
            said += [f"      game {one.game} {one.secret}: {_cost(one.cost)}, was {_cost(one.cost_before)}"
                     for one in self.losses[:N_SHOWN]]  # fmt: skip
            said += [f"      {self.losses[0].replay}"] if self.losses[0].replay else []
        return said

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON has it."""
        names = ("version", "name", "n_games", "n_won", "score", "cpu_s", "seconds", "plays_alike", "n_faults", "note")
        facts = {name: getattr(self, name) for name in names}
        change = self.change.to_json() if self.change else None
        losses = [{**asdict(one), "cost": _plain(one.cost)} for one in self.losses]
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
        before = self.n_won - self.change.only_new + self.change.only_old
        return f" (was {before}: {self.change.only_new} gained, {self.change.only_old} lost)"


def verdict(change: MatchResult) -> str:
    """Return in a sentence what is clear of the new version."""
    if change.verdict == MatchVerdict.OPEN:
        more = f"about {round(change.n_more):,} more games would tell" if change.n_more < 1e6 else "no difference shows"
        return f"not clear yet: {more}"
    return f"clearly {change.verdict} than before"


def _cost(cost: float) -> str:
    return f"{cost:g}" if isfinite(cost) else "lost"


def _plain(cost: float) -> float | None:
    return cost if isfinite(cost) else None
