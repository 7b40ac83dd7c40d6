"""The screen Replay, which shows the games of a run step by step, with seen and true clues."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import DataTable, Input, Select, Static

from wordpl.apps.terminal.app.app import BaseScreen
from wordpl.apps.terminal.app.watch_screen import RunPickerScreen, runs
from wordpl.apps.terminal.app.widgets import block_widgets, fill, panel, percent, shortened, word_tiles
from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.core.moves import Verdict
from wordpl.reports.names import labels, shown

LIST_HEADS = ("game", "secret", "verdict", "cost", "entry")
BORDER_AND_SCROLLBAR = 3
MAX_HALF = 22
MAX_MESSAGE_CHARACTERS = 600


def head(folder: Path | None, found: dict[str, Any]) -> str:
    """Return the heading: the run and the number of matching games."""
    if folder is None:
        return "No run yet"
    n_shown, n_found = len(found["rows"]), found["n_found"]
    return f"{folder.name}: {f'{n_shown:,} of ' if n_shown < n_found else ''}{amount(n_found, 'game')}"


def fill_list(table: "DataTable[Text]", games: list[list[Any]], short: Mapping[str, str], room: int) -> int:
    """Show a list of games in a table, with their entries if they differ and fit; return the width of the panel.

    Args:
        table: The table.
        games: The entry, number, secret, verdict and cost of each game.
        short: The labels of entries.
        room: The number of columns for the panel.
    """
    rows = [_list_row(game, short) for game in games]
    widths = [max([len(head), *(row[index].cell_len for row in rows)]) for index, head in enumerate(LIST_HEADS)]
    n_columns = len(LIST_HEADS)
    if len({game[0] for game in games}) < 2 or _panel_width(widths) > room:
        n_columns -= 1
    fill(table, LIST_HEADS[:n_columns], [(str(index), row[:n_columns]) for index, row in enumerate(rows)])
    return _panel_width(widths[:n_columns])


def _panel_width(widths: list[int]) -> int:
    return sum(widths) + 2 * len(widths) + BORDER_AND_SCROLLBAR


def _list_row(row: list[Any], short: Mapping[str, str]) -> list[Text]:
    entry, number, secret, verdict, cost = row
    spent = "" if cost is None else f"{cost:.6g}"
    return [
        Text(str(number), justify="right"),
        Text(secret),
        Text(verdict),
        Text(spent, justify="right"),
        Text(shown(short.get(entry, entry))),
    ]


def game_text(
    game: dict[str, Any] | None,
    others: list[dict[str, Any]],
    at: int,
    theme: str,
    width: int,
    short: Mapping[str, str],
) -> Text:
    """Return the game with move `at` highlighted, and below it the same game of the other entries."""
    if game is None:
        return Text("Select a game: Enter shows it, Left and Right step through it.", "dim")
    secret = f"secret {game['secret'].upper()}" if game["secret"] else "no secret was drawn"
    spent = "" if game["cost"] is None else f", cost {game['cost']:.6g}"
    text = Text(f"game {game['number']} of {game['game_id']}, {secret}: {game['verdict']}{spent}\n", "bold")
    if game["message"]:
        text.append(sanitize_untrusted_text(game["message"], MAX_MESSAGE_CHARACTERS, keep="\n") + "\n", "red not bold")
    has_epsilon = any(step["epsilon"] is not None for step in game["steps"])
    if has_epsilon:
        text.append(f"\n  {'seen':<{_span(game)}}  {'true':<{_span(game)}}  epsilon\n", "dim not bold")
    for number, step in enumerate(game["steps"]):
        text.append("› " if number == at else "  ", "bold")
        text.append_text(_move(step, theme, has_epsilon, _span(game)))
    if at < len(game["steps"]):
        step = game["steps"][at]
        text.append("\n").append_text(_noisy_state(step, width) if has_epsilon else _classic_state(step, width))
    return text.append_text(_others(others, theme, width, short))


def _span(game: dict[str, Any]) -> int:
    return 2 * len(game["steps"][0]["guess"]) if game["steps"] else 10


def _move(step: dict[str, Any], theme: str, has_epsilon: bool, span: int) -> Text:
    text = word_tiles(step["guess"], step["seen"], theme)
    if not has_epsilon:
        return text.append("\n")
    if not step["seen"]:
        return text.append(" " * (span - text.cell_len)).append("  answered\n")
    n_false = sum(a != b for a, b in zip(step["seen"], step["true"], strict=True))
    text.append("  ").append_text(word_tiles(step["guess"], step["true"], theme))
    return text.append(f"  {step['epsilon']:g}" + (f", {n_false} false" if n_false else "") + "\n")


def _noisy_state(step: dict[str, Any], width: int) -> Text:
    before, after, half = step["before"], step["after"], min(MAX_HALF, width // 2)
    text = Text().append(f"{'before this move':<{half}}after this move\n", "dim not bold")
    lines = [(f"{before['bits']:.2f} bits", f"{after['bits']:.2f} bits")]
    for (word, chance), (later, later_chance) in zip(before["top"], after["top"], strict=True):
        lines.append((f"{word} {percent(chance)}", f"{later} {percent(later_chance)}"))
    lines.append((f"secret {percent(before['secret'])}", f"secret {percent(after['secret'])}"))
    lines.append((f"  rank {before['place']:,}", f"  rank {after['place']:,}"))
    return text.append("".join(f"{left:<{half}}{right}\n" for left, right in lines), "not bold")


def _classic_state(step: dict[str, Any], width: int) -> Text:
    text = Text(f"{amount(step['n_before'], 'answer')} before, {step['n_after']:,} after: ", "not bold")
    words = " ".join(step["left"])
    ellipsis = " ..." if step["n_after"] > len(step["left"]) else ""
    return text.append(f"{words}{ellipsis}\n")


def _others(others: list[dict[str, Any]], theme: str, width: int, short: Mapping[str, str]) -> Text:
    text = Text("\nOther entries, the same game\n", "bold") if others else Text()
    for other in others:
        spent = "" if other["cost"] is None else f" {other['cost']:.6g}"
        name = shortened(shown(short.get(other["entry"], other["entry"])), width - 20)
        text.append(f"{name}: {other['verdict']}{spent}\n", "not bold")
        line = Text("  ")
        for move in other["moves"]:
            line.append_text(word_tiles(move[0], move[-1], theme)).append(" ")
        line.truncate(width, overflow="ellipsis")
        text.append_text(line).append("\n")
    return text


ANY = ""
MIN_GAME, WIDE = 58, 110
"""The columns that the names in the list leave to the game, and those of a screen for the list and two games."""


class ReplayScreen(BaseScreen):
    """A list of games, the selected game, and the leaderboard."""

    name_of_tab = "replay"
    help_text = (
        "Step through the games of a run. Filter the games by entry, verdict, and secret or its first letters; Enter "
        "shows the selected game. Left and Right step through its moves, with the clues that were seen and the true "
        "ones, the most likely words before and after, and the games of the other entries with the same secret. "
        "Ctrl+K shows one of these games beside it, move by move, then the next one. Ctrl+L shows the leaderboard."
    )
    typed_keys = (
        ("Left, Right", "previous move, next move"),
        ("Enter", "show the selected game"),
        ("Tab", "next field"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Back", priority=True),
        Binding("right", "step(1)", "Next", priority=True),
        Binding("ctrl+k", "compare", "Compare"),
        Binding("ctrl+l", "board", "Leaderboard"),
        Binding("ctrl+o", "choose", "Choose run"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.folder: Path | None = None
        self.game: dict[str, Any] | None = None
        self.others: list[dict[str, Any]] = []
        self.beside: dict[str, Any] | None = None
        self.at = 0
        self._found: dict[str, Any] = {"rows": [], "n_found": 0, "entries": []}
        self._failure = ""
        self._wanted_entry: str | None = None

    def compose_body(self) -> Iterable[Widget]:
        """Yield the filters, the list of games, the game and the leaderboard."""
        with Vertical(id="replay"):
            yield Static(id="replay-failure", markup=False, classes="failure")
            with Horizontal(id="replay-filters"):
                yield Select([("every entry", ANY)], allow_blank=False, id="replay-entry", compact=True)
                verdicts = [("every verdict", ANY), *((str(verdict), str(verdict)) for verdict in Verdict)]
                yield Select(verdicts, allow_blank=False, id="replay-verdict", compact=True)
                yield Input(placeholder="secret", id="replay-secret", compact=True)
            with Horizontal(id="replay-body"):
                yield panel(DataTable(id="replay-list", cursor_type="row"), "Games")
                for name in ("replay-game", "replay-beside"):
                    with panel(VerticalScroll(id=name, classes="game"), "Game"):
                        yield Static(id=f"{name}-text", markup=False)
                with panel(VerticalScroll(id="replay-board"), "Leaderboard"):
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
        self.folder, self.game, self.others, self.beside, self._failure = folder, None, [], None, ""
        with self.prevent(Select.Changed, Input.Changed):
            self.query_one("#replay-entry", Select).set_options([("every entry", ANY)])
            self.query_one("#replay-verdict", Select).value = ANY
            self.query_one("#replay-secret", Input).value = ""
        self._found["entries"] = []
        self._request_games()

    def open_game(self, folder: Path, entry: str, number: int) -> None:
        """Show a game of a run; a negative number shows all games of the entry."""
        if self.folder is None or self.folder.absolute() != folder.absolute():
            self.open(folder)
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
            "replay-games", "games", self._receive_games, folder=self.folder.absolute(),
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
        selected = table.cursor_row
        room = 0 if self.beside else self.size.width - MIN_GAME
        table.styles.width = fill_list(table, self._found["rows"], self._labels, room)
        table.move_cursor(row=min(selected, max(0, table.row_count - 1)), animate=False)

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show the entry of the highlighted game at the border of the list."""
        if event.data_table.id == "replay-list" and event.row_key.value:
            entry = self._found["rows"][int(event.row_key.value)][0]
            event.data_table.border_subtitle = Text(shown(self._labels.get(entry, entry)))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Show the selected game."""
        row = self._found["rows"][int(event.row_key.value or 0)]
        self._request_game(row[0], row[1])

    def _request_game(self, entry: str, number: int) -> None:
        assert self.folder is not None
        self.client.submit(
            "replay-game", "game", self._receive_game, folder=self.folder.absolute(), entry=entry, number=number
        )

    def _receive_game(self, message: dict[str, Any]) -> None:
        if message["kind"] == "game":
            self.game, self.others, self.at = message, [], 0
            self._show_beside(None)
            self.query_one("#replay-game").focus()
        elif message["kind"] == "other":
            self.others.append(message)
        elif message["kind"] == "error":
            self.say(message["message"], is_error=True)
        if self.is_mounted:
            self._draw()

    def action_compare(self) -> None:
        """Show the same game of the next other entry beside the game; after the last one, only the game."""
        names = [other["entry"] for other in self.others]
        if self.game is None or not names:
            self.say("Choose a game that other entries have played, too: Enter shows the selected one.")
            return
        following = names.index(self.beside["entry"]) + 1 if self.beside else 0
        if following == len(names):
            self._show_beside(None)
            return
        self.client.submit(
            "replay-beside", "game", self._receive_beside, folder=self.folder and self.folder.absolute(),
            entry=names[following], number=self.game["number"], with_others=False,
        )  # fmt: skip

    def _receive_beside(self, message: dict[str, Any]) -> None:
        if self.is_mounted and message["kind"] == "game":
            self._show_beside(message)

    def _show_beside(self, game: dict[str, Any] | None) -> None:
        self.beside = game
        self.query_one("#replay-beside").display = game is not None
        self.query_one("#replay-list").set_class(game is not None and self.size.width < WIDE, "-hidden")
        self._fill_list()
        self.call_after_refresh(self._draw)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable stepping while the field for the secret has the focus, which needs the arrow keys."""
        return not (action == "step" and isinstance(self.focused, Input))

    def action_step(self, step: int) -> None:
        """Go to the previous or next move of the game."""
        if self.game is not None:
            n_steps = max(len(game["steps"]) for game in (self.game, self.beside) if game)
            self.at = min(max(self.at + step, 0), max(0, n_steps - 1))
            self._draw()

    def action_board(self) -> None:
        """Switch between the games and the leaderboard, whose wide tables need the whole screen."""
        board, game = self.query_one("#replay-board"), self.query_one("#replay-game")
        is_shown = not board.display
        if is_shown and self.folder is not None:
            note = self.query_one("#replay-board-note", Static)
            note.update("Computing the leaderboard ...")
            note.display = True
            self.client.submit("replay-board", "board", self._receive_board, folder=self.folder.absolute())
        board.display, game.display = is_shown, not is_shown
        self._show_beside(None)
        self.query_one("#replay-list").set_class(is_shown, "-hidden")
        (board if is_shown else game).focus()

    def _receive_board(self, message: dict[str, Any]) -> None:
        if not self.is_mounted or message["kind"] == "end":
            return
        board = self.query_one("#replay-board", VerticalScroll)
        note = self.query_one("#replay-board-note", Static)
        for widget in board.children:
            if widget is not note:
                widget.remove()
        note.update(message["message"] if message["kind"] == "error" else "")
        note.display = message["kind"] == "error"
        if message["kind"] == "board":
            board.mount(*(widget for block in message["blocks"] for widget in block_widgets(block)))

    def action_choose(self) -> None:
        """Choose another run."""
        self.app.push_screen(RunPickerScreen(self.wordpl.options.results), self.open)

    def _draw(self) -> None:
        failure, game_list = self.query_one("#replay-failure", Static), self.query_one("#replay-list")
        failure.update(self._failure)
        failure.display = bool(self._failure)
        game_list.border_title = Text(head(self.folder, self._found))
        short = self._labels
        for name, game, others in (("replay-game", self.game, self.others), ("replay-beside", self.beside, [])):
            around = self.query_one(f"#{name}")
            around.border_title = Text(shown(short.get(game["entry"], game["entry"])) if game else "Game")
            width = max(30, around.size.width - 1)
            text = game_text(game, others, self.at, self.app.theme, width, short)
            self.query_one(f"#{name}-text", Static).update(text)

    def on_resize(self) -> None:
        """Adapt to the new size."""
        self._fill_list()
        self._draw()
