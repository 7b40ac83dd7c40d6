"""Grades for courses: how many baselines, from the weakest on, an entry is shown to beat."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wordpl.apps.workbench.entry_lookup import entries_for
from wordpl.apps.workbench.match import Match, MatchTerms
from wordpl.apps.workbench.match_result import MatchResult, MatchVerdict
from wordpl.core import paths
from wordpl.core.messages import UserError, amount
from wordpl.reports.elements import Table, text_table
from wordpl.reports.names import in_markdown
from wordpl.reports.renderers import markdown_table
from wordpl.run.config import RunConfig


@dataclass(frozen=True)
class Grade:
    """The matches of an entry against the baselines, weakest first, up to the first that it is not shown to beat.

    Attributes:
        entry: The entry as given.
        n_baselines: The number of baselines.
        matches: The matches that were played, with their results.
        problem: Why the next match could not be played; "" if nothing went wrong.
    """

    entry: str
    n_baselines: int
    matches: tuple[tuple[Match, MatchResult], ...]
    problem: str = ""

    @property
    def points(self) -> int:
        """The number of baselines that the entry is shown to beat."""
        return sum(result.verdict == MatchVerdict.BETTER for _, result in self.matches)

    def __repr__(self) -> str:
        """Return the number of baselines that are beaten."""
        return f"{self.entry}: {self.points} of {amount(self.n_baselines, 'baseline')} beaten"

    def table(self) -> Table:
        """Return a table with a row for each match."""
        heads = ["baseline", "verdict", "games", "entry", "baseline's", "difference (95 % interval)"]
        rows = []
        for _, result in self.matches:
            scores = [result.goal.shown(score) for score in result.scores]
            difference, *ends = (
                result.goal.difference(value) for value in (result.difference, result.low, result.high)
            )
            interval = f"{difference:+.4g} ({min(ends):+.4g} to {max(ends):+.4g})"
            rows.append([result.old, str(result.verdict), f"{result.n_games:,}", *scores, interval])
        goal = f"Compared by {self.matches[0][1].goal.in_words()}." if self.matches else ""
        return text_table(repr(self), heads, rows, frozenset({"baseline", "verdict"}), goal)

    def in_markdown(self, n_valued: int) -> str:
        """Return the grade and an analysis of the last match, in which this number of games is looked at closely."""
        from wordpl.apps.workbench.loss_analysis import analyse, analysis_tables  # slow to import

        parts = [markdown_table(self.table())]
        if self.problem:
            parts.append(in_markdown(self.problem))
        if self.matches:
            match, result = self.matches[-1]
            parts.append(f"### Where games of the match against {in_markdown(result.old)} are lost")
            parts += map(markdown_table, analysis_tables(analyse(match.folder, "new", n_valued=n_valued)))
        return "\n\n".join(parts) + "\n\n"

    def to_json(self) -> dict[str, Any]:
        """Return the grade as values for JSON."""
        matches = [result.to_json() | {"folder": paths.relative_to_cwd(match.folder)} for match, result in self.matches]
        return {
            "entry": self.entry,
            "points": self.points,
            "n_baselines": self.n_baselines,
            "matches": matches,
            "problem": self.problem,
            "seed_remark": self.seed_remark,
        }

    @property
    def seed_remark(self) -> str:
        """A sentence about the seed of the matches, if an entry could have known it; "" otherwise."""
        return next((match.run.info.seed_remark for match, _ in self.matches), "")


def grade(
    entry: str,
    baselines: Sequence[str],
    config: RunConfig | None = None,
    terms: MatchTerms | None = None,
    *,
    jobs: int | None = None,
    play: Callable[[Match], MatchResult] = Match.play,
) -> Grade:
    """Play an entry against baselines until it is not shown to beat one.

    An entry that is as good as a baseline is called better in at most 5% of all matches.

    Args:
        entry: The entry, as on the command line.
        baselines: The entries to beat, the weakest first.
        config: The configuration of the games.
        terms: When a match ends.
        jobs: The number of games played in parallel.
        play: Plays a match, for example with a status line.

    Raises:
        UserError: A baseline does not exist. What is wrong with the entry is the `problem` of its grade.
    """
    config, terms = config or RunConfig(), terms or MatchTerms()
    entries_for(list(baselines), config)
    played: list[tuple[Match, MatchResult]] = []
    for baseline in baselines:
        try:
            match = Match.new(entry, baseline, config, terms, jobs=jobs)
            played.append((match, play(match)))
        except UserError as error:
            return Grade(entry, len(baselines), tuple(played), error.message)
        if played[-1][1].verdict != MatchVerdict.BETTER:
            break
    return Grade(entry, len(baselines), tuple(played))
