"""The pages of runs, made from their records by the renderer of reports. These functions run in a separate process."""

from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.moves import Verdict
from wordpl.reports.cells import Missing, Share, Text, Value
from wordpl.reports.html.document import PageSection, document
from wordpl.reports.html.markup import element
from wordpl.reports.html.tables import html_table
from wordpl.reports.names import shown
from wordpl.reports.section import Column, Table, text_table
from wordpl.run.folder import Run, RunRecords
from wordpl.web.run_pages import RunPage

REFRESH_S = 5
MAX_NAMES = 6


def index_page(folders: list[Path], max_games: int) -> RunPage:
    """Return the list of these runs, the newest first; those that cannot be read are left out."""
    runs = []
    for folder in folders:
        try:
            run = Run(folder, max_games)
            runs.append((run.info.started, folder.name, run))
        except UserError:
            continue
    newest = [run for _, _, run in sorted(runs, key=lambda run: run[:2], reverse=True)]
    heads = ["run", "started", "games", "state", "entries"]
    table = text_table("Runs, newest first", heads, map(_index_row, newest), heads)
    home = element("p", element("a", "wordpl", href="../"))
    content = html_table(table) if runs else element("p", "There are no runs yet.")
    return RunPage(document("Runs", [PageSection("runs", "", content)], lead=home))


def _index_row(run: Run) -> list[Value]:
    info, more = run.info, " ..." if len(run.info.entries) > MAX_NAMES else ""
    names = ", ".join(shown(entry.name) for entry in info.entries[:MAX_NAMES]) + more
    state = "finished" if info.finished else "running or interrupted"
    return [Text(run.folder.name, link=f"{run.folder.name}/"), info.started[:10], info.config.n_games, state, names]


def run_page(folder: Path, max_games: int) -> RunPage:
    """Return the page of `wordpl report`, without verifying the run, or the run's progress while it is played."""
    run = Run(folder, max_games)
    if run.info.finished is None:
        return _progress_page(run)
    from wordpl.reports.html import run_page as report  # pandas, which pages of progress do not need
    from wordpl.reports.run_report import RunReport

    return RunPage(report.run_page([RunReport(RunRecords(run)).results(with_commands=True)]))


def _progress_page(run: Run) -> RunPage:
    """Return the number of games that each entry has played and won; secrets and moves stay hidden."""
    columns = [Column("entry", "name"), Column("game", "text"), Column("played"), Column("won", best="high")]
    rows: list[list[Value]] = []
    for entry in run.info.entries:
        records = run.entry(entry).read()
        n_won = sum(record.verdict == Verdict.WON for record in records)
        won = Share(n_won, len(records)) if records else Missing()
        rows.append([Text(entry.name), entry.game.id, Share(len(records), run.info.config.n_games), won])
    note = f"This run has not ended. Its games are shown after its end. The page reloads every {REFRESH_S} seconds."
    content = [element("p", note), html_table(Table("Games so far", columns, rows))]
    home = element("p", element("a", "Runs", href="../"))
    return RunPage(document(run.folder.name, [PageSection("progress", "", content)], lead=home), REFRESH_S)
