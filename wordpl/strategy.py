"""The interface of strategies, and loading the entries that a file of strategies declares.

A strategy is any object with two methods. For a noisy game, `first_move()` and `next_move(guess, epsilon, clues)`
return (guess, epsilon); for a classic game, `first_move()` and `next_move(guess, clues)` return a word. One object
plays all games; each game starts with a call of `first_move`.
"""

import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from wordpl.core import lazy_random, paths, words
from wordpl.core.errors import WordplError
from wordpl.core.words import WordLists
from wordpl.games import game_class

if TYPE_CHECKING:
    import numpy as np

DEFAULT_RULES = "wordpl/1"
MAX_ENTRIES = 3
MAX_NAME_CHARACTERS = 100


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
    lazy_random.seed_random_module(seed)
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
    """

    make: str
    name: str
    game: str


def import_file(path: Path) -> ModuleType:
    """Import a contestant's file as `strategies.NAME`, so that it can import other files in its folder.

    As this executes the code, only players do it. The module is always loaded from this source file, whose digest is
    recorded in runs, and never from bytecode, a package or an extension module of the same name.
    """
    # Created rather than imported, so that a contestant's __init__.py does not run in the players of other entries.
    package = sys.modules.setdefault("strategies", ModuleType("strategies"))
    package.__path__ = [str(path.parent), str(paths.bundled() / "strategies")]
    name = f"strategies.{path.stem}"
    if name in sys.modules and sys.modules[name].__file__ != str(path):  # a file of this name in another folder
        del sys.modules[name]
    if name not in sys.modules:
        loader = _SourceLoader(name, str(path))
        spec = ModuleSpec(name, loader, origin=str(path))
        spec.has_location = True
        module = sys.modules[name] = module_from_spec(spec)
        try:
            loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        setattr(package, path.stem, module)
    return sys.modules[name]


class _SourceLoader(SourceFileLoader):
    """Loads a module from its source, ignoring cached bytecode."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def make_strategy(module: ModuleType, make: str) -> Any:
    """Return the strategy that an expression creates in a module.

    Raises:
        EntryError: The value of the expression is not a strategy.
    """
    strategy = eval(make, vars(module))
    if not _has_methods(type(strategy)):
        raise EntryError(f"{make} is not a strategy: it needs the methods first_move and next_move.")
    return strategy


def declared_entries(module: ModuleType) -> Iterator[DeclaredEntry]:
    """Yield the entries of a file: its ENTRIES or, without that, its classes that need no arguments.

    Raises:
        EntryError: The file declares no valid entry.
    """
    makes = _listed_entries(module) if hasattr(module, "ENTRIES") else _class_entries(module)
    for make in makes:
        strategy = make_strategy(module, make)
        yield DeclaredEntry(make, name_of(strategy), str(getattr(strategy, "game", DEFAULT_RULES)))


def _listed_entries(module: ModuleType) -> list[str]:
    entries = module.ENTRIES
    if not isinstance(entries, (list, tuple)) or not 1 <= len(entries) <= MAX_ENTRIES:
        raise EntryError(f"ENTRIES must be a list of one to {MAX_ENTRIES} strategies.")
    return [f"ENTRIES[{i}]" for i in range(len(entries))]


def _class_entries(module: ModuleType) -> list[str]:
    classes = [
        value for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__ and _has_methods(value)
    ]  # fmt: skip
    if not classes:
        raise EntryError("it defines no strategy: none of its classes has the methods first_move and next_move.")
    required = {class_.__name__: _required_arguments(class_) for class_ in classes}
    ready = [f"{name}()" for name, arguments in required.items() if not arguments]
    if not ready:
        name, arguments = next(iter(required.items()))
        example = f"{name}({', '.join(f'{argument}=...' for argument in arguments)})"
        raise EntryError(
            f"{name} requires {', '.join(arguments)}: add defaults, list it in ENTRIES, or play it as '{example}'."
        )
    return ready[:MAX_ENTRIES]


def _has_methods(class_: type) -> bool:
    return callable(getattr(class_, "first_move", None)) and callable(getattr(class_, "next_move", None))


def _required_arguments(class_: type) -> list[str]:
    parameters = inspect.signature(class_).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def name_of(strategy: Any) -> str:
    """Return a strategy's name on the board: its str if it defines str or repr, otherwise the name of its class."""
    kind: Any = type(strategy)
    is_named = kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__
    return " ".join((str(strategy) if is_named else kind.__name__).split())
