"""The dialog for the setup of Solve: word lists, filters with the words left after each, prior, rules and effort."""

from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Button, Checkbox, Footer, Input, OptionList, Select, Static
from textual.widgets.option_list import Option

from wordpl.apps.terminal.app import setups
from wordpl.apps.terminal.app.setups import CONTEST, GAMES, Setup, changed
from wordpl.apps.terminal.app.widgets import shortened
from wordpl.apps.terminal.app.worker import WorkerClient
from wordpl.core.messages import UserError, amount
from wordpl.core.priors import BUNDLED as PRIORS
from wordpl.core.words import BUNDLED as LISTS

TEXTS = ("answers", "guesses", "prior", "past_answers", "tree")
NUMBERS = ("past_weight", "limit", "width", "top")
CHOICES = {"game": GAMES, "past": ("keep", "strike", "weigh"), "order": ("probability", "alphabet")}
LABELS = {
    "game": "Game",
    "answers": "Answers",
    "guesses": "Guesses",
    "prior": "Prior",
    "past": "Past answers",
    "past_answers": "  listed in",
    "past_weight": "  weight",
    "order": "Order of answers",
    "limit": "Limit (0: none)",
    "width": "Width",
    "top": "Guesses rated",
    "tree": "Tree to follow",
}
SUGGESTED = {
    "answers": [CONTEST, *LISTS],
    "guesses": [CONTEST, *LISTS],
    "past_answers": [*LISTS],
    "prior": [*PRIORS],
}


N_NUMBER, N_LEFT, MIN_FILTER = 3, 13, 24
"""Widths in a row of the filters, in characters: the number, the count of words left, the minimum for the filter."""


class OnOff(Checkbox):
    """A checkbox that is empty while it is off: without colours, a cross that only changes its colour is ambiguous."""

    BUTTON_INNER = " "

    def watch_value(self) -> None:
        """Show the cross only while the checkbox is on."""
        self.BUTTON_INNER = "X" if self.value else " "
        super().watch_value()


