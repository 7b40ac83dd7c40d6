"""Who is meant: ids first, then names, by the alias table and by who was seen with them; what is ambiguous stays so."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from wordpl.league.posts import Person

UNKNOWN = "Unknown"
"""What exports write for somebody whom they cannot name."""


class Alias(NamedTuple):
    """A name stands for a player, by id or by name, in the puzzles from first_number to last_number."""

    name: str
    player: str
    first_number: int
    last_number: int


class KnownName(NamedTuple):
    """Somebody with an id was last seen with a name then; shown: others see it."""

    id: str
    name: str
    shown: bool
    at: int


@dataclass(frozen=True)
class Meant:
    """Whom a source means. player: None if that stays open; candidates: the ids it could be."""

    player: Person | None
    candidates: tuple[str, ...] = ()


class Names:
    """Resolves people of one league.

    An alias holds in its puzzles. Else an id is itself; a name is the one id that was ever seen with it, a player of
    its own if none was, and open if several were.
    """

    def __init__(self, seen: Collection[KnownName], aliases: Iterable[Alias]):
        self._ids: dict[str, set[str]] = {}
        self._shown: dict[str, tuple] = {}
        for one in seen:
            self._ids.setdefault(one.name, set()).add(one.id)
            rank = one.shown, one.at, one.name
            self._shown[one.id] = max(self._shown.get(one.id, rank), rank)
        self.aliases: dict[str, list[Alias]] = {}
        for alias in sorted(aliases):
            self.aliases.setdefault(alias.name, []).append(alias)

    def meant(self, person: Person) -> Meant:
        """Return whom a person is, where no alias holds."""
        if person.is_id:
            return Meant(person)
        ids = sorted(self._ids.get(person.key, ()))
        if len(ids) == 1:
            return Meant(Person(ids[0], True))
        return Meant(None if ids or person.key == UNKNOWN else person, tuple(ids))

    def target(self, alias: Alias) -> Meant:
        """Return whom an alias stands for."""
        known = alias.player in self._shown
        return Meant(Person(alias.player, True)) if known else self.meant(Person(alias.player, False))

    def labels(self, players: Iterable[Person]) -> dict[Person, str]:
        """Return what each player is called: the newest name shown, with the id where two share it."""
        names = {player: self._shown[player.key][2] if player.key in self._shown else player.key for player in players}
        counts: dict[str, int] = {}
        for name in names.values():
            counts[name] = counts.get(name, 0) + 1
        return {
            player: f"{name} ({player.key})" if counts[name] > 1 and player.is_id else name
            for player, name in names.items()
        }

    def called(self, text: str) -> Meant:
        """Return who is called so: by id, alias or name."""
        targets = {self.target(alias).player for alias in self.aliases.get(text, ())}
        if len(targets) == 1:
            return Meant(targets.pop())
        return self.meant(Person(text, text in self._shown))
