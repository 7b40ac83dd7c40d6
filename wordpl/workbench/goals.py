"""Goals: what two entries are compared by, a number between 0 and 1 for each game."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from wordpl.core.errors import UserError
from wordpl.core.game_facts import GameFacts
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.stats.compare.claims import won_within
from wordpl.workbench.values import ChanceKind, Floats, GameValues


class GoalKind(StrEnum):
    """The quantity that is compared."""

    WON = "won"  # the share of games won, within a budget if one is given
    COST = "cost"  # the mean cost, where a lost game counts as the loss cost
    GUESSES = "guesses"  # the mean number of guesses of a classic game, where a lost game counts as the game says


@dataclass(frozen=True)
class Goal:
    """The quantity by which entries are compared, and how it is displayed.

    Attributes:
        budget: For the goal won, the budget of a game; None for any cost.
        loss_cost: The cost of a lost game; for the goal cost, it is also the maximum cost of any game.
    """

    kind: GoalKind
    budget: float | None = None
    loss_cost: float = 100.0

    @classmethod
    def of(cls, name: str | None, game: GameFacts, budget: float | None = None, loss_cost: float = 100.0) -> "Goal":
        """Return the goal with this name for a game, or the default one.

        Raises:
            UserError: The goal cannot be used with these games.
        """
        if not game.has_secret:
            raise UserError(
                "all games of an entry are the same in this game, because no secret is drawn. Use wordpl evaluate."
            )
        if name and name not in set(GoalKind):
            raise UserError(
                f"the goal should be one of {', '.join(GoalKind)}, got {sanitize_untrusted_text(name, 40)!r}."
            )
        usual = GoalKind.GUESSES if not game.has_epsilon else GoalKind.WON if budget else GoalKind.COST
        kind = GoalKind(name) if name else usual
        if kind == (GoalKind.GUESSES if game.has_epsilon else GoalKind.COST):
            raise UserError(f"the goal {kind} is not for games measured in {game.unit}. Choose won or {usual}.")
        if budget is not None and kind != GoalKind.WON:
            raise UserError(f"a budget can be used only with the goal won, not with {kind}.")
        if budget is not None and game.limit and not 1 <= budget <= game.limit:
            raise UserError(f"the budget of this game is 1 to {game.limit} guesses, got {budget:g}.")
        return cls(kind, budget, loss_cost if game.loss_cost is None else game.loss_cost)

    def values(self, games: GameValues, chance: ChanceKind | None = None) -> Floats:
        """Return the value of each game, float[n] between 0 and 1, where higher is better.

        Args:
            chance: How the probability of winning is estimated. By default the way with the least variance.
        """
        if self.kind == GoalKind.GUESSES:
            guesses = np.where(games.won, games.spent, self.loss_cost)
            return 1 - (guesses - 1) / (self.loss_cost - 1)
        return np.asarray(games.chances(chance) * self.worth(games.spent))

    def worth(self, spent: Floats) -> Floats:
        """Return the values of noisy games that are won at these costs, float[n] between 0 and 1."""
        if self.kind == GoalKind.WON:
            return np.ones(len(spent)) if self.budget is None else won_within(spent, self.budget).astype(float)
        return np.asarray(1 - np.minimum(spent, self.loss_cost) / self.loss_cost)

    @property
    def uses_chances(self) -> bool:
        """Whether the goal depends on the probability of winning."""
        return self.kind != GoalKind.GUESSES

    def score(self, value: float) -> float:
        """Return the score of a mean of `values`: a share, a cost or a number of guesses."""
        if self.kind == GoalKind.WON:
            return value
        return self.loss_cost * (1 - value) if self.kind == GoalKind.COST else 1 + (self.loss_cost - 1) * (1 - value)

    def difference(self, value: float) -> float:
        """Return the difference of scores for a difference of means."""
        return self.score(value) - self.score(0.0)

    def in_words(self) -> str:
        """Return the name of the goal for titles."""
        if self.kind == GoalKind.WON:
            return "games won" + (f" within {self.budget:g}" if self.budget is not None else "")
        if self.kind == GoalKind.COST:
            return f"mean cost (lost = {self.loss_cost:g})"
        return f"mean guesses (lost = {self.loss_cost:g})"

    def shown(self, value: float) -> str:
        """Return the score for a mean of `values`, as text."""
        score = self.score(value)
        return f"{100 * score:.2f}%" if self.kind == GoalKind.WON else f"{score:.3f}"

    def shown_difference(self, value: float) -> str:
        """Return the difference of scores with its sign, as text. Differences of shares are in percentage points."""
        difference = self.difference(value)
        return f"{100 * difference:+.2f}" if self.kind == GoalKind.WON else f"{difference:+.3f}"

    @property
    def unit(self) -> str:
        """The unit of differences."""
        return {GoalKind.WON: "points", GoalKind.COST: "budget", GoalKind.GUESSES: "guesses"}[self.kind]
