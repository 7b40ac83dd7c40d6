"""The report of a run: its boards, facts about the run, and remarks about repeated and irregular games."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from io import StringIO
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from msgspec import UNSET
from numpy.typing import NDArray
from rich.console import Console

from wordpl.contest import determinism, hosted, official, run_folder
from wordpl.contest.determinism import RepeatFinding
from wordpl.contest.entries import require_named
from wordpl.contest.referee import CUT_SHORT
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError, amount
from wordpl.core.moves import Verdict
from wordpl.core.words import WordLists
from wordpl.players.sandbox import levels
from wordpl.reports import renderers, win_curve
from wordpl.reports.elements import Curve, Detail, Section, Table, number
from wordpl.reports.game_reviews import MAX_REVIEWED
from wordpl.reports.html.document import notebook_html, write_page
from wordpl.reports.html.run_page import run_page
from wordpl.reports.names import shown
from wordpl.reports.results import RunResults
from wordpl.reports.sections import comparison, sections_of
from wordpl.reports.standings import SEPARATOR, Board, boards, scores_csv
from wordpl.run.config import PlayerKind
from wordpl.run.folder import Run, RunRecords, explain
from wordpl.run.frame import rows_by
from wordpl.run.info import EntryInfo, RunInfo
from wordpl.run.records import Usage
from wordpl.stats import compare
from wordpl.stats.estimates import LuckCorrected, win_rates
from wordpl.stats.findings import MAX_SCORED, ScoredGames, n_scored

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_LISTED = 50
ENDED_BY_ENTRY = (Verdict.LATE, Verdict.CRASHED, Verdict.MEMORY)
"""Verdicts of games without a last move, which an entry can cause on purpose."""
MAX_REPEATS_LISTED = 10


def irregularities(records: RunRecords) -> Iterator[str]:
    """Yield a sentence for each entry and each kind of irregular games."""
    if records.info.seed_remark:
        yield records.info.seed_remark
    if asked := hosted.of(records.info.entries):
        yield (
            f"The games of {', '.join(shown(entry.name) for entry in asked)} {hosted.NOT_REPEATED}, since their moves "
            "came over a network: `wordpl verify` computes them again from the transcripts, if these are published."
        )
    restarted_games = records.info.played_again
    for entry in records.info.entries:
        name, of_entry = shown(entry.name), records.irregular(entry)
        if entry.slug in records.info.after_seed:
            yield (
                f"{name} played after the seed of the run was known, so that its author could have known all secrets. "
                "Its results are for comparison only, and no evidence for a record."
            )
        if entry.slug in restarted_games:
            restarted = _listed(restarted_games[entry.slug])
            yield (
                f"{name} started {restarted} again, because the harness had ended before it wrote the records, or had "
                "not run while they were played."
            )
        faults = [record.game for record in of_entry if record.verdict == Verdict.FAULT]
        if faults:
            yield (
                f"{name} lost {_listed(faults)} because its process was killed from outside. No isolated player can do "
                "this, so the host is the cause; the games count as lost."
            )
        unplayed = [record.game for record in of_entry if record.verdict == Verdict.UNPLAYED]
        if unplayed:
            yield f"{name} used up its time for all games: {len(unplayed)} games were not played and count as lost."
        yield from _overtime_and_early_ends(records, entry)


def _overtime_and_early_ends(records: RunRecords, entry: EntryInfo) -> Iterator[str]:
    """Yield the games in which the entry used the grace period, and those that it ended early after a clue."""
    name, ended = shown(entry.name), records.irregular(entry)
    late = {record.game for record in ended if record.verdict == Verdict.LATE}
    if in_grace := sorted(_over_time(records, entry) - late):
        yield (
            f"{name} used more than the {records.info.config.timeout_s:g} s of CPU time that entries are told, in "
            f"{_listed(in_grace)}. This is within the grace period, so that the results count. Each game was played "
            "once."
        )
    after_clues = [record for record in ended if record.verdict in ENDED_BY_ENTRY and record.moves]
    if after_clues:
        counts = Counter(str(record.verdict) for record in after_clues)
        kinds = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        yield (
            f"{name} received clues but made no last move in {_listed([record.game for record in after_clues])} "
            f"({kinds}). Each game was played once and counts as lost."
        )


def _over_time(records: RunRecords, entry: EntryInfo) -> set[int]:
    """Return the games in which the entry exceeded its announced CPU time, scaled by each machine's speed."""
    most_s = {name: worker.slowness * records.info.config.timeout_s for name, worker in records.info.workers.items()}
    if entry.slug not in records.longest_s:
        records.longest_s[entry.slug] = _longest(records.run.entry(entry).cpu_times())
    if not records.longest_s[entry.slug] > min([records.info.config.timeout_s, *most_s.values()]):
        return set()  # the usual case, without reading the durations
    return {
        duration.game
        for duration in records.run.entry(entry).durations()
        if duration.cpu_s is not None and duration.cpu_s > most_s.get(duration.machine, records.info.config.timeout_s)
    }


