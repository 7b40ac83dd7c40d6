"""The full-screen app of `wordpl dev`. This module needs textual."""

import json
import subprocess
from typing import Any, ClassVar

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import DataTable, Footer, Header, Static
from textual.worker import get_current_worker

from wordpl.core.messages import amount, sanitize_untrusted_text

MAX_CHARACTERS = 5000
STYLES = {"better": "bold green", "worse": "bold red", "equal": "dim", "open": ""}


class DevApp(App[None]):
    """Shows the versions of a strategy file in a table, and details of the selected version."""

    CSS = """
    DataTable { height: 40%; }
    #detail { padding: 1 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,ctrl+q", "quit", "Quit")]
    TITLE = "wordpl dev"

    def __init__(self, watcher: "subprocess.Popen[bytes]", name: str) -> None:
        """Show the events of `watcher`, a process that watches the file called `name`."""
        super().__init__()
        self._watcher, self.sub_title = watcher, name
        self._events: dict[str, dict[str, Any]] = {}

    def compose(self) -> ComposeResult:
        """Yield the table, the details and the key bindings."""
        yield Header()
        table: DataTable[Text] = DataTable(cursor_type="row", zebra_stripes=True)
        table.add_columns("version", "entry", "score", "won", "change", "CPU per game")
        yield table
        with VerticalScroll():
            yield Static("Waiting for the first games ...", id="detail", markup=False)
        yield Footer()

    async def action_quit(self) -> None:
        """Stop the watcher, which also ends the thread that reads its output, and exit."""
        self._watcher.terminate()
        self.exit()

    def on_mount(self) -> None:
        """Start reading the watcher's events."""
        self.listen()

    @work(thread=True)
    def listen(self) -> None:
        """Read the watcher's events line by line, in a thread."""
        stdout = self._watcher.stdout
        while stdout is not None and not get_current_worker().is_cancelled and (line := stdout.readline()):
            self.call_from_thread(self.show_event, json.loads(line))
        stderr = self._watcher.stderr
        output = stderr.read().decode(errors="replace").strip() if stderr is not None else ""
        if not get_current_worker().is_cancelled:
            self.call_from_thread(
                self.show_event, {"event": "ended", "lines": (output or "The watcher has ended.").splitlines()}
            )

    def show_event(self, event: dict[str, Any]) -> None:
        """Show an event of the watcher."""
        if event["event"] == "progress":
            self.sub_title = f"{self.sub_title.partition(' · ')[0]} · {amount(event['n_games'], 'game')}"
            return
        self.sub_title = self.sub_title.partition(" · ")[0]
        table = self.query_one(DataTable)
        key = f"{event['event']}-{len(self._events)}"
        self._events[key] = event
        table.add_row(*self._row(event), key=key)
        table.move_cursor(row=table.row_count - 1)
        self._show(event)

    def on_data_table_row_highlighted(self, message: DataTable.RowHighlighted) -> None:
        """Show the selected version."""
        key = message.row_key.value if message.row_key is not None else None
        if key in self._events:
            self._show(self._events[key])

    def _row(self, event: dict[str, Any]) -> list[Text]:
        if event["event"] != "version":
            return [Text("–"), Text(_plain(event["lines"][0]), "bold red"), *[Text("")] * 4]
        change = event["change"]
        verdict = change["verdict"] if change else ""
        verdict_text = "same moves" if event["plays_alike"] else "not clear" if verdict == "open" else verdict
        milliseconds = f"{1000 * event['cpu_s']:.1f} ms"
        texts = [f"v{event['version']}", event["name"], event["score"].rpartition(" ")[2],
                 f"{event['n_won']} of {event['n_games']}", verdict_text, milliseconds]  # fmt: skip
        return [Text(_plain(text), STYLES.get(verdict, "") if text is verdict_text else "") for text in texts]

    def _show(self, event: dict[str, Any]) -> None:
        detail = self.query_one("#detail", Static)
        detail.update(Text(_plain("\n".join(event["lines"])), "red" if event["event"] != "version" else ""))


def _plain(text: str) -> str:
    return sanitize_untrusted_text(text, MAX_CHARACTERS, keep="\n")
