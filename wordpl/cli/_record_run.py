"""The steps of `wordpl record`: the games of a run, its boards, one claim, and pages that keep the boards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from rich.console import Console

from wordpl.cli._echo import say
from wordpl.cli._reporting import chosen, generator, remarks, verify_command
from wordpl.core import seeds
from wordpl.core.errors import UserError
from wordpl.core.files import write_safely
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.records import Run, load_run
from wordpl.core.words import within_home
from wordpl.reports import plain_table, record_board
from wordpl.stats import compare
from wordpl.stats.compare.claims import RECORD_GAMES


@dataclass(frozen=True, eq=False)
class Games:
    """A run with the games of its entries that are scored by what they spend."""

    run: Run
    table: pd.DataFrame

    @classmethod
    def of(cls, folder: Path) -> "Games":
        """Return the games of the run in this folder. Raises UserError if none has a budget, or two rules have."""
        table = load_run(folder)
        table = table[table["measure"] == "budget"]
        rules = list(table["rules"].unique())
        if len(rules) != 1:
            found = f"games of {' and '.join(rules)}" if rules else "no game with a budget"
            raise UserError(f"{folder} has {found}: records are for the games of one set of rules, such as wordpl/1.")
        return cls(Run(folder), table)

    @property
    def order(self) -> list[int] | None:
        """The order of play; None while an official run goes on."""
        info = self.run.info
        return None if info.seed is None else seeds.order(seeds.run_key(info.seed), info.n_games)

    def boards(self) -> dict[float, list[compare.RecordRow]]:
        """Return the board of each quantile. Raises UserError where no game has been played by all entries."""
        if compare.by_entry(self.table)[self.table["entry"].iloc[0]].empty:
            raise UserError(f"no game of {self.run.folder} has been played by all entries yet.")
        return compare.champions(self.table, generator(self.run.info))


def unfit(run: Run) -> Iterator[str]:
    """Yield what keeps a run from holding records."""
    info = run.info
    if not info.commitment:
        yield "it is not official (python evaluate.py --official), so that its seed could be chosen"
    if info.player == PlayerKind.TRUSTED:
        yield "its entries ran in the harness's own process"
    if info.finished is None:
        yield "it has not ended"
    if info.n_games < RECORD_GAMES:
        yield f"it has {info.n_games:,} games for each entry, and a record takes {RECORD_GAMES:,}"


def show_boards(games: Games) -> None:
    """Show the board of each quantile, and what keeps the run from holding records."""
    console = Console()
    for table in record_board.tables(games.boards()):
        plain_table.show(table, console)
    for line in remarks(games.run):
        say(line)
    show_unfit(games.run)


def show_unfit(run: Run) -> None:
    """Show what keeps a run from holding records."""
    for reason in unfit(run):
        say(f"No records are held by this run: {reason}.")


def judge(games: Games, claim: tuple[float, float], against: str | None) -> None:
    """Show what the run says of a claim, (quantile, budget); against: names an entry to compare with the others."""
    console = Console()
    found = compare.judgements(games.table, *claim, games.order)
    plain_table.show(record_board.judgement_table(found, claim, games.run.info.n_games), console)
    played = set(games.table["entry"])
    entries = [entry for entry in games.run.info.entries if entry.name in played]
    for entry in chosen(against, entries) if against else ():
        duels = compare.head_to_heads(games.table, entry.name, claim, games.order, generator(games.run.info))
        plain_table.show(record_board.duel_table(duels, entry.name, claim), console)
    show_unfit(games.run)


def section(games: Games) -> str:
    """Return the boards as Markdown, with the run they are from. Raises UserError if it can't hold records."""
    reasons = list(unfit(games.run))
    if reasons:
        raise UserError(f"{games.run.folder} holds no records: {'; '.join(reasons)}.")
    info, folder = games.run.info, within_home(games.run.folder)
    source = (
        f"From the official run `{folder}` of {info.started[:10]}, {info.n_games:,} games for each entry on the same "
        f"secrets and noise. `{verify_command(games.run)}` checks it, `wordpl record {folder}` makes these tables."
    )
    return record_board.section(games.boards(), source, remarks(games.run))


def write(games: Games, pages: Sequence[Path]) -> None:
    """Put the boards between the markers of each page; none is written unless all have them."""
    text = section(games)
    made = {}
    for page in pages:
        try:
            made[page] = record_board.rewritten(page.read_text(encoding="utf-8"), text)
        except UserError as error:
            raise UserError(f"{page}: {error.message}") from None
    for page, whole in made.items():
        write_safely(page, whole.encode())