def _longest(times: NDArray[np.float64]) -> float:
    """Return the longest of these times, of which unknown ones are NaN."""
    return float(np.nan_to_num(times).max(initial=0.0))


def _listed(games: Sequence[int], max_listed: int = MAX_LISTED) -> str:
    """Return the numbers of the games as text; three and more in a row are written as their first and last."""
    rows: list[list[int]] = []
    for game in games:
        if rows and game == rows[-1][-1] + 1:
            rows[-1].append(game)
        else:
            rows.append([game])
    first = rows[:max_listed]
    texts = [f"{row[0]}–{row[-1]}" if len(row) > 2 else ", ".join(map(str, row)) for row in first]
    n_more = len(games) - sum(map(len, first))
    text = ", ".join(texts) + (f" and {n_more:,} more" if n_more else "")
    return f"game {text}" if len(games) == 1 else f"games {text}"


def repeats(findings: Sequence[RepeatFinding], *, is_all: bool = True) -> Iterator[str]:
    """Yield the number of repeated games, then a sentence for each entry with differences.

    Args:
        findings: What the repeated games show.
        is_all: Whether games of all entries of the run can be repeated.
    """
    if not findings:
        return
    numbers = [len(finding.repeated) for finding in findings]
    sample = ("" if min(numbers) == max(numbers) else f"{min(numbers)} to ") + amount(max(numbers), "game")
    differences = [_changed(finding) for finding in findings if finding.changed]
    differences += [_knows_seed(finding) for finding in findings if finding.knows_seed]
    differences += [_not_compared(finding) for finding in findings if finding.not_compared]
    end = "." if differences else ", all with the same moves."
    how = ", with the same clues under another secret" if all(finding.blind for finding in findings) else ""
    yield f"Repeated in fresh processes{how}: {sample} of each {'entry' if is_all else 'other entry'}{end}"
    if excluded := [share for finding in findings if (share := finding.max_dependent) is not None]:
        of_all = "each" if len(excluded) == len(findings) else "each of the others"
        yield (
            f"So the moves of {of_all} depend on the secret, beyond its clues, in at most "
            f"{number(max(excluded), percent=True)} of its games (95% confidence)."
        )
    if n_anew := max(len(finding.anew) for finding in findings):
        result = "" if any(finding.knows_seed for finding in findings) else "; no entry did significantly worse"
        yield f"{n_anew} of these were also played with fresh noise and another strategy seed{result}."
    yield from differences


def _knows_seed(finding: RepeatFinding) -> str:
    return (
        f"{shown(finding.entry.name)} seems to know the seed of the run: with fresh noise and another strategy seed, "
        f"it did worse in {amount(len(finding.better), 'game')} and better in {len(finding.worse)}."
    )


def _not_compared(finding: RepeatFinding) -> str:
    games = f"{len(finding.not_compared)} of {amount(len(finding.repeated), 'game')}"
    text = f"{shown(finding.entry.name)}: {games} could not be compared, since their repeats were cut short twice"
    if not finding.is_evasive:
        return f"{text}: {_listed(finding.not_compared, MAX_REPEATS_LISTED)}."
    why = "so that the repeats do not show whether its games are independent"
    return f"{text}, {why}: {_listed(finding.not_compared, MAX_REPEATS_LISTED)}."


def _changed(finding: RepeatFinding) -> str:
    counts = f"{len(finding.changed)} of {amount(len(finding.repeated), 'game')}"
    listed_games = _listed(finding.changed, MAX_REPEATS_LISTED)
    if finding.by_secret:
        return (
            f"{shown(finding.entry.name)} seems to know the secret: when the same clues were shown under another "
            f"secret, {counts} were different, but {len(finding.by_secret)} of these were as in the run under their "
            f"own secret: {_listed(finding.by_secret, MAX_REPEATS_LISTED)}."
        )
    if finding.unsteady:
        return (
            f"{shown(finding.entry.name)} is not reproducible: with the same seed, {counts} were different in a fresh "
            f"process, and {len(finding.unsteady)} of these were different again in a second one: {listed_games}."
        )
    return (
        f"{shown(finding.entry.name)} depends on earlier games: {counts} were different, and both times the same, in "
        f"fresh processes that had played no other game: {listed_games}."
    )


