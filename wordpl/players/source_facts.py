"""What the harness knows of an entry's sources without running them, read by `limited` in a process without rights."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from wordpl.core.messages import UserError
from wordpl.players import limited, shared_kernels
from wordpl.players.limited import Contents, ParseJob, Unread
from wordpl.run.bundle import PROGRAM, PYTHON, Bundle, FileTree, Program, main_of, shipped_places
from wordpl.run.info import MAX_AUTHOR_CHARACTERS, MAX_DESCRIPTION_CHARACTERS, MAX_LINK_CHARACTERS, About
from wordpl.strategy import EntryError

MAX_ITEMS = 200
MAX_NAME_CHARACTERS = 100
MAX_TEXT_CHARACTERS = 1000
Name = Annotated[str, Meta(max_length=MAX_NAME_CHARACTERS)]
Names = Annotated[list[Name], Meta(max_length=MAX_ITEMS)]
Line = Annotated[str, Meta(max_length=max(MAX_AUTHOR_CHARACTERS, MAX_LINK_CHARACTERS, MAX_DESCRIPTION_CHARACTERS))]
Text = Annotated[str, Meta(max_length=MAX_TEXT_CHARACTERS)]


class SourceFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the sources of an entry say.

    Attributes:
        author, link: The texts that its author gives; "" if there are none.
        description: The first line of the module's docstring, or the description of a program.
        classes: The first line of the docstring of each class at the top level, by its name.
        listed: The class of each item of ENTRIES; "" if it is not obvious.
        imports: The modules that the main file imports, anywhere in it.
        names: The names in all Python files that `shared_kernels` knows; None: not all files could be read.
        siblings: The modules of strategies/ that they import.
        program: What a TOML file describes.
        fault: Why the main file cannot be read, or does not describe a program.
        syntax: Why the main file cannot be compiled, with the line; "" if it can.
    """

    author: Line = ""
    link: Line = ""
    description: Line = ""
    classes: Annotated[dict[Name, Line], Meta(max_length=MAX_ITEMS)] = {}
    listed: Names = []
    imports: Names = []
    names: Names | None = []
    siblings: Names = []
    program: Program | None = None
    fault: Text = ""
    syntax: Text = ""

    def about(self, make: str) -> About | UnsetType:
        """Return what the author says about the entry that an expression creates, such as "Bot(5)" or "ENTRIES[0]"."""
        class_name = make.strip().partition("(")[0]
        if class_name.startswith("ENTRIES[") and class_name.endswith("]"):
            index = class_name[len("ENTRIES[") : -1]
            is_listed = index.isdecimal() and len(index) <= 3 and int(index) < len(self.listed)
            class_name = self.listed[int(index)] if is_listed else ""
        return About.of_texts(self.author, self.link, self.classes.get(class_name) or self.description)


class Sources(msgspec.Struct, frozen=True):
    """The files of an entry that are read.

    Attributes:
        main: The path of its main file.
        modules: The paths of its other Python files.
        digest: The digest of all its files; "": unknown.
    """

    main: str
    modules: tuple[str, ...] = ()
    digest: str = ""

    @classmethod
    def of_tree(cls, tree: FileTree, main: str, digest: str) -> "Sources":
        """Return those among the files of an entry, whose main file has this name there."""
        modules = [str(path) for name, path in tree.files.items() if name != main and path.suffix == PYTHON]
        return cls(str(tree.files[main]), tuple(modules), digest)


_known: dict[tuple[str, str], SourceFacts | Unread] = {}
"""What was read of sources whose digest is known, by the digest and the name of the main file."""


def read(sources: Sequence[Sources]) -> list[SourceFacts | Unread]:
    """Return what each of these sources says; those whose digest is known are read once per process."""
    keys = [(one.digest, Path(one.main).name if one.digest else one.main) for one in sources]
    unread = {key: one for key, one in zip(keys, sources, strict=True) if key not in _known}
    jobs = [ParseJob([one.main, *one.modules], Path(one.main).name) for one in unread.values()]
    found = _known | dict(zip(unread, limited.parse(f"{__name__}:facts_of", SourceFacts, jobs), strict=True))
    _known.update({key: found[key] for key in unread if key[0]})
    return [found[key] for key in keys]


def read_program(file: Path, digest: str) -> Program:
    """Return the program that a TOML file describes.

    Args:
        file: The file.
        digest: The digest of all files of the entry.

    Raises:
        EntryError: It is not the description of a program.
    """
    (facts,) = read([Sources(str(file), (), digest)])
    if isinstance(facts, Unread):
        raise EntryError(f"{file.name}: {facts.reason}.")
    if facts.program is None:
        raise EntryError(facts.fault)
    return facts.program


def program_of(place: Path) -> Program | None:
    """Return the program that an entry's TOML file describes; None if it is written in Python or cannot be read."""
    with suppress(UserError):
        main = place.parent / main_of(place.parent, place.name)
        if main.suffix == PROGRAM:
            (facts,) = read([Sources(str(main))])
            return facts.program if isinstance(facts, SourceFacts) else None
    return None


def uses_of(found: Sequence[SourceFacts | Unread]) -> list[list[str] | UnsetType]:
    """Return which libraries and kernels each entry may use, see `EntryInfo.uses`; UNSET if that is unknown."""
    places = {place.stem: place for place in shipped_places()}
    siblings = {name for one in found if isinstance(one, SourceFacts) for name in one.siblings if name in places}
    bundles = {name: Bundle.of(places[name]) for name in sorted(siblings)}
    facts = read([Sources.of_tree(bundle, bundle.main, bundle.digest) for bundle in bundles.values()])
    shipped = dict(zip(bundles, facts, strict=True))
    uses: list[list[str] | UnsetType] = []
    for one in found:
        siblings_of = [] if isinstance(one, Unread) else [shipped[name] for name in one.siblings if name in shipped]
        names = [None if isinstance(each, Unread) else each.names for each in (one, *siblings_of)]
        known = [name for own in names if own is not None for name in own]
        uses.append(UNSET if None in names else shared_kernels.used_by(known))
    return uses


