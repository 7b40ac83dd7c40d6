"""Parameters to vary, and expressions that create an entry with chosen values."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from typing import Any

from wordpl.core.errors import UserError
from wordpl.core.messages import did_you_mean
from wordpl.players import discovery
from wordpl.run.bundle import PYTHON, main_of, read_source
from wordpl.workbench.entry_lookup import resolve_revision

DIGITS = 5
"""Significant digits of the values that are found."""
LOG_FROM = 20.0
"""Ranges whose ends differ by at least this factor are searched on a logarithmic scale."""
EXAMPLE = "--param epsilon=5:20 or --param n_guesses=2,3,4"

NOT_LITERAL = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)
"""What Python raises if a text is not an expression or a literal; the last two, if it is nested too deep."""
NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"


@dataclass(frozen=True)
class Parameter:
    """A parameter and its possible values: some choices, or the numbers of a range.

    Attributes:
        choices: The possible values, empty for a range.
        is_whole: Whether the range has whole numbers only.
    """

    name: str
    choices: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 0.0
    is_whole: bool = False

    @property
    def is_range(self) -> bool:
        """Whether the parameter is continuous."""
        return not self.choices and not self.is_whole

    @property
    def ends(self) -> tuple[Any, ...]:
        """All choices, or the ends of the range."""
        return self.choices or (self.value(0.0), self.value(1.0))

    def value(self, share: float) -> Any:
        """Return the value at this position, from 0 to 1, among the possible values."""
        if self.choices:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        if self.is_whole:
            return min(int(self.low + share * (self.high - self.low + 1)), int(self.high))
        if self._is_log:
            return rounded(exp(log(self.low) + share * (log(self.high) - log(self.low))))
        return rounded(self.low + share * (self.high - self.low))

    def share(self, value: Any) -> float:
        """Return the position of a value, from 0 to 1; .5 if it is not a possible value."""
        if self.choices:
            return (self.choices.index(value) + 0.5) / len(self.choices) if value in self.choices else 0.5
        if isinstance(value, bool) or not isinstance(value, int | float):
            return 0.5
        number = min(max(float(value), self.low), self.high)
        if self.is_whole:
            return (number - self.low + 0.5) / (self.high - self.low + 1)
        if self._is_log:
            return (log(number) - log(self.low)) / (log(self.high) - log(self.low))
        return (number - self.low) / (self.high - self.low)

    @property
    def _is_log(self) -> bool:
        return self.low > 0 and self.high / self.low >= LOG_FROM


def rounded(number: float) -> float:
    """Round a number to `DIGITS` significant digits."""
    return float(f"{number:.{DIGITS}g}")


@dataclass(frozen=True)
class TunedEntry:
    """An entry whose parameters are varied.

    Attributes:
        base: The arguments given by its author, by name.
        fields: Names of the parameters of the class in order, without inherited ones, with their types, or "" if
            unknown.
    """

    file: Path
    class_name: str
    base: dict[str, Any]
    fields: dict[str, str]

    def expression(self, chosen: Mapping[str, Any]) -> str:
        """Return an expression that creates the entry with these parameters instead of its own."""
        arguments = self.base | dict(chosen)
        order = [*(name for name in self.fields if name in arguments), *(n for n in arguments if n not in self.fields)]
        return f"{self.class_name}({', '.join(f'{name}={arguments[name]!r}' for name in order)})"


def tuned_entry(text: str) -> TunedEntry:
    """Return the entry for a name on the command line. Its file is parsed without running it.

    Raises:
        UserError: The entry is not a Python class with literal arguments.
    """
    source = discovery.find_sources([resolve_revision(text)])[0]
    main = source.file.parent / main_of(source.file.parent, source.file.name)
    if main.suffix != PYTHON:
        raise UserError(f"{source.file.name} describes a program, and only Python entries can be tuned.")
    try:
        tree = ast.parse(read_source(main))
    except (OSError, *NOT_LITERAL) as error:
        raise UserError(f"{source.file.name} is not valid Python: {error}") from None
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    call = _call(source.make, tree, classes, source.file.name)
    if not isinstance(call.func, ast.Name) or call.func.id not in classes:
        raise UserError(
            f"{ast.unparse(call)} is not a class of {source.file.name}. Name one with arguments: 'MyBot(epsilon=8)'."
        )
    fields = _fields(classes[call.func.id])
    try:
        positional = dict(zip(fields, map(ast.literal_eval, call.args), strict=False))
        keywords = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except NOT_LITERAL:
        raise UserError(f"the arguments of {ast.unparse(call)} must be literals.") from None
    return TunedEntry(source.file, call.func.id, positional | keywords, fields)


def _call(make: str, tree: ast.Module, classes: Mapping[str, ast.ClassDef], file: str) -> ast.Call:
    """Return the call that creates the entry: from its name, else the first of ENTRIES, else the first class."""
    try:
        expression: ast.expr | None = ast.parse(make, mode="eval").body if make else None
    except NOT_LITERAL:
        raise UserError(f"{file}: {make[:80]!r} is not an expression such as 'MyBot(epsilon=8)'.") from None
    listed_entries = _listed(tree)
    if (
        isinstance(expression, ast.Subscript)
        and isinstance(expression.slice, ast.Constant)
        and isinstance(expression.slice.value, int)
    ):
        expression = listed_entries[expression.slice.value] if expression.slice.value < len(listed_entries) else None
    elif expression is None and listed_entries:
        expression = listed_entries[0]
    elif expression is None and classes:
        class_names = [name for name, node in classes.items() if _plays(node)] or list(classes)
        expression = ast.Call(ast.Name(class_names[0]), [], [])
    if isinstance(expression, ast.Name):
        expression = ast.Call(expression, [], [])
    if not isinstance(expression, ast.Call):
        raise UserError(f"no class found in {file}. Name one with its arguments: '{file}:MyBot(epsilon=8)'.")
    return expression


def _listed(tree: ast.Module) -> list[ast.expr]:
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.List | ast.Tuple):
            continue
        if any(getattr(target, "id", "") == "ENTRIES" for target in node.targets):
            return list(node.value.elts)
    return []


def _plays(node: ast.ClassDef) -> bool:
    return any(isinstance(statement, ast.FunctionDef) and statement.name == "first_move" for statement in node.body)


def _fields(node: ast.ClassDef) -> dict[str, str]:
    """Return the arguments of `__init__`, or the fields of the class, with annotations or types of defaults."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            arguments = [*statement.args.args[1:], *statement.args.kwonlyargs]
            defaults = [
                *[None] * (len(statement.args.args[1:]) - len(statement.args.defaults)),
                *statement.args.defaults,
            ]
            defaults += list(statement.args.kw_defaults)
            pairs = zip(arguments, defaults, strict=False)
            return {argument.arg: _type(argument.annotation, default) for argument, default in pairs}
    return {
        statement.target.id: _type(statement.annotation, statement.value)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }


