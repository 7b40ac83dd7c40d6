"""The report of a run: its boards, facts about the run, and remarks about its entries."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import cast

import numpy as np
import pandas as pd

from wordpl import games
from wordpl.contest import command_lines, determinism, official
from wordpl.contest.entries import require_named
from wordpl.contest.match import CUT_SHORT
from wordpl.contest.run_folder import lists_of
from wordpl.core import run_guards, seeds
from wordpl.core.files import write_atomically
from wordpl.core.game_kinds import Measure, PlayerKind
from wordpl.core.messages import amount
from wordpl.core.moves import NoisyMove
from wordpl.core.record import Record
from wordpl.core.records import EntryInfo, Run, RunInfo, Verdict
from wordpl.core.run_frames import EntryColumns, concatenate
from wordpl.core.run_records import RunRecords, collector_paused
from wordpl.core.words import WordLists
from wordpl.players.sandbox.levels import Level
from wordpl.reports.board import Board, boards
from wordpl.reports.html.run_model import RunModel
from wordpl.reports.legend import excess_sentences
from wordpl.reports.markdown import leaderboard
from wordpl.reports.remarks import irregularities, played_twice, repeats
from wordpl.reports.scores_csv import SEPARATOR, scores_csv
from wordpl.stats import compare
from wordpl.stats.answer_posteriors import AnswerPosteriors
from wordpl.stats.compare.differences import comparison_matrices
from wordpl.stats.posterior_wins import with_posteriors
from wordpl.stats.scores.score import Floats

VERIFY_WITH = "verify with"
MIN_REPEATS = 50
"""The number of repeats with other strategy seeds that must be identical before a score of all answers is exact."""
FAULTS = (Verdict.CRASHED, Verdict.ILLEGAL, Verdict.MEMORY, Verdict.LATE, Verdict.FAULT, Verdict.UNPLAYED)
SCORED_COLUMNS = ("entry", "rules", "measure", "game", "secret", "verdict", "cost", "n_moves", "spent", "posterior")


class RunReport:
    """The report of a run. Each part is computed when it is first used.

    Attributes:
        records: The games of the run.
    """

    def __init__(self, records: RunRecords, lists: WordLists | None = None):
        """Create the report of these records.

        Args:
            records: The games of the run.
            lists: The word lists of the run; None for those that run.json names.
        """
        self.records = records
        self._lists = lists

    @cached_property
    def games(self) -> pd.DataFrame:
        """The games as a table, one per row; for large runs without moves and messages, see `scored_table`."""
        return self.scored_games if self.records.is_large else self.records.to_categories()

    @cached_property
    def lists(self) -> WordLists:
        """The word lists of the run.

        Raises:
            UserError: The files have changed since the run.
        """
        return self._lists or lists_of(self.records.info)

    @cached_property
    def scored_games(self) -> pd.DataFrame:
        """The games with two more columns: `posterior`, of the answer of a noisy game, and `cpu_s`."""
        if self.records.is_large:
            return scored_table(self.records.run, self.lists)
        times = [
            self.games.loc[self.games["entry"] == entry.name, "game"].map(pd.Series(self.records.run.cpu_times(entry)))
            for entry in self.records.info.entries
        ]
        cpu_times = pd.concat(times) if times else pd.Series(dtype=float)
        with collector_paused():
            return with_posteriors(self.games.assign(cpu_s=cpu_times), self.lists)

    @cached_property
    def boards(self) -> list[Board]:
        """The board of each game."""
        loss_cost = self.records.info.config.loss_cost
        with collector_paused():  # the moves of all games can be more than a million lists
            return boards(self.scored_games, generator(self.records.info), loss_cost, self.exact_entries())

    def exact_entries(self) -> list[str]:
        """Return the entries that played every answer once, and repeated enough games identically.

        The repeats use other strategy seeds. Entries with a game that was cut short by time, memory or a fault are
        excluded, since the game may end differently on another machine.
        """
        if not self.records.info.every_answer:
            return []
        min_repeats = min(MIN_REPEATS, self.records.info.n_games)
        findings = determinism.findings(self.records)
        is_cut_short = self.games["verdict"].isin([str(verdict) for verdict in CUT_SHORT])
        by_machine = set(self.games.loc[is_cut_short, "entry"])
        return [
            finding.entry.name
            for finding in findings
            if len(finding.repeated) - len(finding.not_compared) >= min_repeats
            and not finding.changed
            and finding.entry.name not in by_machine
        ]

    def page_model(self, verified: Sequence[str] = ()) -> RunModel:
        """Return the contents of a page about the run; `verified` are the sentences of `wordpl verify`."""
        matrices = {board.rules: comparison_matrices(board.ranked_scores, board.compared) for board in self.boards}
        return RunModel(
            name=self.records.folder.resolve().name,
            frame=self.scored_games,
            boards=self.boards,
            matrices=matrices,
            lists=self.lists,
            facts=facts(self.records),
            remarks=self.remarks,
            verified=verified,
            commands=command_lines.page_commands(self.records.folder, self.records.info),
        )

    def clue_excesses(self) -> Iterator[str]:
        """Yield a sentence for each entry that won more games than its clues allow."""
        for board in self.boards:
            yield from excess_sentences(board)

    @cached_property
    def remarks(self) -> list[str]:
        """Sentences about the repeated and irregular games of the entries."""
        return [*repeats(determinism.findings(self.records)), *irregularities(self.records)]

    def leaderboard(self) -> str:
        """Return LEADERBOARD.md."""
        return leaderboard(self.boards, facts(self.records), self.remarks)

    def scores_csv(self, separator: str = SEPARATOR) -> str:
        """Return scores.csv."""
        return scores_csv(self.boards, played_twice(self.records), separator)

    def write(self, separator: str = SEPARATOR) -> None:
        """Write LEADERBOARD.md and scores.csv, with this separator, into the run's folder."""
        folder = self.records.folder
        with run_guards.explain(folder):
            write_atomically(folder / "LEADERBOARD.md", self.leaderboard().encode())
            write_atomically(folder / "scores.csv", self.scores_csv(separator).encode())

    def against(self, text: str) -> Iterator[tuple[str, pd.DataFrame]]:
        """Yield each entry that `text` names, with its comparison with all other entries of its game.

        Raises:
            UserError: No entry has that name.
        """
        for entry in require_named(text, self.records.info.entries):
            rivals = self.scored_games[self.games["rules"] == entry.game_id]
            loss_cost = self.records.info.config.loss_cost
            yield entry.name, compare.against(rivals, entry.name, generator(self.records.info), loss_cost)

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
                    yield f"    {command_lines.replay_command(entry, first.game, self.records.info)}\n"


