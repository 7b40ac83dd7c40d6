"""Which small faults can be put into the code, and a sample of them.

Changed are comparisons, numbers, conditions, `and` and `or`, arithmetic, and statements that are removed. Left alone,
by rules that need no judgement: texts, docstrings, types, decorators, calls of a logger, branches that only raise an
error and the `strict` of a `zip`, what is there for type checkers only, and constants of a module whose name says that
they are a time or a size (`UNTOUCHED`).
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import cast

HOME = Path(__file__).resolve().parents[2]
AREAS = {
    "games": "wordpl/games/*.py",
    "contest": "wordpl/contest/*.py",
    "verify": "wordpl/verify/*.py",
    "scores": "wordpl/stats/scores/*.py",
    "compare": "wordpl/stats/compare/*.py",
    "rankings": "wordpl/stats/rankings/*.py",
    "league texts": "wordpl/league/share_text.py wordpl/league/discord_message.py",
}
UNTOUCHED = re.compile(r"(^|_)(S|KEPT|BLOCK|CHUNK)$")
"""Constants that say how long something may take or how much is done at a time: no result depends on them."""
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One small fault.

    Attributes:
        area: One of `AREAS`.
        file: The changed file, from the top of the repository.
        line: The line where the change begins.
        was: The changed lines as they are in the checkout, in one line.
        now: The same with the change.
        nth: How many mutants of the file have the same two texts and come before it.
    """

    area: str
    file: str
    line: int
    was: str
    now: str
    nth: int

    @property
    def key(self) -> str:
        """What stays the same when lines elsewhere in the file come and go."""
        return f"{self.file}: {self.was} -> {self.now} #{self.nth}"

    def as_dict(self) -> dict[str, str | int]:
        """Return it as it is written down."""
        return asdict(self) | {"key": self.key}


class Changer(ast.NodeTransformer):
    """Visits all places that can be changed, and notes for each what is replaced, and the code that replaces it.

    What is inside of a text has no place of its own: the whole text is replaced. For this, the tree is changed at the
    place with the number `wanted`, if that is in a text.
    """

    def __init__(self, wanted: int = -1):
        self.wanted = wanted
        self.found: list[tuple[ast.expr | ast.stmt, str | None]] = []
        self._text: ast.JoinedStr | None = None

    def _change(self, node: ast.expr | ast.stmt, new: ast.AST) -> ast.AST:
        """Note the place; return the new node if it is wanted, and else the old one."""
        is_wanted = len(self.found) == self.wanted
        if self._text:
            self.found.append((self._text, None))
        else:
            code = ast.unparse(new)
            is_atom = isinstance(new, ast.Constant | ast.stmt)
            self.found.append((node, code if is_atom else f"({code})"))
        return new if is_wanted else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        outer = self._text
        self._text = outer or node
        self.generic_visit(node)
        self._text = outer
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        other = COMPARISONS.get(type(node.ops[0]))
        return self._change(node, ast.Compare(node.left, [other(), *node.ops[1:]], node.comparators)) if other else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        return self._change(node, ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        if isinstance(node.op, ast.BitOr) or _is_text(node):
            return node
        self.generic_visit(node)
        other = ARITHMETIC.get(type(node.op))
        return self._change(node, ast.BinOp(node.left, other(), node.right)) if other else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            return self._change(node, ast.Constant(not node.value))
        return self._change(node, ast.Constant(node.value + 1)) if isinstance(node.value, int | float) else node

    def visit_If(self, node: ast.If) -> ast.AST:
        if "TYPE_CHECKING" in ast.unparse(node.test):
            return node
        if all(isinstance(one, ast.Raise) for one in node.body):
            node.test = self.visit(node.test)
            return node
        self.generic_visit(node)
        node.test = cast("ast.expr", self._change(node.test, ast.UnaryOp(ast.Not(), node.test)))
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if not isinstance(node.value, ast.Call) or "LOGGER" in ast.unparse(node.value.func):
            return node
        self.generic_visit(node)
        return self._change(node, ast.Pass())

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        return self._change(node, ast.Pass())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        guards = [one for one in node.keywords if one.arg == "strict" and ast.unparse(node.func) == "zip"]
        node.keywords = [one for one in node.keywords if one not in guards]
        self.generic_visit(node)
        node.keywords += guards
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        node.defaults = [self.visit(one) for one in node.defaults]
        node.kw_defaults = [one and self.visit(one) for one in node.kw_defaults]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.args = self.visit(node.args)
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_Module(self, node: ast.Module) -> ast.AST:
        node.body = [one if _is_untouched(one) else self.visit(one) for one in node.body]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return node if isinstance(node.slice, ast.Tuple) else self.generic_visit(node)


def _is_untouched(node: ast.stmt) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(one, ast.Name) and UNTOUCHED.search(one.id) for one in targets)


def _is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
               for side in sides)  # fmt: skip


def changed(source: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield the line of each change, what it was and is, and the whole changed source."""
    lines = source.splitlines(keepends=True)
    changer = Changer()
    changer.visit(ast.parse(source))
    for number, (old, code) in enumerate(changer.found):
        text = code or _whole_text(source, number)
        first, last = old.lineno - 1, old.end_lineno or old.lineno
        before, after = _cut(lines[first], old.col_offset)[0], _cut(lines[last - 1], old.end_col_offset or 0)[1]
        was, now = "".join(lines[first:last]), before + text + after
        yield old.lineno, _joined(was), _joined(now), "".join([*lines[:first], now, *lines[last:]])


def _whole_text(source: str, number: int) -> str:
    """Return the code of a text that holds a change."""
    changer = Changer(number)
    changer.visit(ast.parse(source))
    return ast.unparse(changer.found[number][0])


def _cut(line: str, n_bytes: int) -> tuple[str, str]:
    """Return the line before and after so many bytes, as syntax trees count them."""
    return line.encode()[:n_bytes].decode(), line.encode()[n_bytes:].decode()


def _joined(text: str) -> str:
    return " ".join(text.split())


def mutants() -> Iterator[tuple[Mutant, str]]:
    """Yield everything that can be changed, with the changed source."""
    for area, patterns in AREAS.items():
        for path in sorted(path for pattern in patterns.split() for path in HOME.glob(pattern)):
            seen: dict[tuple[str, str], int] = {}
            for line, was, now, source in changed(path.read_text()):
                nth = seen[was, now] = seen.get((was, now), -1) + 1
                yield Mutant(area, str(path.relative_to(HOME)), line, was, now, nth), source


def sample(n: int, seed: int) -> list[tuple[Mutant, str]]:
    """Return mutants, as many of each area as of the others where it has as many.

    A digest of the seed and of the change decides who is drawn, so that an edit elsewhere leaves the sample as it is.
    """
    by_area: dict[str, list[tuple[Mutant, str]]] = {area: [] for area in AREAS}
    for one in mutants():
        by_area[one[0].area].append(one)
    for found in by_area.values():
        found.sort(key=lambda one: sha256(f"{seed} {one[0].key}".encode()).digest())
    queue = [found[at] for at in range(n) for found in by_area.values() if at < len(found)]
    return queue[:n]
