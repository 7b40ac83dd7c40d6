"""No code outside of games/ and verify/ asks for the name or the form of a game in order to know a fact of it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from wordpl import games

HOME = Path(__file__).parents[1]
OWNERS = (
    "wordpl/games/",
    "wordpl/verify/",
    "wordpl/core/moves.py",
    "wordpl/core/moves.py",
    "wordpl/run/record.py",
)
"""Games, their second reading, the facts, and the forms of moves with their encoding."""
GAME_IDS = frozenset(games.names())
PREFIXES = ("wordpl", "wordle", "absurdle")
FORMS_AND_UNITS = frozenset({"noisy", "classic", "budget", "guesses", "tries"})
KIND_NAMES = frozenset({"is_noisy", "GameKind", "Measure", "CLASSIC_GUESSES"})
KIND_COLUMNS = frozenset({"measure", "kind", "form", "unit"})
COUNTS = ("guess", "moves", "words", "rows")
LIMIT = games.Wordle.facts.limit
NAMED, SEVERAL = (ast.Attribute, ast.Name), (ast.Tuple, ast.List, ast.Set)


def switches(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the kind of each switch on the name, the form or the unit of a game, or on its limit."""
    for node in ast.walk(tree):
        if isinstance(node, NAMED) and name_of(node) in KIND_NAMES:
            yield node.lineno, f"the name {name_of(node)}"
        elif isinstance(node, ast.Call) and is_prefix_test(node):
            yield node.lineno, "a prefix of a game's name"
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            texts = {text for side in sides for text in constants(side)}
            if texts & GAME_IDS:
                yield node.lineno, "the name of a game"
            if any(isinstance(side, ast.Attribute) and name_of(side.value) == "MoveForm" for side in sides):
                yield node.lineno, "the form of moves"
            if texts & FORMS_AND_UNITS and any(KIND_COLUMNS & set(words(side)) for side in sides):
                yield node.lineno, "the form or the unit as text"
            if LIMIT in texts and any(count in word for side in sides for word in words(side) for count in COUNTS):
                yield node.lineno, "a limit of guesses"


def name_of(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_prefix_test(node: ast.Call) -> bool:
    if name_of(node.func) != "startswith":
        return False
    texts = [text for argument in node.args for text in constants(argument) if isinstance(text, str)]
    return any(
        text in PREFIXES or text.rstrip("-/") in PREFIXES or text in ("wordle-hard", "wordpl-counted") for text in texts
    )


def constants(node: ast.AST) -> list[object]:
    """Return the constants of a comparison's side, also those in a list or a set of alternatives."""
    parts = node.elts if isinstance(node, SEVERAL) else [node]
    return [part.value for part in parts if isinstance(part, ast.Constant)]


def words(node: ast.AST) -> Iterator[str]:
    """Yield the names, attributes and keys that occur in an expression."""
    for part in ast.walk(node):
        if isinstance(part, NAMED):
            yield name_of(part)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def sources() -> list[str]:
    folders = ("wordpl", "strategies")
    files = sorted(file for folder in folders for file in (HOME / folder).rglob("*.py"))
    names = (str(file.relative_to(HOME)) for file in files)
    return [name for name in names if not name.startswith(OWNERS)]


@pytest.mark.slow
def test_no_code_compares_the_name_or_the_form_of_a_game_or_assumes_its_limit():
    found = [
        f"{name}:{line}: {what}" for name in sources() for line, what in switches(ast.parse((HOME / name).read_text()))
    ]
    assert not found, "ask the game's facts instead:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        "if game_id == 'wordle/1': pass",
        "name in ('wordle-hard/1', 'x')",
        "entry.game.id.startswith('wordpl')",
        "session.is_noisy",
        "rows[rows['measure'] == 'budget']",
        "facts.form is MoveForm.NOISY",
        "len(words) == 6",
        "n_guesses <= 6",
        "facts.unit != 'tries'",
    ],
)
def test_the_counter_finds_each_kind_of_switch(code):
    assert list(switches(ast.parse(code)))
