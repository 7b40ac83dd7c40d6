"""What people decide about their own data: what is stored of them, that it is forgotten, and what they choose.

Forgetting removes a person's results, names, ids, grids, aliases and log entries. Of the ids and names, a digest with
the league's secret salt is kept, by which later imports and syncs recognize and skip the person.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from wordpl.apps.league.database import (
    accepted,
    alias_changes,
    aliases,
    announcements,
    batched,
    choices,
    forgotten,
    from_ms,
    imports,
    insert,
    leagues,
    members,
    people,
    posts,
    replaced,
    results,
    sightings,
    unread,
    upsert,
)
from wordpl.apps.league.player_names import Alias, NameResolver, bare_name
from wordpl.apps.league.posts import NO_NUMBER, DiscordUser, Person, ReportedResult, ResultPost
from wordpl.core.messages import UserError, did_you_mean
from wordpl.core.puzzles import LAST_NUMBER, day_of, number_summarized_at

REMIND, HIDE = "remind", "hide"
"""Choices of a person: to be reminded of today's puzzle, and not to be shown on the league's site."""
SOMEBODY = "(somebody who was forgotten)"


class _Range(NamedTuple):
    first: int
    last: int


@dataclass(frozen=True)
class Forgotten:
    """The people that a league has forgotten, known only by digests.

    Attributes:
        salt: The league's secret salt.
        ranges: The puzzles from which each digest is left out.
    """

    salt: str
    ranges: dict[str, _Range]

    def digest(self, person: Person) -> str:
        """Return the digest of an id or of a name, whose case and decoration do not matter."""
        text = f"id {person.key}" if person.is_id else f"name {bare_name(person.key)}"
        return blake2b(text.encode(), key=bytes.fromhex(self.salt), digest_size=16).hexdigest()

    def covers(self, person: Person, number: int | None = None) -> bool:
        """Return whether the person is forgotten, in this puzzle or, without a number, in all."""
        span = self.ranges.get(self.digest(person))
        if span is None:
            return False
        return span == (0, LAST_NUMBER) if number is None else span.first <= number <= span.last

    def without(self, read: Iterable[ResultPost]) -> Iterable[ResultPost]:
        """Yield the posts without the results of forgotten people, and no post in which nothing else was reported."""
        for post in read:
            kept = tuple(result for result in post.results if not self.covers(result.person, _number(post, result)))
            if len(kept) == len(post.results):
                yield post
            elif kept:
                yield replace(post, results=kept)


def _number(post: ResultPost, result: ReportedResult) -> int:
    return number_summarized_at(post.posted) if result.number == NO_NUMBER and post.posted else result.number


def read_forgotten(connection: Connection, league_id: int) -> Forgotten:
    """Return the people that the league has forgotten."""
    salt = connection.execute(sa.select(leagues.c.salt).where(leagues.c.id == league_id)).scalar_one()
    columns = (forgotten.c.digest, forgotten.c.first_number, forgotten.c.last_number)
    rows = connection.execute(sa.select(*columns).where(forgotten.c.league_id == league_id))
    return Forgotten(salt, {digest: _Range(first, last) for digest, first, last in rows})


@dataclass(frozen=True)
class Identity:
    """Everything by which a league knows one person.

    Attributes:
        player: The player.
        ids: The ids of the accounts.
        names: The names.
        spans: Names and ids that stand for the player in a part of the puzzles only.
        shared: Those of `names` that others use too.
    """

    player: Person
    ids: frozenset[str]
    names: frozenset[str]
    spans: tuple[Alias, ...]
    shared: frozenset[str]

    @property
    def keys(self) -> frozenset[str]:
        """The ids and the names."""
        return self.ids | self.names


def identify(connection: Connection, league_id: int, text: str, names: NameResolver) -> Identity:
    """Return everything by which the league knows the person with this name or id.

    Raises:
        UserError: Nobody is known by it, or several people are.
    """
    in_league = people.c.league_id == league_id
    stored = [Person(*row) for row in connection.execute(sa.select(people.c.key, people.c.is_id).where(in_league))]
    found = names.look_up(text)
    player = Person(text, True) if Person(text, True) in stored else found.player
    if player is None:
        raise UserError(f"{text!r} could be {' or '.join(found.candidates) or 'anybody'}: give the id.")
    every_alias = [alias for entries in names.aliases.values() for alias in entries]
    spans = [alias for alias in every_alias if names.resolve_alias(alias).player == player]
    whole = {alias.name for alias in spans if (alias.first_number, alias.last_number) == (0, LAST_NUMBER)}
    own = [
        person
        for person in stored
        if person.key in whole or (person.key not in names.aliases and names.resolve(person).player == player)
    ]
    ids = {person.key for person in own if person.is_id} | ({player.key} if player.is_id else set())
    ids |= {name for name in whole if name in names.ids_known}
    seen = {name for name, known in names.ids_of_names.items() if known & ids}
    everything = {person.key for person in own if not person.is_id} | (whole - ids) | seen
    if not player.is_id:
        everything |= {text}
    if not own and not (ids & names.ids_known) and not spans:
        known_names = {person.key for person in stored if not person.is_id} | set(names.ids_of_names)
        raise UserError(f"nobody is known as {text!r}.{did_you_mean(text, known_names)}")
    shared = {name for name in everything if names.ids_of_names.get(name, set()) - ids}
    partial = tuple(alias for alias in spans if alias.name not in whole and alias.name not in ids)
    return Identity(player, frozenset(ids), frozenset(everything), partial, frozenset(shared))


def forget(connection: Connection, league_id: int, who: Identity, today: int) -> int:
    """Remove a person from the league and return the number of results that were removed.

    Args:
        connection: A connection in a transaction.
        league_id: The id of the league's row.
        who: The person.
        today: The number of today's puzzle: names that others use too stand for them from tomorrow on.
    """
    known = read_forgotten(connection, league_id)
    spans = {Person(id, True): _Range(0, LAST_NUMBER) for id in who.ids}
    for name in who.names:
        spans[Person(name, False)] = _Range(0, today if name in who.shared else LAST_NUMBER)
    for alias in who.spans:
        spans.setdefault(Person(alias.name, False), _Range(alias.first_number, alias.last_number))
    rows = [
        {"league_id": league_id, "digest": known.digest(person), "first_number": span.first, "last_number": span.last}
        for person, span in spans.items()
    ]
    upsert(connection, forgotten, list({row["digest"]: row for row in rows}.values()))
    n_removed = _remove_results(connection, league_id, who)
    _remove_traces(connection, league_id, who)
    return n_removed


def _remove_results(connection: Connection, league_id: int, who: Identity) -> int:
    in_league = people.c.league_id == league_id
    rows = connection.execute(sa.select(people.c.id, people.c.key, people.c.is_id).where(in_league)).all()
    own = {row.id for row in rows if row.key in (who.ids if row.is_id else who.names)}
    partial = {alias.name: alias for alias in who.spans}
    n_removed, touched = 0, set[int]()
    for row in rows:
        where = results.c.person_id == row.id
        if row.id not in own and row.key not in partial:
            continue
        if row.id not in own:
            where &= _in_range(connection, row.id, partial[row.key])
        touched.update(connection.execute(sa.select(results.c.post_id).where(where)).scalars())
        n_removed += connection.execute(sa.delete(results).where(where)).rowcount
    for part in batched(own):
        connection.execute(sa.delete(people).where(people.c.id.in_(part)))
    _remove_kept(connection, league_id, own)
    for part in batched(touched):
        has_others = sa.select(results.c.post_id).where(results.c.post_id == posts.c.id).exists()
        connection.execute(sa.delete(posts).where(posts.c.id.in_(part), posts.c.posted.is_not(None), ~has_others))
    return n_removed


def _in_range(connection: Connection, person_id: int, alias: Alias) -> sa.ColumnElement[bool]:
    """Return which results of a name are of the puzzles of an alias; one in a summary is of the puzzle of its post."""
    of_summary = (results.c.person_id == person_id) & (results.c.number == NO_NUMBER)
    query = sa.select(posts.c.id, posts.c.number, posts.c.posted).where(results.c.post_id == posts.c.id, of_summary)
    inside = []
    for post, number, posted in connection.execute(query):
        puzzle = number_summarized_at(from_ms(posted)) if number is None else number
        if alias.first_number <= puzzle <= alias.last_number:
            inside.append(post)
    is_typed = results.c.number.between(alias.first_number, alias.last_number)
    return is_typed | ((results.c.number == NO_NUMBER) & results.c.post_id.in_(inside))


def _remove_kept(connection: Connection, league_id: int, own: Collection[int]) -> None:
    """Remove the results of people from what imports have kept for an undo."""
    person = results.c.keys().index("person_id")
    for row in connection.execute(sa.select(replaced).where(replaced.c.league_id == league_id)).all():
        post, said = msgspec.json.decode(row.before)
        left = [values for values in said if values[person] not in own]
        if len(left) < len(said):
            where = (replaced.c.league_id == league_id) & (replaced.c.number == row.number)
            kept = sa.update(replaced).where(where, replaced.c.post_id == row.post_id)
            connection.execute(kept.values(before=msgspec.json.encode([post, left]).decode()))


def _remove_traces(connection: Connection, league_id: int, who: Identity) -> None:
    """Remove the names, the aliases, the log entries, the choices and the posts of the bot that name the person."""
    for table in (sightings, members):
        where = (table.c.league_id == league_id) & table.c.person.in_(who.ids)
        connection.execute(sa.delete(table).where(where))
    keys = who.keys | {alias.name for alias in who.spans}
    for table in (aliases, alias_changes):
        is_about = table.c.name.in_(keys) | table.c.player.in_(keys)
        connection.execute(sa.delete(table).where(table.c.league_id == league_id, is_about))
    for table in (accepted, choices):
        connection.execute(sa.delete(table).where(table.c.league_id == league_id, table.c.person.in_(keys)))
    for table in (alias_changes, accepted):
        where = (table.c.league_id == league_id) & table.c.actor.in_(keys)
        connection.execute(sa.update(table).where(where).values(actor=SOMEBODY))
    by_them = (unread.c.league_id == league_id) & unread.c.author.in_(who.ids)
    connection.execute(sa.update(unread).where(by_them).values(author=""))
    files = sa.select(imports.c.number, imports.c.files).where(imports.c.league_id == league_id)
    for number, names in connection.execute(files).all():
        if _names_any(names, who.keys):
            where = (imports.c.league_id == league_id) & (imports.c.number == number)
            connection.execute(sa.update(imports).where(where).values(files=""))
    in_league = announcements.c.league_id == league_id
    told = connection.execute(sa.select(announcements).where(in_league, announcements.c.message != "")).all()
    for row in told:
        if _names_any(row.message, who.keys):
            where = in_league & (announcements.c.kind == row.kind) & (announcements.c.period == row.period)
            connection.execute(sa.update(announcements).where(where).values(message=""))


def _names_any(text: str, keys: Collection[str]) -> bool:
    plain = text.replace("\\", "").casefold()
    return any(key.casefold() in plain or key.replace("`", "'").casefold() in plain for key in keys)


def stored_data(connection: Connection, league_id: int, who: Identity) -> dict[str, object]:
    """Return everything that the league stores of a person, in values that JSON can represent."""
    in_league = people.c.league_id == league_id
    columns = (posts.c.source, posts.c.posted, results.c.number, results.c.guesses, results.c.hard, results.c.grid)
    rows = connection.execute(
        sa.select(*columns, people.c.key, people.c.is_id)
        .where(results.c.post_id == posts.c.id, results.c.person_id == people.c.id, in_league)
        .where(people.c.key.in_(who.keys))
        .order_by(posts.c.posted, results.c.number)
    ).all()
    chosen = sa.select(choices.c.choice).where(choices.c.league_id == league_id, choices.c.person.in_(who.keys))
    log = sa.select(alias_changes).where(
        alias_changes.c.league_id == league_id,
        alias_changes.c.name.in_(who.keys) | alias_changes.c.player.in_(who.keys) | alias_changes.c.actor.in_(who.keys),
    )
    return {
        "accounts": sorted(who.ids),
        "names": sorted(who.names),
        "choices": sorted(connection.execute(chosen).scalars()),
        "changes_by_or_about": [f"{row.action} {row.name} {row.player}" for row in connection.execute(log)],
        "results": [
            {
                "source": row.source,
                "posted": None if row.posted is None else from_ms(row.posted).isoformat(),
                "puzzle": None if row.number == NO_NUMBER else row.number,
                "day": None if row.number == NO_NUMBER else day_of(row.number).isoformat(),
                "guesses": row.guesses,
                "hard": bool(row.hard),
                "grid": row.grid,
            }
            for row in rows
            if row.is_id == (row.key in who.ids)
        ],
    }


def kept_members(
    connection: Connection, league_id: int, listed: Iterable[DiscordUser], today: int
) -> list[DiscordUser]:
    """Return the members who are not forgotten.

    The app's summaries name some people without their ids, so that digests are kept of the names that forgotten members
    have now, unless somebody else has them too. They are left out from yesterday's puzzle on.

    Args:
        connection: A connection in a transaction.
        league_id: The id of the league's row.
        listed: All members, or some of them.
        today: The number of today's puzzle.
    """
    known, by_forgotten = read_forgotten(connection, league_id), dict[bool, list[DiscordUser]]({True: [], False: []})
    for member in listed:
        by_forgotten[known.covers(Person(member.id, True))].append(member)
    if by_forgotten[True]:
        used = sa.select(sightings.c.name).where(sightings.c.league_id == league_id)
        others = {bare_name(name) for name in connection.execute(used).scalars()}
        others |= {bare_name(name) for member in by_forgotten[False] for name in member.names}
        named = {name for member in by_forgotten[True] for name in member.names if bare_name(name) not in others}
        rows = [
            {"digest": known.digest(Person(name, False)), "first_number": today - 1, "last_number": LAST_NUMBER}
            for name in named
            if not known.covers(Person(name, False), today)
        ]
        if rows:
            statement = insert(connection, forgotten).values([{"league_id": league_id} | row for row in rows])
            connection.execute(statement.on_conflict_do_nothing())
    return by_forgotten[False]
