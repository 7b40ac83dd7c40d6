"""The interface of strategies, and loading the entries that a file of strategies declares.

A strategy is any object with two methods. For a noisy game, `first_move()` and `next_move(guess, epsilon, clues)`
return (guess, epsilon); for a classic game, `first_move()` and `next_move(guess, clues)` return a word. One object
plays all games; each game starts with a call of `first_move`.
"""

import ast
import inspect
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import CodeType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from wordpl.core import seeds, words
from wordpl.core.messages import UserError, WordplError, amount, did_you_mean
from wordpl.core.words import WordLists
from wordpl.games import game_class, make_game
from wordpl.run.bundle import main_of

if TYPE_CHECKING:
    import numpy as np

    from wordpl.kernels.posterior import Posterior

DEFAULT_RULES = "wordpl/1"
MAX_ENTRIES = 3
MAX_NAME_CHARACTERS = 100
METHODS = ("first_move", "next_move")
OBSERVED = {"noisy": ("guess", "epsilon", "clues"), "classic": ("guess", "clues")}
"""The arguments of next_move, by the form of the game's moves."""
SHOWN_CHARACTERS = 60


class Strategy:
    """An optional base class that provides a random generator, the word lists and a name for the board.

    Its attributes are available from the first move on, but not in `__init__`.
    """

    game = DEFAULT_RULES
    """The game that this strategy is made for."""

    _seed = 0
    _rng: "np.random.Generator | None" = None

    @property
    def rng(self) -> "np.random.Generator":
        """A random generator for the current game, seeded by the run, so that games are reproducible."""
        if self._rng is None:
            import numpy as np  # here and below: slow to import, and not every strategy needs it

            self._rng = np.random.Generator(np.random.PCG64(self._seed))
        return self._rng

    @cached_property
    def rules(self) -> str:
        """The game being played: `game`, unless the host chose another one of the same kind."""
        return self.game

    @cached_property
    def lists(self) -> WordLists:
        """The contest's word lists."""
        return words.here()

    @property
    def guesses(self) -> "np.ndarray":
        """The words that can be guessed, as an array of strings."""
        return _arrays(self.lists)[0]

    @property
    def answers(self) -> "np.ndarray":
        """The words that can be the secret, as an array of strings."""
        return _arrays(self.lists)[1]

    def new_posterior(self) -> "Posterior":
        """Return the probabilities of all answers in the game being played, before any clue."""
        from wordpl.kernels.posterior import Posterior

        return Posterior.of(make_game(self.rules, self.lists))

    @property
    def clue_rule(self) -> str:
        """How clues treat repeated letters in the game being played: a key of `wordpl.core.clues.CLUE_RULES`."""
        return game_class(self.rules).clue_rule

    def __repr__(self) -> str:
        """Return the name of the class with those of its parameters that are also attributes."""
        names = [name for name in inspect.signature(type(self)).parameters if hasattr(self, name)]
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


@cache
def _arrays(lists: WordLists) -> tuple["np.ndarray", "np.ndarray"]:
    import numpy as np

    arrays = np.array(lists.guesses), np.array(lists.answers)
    for array in arrays:
        array.flags.writeable = False
    return arrays


def begin_game(strategy: Any, seed: int) -> None:
    """Seed all random generators that a strategy may use in a new game.

    Args:
        strategy: The strategy.
        seed: The seed of this game, below 2^53.
    """
    seeds.seed_random_module(seed)
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed(seed & 0xFFFFFFFF)
    if isinstance(strategy, Strategy):
        strategy._seed, strategy._rng = seed, None


class EntryError(WordplError):
    """A file or an expression does not define an entry; the message says why, and what is required."""


@dataclass(frozen=True)
class DeclaredEntry:
    """An entry that a file declares.

    Attributes:
        make: The expression that creates the strategy in the file's module.
        name: The name on the board.
        game: The game that it is made for.
        strategy: The strategy.
    """

    make: str
    name: str
    game: str
    strategy: Any


