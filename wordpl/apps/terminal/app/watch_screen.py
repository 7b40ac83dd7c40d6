"""The screen Watch, which follows a run while it is played, and the choice of a run."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import DataTable, Input, OptionList, Static
from textual.widgets.option_list import Option

from wordpl.apps.terminal.app.app import BaseScreen
from wordpl.apps.terminal.app.widgets import fill, panel, shortened
from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.reports.names import labels, shown

BLOCKS = "▁▂▃▄▅▆▇█"
START = 0.1
"""The share of the games at the start whose running share of wins is not shown, since it still varies widely."""
MIN_NAME, MAX_NAME = 16, 44
PADDING = 2
WIDE, N_BARS = 108, {True: 16, False: 4}
"""The columns of a wide table, and the bars of a line in a wide or narrow one."""


MAX_RUNS = 200


def runs(results: Path) -> list[Path]:
    """Return the folders of runs, the most recently changed first."""
    try:
        folders = [path.parent for path in results.glob("*/run.json")]
        return sorted(folders, key=lambda folder: -_changed(folder))[:MAX_RUNS]
    except OSError:
        return []


def _changed(folder: Path) -> float:
    records = folder / "records"
    try:
        return max(path.stat().st_mtime for path in (folder / "run.json", records, *records.iterdir()))
    except OSError:
        return 0.0


class RunPickerScreen(ModalScreen[Path | None]):
    """A dialog to choose a run, or to type its folder."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Cancel")]

    def __init__(self, results: Path) -> None:
        super().__init__()
        self._results = results

    def compose(self) -> ComposeResult:
        """Yield the list of runs, and a field for a folder."""
        with Vertical(classes="dialog"):
            yield Static("[bold]Runs[/]  Up and Down select, Enter opens, Escape cancels")
            yield OptionList(*(Option(str(path), id=str(path)) for path in runs(self._results)), id="runs")
            yield Input(placeholder="or the folder of a run", id="runs-folder", compact=True)

    @on(OptionList.OptionSelected, "#runs")
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(Path(event.option_id or ""))

    @on(Input.Submitted, "#runs-folder")
    def _typed(self, event: Input.Submitted) -> None:
        self.dismiss(Path(event.value.strip()).expanduser())

    def action_leave(self) -> None:
        """Close the dialog without a choice."""
        self.dismiss(None)


