"""The dialog to choose a run."""

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

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
