"""The entry whose parameters are varied: its class, its arguments and its parameters, read without running its file.

Its file is parsed in a process without rights, which imports this module: it has no heavy imports.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from wordpl.core.messages import UserError
from wordpl.players import limited
from wordpl.players.limited import Contents, ParseJob, Unread
from wordpl.run.bundle import PYTHON, main_of

NOT_LITERAL = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)
"""What Python raises if a text is not an expression or a literal; the last two, if it is nested too deep."""
MAX_ITEMS = 100
MAX_CHARACTERS = 400
SHOWN_CHARACTERS = 80
MAX_WHOLE = 1 << 53
Text = Annotated[str, Meta(max_length=MAX_CHARACTERS)]
Scalar = int | float | bool | Text | None


class TunedClass(msgspec.Struct, frozen=True):
    """What a file says of the class to tune.

    Attributes:
        fault: Why it cannot be tuned; "" if it can.
        class_name: Its name.
        base: The arguments given by its author, by name, as expressions.
        values: Those that are numbers or texts.
        fields: Names of the parameters of the class in order, without inherited ones, with their types, or "" if
            unknown.
    """

    fault: Text = ""
    class_name: Text = ""
    base: Annotated[dict[Text, Text], Meta(max_length=MAX_ITEMS)] = {}
    values: Annotated[dict[Text, Scalar], Meta(max_length=MAX_ITEMS)] = {}
    fields: Annotated[dict[Text, Text], Meta(max_length=MAX_ITEMS)] = {}


@dataclass(frozen=True)
class TunedEntry:
    """An entry whose parameters are varied; see `TunedClass`."""

    file: Path
    class_name: str
    base: Mapping[str, str]
    fields: Mapping[str, str]
    values: Mapping[str, Scalar] = field(default_factory=dict)

    @classmethod
    def of(cls, place: Path, make: str) -> "TunedEntry":
        """Return the entry with this file or folder that an expression creates; "": the first one.

        Raises:
            UserError: It is not a Python class with literal arguments.
        """
        main = place.parent / main_of(place.parent, place.name)
        if main.suffix != PYTHON:
            raise UserError(f"{place.name} describes a program, and only Python entries can be tuned.")
        (read,) = limited.parse(f"{__name__}:class_of", TunedClass, [ParseJob([str(main)], make)])
        fault = read.reason if isinstance(read, Unread) else read.fault
        if isinstance(read, Unread) or fault:
            raise UserError(f"{place.name}: {fault}.")
        return cls(place, read.class_name, read.base, read.fields, read.values)

    def expression(self, chosen: Mapping[str, Any]) -> str:
        """Return an expression that creates the entry with these parameters instead of its own."""
        arguments = dict(self.base) | {name: repr(value) for name, value in chosen.items()}
        order = [*(name for name in self.fields if name in arguments), *(n for n in arguments if n not in self.fields)]
        return f"{self.class_name}({', '.join(f'{name}={arguments[name]}' for name in order)})"


def class_of(contents: Contents, make: str) -> TunedClass:
    """Return what the file says of the class that an expression creates."""
    try:
        if isinstance(contents[0], str):
            raise ValueError(contents[0])
        tree = ast.parse(contents[0])
    except NOT_LITERAL as error:
        return TunedClass(f"it is not valid Python: {error}"[:MAX_CHARACTERS])
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    try:
        call = _call(make, tree, classes)
        if not isinstance(call.func, ast.Name) or call.func.id not in classes:
            raise UserError(f"{_shown(call)} is not a class of it. Name one with arguments: 'MyBot(epsilon=8)'")
        fields = _fields(classes[call.func.id])
        try:
            arguments = dict(zip(fields, map(ast.literal_eval, call.args), strict=False))
            arguments |= {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        except NOT_LITERAL:
            raise UserError(f"the arguments of {_shown(call)} must be literals") from None
        return TunedClass("", call.func.id, {name: repr(value) for name, value in arguments.items()},
                          {name: value for name, value in arguments.items() if _is_scalar(value)}, fields)  # fmt: skip
    except UserError as error:
        return TunedClass(error.message[:MAX_CHARACTERS])


def _shown(node: ast.expr) -> str:
    return ast.unparse(node)[:SHOWN_CHARACTERS]


def _is_scalar(value: Any) -> bool:
    """Return whether JSON can represent a value."""
    if isinstance(value, int | float):
        return isfinite(value) and abs(value) < MAX_WHOLE
    return value is None or isinstance(value, str)


def _call(make: str, tree: ast.Module, classes: Mapping[str, ast.ClassDef]) -> ast.Call:
    """Return the call that creates the entry: from its name, else the first of ENTRIES, else the first class."""
    try:
        expression: ast.expr | None = ast.parse(make, mode="eval").body if make else None
    except NOT_LITERAL:
        raise UserError(f"{make[:SHOWN_CHARACTERS]!r} is not an expression such as 'MyBot(epsilon=8)'") from None
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
        raise UserError("no class found. Name one with its arguments: 'FILE:MyBot(epsilon=8)'")
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
        return ast.unparse(annotation)[:MAX_CHARACTERS]
    return type(default.value).__name__ if isinstance(default, ast.Constant) else ""