def _type(annotation: ast.expr | None, default: ast.expr | None) -> str:
    if annotation is not None:
        return ast.unparse(annotation)
    return type(default.value).__name__ if isinstance(default, ast.Constant) else ""


def parse_parameters(texts: Sequence[str], entry: TunedEntry) -> list[Parameter]:
    """Parse parameters on the command line: NAME=LOW:HIGH or NAME=A,B,C.

    Raises:
        UserError: The syntax is invalid, or the entry has no such parameter.
    """
    if not texts:
        raise UserError(f"give the parameters to vary, for example {EXAMPLE}.")
    parameters = [_parse(text, entry) for text in texts]
    names = [parameter.name for parameter in parameters]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UserError(f"the parameter {twice} is given twice.")
    return parameters


def _parse(text: str, entry: TunedEntry) -> Parameter:
    name, equals, values = (part.strip() for part in text.partition("="))
    if not equals or not name.isidentifier() or not values:
        raise UserError(f"{text!r} must have the form {EXAMPLE}.")
    if entry.fields and name not in entry.fields and name not in entry.base:
        fields = ", ".join(entry.fields)
        raise UserError(
            f"{entry.class_name} has no parameter {name!r}.{did_you_mean(name, entry.fields)} It takes {fields}."
        )
    if wrong := re.fullmatch(rf"({NUMBER})\s*(?:-|\.\.+|,?\s*to\s)\s*({NUMBER})", values):
        raise UserError(f"{text!r} is not a range of numbers: a range has a colon, {name}={wrong[1]}:{wrong[2]}.")
    if ":" not in values:
        _check_choices(name, values, entry)
        return Parameter(name, tuple(dict.fromkeys(map(_value, values.split(",")))))
    ends = [_value(end) for end in values.split(":")]
    if len(ends) != 2 or not all(isinstance(end, int | float) for end in ends) or not ends[0] < ends[1]:
        raise UserError(f"{text!r} must be a range of numbers such as {name}=5:20, the lower end first.")
    is_whole = entry.fields.get(name) == "int" and all(isinstance(end, int) for end in ends)
    return Parameter(name, (), float(ends[0]), float(ends[1]), is_whole)


def _check_choices(name: str, values: str, entry: TunedEntry) -> None:
    """Check that the choices for a number are numbers.

    Raises:
        UserError: One of them is not.
    """
    kind = entry.fields.get(name, "")
    wrong = [text.strip() for text in values.split(",") if not isinstance(_value(text), int | float)]
    if kind in ("int", "float") and wrong:
        raise UserError(
            f"{wrong[0]!r} is not a number, and {entry.class_name} declares {name}: {kind}. Give choices such as "
            f"{name}=5,10 or a range such as {name}=5:20."
        )


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except NOT_LITERAL:
        return text.strip()  # a string without quotes