VERIFY_WITH = "verify with"
FAULTS = (Verdict.CRASHED, Verdict.ILLEGAL, Verdict.MEMORY, Verdict.LATE, Verdict.FAULT, Verdict.UNPLAYED)


class RunReport:
    """The report of a run. Each part is computed when it is first used.

    Attributes:
        records: The games of the run.
        is_damaged: Whether the report says that the run differs from its seal.
    """

    def __init__(
        self,
        records: RunRecords,
        lists: WordLists | None = None,
        score: str | None = None,
        scored: ScoredGames | None = None,
    ):
        """Create the report of these records.

        Args:
            records: The games of the run.
            lists: The word lists of the run; None for those that run.json names.
            score: The score by which boards are ordered; None for the one that was announced with the run.
            scored: The games with what their clues say; None to read them when they are needed.
        """
        self.records = records
        self.is_damaged = False
        self._lists, self._read = lists, scored
        self._order = records.info.config.order if score is None else score

    @classmethod
    def of(cls, run: Run | str | Path, *, damaged: bool = False) -> "RunReport":
        """Return the report of a run, or of the run in this folder.

        Args:
            run: The run, or its folder.
            damaged: Also report a finished run that differs from its seal; the report says so.

        Raises:
            UserError: The run has finished, and differs from its seal.

        Example:
            report = RunReport.of("results/bundled")
            report.scores()[["strategy", "p50", "p50_low", "p50_high"]]
        """
        run = run if isinstance(run, Run) else Run(Path(run))
        report = cls(RunRecords(run if damaged else run.require_as_sealed()))
        report.is_damaged = bool(run.damage)
        return report

    def __repr__(self) -> str:
        """Return the folder of the run and its entries."""
        names = ", ".join(entry.name for entry in self.records.info.entries)
        return f"RunReport({self.records.folder.name!r}, {self.records.info.config.n_games} games each: {names})"

    def __str__(self) -> str:
        """Return the board as the terminal shows it after a run."""
        text = StringIO()
        console = Console(file=text, width=get_terminal_size().columns)
        renderers.show(self.sections(Detail.BOARD), console)
        return text.getvalue().rstrip("\n")

    def scores(self) -> pd.DataFrame:
        """Return the boards as one table with the columns of scores.csv and the marks, best entries first."""
        return pd.concat([board.table for board in self.boards], ignore_index=True)

    def leaderboard(self) -> pd.DataFrame:
        """Return the boards as people read them, by place.

        For each score that ranks entries there is a column with its value, and one with its 95% interval as text; both
        are "" for entries of a game without this score.
        """
        tables = pd.concat([board.leaderboard() for board in self.boards])
        return tables.astype(object).where(tables.notna(), "")

    def estimates(self, budget: float | None = None) -> pd.DataFrame:
        """Return how often each entry of a noisy game wins within a budget, as `wordpl estimate` shows it.

        Args:
            budget: The largest cost of a won game; None for any.

        Returns:
            A row for each entry: entry, games, budget, and the estimates `counted`, `by answer` and `without luck`,
            each with its standard error in a column whose name begins with ±.
        """
        return win_curve.table(win_rates(self.records.run, self.lists, budget))

    def plot(self, file: str | Path | None = None) -> "Figure":
        """Return a figure of the share of games that each entry wins within each cost, with 95% bands.

        Args:
            file: Also save the figure in this file, whose suffix selects the format.

        Raises:
            UserError: No game has a budget or a limited number of guesses, or matplotlib is missing.
        """
        curves = [part for section in self.sections() for part in section.parts if isinstance(part, Curve)]
        if not curves:
            raise UserError("there is nothing to plot: no game has a budget or a limited number of guesses.")
        figure = win_curve.draw(curves)
        if file is not None:
            win_curve.save(figure, Path(file))
        return figure

    def save(self, page: str | Path) -> None:
        """Write the run's page, as `wordpl report` does."""
        write_page(Path(page), run_page([self.results(with_commands=True)], max_reviewed=MAX_REVIEWED))

    @cached_property
    def games(self) -> pd.DataFrame:
        """The games as a table, one per row, see `ScoredGames`.

        Raises:
            UserError: A record has a guess that is not in the list of guesses.
        """
        return self._scored.table

    @cached_property
    def lists(self) -> WordLists:
        """The word lists of the run.

        Raises:
            UserError: The files have changed since the run.
        """
        return self._lists or self.records.info.config.load_lists()

    @cached_property
    def luck(self) -> dict[str, LuckCorrected]:
        """The games without most of the luck of each entry whose wins can be credited from clues, by its name."""
        return self._scored.luck

    @cached_property
    def _scored(self) -> ScoredGames:
        scored = self._read or ScoredGames.of(self.records.run, self.lists)
        if n_scored(self.records.run) == self.records.info.config.n_games:
            by_name = rows_by(scored.table, "entry")
            self.records.longest_s |= {
                entry.slug: _longest(by_name[entry.name]["cpu_s"].to_numpy())
                for entry in self.records.info.entries
                if entry.name in by_name
            }
        return scored

    @cached_property
    def boards(self) -> list[Board]:
        """The board of each game."""
        loss_cost, exact = self.records.info.config.loss_cost, self.exact_entries()
        rng, odds = generator(self.records.info), self._scored.odds
        return boards(self.games, rng, loss_cost, exact, self.luck, self._order, odds, self.lists)

    def exact_entries(self) -> list[str]:
        """Return the entries that played every answer once, and repeated enough games identically.

        The repeats use other strategy seeds. Entries with a game that was cut short by time, memory or a fault are
        excluded, since the game may end differently on another machine.
        """
        if not self.records.info.config.every_answer:
            return []
        is_cut_short = self.games["verdict"].isin([str(verdict) for verdict in CUT_SHORT])
        by_machine = set(self.games.loc[is_cut_short, "entry"])
        exact = (found.entry.name for found in self._repeat_findings if found.is_exact(self.records.info.config))
        return [name for name in exact if name not in by_machine]

    def results(self, verified: Sequence[str] = (), *, with_commands: bool = False) -> RunResults:
        """Return the results of the run, from which its sections are computed.

        Args:
            verified: The sentences of `wordpl verify`.
            with_commands: Whether to show the commands that reproduce the run, which depend on the run's place.
        """
        commands = run_folder.page_commands(self.records.folder, self.records.info) if with_commands else ()
        return self._results.checked(verified, commands)

    @cached_property
    def _results(self) -> RunResults:
        name = self.records.folder.resolve().name
        about = {entry.name: entry.about for entry in self.records.info.entries if entry.about is not UNSET}
        in_order = sorted(self.boards, key=lambda board: -len(board.rows))  # the game with most entries leads
        return RunResults(in_order, self.games, self._scored.moves, self.lists, name, facts(self.records),
                          self.remarks, about=about, draws=self.records.info.draws, usage=self.usage)  # fmt: skip

    @cached_property
    def usage(self) -> dict[str, Usage]:
        """What entries without code took for a game, by their names."""
        found = {
            entry.name: Usage.of(self.records.records_of(entry), self.records.info.prices.get(entry.slug))
            for entry in hosted.of(self.records.info.entries)
        }
        return {name: usage for name, usage in found.items() if usage is not None}

    def sections(self, level: Detail = Detail.DETAILS) -> list[Section]:
        """Return the sections of the report up to this level."""
        return sections_of(self._results, level)

    def _repr_html_(self) -> str:
        """Return the sections that are shown everywhere, for a notebook."""
        return notebook_html([part for section in self.sections(Detail.BOARD) for part in section.parts])

    def findings(self) -> Iterator[str]:
        """Yield a sentence for each result that the clues of an entry, or its seed, do not allow."""
        for board in self.boards:
            yield from board.findings()
        yield from (_knows_seed(found) for found in self._repeat_findings if found.knows_seed)

    @cached_property
    def remarks(self) -> list[str]:
        """Sentences about the repeated and irregular games of the entries."""
        first = [f"{self.records.run.damage}. Its numbers are not those of the run."] if self.is_damaged else []
        n, n_games = n_scored(self.records.run), self.records.info.config.n_games
        if n < n_games:
            first.append(
                f"Scores, comparisons and details are those of the first {n:,} of {n_games:,} games of each entry, a "
                f"random sample, as more than {MAX_SCORED:,} games of all entries together are too many for them; "
                "`wordpl verify` checks all games, and `wordpl export` writes all as a table."
            )
        is_all = not any(entry.is_hosted for entry in self.records.info.entries)
        return [*first, *repeats(self._repeat_findings, is_all=is_all), *irregularities(self.records)]

    @cached_property
    def _repeat_findings(self) -> list[RepeatFinding]:
        return determinism.findings(self.records)

    def markdown(self) -> str:
        """Return LEADERBOARD.md."""
        return renderers.markdown_page("Leaderboard", self.sections(Detail.FULL))

    def scores_csv(self, separator: str = SEPARATOR) -> str:
        """Return scores.csv."""
        return scores_csv(self.boards, separator)

    def write(self, separator: str = SEPARATOR) -> None:
        """Write LEADERBOARD.md and scores.csv, with this separator, into the run's folder."""
        folder = self.records.folder
        with explain(folder):
            write_atomically(folder / "LEADERBOARD.md", self.markdown().encode())
            write_atomically(folder / "scores.csv", self.scores_csv(separator).encode())

    def against(self, text: str) -> Iterator[Table]:
        """Yield the comparison of each entry that `text` names with all other entries of its game, each pair once.

        Raises:
            UserError: No entry has that name.
        """
        compared: list[str] = []
        for entry in require_named(text, self.records.info.entries):
            rivals = self.games[(self.games["rules"] == entry.game.id) & ~self.games["entry"].isin(compared)]
            compared.append(entry.name)
            loss_cost = self.records.info.config.loss_cost
            luck = self.luck if set(rivals["entry"]) <= set(self.luck) else None
            board = next((board for board in self.boards if board.rules == entry.game.id), None)
            rng, of_board = generator(self.records.info), board.compared if board else None
            others = compare.against(rivals, entry.name, rng, loss_cost, luck, of_board)
            if others and board:
                yield comparison.against(others, entry.name, board)

    def failures(self) -> Iterator[str]:
        """Yield, for each entry that failed, its first failure of each kind and the command that replays it."""
        n_played = self.games["entry"].value_counts().to_dict()
        for entry in self.records.info.entries:
            records, n_games = self.records.irregular(entry), n_played.get(entry.name, 0)
            for verdict in FAULTS:
                failed = [record for record in records if record.verdict == verdict]
                if failed:
                    first = failed[0]
                    games_text = amount(n_games, "game")
                    yield f"{entry.name}: {len(failed)} of {games_text} {verdict}, the first game {first.game}."
                    yield from (f"    {line}" for line in first.message.splitlines())
                    replay = run_folder.replay_command(entry, first.game, self.records.info, self.records.folder)
                    yield f"    {replay}\n"


