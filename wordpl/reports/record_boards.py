"""Records: the best entries at each quantile, the judgement of a claim, and boards of records from several runs."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from wordpl.contest import determinism, run_folder
from wordpl.contest.determinism import RepeatFinding
from wordpl.contest.entries import require_named
from wordpl.contest.evidence import Evidence
from wordpl.core import paths, words
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError
from wordpl.core.moves import budget_text
from wordpl.reports.elements import Table, Text, Value, number, text_table
from wordpl.reports.names import in_markdown
from wordpl.reports.renderers import REMARK_CHARACTERS, markdown_rows
from wordpl.reports.renderers import markdown_table as markdown
from wordpl.reports.run_report import RunReport, generator
from wordpl.run.config import PlayerKind
from wordpl.run.folder import Run, RunRecords
from wordpl.run.info import EntryInfo, RunInfo
from wordpl.stats import compare
from wordpl.stats.compare import Claim, HeadToHead, Judgement, RecordRow
from wordpl.stats.compare.claims import RECORD_GAMES
from wordpl.stats.compare.sequential import SequentialTestResult
from wordpl.stats.estimates import LuckCorrected

ESTIMATE = "estimate (95%)"


class RecordReport:
    """The records of a run, from the games that are scored by their budget.

    Attributes:
        info: The description of the run.
        folder: The run's folder.
        game_id: The name of the game.
        games: The games with a budget, one per row.
        remarks: Sentences about the repeated and irregular games of the entries.
    """

    def __init__(self, run: Run, report: RunReport | None = None):
        """Read the games of a run.

        Args:
            run: The run.
            report: The report of the run, if it has been computed.

        Raises:
            UserError: The run has no game with a budget, or several.
        """
        self._report = report = report or RunReport(RunRecords(run))
        with_budget = {entry.game.id for entry in report.records.info.entries if entry.game.has_answer_move}
        self.info, self.folder, self.remarks = report.records.info, run.folder, report.remarks
        self.games: pd.DataFrame = report.games[report.games["rules"].isin(with_budget)]
        game_ids = list(self.games["rules"].unique())
        if len(game_ids) != 1:
            games_text = f"the games {' and '.join(game_ids)}" if game_ids else "no game with a budget"
            raise UserError(f"{run.folder} has {games_text}: records are for one game with a budget, such as wordpl/1.")
        self.game_id: str = game_ids[0]

    @cached_property
    def champions(self) -> dict[float, list[compare.RecordRow]]:
        """The board of each quantile.

        Raises:
            UserError: No game has been played by all entries.
        """
        games = self.games[~self.games["entry"].isin(self.barred)]
        if games.empty:
            raise UserError(
                f"no entry of {self.folder} can hold a record: all of them changed when they were repeated."
            )
        if compare.by_entry(games)[games["entry"].iloc[0]].empty:
            raise UserError(f"no game of {self.folder} has been played by all entries yet.")
        return compare.champions(games, generator(self.info), self._luck)

    @cached_property
    def barred(self) -> dict[str, str]:
        """Why an entry holds no record, by its name: it made other moves when its games were repeated."""
        found = determinism.findings(self._report.records)
        return {finding.entry.name: _why_barred(finding) for finding in found if finding.is_suspect}

    @cached_property
    def _luck(self) -> dict[str, LuckCorrected] | None:
        """The games of all entries without most of the luck; None if they cannot be credited from their clues."""
        luck = self._report.luck
        return luck if set(self.games["entry"]) <= set(luck) else None

    def judge(self, claim: tuple[float, float], against: str | None) -> list[Table]:
        """Return the judgement of a claim by the run for each entry, then the comparisons of pairs of entries.

        Args:
            claim: The quantile and the budget.
            against: The name of an entry to compare with the others.
        """
        info = self.info
        order = None if info.draws is None else info.draws.order(info.config.n_games)
        judgements = compare.judgements(self.games, *claim, order, self._luck)
        names_of_players = set(self.games["entry"])
        entries = [entry for entry in info.entries if entry.name in names_of_players]
        duels = []
        for entry in require_named(against, entries) if against else ():
            pairs = compare.head_to_heads(self.games, entry.name, claim, order, generator(info))
            duels.append(duel_table(pairs, entry.name, claim))
        return [judgement_table(judgements, claim, info.config.n_games, self.barred), *duels]


def unfit(info: RunInfo) -> Iterator[str]:
    """Yield the reasons why a run cannot hold records."""
    if not info.commitment:
        known = " and known to an entry" if info.seed_remark else ""
        yield f"it is not official (wordpl evaluate --official), so its seed could have been chosen{known}"
    if info.config.player == PlayerKind.TRUSTED:
        yield "its entries ran in the harness's own process"
    if info.finished is None:
        yield "it has not ended"
    if info.after_seed:
        yield f"entries were added to it after its seed was known: {', '.join(info.after_seed)}"
    if info.config.n_games < RECORD_GAMES:
        yield f"it has {info.config.n_games:,} games for each entry, but a record needs {RECORD_GAMES:,}"


def _why_barred(finding: RepeatFinding) -> str:
    if finding.knows_seed:
        return "it seems to know the seed"
    return "it seems to know the secret" if finding.by_secret else "its repeated games differ"


def judgement_table(
    found: Sequence[Judgement],
    claim: tuple[float, float],
    n_games: int,
    barred: Mapping[str, str],
) -> Table:
    """Return the judgement of a claim for each entry.

    Args:
        found: The judgement of each entry.
        claim: The quantile and the budget.
        n_games: The number of games, which was fixed in advance.
        barred: Why an entry holds no record, by its name.
    """
    q, budget = claim
    rows = [
        (
            judgement.name,
            f"{judgement.claim.n_games:,}",
            *shares(judgement.claim),
            f"no: {barred[judgement.name]}" if judgement.name in barred else _verdict(judgement.claim, n_games),
            _test_verdict(judgement.reading),
        )
        for judgement in found
    ]
    heads = ("strategy", "games", "won within it", ESTIMATE, "at least", "shown", "read in order")
    legend = (
        "Estimate, at least: the 95% interval and the one-sided lower bound of the share, without luck if the entry "
        "always spends this budget, and thus has declared it before the run; otherwise from the games won. The claim "
        "is shown if the bound is above the quantile, for a number of games that was fixed in advance, if the games "
        "won do not contradict it, and if no repeated game has other moves. Read in order: a sequential test of the "
        "same values that may be evaluated after each game, so that a run can stop when the result is clear; each "
        "verdict is wrong in at most 5% of runs. Choose one of the two in advance."
    )
    title = f"Are {100 * q:g} % of all games won within {budget_text(budget)}?"
    return text_table(title, heads, rows, {"strategy", "shown", "read in order"}, legend)


def _verdict(claim: Claim, n_games: int) -> str:
    if claim.n_games < n_games:
        return f"not yet: {n_games:,} games are planned"
    if claim.is_record or not claim.is_shown:
        return "yes" if claim.is_record else "no"
    return f"yes, but a record needs {RECORD_GAMES:,} games"


def _test_verdict(reading: SequentialTestResult | None) -> str:
    if reading is None:
        return "order not known yet"
    if reading.after is None:
        return f"open after {reading.n_read:,}"
    return f"{reading.verdict}, clear after {reading.after:,}"


def duel_table(found: Sequence[HeadToHead], entry: str, claim: tuple[float, float]) -> Table:
    """Return the comparison of an entry with the others.

    Args:
        found: The comparison with each other entry.
        entry: The name of the entry.
        claim: The quantile and the budget.
    """
    q, budget = claim
    rows = [
        (
            duel.rival,
            f"{duel.pairs.n_games:,}",
            f"{duel.pairs.only_first} : {duel.pairs.only_second}",
            "< 0.001" if duel.pairs.p_value < 0.001 else f"{duel.pairs.p_value:.3f}",
            f"{100 * duel.pairs.difference:+.2f}%",
            f"{100 * duel.pairs.low:+.2f} to {100 * duel.pairs.high:+.2f}%",
            _test_verdict(duel.reading),
            number(duel.margin_chance, percent=True),
        )
        for duel in found
    ]
    heads = ("against", "games", "won alone", "p", "wins more", "95% interval", "read in order", "lower by 5 %")
    legend = (
        f"Won alone: games that only this entry, or only the other, has won within {budget_text(budget)}, with the "
        "exact McNemar p-value. Wins more: the difference of the shares. Read in order: a sequential test whether it "
        f"wins more often, as above. Lower by 5 %: the probability that its {100 * q:g} % score is at least 5 % below "
        "the other's, from resampled games."
    )
    return text_table(f"{entry} on the same games", heads, rows, {"against", "read in order"}, legend)


def shares(claim: Claim) -> tuple[str, str, str]:
    """Return the share won, the estimate with its interval, and its bound; two decimals can decide about a record."""
    estimate = f"{claim.estimate:.2%} ({100 * claim.low:.2f}–{claim.high:.2%})"
    return f"{claim.share:.2%}", estimate, f"{claim.bound:.2%}"


BEGIN, END = "<!-- records -->", "<!-- end of records -->"
BETWEEN = re.compile(f"(?<={re.escape(BEGIN)}\n).*?(?={re.escape(END)})", re.DOTALL)
FRONT_BEGIN, FRONT_END = "<!-- front table of records -->", "<!-- end of front table -->"
BETWEEN_FRONT = re.compile(f"(?<={re.escape(FRONT_BEGIN)}\n).*?(?={re.escape(FRONT_END)})", re.DOTALL)
NO_AUTHOR = "wordpl"
EVIDENCE_HEADS = ("won within it", ESTIMATE, "at least", "evidence")
HEADS = ("#", "strategy", "budget", *EVIDENCE_HEADS, "record", "first lower", "by 5 %")
TEXT_HEADS = frozenset({"strategy", "evidence", "record"})
PLACE, ROLE = 0, HEADS.index("record")
LEGEND = (
    "Budget: the smallest budget for which these games show, with 95% confidence, that this share of all games is "
    "won within it; in brackets, the largest budget spent if they show none. Won within it: counted. Estimate, at "
    "least: the share with its 95% interval, and its one-sided 95% lower bound; without luck if the entry spends "
    "this budget in every game that it can win, and thus has declared it before the run, otherwise from the games "
    f"won. If the bound is above the quantile, on {RECORD_GAMES:,} games or more whose number was fixed in advance, "
    "and the games won do not contradict it, it is a record; entries whose repeated games differ are left out. #: 1 "
    "+ the number of entries shown to be better; records with the same rank as the first share it. First lower, by "
    "5 %: the probability that the first entry needs a smaller budget than this one, and at least 5 % smaller. "
    "Evidence: proved: every clue was enumerated; proved, 95 % sure: every last guess was enumerated, and the "
    "answers after it were sampled in 100,000 games, for which 3/100,000 is subtracted; games: the games of the "
    "run."
)


@dataclass(frozen=True)
class RecordBoard:
    """The board of a quantile.

    Attributes:
        q: The quantile.
        rows: The rows of the games of one run, the holder of the record first.
        proven: The evidence by enumeration, the smallest budget first.
        report: The run of the rows.
    """

    q: float
    rows: Sequence[RecordRow]
    proven: Sequence[Evidence]
    report: RecordReport

    def table(self, *, is_last: bool) -> Table:
        """Return the board as a table; the last of several tables gets the legend."""
        n_games = max((row.claim.n_games for row in self.rows), default=0)
        games = f"{n_games:,} games each" if self.rows else "no entry wins that often"
        rows = [(not row.claim.is_record, row.claim.budget, 1, _row(row)) for row in self.rows]
        for proof in self.proven:
            cells = (f"{proof.enumerated:.4%}", "", f"{proof.chance:.4%}", proof.certainty, "", "", "")
            rows.append((False, proof.budget, 0, ["", proof.entry.name, budget_text(proof.budget), *cells]))
        if self.proven:  # of proved and played results, only the first holds the record
            rows.sort(key=lambda row: row[:3])
            for place, (*_, row) in enumerate(rows):
                row[PLACE], row[ROLE] = str(place + 1), "" if place else "holds"
        return text_table(
            f"{100 * self.q:g} % of games · {games}",
            HEADS,
            [row[3] for row in rows],
            TEXT_HEADS,
            LEGEND if is_last else "",
        )

    @property
    def holder(self) -> tuple[EntryInfo, float, str, str] | None:
        """The entry that holds the record, its budget, the day and the evidence; None if no entry holds it."""
        found = [(proof.budget, proof.entry, proof.made[:10], proof.certainty) for proof in self.proven]
        entries = {entry.name: entry for entry in self.report.info.entries}
        found += [
            (row.claim.budget, entries[row.name], self.report.info.started[:10], f"{row.claim.n_games:,} games")
            for row in self.rows
            if row.claim.is_record
        ]
        if not found:
            return None
        budget, entry, since, evidence = min(found, key=lambda one: one[0])
        return entry, budget, since, evidence


def boards(reports: Sequence[RecordReport], evidence: Sequence[Evidence] = ()) -> list[RecordBoard]:
    """Return the board of each quantile.

    Args:
        reports: The reports of runs of the same game; a quantile uses the first run that shows it.
        evidence: The evidence by enumeration.

    Raises:
        UserError: The runs or the evidence use different games or word lists.
    """
    _require_one_game(reports, evidence)
    record_boards = []
    for q in reports[0].champions:
        report = next((one for one in reports if any(row.claim.is_record for row in one.champions[q][:1])), reports[0])
        proven = sorted(
            (proof for proof in evidence  # an entry competes only for the largest share that it reaches
             if max((other for other in reports[0].champions if proof.chance > other), default=None) == q),
            key=lambda proof: (proof.budget, proof.entry.name),
        )  # fmt: skip
        record_boards.append(RecordBoard(q, report.champions[q], proven, report))
    return record_boards


def board_tables(found: Sequence[RecordBoard]) -> list[Table]:
    """Return a table for each board; the last one has the legend."""
    return [board.table(is_last=board is found[-1]) for board in found]


def _row(row: RecordRow) -> list[str]:
    claim = row.claim
    budget = budget_text(claim.budget) if claim.is_shown else f"({budget_text(claim.budget)})"
    first_chances = (row.first_better, row.first_margin)
    chances = ("" if chance is None else number(chance, percent=True) for chance in first_chances)
    return [str(row.place), row.name, budget, *shares(claim), "games", row.role, *chances]


def boards_section(reports: Sequence[RecordReport], evidence: Sequence[Evidence]) -> str:
    """Return the boards as Markdown, with their sources, for the place between the markers of a page.

    Raises:
        UserError: A run cannot hold records.
    """
    for report in reports:
        if reasons := list(unfit(report.info)):
            raise UserError(f"{report.folder} cannot hold records: {'; '.join(reasons)}.")
    sources = [
        f"From the official run `{paths.relative_to_cwd(report.folder)}` of {report.info.started[:10]}, "
        f"{report.info.config.n_games:,} games for each entry on the same secrets and noise; to check it: "
        f"`{run_folder.verify_command(report.folder)}`."
        for report in reports
    ]
    if evidence:
        sources.append(
            "Proved results were enumerated instead of played. To check them, use `wordpl record --check FILE` with "
            "the files in `results/evidence`; docs/records.md describes what exactly is proved."
        )
    remarks = dict.fromkeys(remark for report in reports for remark in report.remarks)
    remark_list = "\n".join(f"- {in_markdown(remark, REMARK_CHARACTERS)}" for remark in remarks)
    shown_tables = [markdown(table, "###").strip() for table in board_tables(boards(reports, evidence))]
    return "\n\n".join(part for part in (" ".join(sources), *shown_tables, remark_list) if part) + "\n"


def front_table(found: Sequence[RecordBoard], page: Path) -> str:
    """Return the Markdown of the record of each quantile, as the front table of a season shows its records.

    Args:
        found: The boards.
        page: The page that contains the table, from which links to the entries start.
    """
    rows: list[list[Value]] = []
    for board in found:
        if board.holder is not None:
            entry, budget, since, evidence = board.holder
            folder = Path(entry.file).with_suffix("")  # into which the file may have moved since
            file = folder if folder.is_dir() and not Path(entry.file).exists() else Path(entry.file)
            place = os.path.relpath(file.absolute(), page.absolute().parent)
            link = Text(entry.name, link=place, max_length=200)
            author = Text(entry.author or NO_AUTHOR, max_length=200)
            rows.append([f"{100 * board.q:g}% of games", link, author, budget_text(budget), since, evidence])
    heads = ("score", "strategy", "author", "budget", "since", "evidence")
    return markdown_rows(text_table("", heads, rows, set(heads) - {"budget"})) + "\n"


def write_boards(pages: Sequence[Path], reports: Sequence[RecordReport], evidence: Sequence[Evidence]) -> None:
    """Write the boards, the front table or both between their markers in each page.

    Raises:
        UserError: A page has none of the markers; then no page is written.
    """
    text, found = boards_section(reports, evidence), boards(reports, evidence)
    new_pages = {}
    for page in pages:
        old = page.read_text(encoding="utf-8")
        if not (BETWEEN.search(old) or BETWEEN_FRONT.search(old)):
            raise UserError(
                f"{page}: there is no place for the records: add a line {BEGIN!r} and, below it, a line {END!r}; for a "
                f"table of the holders only, {FRONT_BEGIN!r} and {FRONT_END!r}."
            )
        new_pages[page] = _between(BETWEEN_FRONT, front_table(found, page), _between(BETWEEN, text, old))
    for page, new_page in new_pages.items():
        write_atomically(page, new_page.encode())


def _between(markers: re.Pattern[str], text: str, page: str) -> str:
    """Return a page with this text between its markers, or the page itself if it has none."""
    return markers.sub(lambda _: text, page, count=1)


def _require_one_game(reports: Sequence[RecordReport], evidence: Sequence[Evidence]) -> None:
    games = {report.game_id for report in reports} | {proof.entry.game.id for proof in evidence}
    if len(games) > 1:
        raise UserError(
            f"these are for different games, {' and '.join(sorted(games))}: a board of records is for one game."
        )
    digests = [{name: file.sha256 for name, file in report.info.config.word_files.items()} for report in reports]
    digests += [proof.lists for proof in evidence]
    sets = [_without_order(each) for each in digests]
    if any(each != sets[0] for each in sets):
        raise UserError("these use different word lists: a board of records is for one pair of lists, in any order.")


def _without_order(digests: dict[str, str]) -> dict[str, str]:
    """Return the digests of the same lists in alphabetical order, if the package has them."""
    lists = words.load().in_order_of(digests)
    return lists.set_sha256 if lists.sha256 == digests else digests
