"""The contestant's contract, and what a file of strategies declares.

A strategy is any object with two methods. For a noisy game `first_move()` and `next_move(guess, epsilon, clues)` return
(guess, epsilon); for a classic game `first_move()` and `next_move(guess, clues)` return a word. One object plays all
games, and `first_move` begins each of them.
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
    """A base class for those who want a generator, the word lists and a good name on the board. Nobody has to use it.

    Everything it offers is ready from the first move on, not yet in `__init__`.
    """

    game = DEFAULT_RULES
    """The game this strategy is made for."""

    _seed = 0
    _rng: "np.random.Generator | None" = None

    @property
    def rng(self) -> "np.random.Generator":
        """A random generator of this game's own: the same in every run with the same seed."""
        if self._rng is None:
            import numpy as np  # here and below: a class that needs no numbers should not wait for them

            self._rng = np.random.Generator(np.random.PCG64(self._seed))
        return self._rng

    @cached_property
    def rules(self) -> str:
        """The game being played: `game`, unless the host chose another of its kind."""
        return self.game

    @cached_property
    def lists(self) -> WordLists:
        """The contest's word lists."""
        return words.here()

    @property
    def guesses(self) -> "np.ndarray":
        """The words that can be guessed, an array of strings."""
        return _arrays(self.lists)[0]

    @property
    def answers(self) -> "np.ndarray":
        """The words that can be the secret, an array of strings."""
        return _arrays(self.lists)[1]

    @property
    def clue_rule(self) -> str:
        """How clues treat repeated letters in the game being played: a key of `wordpl.core.clues.CLUE_RULES`."""
        return game_class(self.rules).clue_rule

    def __repr__(self) -> str:
        """Return the class with the arguments it was made with, as far as it keeps them."""
        kept = {name: getattr(self, name) for name in inspect.signature(type(self)).parameters if hasattr(self, name)}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in kept.items())})"


@cache
def _arrays(lists: WordLists) -> tuple["np.ndarray", "np.ndarray"]:
    import numpy as np

    arrays = np.array(lists.guesses), np.array(lists.answers)
    for array in arrays:
        array.flags.writeable = False
    return arrays


def begin_game(strategy: Any, seed: int) -> None:
    """Seed everything a strategy may draw from in the game that begins."""
    lazy_random.seed_random_module(seed)
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed(seed & 0xFFFFFFFF)
    if isinstance(strategy, Strategy):
        strategy._seed, strategy._rng = seed, None


class EntryError(WordplError):
    """A file or an expression that gives no entry; the message says why and what would be right."""


@dataclass(frozen=True)
class DeclaredEntry:
    """An entry that a file declares: the expression that makes it there, its name on the board and its game."""

    make: str
    name: str
    game: str


def import_file(path: Path) -> ModuleType:
    """Import a contestant's file as `strategies.NAME`, where its siblings are found by their names.

    Only a player does this: the code runs. It is that of the file itself, whose digest runs keep: not of compiled code,
    a package or an extension module beside it, which Python would prefer by its name.
    """
    # Made here rather than imported: a contestant's __init__.py would run in the players of all others.
    package = sys.modules.setdefault("strategies", ModuleType("strategies"))
    package.__path__ = [str(path.parent), str(paths.bundled() / "strategies")]
    name = f"strategies.{path.stem}"
    if name in sys.modules and sys.modules[name].__file__ != str(path):  # another folder's file of this name
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
    """Loads a file by its source, whatever compiled code is kept of it."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def make_strategy(module: ModuleType, make: str) -> Any:
    """Return the strategy that the expression `make` gives in the module.

    Raises:
        EntryError: when it gives none.
    """
    strategy = eval(make, vars(module))
    if not _plays(type(strategy)):
        raise EntryError(f"{make} is no strategy: it needs the methods first_move and next_move.")
    return strategy


def declared_entries(module: ModuleType) -> Iterator[DeclaredEntry]:
    """Yield the entries of a file: its ENTRIES, or each of its classes that needs no arguments."""
    makes = _listed(module) if hasattr(module, "ENTRIES") else _classes(module)
    for make in makes:
        strategy = make_strategy(module, make)
        yield DeclaredEntry(make, name_of(strategy), str(getattr(strategy, "game", DEFAULT_RULES)))


def _listed(module: ModuleType) -> list[str]:
    entries = module.ENTRIES
    if not isinstance(entries, (list, tuple)) or not 1 <= len(entries) <= MAX_ENTRIES:
        raise EntryError(f"ENTRIES should be a list of one to {MAX_ENTRIES} strategies.")
    return [f"ENTRIES[{i}]" for i in range(len(entries))]


def _classes(module: ModuleType) -> list[str]:
    classes = [
        thing for thing in vars(module).values()
        if isinstance(thing, type) and thing.__module__ == module.__name__ and _plays(thing)
    ]  # fmt: skip
    if not classes:
        raise EntryError("it holds no strategy: no class of its own has the methods first_move and next_move.")
    needs = {thing.__name__: _required(thing) for thing in classes}
    ready = [f"{name}()" for name, arguments in needs.items() if not arguments]
    if not ready:
        name, arguments = next(iter(needs.items()))
        example = f"{name}({', '.join(f'{argument}=...' for argument in arguments)})"
        raise EntryError(
            f"{name} needs {', '.join(arguments)}: give them defaults, list it in ENTRIES, or play it as '{example}'."
        )
    return ready[:MAX_ENTRIES]


def _plays(thing: type) -> bool:
    return callable(getattr(thing, "first_move", None)) and callable(getattr(thing, "next_move", None))


def _required(thing: type) -> list[str]:
    parameters = inspect.signature(thing).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def name_of(strategy: Any) -> str:
    """Return a strategy's name on the board: its own str or repr, else its class."""
    kind: Any = type(strategy)
    named = kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__
    return " ".join((str(strategy) if named else kind.__name__).split())
