"""The periods of versions: rounds in which a version's results agree with one distribution.

A version whose later rounds contradict its earlier ones has changed: it may look at the date, or a machine is slower.
Bounds of its mean from before and after the change contradict each other, so it starts anew, as a new player, with the
round after the one that has shown the change.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from wordpl.apps.season.anytime import CHANGE_ALPHA, PLAYERS_SCALE, change_evidence, powers, spent_alpha
from wordpl.apps.season.credits import Credits, SeasonScore
from wordpl.core.intervals import ROUNDING, is_within
from wordpl.stats.scores.score import Floats

PRESENT = -1
"""The era of games that were played under the present conditions, or under some that a bridge found to be equal."""


@dataclass(frozen=True)
class RoundGames:
    """The games of one round.

    Attributes:
        players: The indices of the versions that played.
        credits: Their games, in the same order.
        number: The number of the round in the season, from 1; 0: its place among these rounds.
        eras: For each player, PRESENT if these games are comparable with those of today, or the number of the era
            whose games they are comparable with; empty: all are of the present.
        exact: The players who have played every answer once, and would play it in the same way each time.
    """

    players: Sequence[int]
    credits: Sequence[Credits]
    number: int = 0
    eras: Sequence[int] = ()
    exact: frozenset[int] = frozenset()

    @property
    def keys(self) -> list[tuple[int, int]]:
        """The player and the era of each of these games."""
        return list(zip(self.players, self.eras or [PRESENT] * len(self.players), strict=True))


@dataclass(frozen=True)
class Change:
    """A change of a version.

    Attributes:
        agreed_until: The number of the last round that agrees with those before it.
        shown_in: The number of the round that has shown the change.
        score: The name of the score whose values show it.
    """

    agreed_until: int
    shown_in: int
    score: str


@dataclass
class _Period:
    """One period of a version.

    Attributes:
        question: Its number among all periods of all versions, in the order in which they began.
        rounds: The places of its rounds among those that are pooled.
        sums: The power sums of the values of each score in each round, by the name of the score.
        budgets: For percentiles, the budget within which the share is won in the first round, which is not tested.
    """

    question: int
    rounds: list[int] = field(default_factory=list)
    sums: dict[str, list[Floats]] = field(default_factory=dict)
    budgets: dict[str, float] = field(default_factory=dict)

    def add(self, place: int, games: Credits, scores: Sequence[SeasonScore]) -> None:
        """Add the games of a round."""
        self.rounds.append(place)
        for score in scores:
            if score.q is None:
                values = score.values(games)
            elif score.name in self.budgets:
                values = np.where(is_within(games.spent, self.budgets[score.name]), games.credit, 0.0)
            else:
                self.budgets[score.name] = _reached(games, score.q)
                continue
            self.sums.setdefault(score.name, []).append(powers(values))

    def change(self) -> tuple[str, int] | None:
        """Return the score whose values show with the newest round that the version has changed, and the rounds before.

        The scores share the probability of a false alarm.
        """
        level = float(spent_alpha([self.question], CHANGE_ALPHA, PLAYERS_SCALE)[0])
        for name, sums in self.sums.items():
            evidence, n_before = change_evidence(np.array(sums))
            if evidence >= -np.log(level / len(self.sums)):
                return name, n_before + len(self.rounds) - len(sums)
        return None


def _reached(games: Credits, q: float) -> float:
    """Return the budget within which this share of games is won; infinite if less is."""
    order = np.argsort(games.spent, kind="stable")
    place = int(np.searchsorted(np.cumsum(games.credit[order]), q * len(order) * (1 - ROUNDING)))
    return float(games.spent[order][place]) if place < len(order) else inf


@dataclass(frozen=True)
class Periods:
    """The periods of all versions. Each is a player of its own, a new question for all error rates.

    Attributes:
        questions: The number of the period of each player in each round.
        counted: Whether the games of each player in each round bound something. Those between the last round that
            agrees with a period and the next period do not, nor those of disqualified versions and of other eras.
        of_version: The numbers of the periods of each version that has played in the present era, in their order.
        changes: The changes of each version that has changed. There is one less than its periods, unless the newest
            period has not begun.
    """

    questions: Sequence[Sequence[int]]
    counted: Sequence[Sequence[bool]]
    of_version: Mapping[int, Sequence[int]]
    changes: Mapping[int, Sequence[Change]]

    @classmethod
    def of(
        cls, rounds: Sequence[RoundGames], scores: Sequence[SeasonScore], disqualified: Collection[int] = ()
    ) -> "Periods":
        """Return the periods of all versions.

        Args:
            rounds: The rounds in their order. Those of earlier eras count as questions that were asked.
            scores: The scores, each of which may show a change.
            disqualified: The versions whose games bound nothing, although their questions were asked.
        """
        numbers = [games.number or place for place, games in enumerate(rounds, 1)]
        present: dict[tuple[int, int], _Period] = {}
        of_version: dict[int, list[int]] = {}
        changes: dict[int, list[Change]] = {}
        questions: list[list[int]] = []
        outside: set[tuple[int, int]] = set()  # rounds of versions that agree with no period
        n_periods = 0
        for place, games in enumerate(rounds):
            for player, era in sorted(set(games.keys) - set(present)):
                present[player, era] = _Period(n_periods)
                if era == PRESENT:
                    of_version.setdefault(player, []).append(n_periods)
                n_periods += 1
            questions.append([present[key].question for key in games.keys])
            for (player, era), credit in zip(games.keys, games.credits, strict=True):
                period = present[player, era]
                period.add(place, credit, scores)
                if found := period.change():
                    name, n_before = found
                    if era == PRESENT:
                        changes.setdefault(player, []).append(
                            Change(numbers[period.rounds[n_before - 1]], numbers[place], name)
                        )
                    outside |= {(other, player) for other in period.rounds[n_before:]}
                    del present[player, era]
        counted = [
            [
                era == PRESENT and player not in disqualified and (place, player) not in outside
                for player, era in games.keys
            ]
            for place, games in enumerate(rounds)
        ]
        return cls(questions, counted, of_version, changes)

    def exact(self, rounds: Sequence[RoundGames]) -> set[int]:
        """Return the periods whose rounds are all exact and equal, whatever the order of their games."""
        found: dict[int, list[bytes]] = {}
        sampled: set[int] = set()
        for games, questions, counted in zip(rounds, self.questions, self.counted, strict=True):
            for player, credit, question, counts in zip(games.players, games.credits, questions, counted, strict=True):
                if counts and player in games.exact:
                    found.setdefault(question, []).append(np.sort(credit.spent + 1j * credit.credit).tobytes())
                elif counts:
                    sampled.add(question)
        return {question for question, totals in found.items() if len(set(totals)) == 1} - sampled

    def is_exact(self, version: int, exact: Collection[int]) -> bool:
        """Return whether all games of a version are of periods that are exact."""
        own = self.of_version.get(version, ())
        return bool(own) and version not in self.changes and set(own) <= set(exact)

    def newest(self, version: int) -> int | None:
        """Return the number of the newest period of a version; None if it has not begun."""
        own = self.of_version.get(version, ())
        return own[-1] if len(own) > len(self.changes.get(version, ())) else None

    def better(self, versions: Sequence[int], shown: np.ndarray) -> np.ndarray:
        """Return which version i of these is shown to be better than version j, bool[k, k].

        A version is as good as the worst of its periods; one that has not begun may be the worst.

        Args:
            versions: The indices of versions.
            shown: Whether period i is shown to be better than period j, bool[n, n].
        """
        all_periods = np.zeros((len(versions), len(shown)), bool)
        for row, version in enumerate(versions):
            if self.newest(version) is not None:
                all_periods[row] = shown[list(self.of_version[version])].all(axis=0)
        found = np.zeros((len(versions), len(versions)), bool)
        for column, version in enumerate(versions):
            found[:, column] = all_periods[:, list(self.of_version.get(version, ()))].any(axis=1)
        return found