def generator(info: RunInfo) -> np.random.Generator:
    """Return the generator of a report's resamples, which depends on the run's seed."""
    if info.draws is None:  # a preview of an official run whose seed is not revealed yet
        return np.random.default_rng(0)
    return np.random.default_rng(info.draws.generator_seed(b"report"))


def facts(records: RunRecords) -> dict[str, str]:
    """Return the facts about a run for the start of a page."""
    info = records.info
    lists = ", ".join(f"{file.words} {name}" for name, file in info.config.word_files.items())
    written = {entry.file: f"{entry.file} {entry.written}" for entry in info.entries if entry.written}
    return {
        "date": info.started[:10],
        "seed": info.seed or "not revealed yet",
        "games for each entry": str(info.config.n_games),
        "time for a game": f"{info.config.timeout_s:g} s",
        "memory": f"{info.config.memory_mb} MiB",
        "isolation": isolation(info),
        **({"written files": ", ".join(written.values())} if written else {}),
        "word lists": lists,
        "versions": ", ".join(f"{name} {number}" for name, number in info.versions.items()),
        "machine": ", ".join(
            f"{number} {name}" if name == "processors" else f"{number}" for name, number in info.machine.items()
        ),
        **official.facts(info),
        **({"seal": info.seal} if info.seal else {}),
        VERIFY_WITH: run_folder.verify_command(records.folder),
    }


def isolation(info: RunInfo) -> str:
    """Return the isolation of the entries as text."""
    if info.config.player == PlayerKind.TRUSTED:
        return "none: entries ran in the harness's own process (trusted)"
    level = levels.Level(info.config.level)
    return f"level {level} ({level.mechanisms}): {level.meaning}"