def generator(info: RunInfo) -> np.random.Generator:
    """Return the generator of a report's resamples, which depends on the run's seed."""
    if info.seed is None:  # a preview of an official run whose seed is not revealed yet
        return np.random.default_rng(0)
    return np.random.default_rng(int.from_bytes(seeds.draw(seeds.run_key(info.seed), b"report", 0), "big"))


def facts(records: RunRecords) -> dict[str, str]:
    """Return the facts about a run for the start of a page."""
    info = records.info
    lists = ", ".join(f"{word_list['words']} {name}" for name, word_list in info.lists.items())
    return {
        "date": info.started[:10],
        "seed": info.seed or "not revealed yet",
        "games for each entry": str(info.n_games),
        "time for a game": f"{info.timeout_s:g} s",
        "memory": f"{info.memory_mb} MiB",
        "isolation": isolation(info),
        **caches(info),
        "word lists": lists,
        "versions": ", ".join(f"{name} {number}" for name, number in info.versions.items()),
        "machine": ", ".join(
            f"{number} {name}" if name == "processors" else f"{number}" for name, number in info.machine.items()
        ),
        **official.facts(info),
        **({"seal": info.seal} if info.seal else {}),
        VERIFY_WITH: command_lines.verify_command(records.folder),
    }


def caches(info: RunInfo) -> dict[str, str]:
    """Return the entries with a cache from before the first game, and its digest; empty if there are none."""
    cache_of = {entry.file: f"{entry.file} {entry.cache}" for entry in info.entries if entry.cache}
    return {"caches": ", ".join(cache_of.values())} if cache_of else {}


def isolation(info: RunInfo) -> str:
    """Return the isolation of the entries as text."""
    if info.player == PlayerKind.TRUSTED:
        return "none: entries ran in the harness's own process (trusted)"
    if not info.level:  # runs of versions without sandbox levels
        return "a process of their own"
    level = Level(info.level)
    return f"level {level} ({level.mechanisms}): {level.meaning}"


def scored_table(run: Run, lists: WordLists) -> pd.DataFrame:
    """Return the games as a table with SCORED_COLUMNS, where texts are categories, and `cpu_s`.

    Args:
        run: The run.
        lists: The word lists of the run.
    """
    with collector_paused():
        tables = [_of_entry(run, entry, lists) for entry in run.entries]
    return concatenate(tables, [*SCORED_COLUMNS, "cpu_s"])


def _of_entry(run: Run, entry: EntryInfo, lists: WordLists) -> pd.DataFrame:
    columns = EntryColumns(entry, SCORED_COLUMNS)
    posteriors = AnswerPosteriors(lists, games.game_class(entry.game_id).clue_rule)
    for records in run.record_blocks(entry):
        columns.add(records, posterior=_posteriors(entry, records, posteriors))
    table = columns.table()
    return table.assign(cpu_s=run.cpu_times(entry)[table["game"].to_numpy()])


def _posteriors(entry: EntryInfo, records: Sequence[Record], posteriors: AnswerPosteriors) -> Floats:
    if entry.measure != Measure.BUDGET:
        return np.full(len(records), np.nan)
    all_moves = cast("list[list[NoisyMove]]", [record.moves for record in records])  # by the entry's measure
    return posteriors.posteriors([[(move.guess, move.epsilon, move.clues) for move in moves] for moves in all_moves])
