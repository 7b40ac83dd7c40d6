"""The screen Watch, which follows a run while it is played."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import DataTable, OptionList, Static
from textual.widgets.option_list import Option

from wordpl.terminal.app import watch_view
from wordpl.terminal.app.base_screen import BaseScreen
from wordpl.terminal.app.run_picker import RunPickerScreen, runs


class WatchScreen(BaseScreen):
    """The progress and results of each entry, and the faulty games."""

    name_of_tab = "watch"
    help_text = (
        "Watch a run while it is played, in this or another process. The column `won` is the 95% confidence interval "
        "of the share of games won; the percentiles are of the budget or the number of guesses, and the line is the "
        "running median. Games that crashed, were late or made an illegal move are listed below; Enter opens one in "
        "Replay."
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
            yield Static(id="watch-head", markup=False)
            yield DataTable(id="watch-table", cursor_type="row")
            yield Static("Late, crashed and illegal games", id="watch-faults-head", markup=False)
            yield OptionList(id="watch-faults")

    def on_mount(self) -> None:
        """Watch the run of the options, or the newest one."""
        self.query_one(DataTable).focus()
        self.action_again() if self.wordpl.options.run is None else self.follow(self.wordpl.options.run)

    def follow(self, folder: Path | None) -> None:
        """Watch the run in this folder."""
        if folder is None:
            return
        self.folder, self.progress, self._failure, self._n_faults = folder, None, "", -1
        self.wordpl.client.submit("watch", "watch", self._take, folder=str(folder.absolute()))
        self._draw()

    def _take(self, message: dict[str, Any]) -> None:
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
        found = runs(self.wordpl.options.results)
        if found:
            self.follow(found[0])
        else:
            self._failure = f"There is no run in {self.wordpl.options.results.absolute()}: play one with evaluate.py."
            self._draw()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Open the first games of the entry."""
        if self.folder is not None and event.row_key.value:
            self.wordpl.open_game(str(self.folder.absolute()), event.row_key.value, -1)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open the game that went wrong."""
        if self.folder is not None and self.progress is not None:
            fault = self.progress["faults"][::-1][event.option_index]
            self.wordpl.open_game(str(self.folder.absolute()), fault["entry"], fault["game"])

    def _draw(self) -> None:
        self.query_one("#watch-head", Static).update(watch_view.head(self.folder, self.progress, self._failure))
        if self.progress is None:
            return
        width = self.size.width - 4
        table = self.query_one(DataTable)
        selected = table.cursor_row
        heads, rows = watch_view.table(self.progress, width)
        table.clear(columns=True)
        for head in heads:
            table.add_column(head)
        for name, texts in rows:
            table.add_row(*texts, key=name)
        table.move_cursor(row=min(selected, max(0, len(rows) - 1)), animate=False)
        self._draw_faults(width)

    def _draw_faults(self, width: int) -> None:
        assert self.progress is not None
        faults = self.progress["faults"][::-1]
        n_faults = sum(sum(entry["n_faults"].values()) for entry in self.progress["entries"])
        if n_faults != self._n_faults:
            self._n_faults = n_faults
            listed = self.query_one("#watch-faults", OptionList)
            listed.set_options([Option(watch_view.fault_line(fault, width)) for fault in faults])
            self.query_one("#watch-faults-head", Static).update(f"Late, crashed and illegal games: {n_faults:,}")

    def on_resize(self) -> None:
        """Adapt to the new size."""
        self._draw()
