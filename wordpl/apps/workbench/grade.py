"""Grades for courses: how many baselines, from the weakest on, an entry is shown to beat."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec

from wordpl import games
from wordpl.apps.workbench.entry_lookup import entries_for
from wordpl.apps.workbench.match import Match, MatchTerms
from wordpl.apps.workbench.match_result import MatchResult, MatchVerdict
from wordpl.contest import run_worker
from wordpl.core import bounded, paths
from wordpl.core.messages import UserError, amount
from wordpl.players.sandbox.levels import Level
from wordpl.reports.elements import Entry, EstimateCell, Table, text_table
from wordpl.reports.html.document import Content, PageSection, document, element, entry_name, html_table
from wordpl.reports.html.story import Movement, ScoreTable, StoryRow, card, cards, front, news, next_steps
from wordpl.reports.names import in_markdown, labels, shown
from wordpl.reports.renderers import markdown_table
from wordpl.run.bundle import Bundle
from wordpl.run.config import RunConfig
from wordpl.run.normal_form import Similar, similar


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
        parts = [markdown_table(self.table())]
        if self.problem:
            parts.append(in_markdown(self.problem))
        if self.matches:
            match, result = self.matches[-1]
            parts.append(f"### Where games of the match against {in_markdown(result.old)} are lost")
            parts += map(markdown_table, _lost(match, n_valued))
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


def page(grades: Sequence[Grade], n_valued: int) -> str:
    """Return the grades as a page: what each entry beats and by how much, where it loses, and what to do next.

    Args:
        grades: The grades.
        n_valued: How many games of the last match of each are looked at closely.
    """
    several = len(grades) > 1
    sections = [
        PageSection(f"grade-{number}", shown(one.entry) if several else "", _story(one, n_valued), shown(one.entry, 40))
        for number, one in enumerate(grades, 1)
    ]
    return document("Grades" if several else shown(repr(grades[0])), sections)


def _story(grade: Grade, n_valued: int) -> Content:
    """Return a grade as the first screen of a page, with the analysis of its last match on request."""
    entry, short = Entry(shown(grade.entry)), labels(result.old for _, result in grade.matches)
    beaten = f"{grade.points} of {grade.n_baselines}"
    found = [card("Baselines beaten", beaten, entry_name(entry), "", grade.problem)]
    steps, more = [("Try a better version:", [f"wordpl dev {grade.entry}"])], None
    rows = [_row(number, result, short[result.old]) for number, (_, result) in enumerate(grade.matches, 1)]
    if grade.matches:
        (match, last), cell = grade.matches[-1], _difference(grade.matches[-1][1])
        found.append(card(
            f"Against {short[last.old]}: {last.goal.in_words()}", last.goal.shown(last.scores[0]), entry_name(entry),
            str(last.verdict), f"Difference {cell.plain}, {amount(last.n_games, 'game')}.",
            is_sure=last.verdict == MatchVerdict.BETTER,
        ))  # fmt: skip
        command = f"wordpl analyse {paths.relative_to_cwd(match.folder)} new"
        steps.insert(0, ("See where it loses games:", [command]))
        more = element("details", element("summary", f"Where games of the match against {short[last.old]} are lost"),
                       map(html_table, _lost(match, n_valued)))  # fmt: skip
    told = [[f"{row.entry.short}: ", row.change.html() if row.change else None] for row in rows]
    baselines = ScoreTable("Matches, the weakest baseline first", "baseline", "difference", rows, "verdict", ["games"],
                         first="#", lower_is_better=False)  # fmt: skip
    beside = [news("What the matches showed", told) if told else None, next_steps("What to do next", steps)]
    return [front(cards(found), beside, [element("h2", "Baselines"), baselines.html()] if rows else None), more]


def _difference(result: MatchResult) -> EstimateCell:
    """Return the difference of the scores with its interval, in the unit of the goal."""
    difference, percent = result.goal.difference, result.goal.unit == "points"
    low, high = sorted(map(difference, (result.low, result.high)))
    return EstimateCell(difference(result.difference), low, high, 1 if percent else 2, percent=percent, signed=True)


def _row(number: int, result: MatchResult, label: str) -> StoryRow:
    own, other = map(result.goal.shown, result.scores)
    sign = {MatchVerdict.BETTER: 1, MatchVerdict.WORSE: -1}.get(result.verdict, 0)
    return StoryRow(f"{number}", Entry(result.old, label, number), about=f"it {other}, the entry {own}",
                    change=Movement(str(result.verdict), sign), value=_difference(result),
                    facts=[f"{result.n_games:,}"])  # fmt: skip


def _lost(match: Match, n_valued: int) -> Sequence[Table]:
    from wordpl.apps.workbench.loss_analysis import analyse, analysis_tables  # slow to import

    return analysis_tables(analyse(match.folder, "new", n_valued=n_valued))


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


def grade_all(
    entries: Sequence[str], baselines: Sequence[str], config: RunConfig, terms: MatchTerms, jobs: int
) -> Iterator[Grade]:
    """Yield the grades of several entries in their order, which play in processes of their own, one game at a time.

    Args:
        entries: The entries, as on the command line.
        baselines: The entries to beat, the weakest first.
        config: The configuration of the games; each entry has a results folder of its own below that of it.
        terms: When a match ends.
        jobs: The number of entries to grade at a time.

    Raises:
        UserError: A baseline does not exist.
    """
    entries_for(list(baselines), config)
    tasks = [
        (
            number,
            entry,
            list(baselines),
            msgspec.structs.replace(config, results=config.results / f"grade-{number}"),
            terms,
        )
        for number, entry in enumerate(entries, 1)
    ]
    with run_worker.unordered(_graded, tasks, 1 if games.bound() else min(jobs, len(tasks))) as found:
        played = {number: (folders, problem) for number, folders, problem in found}
    level = config.level if config.level and not Level(config.level).is_official else ""
    for number, entry in enumerate(entries, 1):
        folders, problem = played[number]
        matches = [Match.resume(Path(folder), level=level) for folder in folders]
        yield Grade(entry, len(baselines), tuple((match, match.play()) for match in matches), problem)


def _graded(
    number: int, entry: str, baselines: list[str], config: RunConfig, terms: MatchTerms
) -> tuple[int, list[str], str]:
    """Return the number of an entry, the folders of the matches that it has played, and its problem."""
    found = grade(entry, baselines, config, terms, jobs=1)
    return number, [str(match.folder) for match, _ in found.matches], found.problem


ENTRY_COLUMN = "entry"


@dataclass(frozen=True)
class Roster:
    """The submissions of a course, one row for each student.

    Attributes:
        columns: The names of the columns; in ENTRY_COLUMN, each row has a file or folder beside the roster.
        rows: The rows.
        folder: The folder of the roster.
    """

    columns: Sequence[str]
    rows: Sequence[Mapping[str, str]]
    folder: Path

    @classmethod
    def read(cls, path: Path) -> "Roster":
        """Return the roster in a CSV file, whose first line has the names of its columns.

        Raises:
            UserError: It has no column for the entry.
        """
        try:
            text = bounded.read_text(bounded.ROSTER, path, encoding="utf-8-sig")
            reader = csv.DictReader(StringIO(text), delimiter=";" if ";" in text.partition("\n")[0] else ",")
            rows = [{str(name): str(value or "") for name, value in row.items() if name} for row in reader]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise UserError(f"{path} cannot be read as a roster: {error}.") from None
        columns = list(reader.fieldnames or ())
        if ENTRY_COLUMN not in columns:
            raise UserError(f"{path} should have a column {ENTRY_COLUMN!r}, got {', '.join(columns) or 'nothing'}.")
        return cls(columns, rows, path.parent)

    def place(self, row: Mapping[str, str]) -> Path | None:
        """Return the path of a submission; None if nothing was sent."""
        place = self.folder / row[ENTRY_COLUMN]
        return place if row[ENTRY_COLUMN] and place.exists() else None

    @property
    def places(self) -> list[str]:
        """The submissions that were sent."""
        return [str(place) for row in self.rows if (place := self.place(row)) is not None]

    def graded(self, grades: Sequence[Grade], pairs: Sequence[Similar]) -> str:
        """Return the roster as CSV, with the grade of each row and the submissions that are similar to it."""
        by_entry = {grade.entry: grade for grade in grades}
        text = StringIO()
        added = ["points", "of", "verdicts", "problem", "similar"]
        table = csv.DictWriter(text, [*self.columns, *added], lineterminator="\n")
        table.writeheader()
        for row in self.rows:
            grade_of = by_entry.get(str(self.place(row)))
            own = [str(pair) for pair in pairs if row[ENTRY_COLUMN] in (pair.first, pair.second)]
            values: dict[str, Any] = {"points": 0, "problem": "nothing was sent", "similar": " ".join(own)}
            if grade_of is not None:
                verdicts = " ".join(str(result.verdict) for _, result in grade_of.matches)
                values |= {"points": grade_of.points, "of": grade_of.n_baselines, "verdicts": verdicts}
                values |= {"problem": " ".join(grade_of.problem.split())}
            table.writerow({name: _cell(value) for name, value in (dict(row) | values).items()})
        return text.getvalue()


def _cell(value: Any) -> Any:
    """Return a value that a spreadsheet does not take for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value


def similar_entries(entries: Mapping[str, str]) -> list[Similar]:
    """Return the pairs of entries with common sources.

    Args:
        entries: The files or folders of the entries, by their names; those that cannot be read are left out.
    """
    bundles = {}
    for name, place in entries.items():
        try:
            bundles[name] = Bundle.of(Path(place.partition(":")[0]))
        except (UserError, OSError):
            continue
    return list(similar(bundles))