class SetupScreen(ModalScreen[Setup | None]):
    """A dialog to edit the setup; the fields are checked while they are typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "use", "Use", priority=True),
        Binding("escape", "leave", "Cancel"),
        Binding("shift+up,alt+up", "move(-1)", "Filter up"),
        Binding("shift+down,alt+down", "move(1)", "Filter down"),
        Binding("delete", "remove", "Remove filter"),
    ]

    def __init__(self, setup: Setup, client: WorkerClient) -> None:
        super().__init__()
        self._client = client
        self._setup = setup
        self._steps: list[tuple[str, int]] = []

    def compose(self) -> ComposeResult:
        """Yield the fields, the filters, and the saved setups."""
        yield Static("[bold]Setup[/]  Tab: next field, Ctrl+S: use this setup, Escape: cancel", id="setup-title")
        with Horizontal(id="setup-body"):
            with VerticalScroll(id="setup-fields", can_focus=False):
                for name, label in LABELS.items():
                    with Horizontal(classes="setup-field"):
                        yield Static(label, classes="setup-label")
                        yield self._field(name)
                yield OnOff("Exact: try all guesses", id="setup-exact", compact=True)
            with Vertical(id="setup-right"):
                yield Static("Filters of the answers, in order", classes="setup-head")
                yield OptionList(id="setup-filters")
                yield Input(
                    placeholder=" ".join(setups.filter_examples()),
                    suggester=SuggestFromList(setups.filter_examples()),
                    id="setup-add",
                    compact=True,
                )
                yield Static(id="setup-note", markup=False)
                yield Static("Saved setups", classes="setup-head")
                yield OptionList(id="setup-names")
                with Horizontal(classes="setup-field"):
                    yield Input(placeholder="name", id="setup-name", compact=True)
                    yield Button("Save", id="setup-keep", compact=True)
                    yield Button("Use", id="setup-use", compact=True, variant="primary")
        yield Footer(show_command_palette=False)

    def _field(self, name: str) -> Input | Select[str]:
        if name in CHOICES:
            return Select(
                [(choice, choice) for choice in CHOICES[name]], allow_blank=False, id=f"setup-{name}", compact=True
            )
        suggester = SuggestFromList(SUGGESTED[name]) if name in SUGGESTED else None
        return Input(id=f"setup-{name}", compact=True, suggester=suggester)

    def on_mount(self) -> None:
        """Show the setup and the names of saved setups."""
        self._fill(self._setup)
        self._show_names()

    def _fill(self, setup: Setup) -> None:
        self._setup = setup
        with self.prevent(Input.Changed, Select.Changed, Checkbox.Changed):
            for name in TEXTS + NUMBERS:
                value = getattr(setup, name)
                self.query_one(f"#setup-{name}", Input).value = value if isinstance(value, str) else f"{value:g}"
            for name in CHOICES:
                self.query_one(f"#setup-{name}", Select).value = getattr(setup, name)
            self.query_one("#setup-exact", Checkbox).value = setup.exact
        self._show_filters()
        self._check()

    def _read(self) -> Setup:
        """Return the setup in the fields. Raises UserError if a field is invalid."""
        fields: dict[str, Any] = {name: self.query_one(f"#setup-{name}", Input).value.strip() for name in TEXTS}
        for name in NUMBERS:
            text = self.query_one(f"#setup-{name}", Input).value.strip()
            try:
                fields[name] = float(text) if name == "past_weight" else int(text)
            except ValueError:
                raise UserError(f"{LABELS[name].strip()} must be a number, not {text!r}.") from None
        for name in CHOICES:
            fields[name] = self.query_one(f"#setup-{name}", Select).value
        fields["exact"] = self.query_one("#setup-exact", Checkbox).value
        return changed(self._setup, **fields)

    @on(Input.Changed)
    @on(Select.Changed)
    @on(Checkbox.Changed)
    def _changed(self, event: Input.Changed | Select.Changed | Checkbox.Changed) -> None:
        if event.control.id not in ("setup-add", "setup-name"):
            self._check()

    def _check(self) -> None:
        """Count the words after each filter, in the worker; cancels an earlier count."""
        try:
            setup = self._read()
        except UserError as error:
            self._client.cancel("setup")
            self._say(str(error), is_error=True)
            return
        self._setup = setup
        self._say("Counting words ...")
        self._client.submit("setup", "words", self._counted, setup=setup)

    def _counted(self, message: dict[str, Any]) -> None:
        if not self.is_mounted:
            return
        if message["kind"] == "words":
            self._steps = message["steps"]
            n_answers, n_guesses = len(message["words"].answers), len(message["words"].guesses)
            self._say(f"{amount(n_answers, 'answer')}, {amount(n_guesses, 'guess', 'guesses')}")
        elif message["kind"] == "error":
            self._steps = []
            self._say(message["message"], is_error=True)
        self._show_filters()

    def _say(self, message: str, is_error: bool = False) -> None:
        note = self.query_one("#setup-note", Static)
        note.update(message)
        note.set_class(is_error, "error")

    def _show_filters(self) -> None:
        stack = self.query_one("#setup-filters", OptionList)
        highlighted, options = stack.highlighted, []
        width = max(MIN_FILTER, stack.size.width - N_NUMBER - N_LEFT - 2)
        for number, text in enumerate(self._setup.filters):
            counted = number < len(self._steps) and self._steps[number][0] == text
            n_left = amount(self._steps[number][1], "word") if counted else "..."
            label = shortened(text, width)
            options.append(Option(f"{number + 1:<{N_NUMBER}}{label:<{width}}{n_left:>{N_LEFT}}"))
        stack.set_options(options)
        if options:
            stack.highlighted = min(highlighted or 0, len(options) - 1)

    def _show_names(self) -> None:
        self.query_one("#setup-names", OptionList).set_options([Option(name, id=name) for name in setups.names()])

    @on(Input.Submitted, "#setup-add")
    def _add(self, event: Input.Submitted) -> None:
        for text in event.value.split():
            self._set_filters((*self._setup.filters, text))
        event.input.value = ""

    def _set_filters(self, filters: tuple[str, ...]) -> None:
        self._setup = changed(self._setup, filters=filters)
        self._show_filters()
        self._check()

    def on_resize(self) -> None:
        """Adapt to the new size."""
        self._show_filters()

    def action_move(self, step: int) -> None:
        """Move the selected filter up or down."""
        stack, filters = self.query_one("#setup-filters", OptionList), list(self._setup.filters)
        index = stack.highlighted
        if index is None or not 0 <= index + step < len(filters):
            return
        filters[index], filters[index + step] = filters[index + step], filters[index]
        self._set_filters(tuple(filters))
        stack.highlighted = index + step

    def action_remove(self) -> None:
        """Remove the selected filter."""
        index = self.query_one("#setup-filters", OptionList).highlighted
        if index is not None and self._setup.filters:
            self._set_filters((*self._setup.filters[:index], *self._setup.filters[index + 1 :]))

    @on(OptionList.OptionSelected, "#setup-names")
    def _load(self, event: OptionList.OptionSelected) -> None:
        if event.option_id:
            try:
                self._fill(setups.load(event.option_id))
            except UserError as error:
                self._say(str(error), is_error=True)
            else:
                self.query_one("#setup-name", Input).value = event.option_id

    @on(Button.Pressed, "#setup-keep")
    @on(Input.Submitted, "#setup-name")
    def _keep(self) -> None:
        try:
            path = setups.save(self.query_one("#setup-name", Input).value.strip(), self._read())
        except UserError as error:
            self._say(str(error), is_error=True)
            return
        self._show_names()
        self._say(f"Saved in {path}.")

    @on(Button.Pressed, "#setup-use")
    def action_use(self) -> None:
        """Use the setup, and save it as the last one."""
        try:
            setup = self._read()
            setups.save(setups.LAST, setup)
        except UserError as error:
            self._say(str(error), is_error=True)
            return
        self._client.cancel("setup")
        self.dismiss(setup)

    def action_leave(self) -> None:
        """Close the dialog without changes."""
        self._client.cancel("setup")
        self.dismiss(None)
