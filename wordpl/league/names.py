"""Who is meant: ids first, then names, by the alias table and by who was seen with them; what is ambiguous stays so."""

import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from wordpl.league.posts import Person

UNKNOWN = "Unknown"
"""What exports write for somebody whom they cannot name."""
MIN_ID_DIGITS = 15
"""Digits of the shortest Discord id; a shorter number is a name."""
MIN_SIMILARITY = 0.7
MAX_SUGGESTIONS = 3


class Alias(NamedTuple):
    """A name stands for a player, by id or by name, in the puzzles from first_number to last_number."""

    name: str
    player: str
    first_number: int
    last_number: int


class KnownName(NamedTuple):
    """A name that somebody with an id was last seen with at a time.

    shown: others see this name; False for the account's own name. is_member: it is from the server's list of members,
    which alone knows nicknames.
    """

    id: str
    name: str
    shown: bool
    at: int
    is_member: bool = False


@dataclass(frozen=True)
class Meant:
    """Whom a source means. player: None if that stays open; candidates: the ids it could be."""

    player: Person | None
    candidates: tuple[str, ...] = ()


def plain_name(name: str) -> str:
    """Return the name without regard to case and compatibility forms.

    >>> plain_name("Ｆｌａｍｅ91") == plain_name("flame91")
    True
    """
    return unicodedata.normalize("NFKC", name).casefold().strip()


def bare_name(name: str) -> str:
    """Return the name's letters and digits alone; the plain name where it has none.

    >>> bare_name("★ Flame_91 🔥")
    'flame91'
    """
    plain = plain_name(name)
    return "".join(one for one in plain if one.isalnum()) or plain


class Names:
    """Resolves people of one league.

    An alias holds in its puzzles. Else an id is itself. A name is the one id that was ever seen with it: as it is
    written, else without regard to case and compatibility forms, else by its letters and digits alone. Where several
    ids were, it stays open; where none was, it is a player of its own, one for all its spellings.
    """

    def __init__(self, seen: Collection[KnownName], aliases: Iterable[Alias]):
        self._ids: tuple[dict[str, set[str]], ...] = ({}, {}, {})
        self._shown: dict[str, tuple[bool, bool, int, str]] = {}
        for one in seen:
            for ids, form in zip(self._ids, _forms(one.name), strict=True):
                ids.setdefault(form, set()).add(one.id)
            rank = one.is_member and one.shown, one.shown, one.at, one.name
            self._shown[one.id] = max(self._shown.get(one.id, rank), rank)
        self.aliases: dict[str, list[Alias]] = {}
        for alias in sorted(aliases):
            self.aliases.setdefault(alias.name, []).append(alias)

    def meant(self, person: Person) -> Meant:
        """Return whom a person is, where no alias holds."""
        if person.is_id:
            return Meant(person)
        if person.key == UNKNOWN:
            return Meant(None)
        for known, form in zip(self._ids, _forms(person.key), strict=True):
            ids = sorted(known.get(form, ()))
            if ids:
                return Meant(Person(ids[0], True) if len(ids) == 1 else None, tuple(ids))
        return Meant(Person(plain_name(person.key), False))

    def target(self, alias: Alias) -> Meant:
        """Return whom an alias stands for; its own name means a player who is nobody else."""
        if alias.player == alias.name:
            return Meant(Person(plain_name(alias.name), False))
        known = alias.player in self._shown or (alias.player.isdigit() and len(alias.player) >= MIN_ID_DIGITS)
        return Meant(Person(alias.player, True)) if known else self.meant(Person(alias.player, False))

    def labels(self, players: Iterable[Person], spellings: Iterable[Person] = ()) -> dict[Person, str]:
        """Return what each player is called: the nickname, else the newest name shown, with the id where two share it.

        Args:
            players: The players.
            spellings: How sources write the names of those without an id.
        """
        written: dict[str, str] = {}
        for one in spellings:
            form = plain_name(one.key)
            written[form] = min(written.get(form, one.key), one.key)
        names = {
            player: self._shown[player.key][3] if player.key in self._shown else written.get(player.key, player.key)
            for player in players
        }
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

    def suggestions(self, name: str) -> tuple[str, ...]:
        """Return the ids of people whose names are like this one, the likest first."""
        wanted = bare_name(name)
        scores: dict[str, float] = {}
        for known, ids in self._ids[2].items():
            score = SequenceMatcher(None, wanted, known).ratio()
            if len(min(wanted, known, key=len)) > 2 and (wanted in known or known in wanted):
                score = max(score, MIN_SIMILARITY)
            for id in ids if score >= MIN_SIMILARITY else ():
                scores[id] = max(scores.get(id, 0), score)
        return tuple(sorted(scores, key=lambda id: (-scores[id], id))[:MAX_SUGGESTIONS])

    def shown_name(self, id: str) -> str:
        """Return what others see as the name of this id, the id itself where that is not known."""
        return self._shown[id][3] if id in self._shown else id


def _forms(name: str) -> tuple[str, str, str]:
    return name, plain_name(name), bare_name(name)
