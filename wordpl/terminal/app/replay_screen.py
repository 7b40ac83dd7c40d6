"""The screen Replay, which shows the games of a run step by step, with seen and true clues."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import DataTable, Input, Select, Static

from wordpl.core.moves import Verdict
from wordpl.reports.names import labels
from wordpl.terminal.app import replay_view
from wordpl.terminal.app.base_screen import BaseScreen
from wordpl.terminal.app.data_table import block_widgets, fill
from wordpl.terminal.app.run_picker import RunPickerScreen, runs

ANY = ""


class ReplayScreen(BaseScreen):
    """A list of games, the selected game, and the leaderboard."""

    name_of_tab = "replay"
    help_text = (
        "Step through the games of a run. Filter the games by entry, verdict, and secret or its first letters; Enter "
        "shows the selected game. Left and Right step through its moves, with the clues that were seen and the true "
        "ones, the most likely words before and after, and the games of the other entries with the same secret. "
        "Ctrl+L shows the leaderboard."
    )
    typed_keys = (
        ("Left, Right", "previous move, next move"),
        ("Enter", "show the selected game"),
        ("Tab", "next field"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Previous move", priority=True),
        Binding("right", "step(1)", "Next move", priority=True),
        Binding("ctrl+l", "board", "Leaderboard"),
        Binding("ctrl+o", "choose", "Choose run"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.folder: Path | None = None
        self.game: dict[str, Any] | None = None
        self.others: list[dict[str, Any]] = []
        self.at = 0
        self._found: dict[str, Any] = {"rows": [], "n_found": 0, "entries": []}
        self._failure = ""
        self._wanted: tuple[str, int] | None = None

    def compose_body(self) -> Iterable[Widget]:
        """Yield the filters, the list of games, the game and the leaderboard."""
        with Vertical(id="replay"):
            yield Static(id="replay-head", markup=False)
            with Horizontal(id="replay-filters"):
                yield Select([("every entry", ANY)], allow_blank=False, id="replay-entry", compact=True)
                verdicts = [("every verdict", ANY), *((str(verdict), str(verdict)) for verdict in Verdict)]
                yield Select(verdicts, allow_blank=False, id="replay-verdict", compact=True)
                yield Input(placeholder="secret", id="replay-secret", compact=True)
            with Horizontal(id="replay-body"):
                yield DataTable(id="replay-list", cursor_type="row")
                with VerticalScroll(id="replay-game"):
                    yield Static(id="replay-text", markup=False)
                with VerticalScroll(id="replay-board"):
                    yield Static("", id="replay-board-note", markup=False)

    def on_mount(self) -> None:
        """Show the run of the options, or the newest one."""
        self.query_one("#replay-list", DataTable).focus()
        if self.wordpl.wanted_game is None:
            folders = runs(self.wordpl.options.results)
            self.open(self.wordpl.options.run or (folders[0] if folders else None))

    def on_screen_resume(self) -> None:
        """Open the game that another screen has requested."""
        wanted_game, self.wordpl.wanted_game = self.wordpl.wanted_game, None
        if wanted_game:
            self.open_game(*wanted_game)

    def open(self, folder: Path | None) -> None:
        """Show the games of the run in this folder."""
        if folder is None:
            if self.folder is None:
                self._failure = f"There is no run in {self.wordpl.options.results.absolute()}."
                self._draw()
            return
        self.folder, self.game, self.others, self._failure = folder, None, [], ""
        with self.prevent(Select.Changed, Input.Changed):
            self.query_one("#replay-entry", Select).set_options([("every entry", ANY)])
            self.query_one("#replay-verdict", Select).value = ANY
            self.query_one("#replay-secret", Input).value = ""
        self._found["entries"] = []
        self._request_games()

    def open_game(self, folder: str, entry: str, number: int) -> None:
        """Show a game of a run; a negative number shows all games of the entry."""
        if self.folder is None or str(self.folder.absolute()) != folder:
            self.open(Path(folder))
        if number >= 0:
            self._request_game(entry, number)
        else:
            self._request_games(entry)

    @on(Select.Changed)
    @on(Input.Changed, "#replay-secret")
    def _filtered(self) -> None:
        self._request_games()

    def _request_games(self, entry: str | None = None) -> None:
        if self.folder is None:
            return
        chosen_entry = self.query_one("#replay-entry", Select).value
        verdict = self.query_one("#replay-verdict", Select).value
        secret = self.query_one("#replay-secret", Input).value.strip().lower()
        self.client.submit(
            "replay-games", "games", self._receive_games, folder=str(self.folder.absolute()),
            entry=str(chosen_entry) if entry is None else entry, verdict=str(verdict), secret=secret,
        )  # fmt: skip
        self._wanted_entry = entry
        self._draw()

    def _receive_games(self, message: dict[str, Any]) -> None:
        if not self.is_mounted:
            return
        if message["kind"] == "error":
            self._failure = message["message"]
        elif message["kind"] == "games":
            if message["entries"] != self._found["entries"]:
                self._fill_entries(message["entries"])
            self._found, self._failure = message, ""
            self._fill_list()
        self._draw()

    @property
    def _labels(self) -> dict[str, str]:
        return labels(self._found["entries"])

    def _fill_entries(self, names: list[str]) -> None:
        entry_select = self.query_one("#replay-entry", Select)
        with self.prevent(Select.Changed):
            entry_select.set_options([("every entry", ANY), *((name, name) for name in names)])
            if self._wanted_entry:
                entry_select.value = self._wanted_entry

    def _fill_list(self) -> None:
        table = self.query_one("#replay-list", DataTable)
        short = self._labels
        rows = [(str(index), replay_view.list_row(row, short)) for index, row in enumerate(self._found["rows"])]
        fill(table, replay_view.LIST_HEADS, rows)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Show the selected game."""
        row = self._found["rows"][int(event.row_key.value or 0)]
        self._request_game(row[0], row[1])

    def _request_game(self, entry: str, number: int) -> None:
        assert self.folder is not None
        self._wanted = (entry, number)
        self.client.submit(
            "replay-game", "game", self._receive_game, folder=str(self.folder.absolute()), entry=entry, number=number
        )

    def _receive_game(self, message: dict[str, Any]) -> None:
        if message["kind"] == "game":
            self.game, self.others, self.at = message, [], 0
            self.query_one("#replay-game").focus()
        elif message["kind"] == "other":
            self.others.append(message)
        elif message["kind"] == "error":
            self.say(message["message"], is_error=True)
        if self.is_mounted:
            self._draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable stepping while the field for the secret has the focus, which needs the arrow keys."""
        return not (action == "step" and isinstance(self.focused, Input))

    def action_step(self, step: int) -> None:
        """Go to the previous or next move of the game."""
        if self.game is not None and self.game["steps"]:
            self.at = min(max(self.at + step, 0), len(self.game["steps"]) - 1)
            self._draw()

    def action_board(self) -> None:
        """Switch between the games and the leaderboard, whose wide tables need the whole screen."""
        board, game = self.query_one("#replay-board"), self.query_one("#replay-game")
        is_shown = not board.display
        if is_shown and self.folder is not None:
            note = self.query_one("#replay-board-note", Static)
            note.update("Computing the leaderboard ...")
            note.display = True
            self.client.submit("replay-board", "board", self._receive_board, folder=str(self.folder.absolute()))
        board.display, game.display = is_shown, not is_shown
        self.query_one("#replay-list").set_class(is_shown, "-hidden")
        (board if is_shown else game).focus()

    def _receive_board(self, message: dict[str, Any]) -> None:
        if not self.is_mounted or message["kind"] == "end":
            return
        board = self.query_one("#replay-board", VerticalScroll)
        note = self.query_one("#replay-board-note", Static)
        for shown in board.children:
            if shown is not note:
                shown.remove()
        note.update(message["message"] if message["kind"] == "error" else "")
        note.display = message["kind"] == "error"
        if message["kind"] == "board":
            board.mount(*(widget for block in message["blocks"] for widget in block_widgets(block)))

    def action_choose(self) -> None:
        """Choose another run."""
        self.app.push_screen(RunPickerScreen(self.wordpl.options.results), self.open)

    def _draw(self) -> None:
        head = replay_view.head(self.folder, self._found, self._failure)
        self.query_one("#replay-head", Static).update(head)
        width = self.query_one("#replay-game").size.width - 2
        text = replay_view.game_text(self.game, self.others, self.at, self.app.theme, max(30, width), self._labels)
        self.query_one("#replay-text", Static).update(text)

    def on_resize(self) -> None:
        """Adapt to the new size."""
        self._draw()
