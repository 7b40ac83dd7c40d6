"""What an author wants more of: a number between 0 and 1 for each game, of which the mean is compared."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from wordpl.core.errors import UserError
from wordpl.core.game_kinds import CLASSIC_GUESSES, Measure
from wordpl.workbench.values import ChanceKind, Floats, GameValues, guesses_counted, within


class GoalKind(StrEnum):
    """What is compared."""

    WON = "won"  # the share of games won, within a budget if one is given
    COST = "cost"  # the companion score: the mean cost, where a lost game counts as the loss cost
    GUESSES = "guesses"  # the mean number of guesses of a classic game, 7 where it was lost


@dataclass(frozen=True)
class Goal:
    """What is compared, and how it is shown.

    Attributes:
        kind: What.
        budget: For games won: what a game may cost; None: anything.
        loss_cost: For the mean cost: what a lost game counts as, and the most that any game does.
    """

    kind: GoalKind
    budget: float | None = None
    loss_cost: float = 100.0

    @classmethod
    def of(cls, name: str | None, measure: Measure, budget: float | None = None, loss_cost: float = 100.0) -> "Goal":
        """Return the goal of this name for games of a measure; without a name, the usual one.

        Raises:
            UserError: The goal does not suit the games.
        """
        if measure == Measure.TRIES:
            raise UserError("in this game no secret is drawn, so all games of an entry are alike: use wordpl evaluate.")
        usual = GoalKind.GUESSES if measure == Measure.GUESSES else GoalKind.WON if budget else GoalKind.COST
        kind = GoalKind(name) if name else usual
        if kind == (GoalKind.COST if measure == Measure.GUESSES else GoalKind.GUESSES):
            raise UserError(f"the goal {kind} is not for games measured in {measure}: choose won or {usual}.")
        if budget is not None and kind != GoalKind.WON:
            raise UserError(f"a budget goes with the goal won, not with {kind}.")
        if budget is not None and measure == Measure.GUESSES and not 1 <= budget <= CLASSIC_GUESSES:
            raise UserError(f"within how many guesses? 1 to {CLASSIC_GUESSES}, got {budget:g}.")
        return cls(kind, budget, loss_cost)

    def values(self, games: GameValues, chance: ChanceKind | None = None) -> Floats:
        """Return what each game counts as, float[n] between 0 and 1, more is better; chance: how wins are read."""
        if self.kind == GoalKind.GUESSES:
            return 1 - (guesses_counted(games) - 1) / CLASSIC_GUESSES
        chances = games.chances(chance)
        if self.kind == GoalKind.WON:
            return np.where(within(games, self.budget), chances, 0.0)
        return np.asarray(chances * (1 - np.minimum(games.spent, self.loss_cost) / self.loss_cost))

    @property
    def uses_chances(self) -> bool:
        """Whether the chance to win of each game enters."""
        return self.kind != GoalKind.GUESSES

    def score(self, value: float) -> float:
        """Return the score that a mean of `values` stands for: a share, a cost or a number of guesses."""
        if self.kind == GoalKind.WON:
            return value
        return self.loss_cost * (1 - value) if self.kind == GoalKind.COST else 1 + CLASSIC_GUESSES * (1 - value)

    def difference(self, value: float) -> float:
        """Return the difference of scores that a difference of means stands for; above 0 is better where wins count."""
        return self.score(value) - self.score(0.0)

    def in_words(self) -> str:
        """Return what is compared."""
        if self.kind == GoalKind.WON:
            return "games won" + (f" within {self.budget:g}" if self.budget is not None else "")
        if self.kind == GoalKind.COST:
            return f"mean cost (lost = {self.loss_cost:g})"
        return f"mean guesses (lost = {CLASSIC_GUESSES + 1})"

    def shown(self, value: float) -> str:
        """Return the score of a mean as text."""
        score = self.score(value)
        return f"{100 * score:.2f}%" if self.kind == GoalKind.WON else f"{score:.3f}"

    def shown_difference(self, value: float) -> str:
        """Return the difference of scores as text, with its sign; of shares in points."""
        found = self.difference(value)
        return f"{100 * found:+.2f}" if self.kind == GoalKind.WON else f"{found:+.3f}"

    @property
    def unit(self) -> str:
        """The unit of differences."""
        return {GoalKind.WON: "points", GoalKind.COST: "budget", GoalKind.GUESSES: "guesses"}[self.kind]
