"""What a sample of games says about an entry that was not sent yet: the rank and the records that it would have.

A sample counts for nothing: its games are no round, and it is a forecast, not a claim. The score of each version is
drawn from its confidence distribution, which is normal for a mean; for a quantile, the estimated probability of
winning within each budget is shifted by a normal error. A leader among many is probably worse than its estimate, which
the forecast leaves out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf
from pathlib import Path

import msgspec
import numpy as np

from wordpl.apps.season.candidate import Candidate
from wordpl.apps.season.credits import Credits, SeasonScore, credits_of
from wordpl.apps.season.log import Version, keep_version, version_name
from wordpl.apps.season.season import Season
from wordpl.apps.season.standings import required
from wordpl.apps.season.terms import ROUNDS
from wordpl.contest import Contest
from wordpl.contest.preflight import entries_with
from wordpl.core.intervals import ROUNDING
from wordpl.core.messages import UserError, amount
from wordpl.run.bundle import STRATEGIES, Bundle
from wordpl.run.folder import Run
from wordpl.stats.scores.score import CONFIDENCE, Floats

N_DRAWS = 4000
N_LEADERS = 3
"""The number of leaders that play the sample."""
REPEATS = 5


@dataclass(frozen=True)
class RankForecast:
    """What a sample says about one entry and one score.

    Attributes:
        entry: The name of the entry, such as my_bot.
        author: Who owns it.
        score: The score.
        value: Its value in the sample; infinite if less than the share is won.
        first_rank, last_rank: The ranks that the entry would have with 95% confidence.
        n_ranked: The number of ranked versions, this entry included.
        required: What the next record needs; None if there is no record yet.
        chance: The probability that the entry reaches it; None if there is no record yet.
    """

    entry: str
    author: str
    score: SeasonScore
    value: float
    first_rank: int
    last_rank: int
    n_ranked: int
    required: float | None
    chance: float | None


class Sample:
    """Games of entries that were not sent yet, beside the present leaders of a season.

    Attributes:
        season: The season, in which nothing is changed.
        places: The files of the entries; in the contest, copies as the season would store them.
    """

    def __init__(self, season: Season, files: Sequence[Path]):
        """Create a sample of the entries to which these files belong.

        Raises:
            UserError: A file belongs to no entry, or its name cannot be that of an entry.
        """
        owners = {str(file): entries_with(str(file)) for file in files}
        if unowned := [name for name, entries in owners.items() if not entries]:
            raise UserError(f"{unowned[0]} belongs to no entry.")
        self.season, self.places = season, list(map(Path, dict.fromkeys(chain.from_iterable(owners.values()))))
        self.names = [version_name(place) for place in self.places]
        self.bundles = [Bundle.of(place, season.folder / STRATEGIES) for place in self.places]
        for name, bundle in zip(self.names, self.bundles, strict=True):
            Candidate(season, bundle, name).require_own_name()
        self.standings = season.standings()
        self.leaders: list[Version] = []

    def contest(self, n_games: int, results: Path, jobs: int | None = None) -> Contest:
        """Return the contest between the entries and the leaders of the season's first score.

        Args:
            n_games: The number of games.
            results: The folder of the run.
            jobs: The number of games to play at a time.
        """
        config = self.season.terms.config(self.season.folder, ROUNDS, n_games)
        config = msgspec.structs.replace(
            config, official=False, every_answer=False, repeats=min(REPEATS, n_games), results=results
        )
        rows = [row for row in self.standings.tables[0].rows if row.n_games]
        self.leaders = [
            row.version
            for row in rows[:N_LEADERS]
            if not row.version.make and row.version.place(self.season.folder).exists()
        ]
        leaders = [str(version.place(self.season.folder)) for version in self.leaders]
        labels = (f"{name}@{self.season.next_number(name)}" for name in self.names)
        copies = zip(self.bundles, labels, strict=True)
        self.places = [keep_version(bundle, results, label) for bundle, label in copies]
        return Contest(config, [*map(str, self.places), *leaders], jobs=jobs)

    def forecasts(self, contest: Contest, run: Run, rng: np.random.Generator) -> list[RankForecast]:
        """Return a forecast of each entry and score.

        A file that could not be loaded, or that declares several entries, has none.

        Args:
            contest: What `contest` returned.
            run: Its finished run.
            rng: Draws from confidence distributions.
        """
        lists, versions = self.season.lists_of(run), self.season.versions
        games = self.standings.games
        found = []
        for place, name in zip(self.places, self.names, strict=True):
            entries = contest.entries_of(place)
            if len(entries) != 1:
                continue
            own, author = credits_of(run, entries[0], lists), self.season.terms.author_of(name)
            rivals = [games[i] for i in self.season.ranked if i in games and versions[i].author != author]
            found += [self._forecast(name, score, own, rivals, rng) for score in self.season.scores]
        return found

    def equal_moves(self, contest: Contest, run: Run) -> Iterator[str]:
        """Yield a sentence for each entry that makes the moves of another author's one in all games of the sample.

        It says nothing against an entry alone: all optimal trees move alike.

        Args:
            contest: What `contest` returned.
            run: Its finished run.
        """
        terms, versions = self.season.terms, self.season.versions
        players = [(name, terms.author_of(name), place) for name, place in zip(self.names, self.places, strict=True)]
        rivals = [(version.label, version.author, version.place(self.season.folder)) for version in self.leaders]
        moves = {}
        for label, author, place in [*players, *rivals]:
            if len(entries := contest.entries_of(place)) == 1:
                moves[label, author] = [record.moves for record in run.entry(entries[0]).read()]
        for name, own in [key for key in moves if key[0] in self.names]:
            for label, author in moves:
                is_twin = moves[label, author] == moves[name, own] and author != own
                if is_twin and (label not in self.names or self.names.index(label) > self.names.index(name)):
                    version = next((found for found in versions if found.label == label), None)
                    sent = f", which was sent on {version.since[:10]}" if version else ""
                    n_games = amount(run.info.config.n_games, "game")
                    yield f"{name} makes the same moves as {label}{sent}, in all {n_games} of the sample."

    def _forecast(
        self, name: str, score: SeasonScore, own: Credits, rivals: Sequence[Credits], rng: np.random.Generator
    ) -> RankForecast:
        season = self.season
        drawn = draws(own, score, rng)
        sign = 1 if score.lower_is_better else -1
        better = sum((sign * draws(rival, score, rng) < sign * drawn).astype(int) for rival in rivals)
        tail = (1 - CONFIDENCE) / 2
        first, last = np.quantile(1 + better + np.zeros(N_DRAWS), [tail, 1 - tail], method="inverted_cdf")
        limit = required(season.value_to_improve(score.name), season.terms.improvement, score)
        reached = None if limit is None else float((sign * drawn <= sign * limit * (1 + sign * ROUNDING)).mean())
        return RankForecast(
            name, season.terms.author_of(name), score, value_of(own, score), int(first), int(last), 1 + len(rivals),
            limit, reached,
        )  # fmt: skip


def value_of(games: Credits, score: SeasonScore) -> float:
    """Return the estimate of a score from these games."""
    if score.q is None:
        return float(score.shown(score.values(games).mean(keepdims=True))[0])
    budgets, shares, _ = _curve(games)
    reached = np.flatnonzero(shares >= score.q - ROUNDING)
    return float(budgets[reached[0]]) if len(reached) else inf


def draws(games: Credits, score: SeasonScore, rng: np.random.Generator) -> Floats:
    """Return N_DRAWS values of the score from its confidence distribution given these games, float[N_DRAWS].

    The variance of a game is at least 1 / n, so that n equal games leave some doubt; for a mean, one game of the best
    and one of the worst kind are added.
    """
    z = rng.standard_normal(N_DRAWS)
    if score.q is None:
        values = np.append(score.values(games), [0.0, 1.0])
        return score.shown(np.clip(values.mean() + z * values.std() / np.sqrt(len(values)), 0, 1))
    budgets, shares, errors = _curve(games)
    at = min(int(np.searchsorted(shares, score.q)), len(shares) - 1)
    found = np.searchsorted(shares, score.q + z * errors[at])
    return np.asarray(np.append(budgets, inf)[found])


def _curve(games: Credits) -> tuple[Floats, Floats, Floats]:
    """Return all budgets spent, the share of games that is won within each, and its standard error."""
    order = np.argsort(games.spent, kind="stable")
    credit = games.credit[order]
    n = len(credit)
    shares = np.cumsum(credit) / n
    ends = np.append(np.flatnonzero(np.diff(games.spent[order])), n - 1)
    errors = np.sqrt(np.maximum(np.cumsum(credit**2) / n - shares**2, 1 / n) / n)
    return games.spent[order][ends], shares[ends], errors[ends]
