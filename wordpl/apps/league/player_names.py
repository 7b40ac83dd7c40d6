"""Resolution of names to players, by the alias table, by ids, and by the names that ids were seen with."""

import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from wordpl.apps.league.posts import Person

UNKNOWN = "Unknown"
"""The name that exports give to a user they cannot identify."""
MIN_ID_DIGITS = 15
"""The minimum number of digits of a Discord id; a shorter number is a name."""
MIN_SIMILARITY = 0.7
MAX_SUGGESTIONS = 3


class Alias(NamedTuple):
    """An entry of the alias table: a name stands for a player in a range of puzzles.

    Attributes:
        name: The name or id that was reported.
        player: The id or the name of the player; equal to `name` for a separate player.
        first_number: The first puzzle for which the alias holds.
        last_number: The last puzzle for which it holds.
    """

    name: str
    player: str
    first_number: int
    last_number: int


class KnownName(NamedTuple):
    """A name that an id was seen with.

    Attributes:
        id: The id.
        name: The name.
        shown: True if this is the name that others see, False if it is the account name.
        at: When it was last seen, in milliseconds since 1970.
        is_member: Whether it comes from the server's list of members, the only source of nicknames.
    """

    id: str
    name: str
    shown: bool
    at: int
    is_member: bool = False


@dataclass(frozen=True)
class ResolvedName:
    """The player that a name stands for.

    Attributes:
        player: The player; None if the name is ambiguous.
        candidates: The ids that match the name.
    """

    player: Person | None
    candidates: tuple[str, ...] = ()


def plain_name(name: str) -> str:
    """Return the name in Unicode compatibility form (NFKC) and without case.

    >>> plain_name("Ｆｌａｍｅ91") == plain_name("flame91")
    True
    """
    return unicodedata.normalize("NFKC", name).casefold().strip()


def bare_name(name: str) -> str:
    """Return only the letters and digits of a plain name, or the whole plain name if it has none.

    >>> bare_name("★ Flame_91 🔥")
    'flame91'
    """
    plain = plain_name(name)
    return "".join(character for character in plain if character.isalnum()) or plain


class NameResolver:
    """Resolves the people of one league to players.

    1. An alias decides in the puzzles for which it holds.
    2. An id stands for itself.
    3. A name stands for the only id that was ever seen with it: first exactly as written, then in its plain form (see
       `plain_name`), then in its bare form (see `bare_name`). If several ids match, the name is ambiguous.
    4. A name that matches no id is a player of its own, one for all spellings with the same plain form.

    Attributes:
        ids_of_names: The ids that were seen with each name, exactly as written.
        aliases: The aliases by name.
    """

    def __init__(self, known_names: Collection[KnownName], aliases: Iterable[Alias]):
        self._ids: tuple[dict[str, set[str]], ...] = ({}, {}, {})
        self.ids_of_names = self._ids[0]
        self._shown: dict[str, tuple[bool, bool, int, str]] = {}
        for known_name in known_names:
            for ids, form in zip(self._ids, _forms(known_name.name), strict=True):
                ids.setdefault(form, set()).add(known_name.id)
            rank = known_name.is_member and known_name.shown, known_name.shown, known_name.at, known_name.name
            self._shown[known_name.id] = max(self._shown.get(known_name.id, rank), rank)
        self.aliases: dict[str, list[Alias]] = {}
        for alias in sorted(aliases):
            self.aliases.setdefault(alias.name, []).append(alias)

    @property
    def ids_known(self) -> frozenset[str]:
        """The ids that were seen with a name."""
        return frozenset(self._shown)

    def resolve(self, person: Person) -> ResolvedName:
        """Return the player that a person stands for when no alias applies."""
        if person.is_id:
            return ResolvedName(person)
        if person.key == UNKNOWN:
            return ResolvedName(None)
        for ids_by_form, form in zip(self._ids, _forms(person.key), strict=True):
            ids = sorted(ids_by_form.get(form, ()))
            if ids:
                return ResolvedName(Person(ids[0], True) if len(ids) == 1 else None, tuple(ids))
        return ResolvedName(Person(plain_name(person.key), False))

    def resolve_alias(self, alias: Alias) -> ResolvedName:
        """Return the player that an alias stands for; an alias for its own name is a separate player."""
        if alias.player == alias.name:
            return ResolvedName(Person(plain_name(alias.name), False))
        is_id = alias.player in self._shown or (alias.player.isdigit() and len(alias.player) >= MIN_ID_DIGITS)
        return ResolvedName(Person(alias.player, True)) if is_id else self.resolve(Person(alias.player, False))

    def labels(self, players: Iterable[Person], spellings: Iterable[Person] = ()) -> dict[Person, str]:
        """Return the display name of each player.

        This is the nickname, or else the name that others saw last. Players who share a name get their id added.

        Args:
            players: The players.
            spellings: The people without an id as the sources spell them.
        """
        written: dict[str, str] = {}
        for person in spellings:
            form = plain_name(person.key)
            written[form] = min(written.get(form, person.key), person.key)
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

    def look_up(self, text: str) -> ResolvedName:
        """Return the player with this id, alias or name."""
        targets = {self.resolve_alias(alias).player for alias in self.aliases.get(text, ())}
        if len(targets) == 1:
            return ResolvedName(targets.pop())
        return self.resolve(Person(text, text in self._shown))

    def suggestions(self, name: str) -> tuple[str, ...]:
        """Return the ids of people with similar names, most similar first."""
        searched = bare_name(name)
        scores: dict[str, float] = {}
        for similar, ids in self._ids[2].items():
            score = SequenceMatcher(None, searched, similar).ratio()
            if len(min(searched, similar, key=len)) > 2 and (searched in similar or similar in searched):
                score = max(score, MIN_SIMILARITY)
            for id in ids if score >= MIN_SIMILARITY else ():
                scores[id] = max(scores.get(id, 0), score)
        return tuple(sorted(scores, key=lambda id: (-scores[id], id))[:MAX_SUGGESTIONS])

    def shown_name(self, id: str) -> str:
        """Return the name that others see for this id, or the id itself if no name is known."""
        return self._shown[id][3] if id in self._shown else id


def _forms(name: str) -> tuple[str, str, str]:
    return name, plain_name(name), bare_name(name)