class WatchScreen(BaseScreen):
    """The progress and results of each entry, and the faulty games."""

    name_of_tab = "watch"
    help_text = (
        "Watch a run while it is played, in this or another process. The column `won` is the 95% confidence interval "
        "of the share of games won; the percentiles are of the budget or the number of guesses. The line is the "
        "share of games won so far, from its lowest to its highest value after the first tenth, in percent. "
        "Games that crashed, were late or made an illegal move are listed below; Enter opens one in Replay."
    )
    typed_keys = (
        ("Tab", "switch between the entries and the faulty games"),
        ("Enter", "open the selected game, or the games of the selected entry, in Replay"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+o", "choose", "Choose run"),
        Binding("ctrl+r", "again", "Newest run"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.folder: Path | None = None
        self.progress: dict[str, Any] | None = None
        self._failure = ""
        self._n_faults = -1

    def compose_body(self) -> Iterable[Widget]:
        """Yield the heading, the table of entries, and the list of faulty games."""
        with Vertical(id="watch"):
            yield Static(id="watch-failure", markup=False, classes="failure")
            yield panel(DataTable(id="watch-table", cursor_type="row"), "Watch")
            yield panel(OptionList(id="watch-faults"), "Late, crashed and illegal games")

    def on_mount(self) -> None:
        """Watch the run of the options, or the newest one."""
        self.query_one(DataTable).focus()
        self.action_again() if self.wordpl.options.run is None else self.follow(self.wordpl.options.run)

    def follow(self, folder: Path | None) -> None:
        """Watch the run in this folder."""
        if folder is None:
            return
        self.folder, self.progress, self._failure, self._n_faults = folder, None, "", -1
        self.client.submit("watch", "watch", self._receive, folder=folder.absolute())
        self._draw()

    def _receive(self, message: dict[str, Any]) -> None:
        if message["kind"] == "progress":
            pace = message["pace"] if message["pace"] is not None else (self.progress or {}).get("pace")
            self.progress = message | {"pace": pace}
        elif message["kind"] == "finished" and self.progress:
            self.progress |= {"finished": message["time"], "pace": None}
        elif message["kind"] == "error":
            self._failure = message["message"]
        if self.is_mounted:
            self._draw()

    def action_choose(self) -> None:
        """Choose another run."""
        self.app.push_screen(RunPickerScreen(self.wordpl.options.results), self.follow)

    def action_again(self) -> None:
        """Watch the run that was changed last."""
        folders = runs(self.wordpl.options.results)
        if folders:
            self.follow(folders[0])
        else:
            self._failure = f"There is no run in {self.wordpl.options.results.absolute()}: play one with evaluate.py."
            self._draw()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Open the first games of the entry."""
        if self.folder is not None and event.row_key.value:
            self.wordpl.open_game(self.folder, event.row_key.value, -1)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the game that went wrong."""
        if self.folder is not None and self.progress is not None:
            fault = self.progress["faults"][::-1][event.option_index]
            self.wordpl.open_game(self.folder, fault["entry"], fault["game"])

    def _draw(self) -> None:
        failure, table = self.query_one("#watch-failure", Static), self.query_one(DataTable)
        failure.update(self._failure)
        failure.display = bool(self._failure)
        table.border_title = Text(heading(self.folder, self.progress))
        if self.progress is None:
            return
        width = self.size.width - 4
        selected = table.cursor_row
        heads, rows = entry_table(self.progress, width)
        fill(table, heads, rows)
        table.move_cursor(row=min(selected, max(0, len(rows) - 1)), animate=False)
        self._draw_faults(width)

    def _draw_faults(self, width: int) -> None:
        assert self.progress is not None
        faults = self.progress["faults"][::-1]
        n_faults = sum(sum(entry["n_faults"].values()) for entry in self.progress["entries"])
        if n_faults != self._n_faults:
            self._n_faults = n_faults
            fault_list = self.query_one("#watch-faults", OptionList)
            fault_list.set_options([Option(fault_line(fault, width)) for fault in faults])
            fault_list.border_title = Text(f"Late, crashed and illegal games: {n_faults:,}")

    def on_resize(self) -> None:
        """Adapt to the new size."""
        self._draw()


def heading(folder: Path | None, progress: dict[str, Any] | None) -> str:
    """Return the heading: the run and its progress."""
    if folder is None or progress is None:
        return f"Reading {folder} ..." if folder else "No run yet"
    n_played = sum(entry["n_played"] for entry in progress["entries"])
    n_all = progress["n_games"] * len(progress["entries"])
    state = f"ended {progress['finished'][:16].replace('T', ' ')}" if progress["finished"] else "running"
    pace = f", {progress['pace']:,.0f} games/s" if progress["pace"] else ""
    share = n_played / n_all if n_all else 0.0
    return f"{folder.name}: {n_played:,} of {amount(n_all, 'game')} ({share:.0%}), {state}{pace}"


def entry_table(progress: dict[str, Any], width: int) -> tuple[list[str], list[tuple[str, list[Text]]]]:
    """Return the column heads of the table of entries, and a row for each entry; narrow tables are abbreviated."""
    is_wide = width >= WIDE
    heads = ["entry", "games" if is_wide else "played", "won", "5%", "50%", "95%", "won so far", "faults"]
    rows = []
    for entry in progress["entries"]:
        share = entry["n_played"] / progress["n_games"] if progress["n_games"] else 0.0
        played = f"{entry['n_played']:,} {share:4.0%}" if is_wide else f"{share:4.0%}"
        percentiles = (
            ["∞" if value is None else f"{value:g}" for value in entry["percentiles"]]
            if entry["n_played"]
            else [""] * 3
        )
        n_faults = f"{sum(entry['n_faults'].values()):,}"
        rows.append([played, _won(entry, is_wide), *percentiles, trend(entry["shares"], N_BARS[is_wide]), n_faults])
    taken = sum(max(len(text) for text in column) + PADDING for column in zip(heads[1:], *rows, strict=True))
    name_width = max(MIN_NAME, min(MAX_NAME, width - taken - PADDING))
    names = [entry["name"] for entry in progress["entries"]]
    short = labels(names)
    return heads, [
        (name, [Text(shortened(shown(short[name]), name_width)), *(Text(text, justify="right") for text in row)])
        for name, row in zip(names, rows, strict=True)
    ]


def _won(entry: dict[str, Any], is_wide: bool) -> str:
    if not entry["n_played"]:
        return ""
    share = entry["n_won"] / entry["n_played"]
    if is_wide:
        return f"{share:.1%} ({100 * entry['low']:.1f}-{100 * entry['high']:.1f})"
    return f"{100 * entry['low']:.0f}-{100 * entry['high']:.0f}%"


def trend(shares: Sequence[float], n_bars: int) -> str:
    """Return running shares without their start as bars, with their range in percent.

    >>> trend([0.0, *[0.5] * 9, *[0.6] * 10], 4)
    '▁███  50-60 '
    """
    kept = shares[int(START * len(shares)) :]
    if not kept:
        return ""
    low, high = min(kept), max(kept)
    scale = (len(BLOCKS) - 1) / (high - low) if high > low else 0.0
    bars = (kept[(index + 1) * len(kept) // n_bars - 1] for index in range(n_bars)) if len(kept) > n_bars else kept
    line = "".join(BLOCKS[round((share - low) * scale)] for share in bars)
    return f"{line} {100 * low:3.0f}-{100 * high:<3.0f}"


def fault_line(fault: dict[str, Any], width: int) -> Text:
    """Return a faulty game in one line."""
    last_line = next(iter(fault["message"].strip().splitlines()[-1:]), "")
    line = f"{fault['verdict']:<13} game {fault['game']:<7} {shortened(fault['entry'], 30):<30} {last_line}"
    return Text(sanitize_untrusted_text(line, max(20, width)))