def facts_of(contents: Contents, name: str) -> SourceFacts:
    """Return what the main file, which has this name, and the other Python files of an entry say."""
    main, *others = contents
    if isinstance(main, str):
        return SourceFacts(fault=_cut(f"{name}: {main}", MAX_TEXT_CHARACTERS), names=None)
    if name.endswith(PROGRAM):
        return _facts_of_program(main, name)
    module, syntax = _parsed(main), _syntax_fault(main, name)
    if module is None:  # its player reports it
        return SourceFacts(syntax=syntax)
    trees = [module, *filter(None, (_parsed(other) for other in others if isinstance(other, bytes)))]
    names, siblings = _names_in(trees)
    values = _assigned(module)
    classes = [node for node in module.body if isinstance(node, ast.ClassDef)]
    return SourceFacts(
        author=_line(_text_of(values.get("AUTHOR")), MAX_AUTHOR_CHARACTERS),
        link=_line(_text_of(values.get("LINK")), MAX_LINK_CHARACTERS),
        description=_line(ast.get_docstring(module), MAX_DESCRIPTION_CHARACTERS),
        classes={
            _cut(node.name): _line(ast.get_docstring(node), MAX_DESCRIPTION_CHARACTERS) for node in classes[:MAX_ITEMS]
        },
        listed=_listed(values.get("ENTRIES")),
        imports=_shortened(_imports([module])),
        names=None if any(isinstance(other, str) for other in others) else _shortened(names),
        siblings=_shortened(siblings),
        syntax=syntax,
    )


def _facts_of_program(content: bytes, name: str) -> SourceFacts:
    try:
        program = Program.parse(content, name)
    except UserError as error:
        return SourceFacts(fault=_cut(error.message, MAX_TEXT_CHARACTERS))
    return SourceFacts(
        author=_line(program.author, MAX_AUTHOR_CHARACTERS),
        link=_line(program.link, MAX_LINK_CHARACTERS),
        description=_line(program.description, MAX_DESCRIPTION_CHARACTERS),
        program=msgspec.structs.replace(program, author="", link="", description=""),
    )


def _parsed(source: bytes) -> ast.Module | None:
    """Return the syntax tree; None if it is not valid Python, or in an encoding that `limited` does not know."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, LookupError, ImportError, OSError):
        return None


def _names_in(trees: Iterable[ast.Module]) -> tuple[set[str], set[str]]:
    """Return the names that `shared_kernels` knows, and the modules of strategies/ that are imported."""
    names: set[str] = set()
    imported = _imports(trees, members=True)
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute):
                names.add(node.attr)
    names.update(part for module in imported for part in module.split("."))
    siblings = {parts[1] for module in imported if (parts := module.split("."))[0] == "strategies" and parts[1:]}
    return names & shared_kernels.KNOWN_NAMES, siblings


def _imports(trees: Iterable[ast.Module], *, members: bool = False) -> set[str]:
    """Return the imported modules, anywhere in the code; with `members`, also what is imported from them."""
    found: set[str] = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found.add(module)
            if members:
                found.update(f"{module}.{alias.name}" for alias in node.names)
    return found


def _assigned(module: ast.Module) -> Mapping[str, ast.expr]:
    """Return what is assigned to each name at the top level of a module."""
    return {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _listed(value: ast.expr | None) -> list[str]:
    """Return the class that each item of ENTRIES calls; "" if it is not obvious."""
    items = value.elts[:MAX_ITEMS] if isinstance(value, ast.List | ast.Tuple) else []
    return [
        _cut(item.func.id) if isinstance(item, ast.Call) and isinstance(item.func, ast.Name) else "" for item in items
    ]


def _text_of(value: ast.expr | None) -> Any:
    return value.value if isinstance(value, ast.Constant) else None


def _line(text: Any, most: int) -> str:
    """Return the start of the first line of a text that JSON can represent; "" if it is not a text."""
    lines = text.strip()[: 4 * MAX_TEXT_CHARACTERS].splitlines() if isinstance(text, str) else []
    return _cut(lines[0].strip(), most) if lines else ""


def _cut(text: str, most: int = MAX_NAME_CHARACTERS) -> str:
    return text[:most].encode(errors="replace").decode()


def _shortened(names: Iterable[str]) -> list[str]:
    """Return the names in order; if there are too many, the last one says so."""
    shown = sorted(map(_cut, names))
    return shown if len(shown) <= MAX_ITEMS else [*shown[: MAX_ITEMS - 1], f"and {len(shown) - MAX_ITEMS + 1:,} more"]


def _syntax_fault(source: bytes, name: str) -> str:
    """Return why the source in a file with this name cannot be compiled; "" if it can."""
    try:
        compile(source, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = _cut((error.text or "").rstrip("\n"), MAX_TEXT_CHARACTERS // 4)
        mark = " " * min(max(0, (error.offset or 1) - 1), len(line)) + "^"
        return _cut(f"{name}:{error.lineno}: {error.msg}\n{line}\n{mark}", MAX_TEXT_CHARACTERS)
    except (ValueError, LookupError, ImportError, OSError) as error:  # for example, a null byte
        return _cut(f"{name}: {error}", MAX_TEXT_CHARACTERS)
    return ""