class _OwnModules(MetaPathFinder):
    """Finds the modules of an entry that is a folder by their plain names, after all others, as they are found at home.

    Attributes:
        folder: The folder of the entry that was imported last; None if it is a file.
    """

    folder: Path | None = None

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the specification of a module of the entry."""
        return None if path is not None or self.folder is None else PathFinder.find_spec(name, [str(self.folder)])

    def choose(self, folder: Path | None) -> None:
        """Find the modules of this folder from now on, and forget those of another one."""
        if folder != self.folder:
            own = f"{self.folder}{os.sep}"
            for name, module in list(sys.modules.items()):
                if not name.startswith("strategies.") and str(getattr(module, "__file__", "")).startswith(own):
                    del sys.modules[name]
        self.folder = folder
        if self not in sys.meta_path:
            sys.meta_path.append(self)


_own_modules = _OwnModules()


def import_entry(place: Path, shipped: Path) -> ModuleType:
    """Import an entry's file or folder as `strategies.NAME`, so that it can import its other modules.

    A folder's own modules can be imported as `strategies.NAME.MODULE`, `.MODULE` or, unless Python or a package has a
    module of this name, as `MODULE`.

    As this executes the code, only players do it. The module is always loaded from its source, whose digest is recorded
    in runs, and never from bytecode, a package or an extension module of the same name.

    Args:
        place: The file or folder.
        shipped: The folder with the strategies that the package ships.
    """
    # Created rather than imported, so that a contestant's __init__.py does not run in the players of other entries.
    package = sys.modules.setdefault("strategies", ModuleType("strategies"))
    path = place.parent / main_of(place.parent, place.name)
    is_folder = path.parent == place
    own = [str(place)] if is_folder else []
    package.__path__ = [*own, str(place.parent), str(shipped)]
    _own_modules.choose(place if is_folder else None)
    stem = place.name if is_folder else place.stem
    name = f"strategies.{stem}"
    if name in sys.modules and sys.modules[name].__file__ != str(path):  # an entry of this name in another folder
        del sys.modules[name]
    if name not in sys.modules:
        loader = _SourceLoader(name, str(path))
        spec = ModuleSpec(name, loader, origin=str(path), is_package=is_folder)
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(str(place))
        spec.has_location = True
        module = sys.modules[name] = module_from_spec(spec)
        try:
            loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        setattr(package, stem, module)
    return sys.modules[name]


_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)
"""The declaration of an encoding in one of the first two lines; see PEP 263."""


class _SourceLoader(SourceFileLoader):
    """Loads a module from its source, ignoring cached bytecode."""

    def get_code(self, fullname: str) -> CodeType:
        data = self.get_data(self.path)
        declared = _CODING.search(b"\n".join(data.split(b"\n", 2)[:2]))
        try:
            data.decode(declared[1].decode() if declared else "utf-8")
        except LookupError:
            pass  # the compiler reports an unknown encoding
        except UnicodeDecodeError as error:  # which the compiler accepts in comments, unless it reads the file itself
            line = data[: error.start].count(b"\n") + 1
            message = f"{data[error.start : error.end]!r} is not {error.encoding}: save the file as UTF-8"
            raise SyntaxError(message, (self.path, line, None, None)) from None
        return self.source_to_code(data, self.path)


def make_strategy(module: ModuleType, make: str) -> Any:
    """Return the strategy that an expression creates in a module.

    Raises:
        EntryError: The expression fails, or its value is not a strategy.
    """
    try:
        strategy = eval(make, vars(module))
    except Exception as error:
        if reason := _why_it_fails(module, make, error):
            raise EntryError(reason) from error
        raise
    if reason := why_no_strategy(strategy, make):
        raise EntryError(reason)
    return strategy


def declared_entries(module: ModuleType, make: str = "") -> Iterator[DeclaredEntry]:
    """Yield the entries of a file: its ENTRIES or, without that, its classes that need no arguments.

    Args:
        module: The module of the file.
        make: An expression that creates the only entry to yield, in place of those that the file declares.

    Raises:
        EntryError: The file declares no valid entry.
    """
    declared = _listed_entries if hasattr(module, "ENTRIES") else _class_entries
    for expression in [make] if make else declared(module):
        strategy = make_strategy(module, expression)
        game_id = str(getattr(strategy, "game", DEFAULT_RULES))
        _check_parameters(strategy, game_id)
        yield DeclaredEntry(expression, name_of(strategy), game_id, strategy)


def _listed_entries(module: ModuleType) -> list[str]:
    entries, where = module.ENTRIES, f"ENTRIES{_line_of_entries(module)}"
    required = f"it must be a list of one to {MAX_ENTRIES} strategies, such as [MyBot()]"
    if not isinstance(entries, (list, tuple)):
        raise EntryError(f"{where} is {_shown(entries)}: {required}.")
    if not 1 <= len(entries) <= MAX_ENTRIES:
        raise EntryError(f"{where} lists {amount(len(entries), 'strategy', 'strategies')}: {required}.")
    return [f"ENTRIES[{i}]" for i in range(len(entries))]


def _class_entries(module: ModuleType) -> list[str]:
    own = [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__]
    complete = {value.__name__: value for value in own if _has_methods(value)}
    classes = {name: value for name, value in complete.items() if not (name.startswith("_") or _is_abstract(value))}
    if not classes:
        raise EntryError(_why_no_class(own, [*complete]))
    for name, class_ in classes.items():
        is_base = any(class_ in other.__bases__ for other in own)
        if (arguments := _required_arguments(class_)) and not is_base:
            example = f"{name}({', '.join(f'{argument}=...' for argument in arguments)})"
            raise EntryError(
                f"{name}{_place(class_)} requires {', '.join(arguments)}: add defaults, list what plays in ENTRIES, or "
                f"play it as '{example}'. If it does not play itself, let its name begin with an underscore."
            )
    ready = [f"{name}()" for name, class_ in classes.items() if not _required_arguments(class_)]
    if not ready:
        raise EntryError(_why_no_class(own, [*complete]))
    if len(ready) > MAX_ENTRIES:
        raise EntryError(
            f"it defines {len(ready)} strategies ({', '.join(ready)}), and a file declares at most {MAX_ENTRIES} "
            f"entries. List those that play, such as ENTRIES = [{', '.join(ready[:MAX_ENTRIES])}], or let the name of "
            "a class that does not play itself begin with an underscore."
        )
    return ready


def _is_abstract(class_: type) -> bool:
    """Return whether one of the two methods is abstract, or does nothing but to raise NotImplementedError."""
    if inspect.isabstract(class_):
        return True
    codes = (getattr(getattr(class_, method), "__code__", None) for method in METHODS)
    names = (set(code.co_names) for code in codes if code is not None)
    return any("NotImplementedError" in own and own <= {"NotImplementedError", "type", "__name__"} for own in names)


def _has_methods(value: Any) -> bool:
    return all(callable(getattr(value, method, None)) for method in METHODS)


def _required_arguments(class_: type) -> list[str]:
    parameters = inspect.signature(class_).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def why_no_strategy(value: Any, make: str) -> str:
    """Return why a value is not a strategy, and what would be right; "" if it is one.

    Args:
        value: The value.
        make: The expression that created it.
    """
    if isinstance(value, type):
        example = "..." if _required_arguments_or_none(value) else ""
        return (
            f"{make} is the class {value.__name__}{_place(value)}, and an entry is an object: write "
            f"{value.__name__}({example})."
        )
    if _has_methods(value):
        return ""
    kind = type(value)
    if kind.__module__ == "builtins" or isinstance(value, ModuleType):
        hint = f" Write {value} without quotes." if isinstance(value, str) and value.endswith(")") else ""
        return f"{make} is {_shown(value)}: a strategy is an object with the methods first_move and next_move.{hint}"
    return _missing_methods(kind, value)


def _required_arguments_or_none(class_: type) -> list[str]:
    try:
        return _required_arguments(class_)
    except ValueError:  # for example, a class of a compiled module
        return []


def _missing_methods(class_: type, value: Any) -> str:
    missing = [method for method in METHODS if not callable(getattr(value, method, None))]
    if properties := [name for name in missing if isinstance(inspect.getattr_static(class_, name, None), property)]:
        return (
            f"{' and '.join(properties)} of {class_.__name__}{_place(class_)} must be a method, not a property: remove "
            "@property."
        )
    known = {*METHODS, *dir(Strategy)}
    functions = [name for name in dir(class_) if callable(getattr(class_, name)) and name not in known]
    similar = {method: get_close_matches(method, functions, n=1) for method in missing}
    renamings = [f"{names[0]} to {method}" for method, names in similar.items() if names]
    advice = f"Rename {' and '.join(renamings)}." if renamings else "A strategy needs first_move and next_move."
    return f"{class_.__name__}{_place(class_)} has no method {' and no method '.join(missing)}. {advice}"


def _why_no_class(own: list[type], unfit: Sequence[str]) -> str:
    """Return why none of the classes that a file defines is a strategy.

    Args:
        own: The classes.
        unfit: The names of those that have both methods.
    """
    if unfit:
        return (
            f"it defines no strategy that can play: {', '.join(unfit)} {'is' if len(unfit) == 1 else 'are'} abstract, "
            "private or the base of others. List what plays in ENTRIES."
        )
    similar = [
        class_
        for class_ in own
        if issubclass(class_, Strategy)
        or any(callable(getattr(class_, method, None)) for method in METHODS)
        or any(get_close_matches(method, vars(class_)) for method in METHODS)
    ]
    if similar:
        return f"it defines no strategy: {_missing_methods(similar[0], similar[0])}"
    names = (
        f"none of its classes ({', '.join(class_.__name__ for class_ in own)}) has" if own else "it has no class with"
    )
    return f"it defines no strategy: {names} the methods first_move and next_move. `wordpl new NAME` writes an example."


def _check_parameters(strategy: Any, game_id: str) -> None:
    """Check that both methods can be called as the game calls them.

    Raises:
        EntryError: One of them cannot.
    """
    try:
        facts = game_class(game_id).facts
    except UserError:  # the referee knows the host's own game, or reports that there is no such game
        return
    observed = OBSERVED["noisy" if facts.has_epsilon else "classic"]
    for name, arguments in zip(METHODS, ((), observed), strict=True):
        method = getattr(strategy, name)
        try:
            signature = inspect.signature(method)
        except ValueError:
            if isinstance(method, MethodType) and not method.__func__.__code__.co_argcount:
                raise EntryError(
                    f"{_method_place(strategy, name)} has no parameter self: write "
                    f"def {name}({', '.join(('self', *arguments))})."
                ) from None
            continue  # for example, a method of a compiled class
        try:
            signature.bind(*arguments)
        except TypeError as error:
            call = f"{name}({', '.join(arguments)})"
            raise EntryError(
                f"{_method_place(strategy, name)} takes {signature}, but {game_id} calls {call}: {error}."
            ) from None


def _method_place(strategy: Any, name: str) -> str:
    """Return the name of a method and where it is defined, which takes longer to find out than to start a player."""
    method = getattr(strategy, name)
    return f"{name} of {type(strategy).__name__}{_place(getattr(method, '__func__', method))}"


def _why_it_fails(module: ModuleType, make: str, error: Exception) -> str:
    """Return why an expression fails and what would be right; "" if the code that it calls fails."""
    if isinstance(error, SyntaxError):
        return (
            f"{make!r} is not a Python expression ({error.msg}): give a class with arguments, such as MyBot(epsilon=5)."
        )
    traceback = error.__traceback__
    if traceback is None or traceback.tb_next is None or traceback.tb_next.tb_next is not None:
        return ""
    file = Path(getattr(module, "__file__", None) or module.__name__).name
    classes = {name: value for name, value in vars(module).items() if isinstance(value, type) and value is not Strategy}
    called = ast.parse(make.strip(), mode="eval").body
    name = called.func.id if isinstance(called, ast.Call) and isinstance(called.func, ast.Name) else ""
    if isinstance(error, NameError) and name in classes:
        return (
            f"{make}: {error.name} is not defined. {name}{_place(classes[name])} takes {_parameters(classes[name])}: "
            f"give numbers, or texts in quotes, such as '{error.name}'."
        )
    if isinstance(error, NameError):
        hint = did_you_mean(str(error.name), classes)
        return f"{file} has no {error.name!r}.{hint} It defines {', '.join(classes) or 'no class'}."
    if isinstance(error, TypeError) and name in classes:
        return f"{make}: {error}. {name}{_place(classes[name])} takes {_parameters(classes[name])}."
    if isinstance(error, IndexError) and isinstance(entries := getattr(module, "ENTRIES", None), (list, tuple)):
        return f"{file} has no {make}: its ENTRIES are ENTRIES[0] to ENTRIES[{len(entries) - 1}]."
    return f"{make}: {type(error).__name__}: {error}."


def _parameters(class_: type) -> str:
    return f"({', '.join(map(str, inspect.signature(class_).parameters.values()))})"


def _place(defined: Any) -> str:
    """Return where a class or a function is defined, as " (FILE, line N)"; "" if that is unknown."""
    with suppress(OSError, TypeError, SyntaxError):
        return f" ({Path(inspect.getfile(defined)).name}, line {inspect.getsourcelines(defined)[1]})"
    return ""


def _line_of_entries(module: ModuleType) -> str:
    with suppress(OSError, TypeError, SyntaxError, ValueError):
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "ENTRIES" for target in node.targets):
                return f" ({Path(str(module.__file__)).name}, line {node.lineno})"
    return ""


def _shown(value: Any) -> str:
    if isinstance(value, ModuleType):
        return f"the module {value.__name__}"
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))  # an address says nothing
    return f"{text[:SHOWN_CHARACTERS]}, of type {type(value).__name__}"


def name_of(strategy: Any) -> str:
    """Return a strategy's name on the board: its str if it defines str or repr, otherwise the name of its class.

    Raises:
        EntryError: Its str or repr returns no text.
    """
    kind: Any = type(strategy)
    is_named = kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__
    try:
        return " ".join((str(strategy) if is_named else kind.__name__).split())
    except TypeError as error:
        raise EntryError(
            f"the name of {kind.__name__}{_place(kind)} on the board is its str or repr: {error}. Return a text."
        ) from error
