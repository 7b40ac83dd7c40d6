"""The rows of posts and results: how a league's reports are read from the database, written, and kept for an undo."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from secrets import token_hex
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from wordpl.apps.league.database import (
    accepted,
    aliases,
    batched,
    insert,
    insert_all,
    leagues,
    members,
    people,
    posts,
    raise_if_damaged,
    replaced,
    results,
    sightings,
    to_ms,
)
from wordpl.apps.league.player_names import Alias, KnownName, NameResolver
from wordpl.apps.league.posts import NO_NUMBER, DayFrom, DiscordUser, Person, ReportedResult, ResultPost, Sighting
from wordpl.apps.league.privacy import read_forgotten
from wordpl.apps.league.resolve import LeagueOptions, LeagueReports

FETCH_SIZE = 20_000
"""Rows fetched at a time."""
WITHDRAWN = "withdrawn"
"""Version of a post whose message was deleted; greater than all others, so that no older copy restores it."""


def read_aliases(connection: Connection, league_id: int) -> list[Alias]:
    """Return the alias table, sorted by name and first puzzle."""
    columns = (aliases.c.name, aliases.c.player, aliases.c.first_number, aliases.c.last_number)
    rows = connection.execute(sa.select(*columns).where(aliases.c.league_id == league_id))
    return sorted(Alias(*row) for row in rows)


def members_of(league_id: int) -> sa.Select[Any]:
    """Return a query of a server's members with their names."""
    columns = (members.c.person, members.c.nickname, members.c.global_name, members.c.account)
    return sa.select(*columns).where(members.c.league_id == league_id).order_by(members.c.person)


def read_names(connection: Connection, league_id: int) -> NameResolver:
    """Return the league's name resolver, built from the members' names, all names ever seen, and the aliases."""
    columns = (sightings.c.person, sightings.c.name, sightings.c.shown, sightings.c.seen)
    rows = connection.execute(sa.select(*columns).where(sightings.c.league_id == league_id))
    known_names = [KnownName(*row) for row in rows]
    for member in (DiscordUser(*row) for row in connection.execute(members_of(league_id))):
        known_names += [
            KnownName(member.id, name, is_shown, 0, name == member.shown) for name, is_shown in member.names.items()
        ]
    return NameResolver(known_names, read_aliases(connection, league_id))


def read_options(connection: Connection, league_id: int) -> LeagueOptions:
    """Return what the league has chosen."""
    columns = (leagues.c.zone, leagues.c.x_is_seven, leagues.c.deadline_days, leagues.c.missed)
    return LeagueOptions(*connection.execute(sa.select(*columns).where(leagues.c.id == league_id)).one())


def read_reports(connection: Connection, league_id: int, channel: str | None = None) -> LeagueReports:
    """Return everything that the league's sources report.

    Args:
        connection: A connection.
        league_id: The id of the league's row.
        channel: The id of a channel, to return only what was posted there.
    """
    in_league = posts.c.league_id == league_id
    if channel is not None:
        in_league &= posts.c.channel == channel
    post_ids, post_table = _post_table(connection, in_league)
    known = sa.select(people.c.id, people.c.key, people.c.is_id).filter_by(league_id=league_id)
    person_rows = connection.execute(known.order_by(people.c.id)).all()
    late = sa.select(accepted.c.person, accepted.c.is_id, accepted.c.number).filter_by(league_id=league_id)
    accepted_rows = connection.execute(late)
    return LeagueReports(
        people=[Person(key, is_id) for _, key, is_id in person_rows],
        posts=post_table,
        results=_result_table(connection, in_league, post_ids, [id for id, *_ in person_rows]),
        options=read_options(connection, league_id),
        accepted=frozenset((Person(key, is_id), number) for key, is_id, number in accepted_rows),
    )


def _post_table(connection: Connection, in_league: sa.ColumnElement[bool]) -> tuple[Sequence[int], pd.DataFrame]:
    """Return the ids of the posts in ascending order, and what is known about each."""
    rows = connection.execute(
        sa.select(posts.c.id, posts.c.day_from, posts.c.posted, posts.c.is_local, posts.c.number, posts.c.channel)
        .where(in_league)
        .order_by(posts.c.id)
    ).all()
    ids, day_from, posted, is_local, numbers, channels = zip(*rows, strict=True) if rows else [()] * 6
    return ids, pd.DataFrame(
        {
            "day_from": np.array(day_from, np.int8),
            "posted": np.array([-1 if at is None else at for at in posted], np.int64),
            "is_local": np.array(is_local, bool),
            "number": np.array([NO_NUMBER if n is None else n for n in numbers], np.int64),
            "channel": pd.factorize(np.array(channels, object))[0],
        }
    )


def _result_table(
    connection: Connection, in_league: sa.ColumnElement[bool], post_ids: Sequence[int], person_ids: Sequence[int]
) -> pd.DataFrame:
    """Return the reported results; posts and people are numbered by their places in the sequences of ids."""
    reported = sa.func.coalesce(results.c.reported, -1)
    is_current = sa.cast(results.c.is_current, sa.Integer)
    columns = (results.c.post_id, results.c.person_id, results.c.number, results.c.guesses, reported, is_current)
    post, person, number, guesses, reported_ms, current = _fetch_integers(
        connection,
        sa.select(*columns).where((results.c.post_id == posts.c.id) & in_league),
        (np.int32, np.int32, np.int32, np.int8, np.int64, np.bool_),
    )
    return pd.DataFrame(
        {
            "post": np.searchsorted(post_ids, post).astype(np.int32),
            "person": np.searchsorted(person_ids, person).astype(np.int32),
            "number": number,
            "guesses": guesses,
            "reported": reported_ms,
            "is_current": current,
        },
        copy=False,
    )


def _fetch_integers(connection: Connection, columns: sa.Select[Any], types: Sequence[type]) -> list[np.ndarray]:
    """Return the columns of a query of integers as arrays of these types."""
    cursor = connection.execute(columns).cursor
    assert cursor is not None  # a SELECT has one
    blocks: list[list[np.ndarray]] = [[np.empty(0, kind)] for kind in types]
    try:
        while rows := cursor.fetchmany(FETCH_SIZE):  # rows of the driver: SQLAlchemy's take twice the time
            table = np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, len(types))
            for block, values, kind in zip(blocks, table.T, types, strict=True):
                block.append(values.astype(kind))
    except sqlite3.DatabaseError as error:
        raise_if_damaged(error, str(connection.engine.url.database))
        raise
    columns_read = []
    while blocks:  # one by one, so that not all are held twice
        columns_read.append(np.concatenate(blocks.pop(0)))
    return columns_read


def upsert_league(connection: Connection, key: str, name: str, named: int) -> int:
    """Return the league's id, after creating the league if necessary, and lock it until the transaction ends.

    Args:
        connection: A connection in a transaction.
        key: The league's key.
        name: The league's name; ignored if a newer name is stored.
        named: When the league had this name, in milliseconds since 1970; -1 if unknown.
    """
    statement = insert(connection, leagues).values(key=key, name=name, named=named, salt=token_hex(16))
    newer = sa.tuple_(statement.excluded.named, statement.excluded.name) > sa.tuple_(leagues.c.named, leagues.c.name)
    newer_fields = {
        column: sa.case((newer, statement.excluded[column]), else_=leagues.c[column]) for column in ("name", "named")
    }
    statement = statement.on_conflict_do_update(index_elements=["key"], set_=newer_fields)
    return int(connection.execute(statement.returning(leagues.c.id)).scalar_one())


def write_sightings(
    connection: Connection, league_id: int, seen: Iterable[Sighting], import_number: int | None = None
) -> None:
    """Save when each name was last seen, and by which import first, if it is one."""
    newest: dict[tuple[str, str, bool], int] = {}
    known = read_forgotten(connection, league_id)
    for sighting in seen:
        if known.ranges and known.covers(Person(sighting.id, True)):
            continue
        key = sighting.id, sighting.name, sighting.shown
        newest[key] = max(newest.get(key, 0), to_ms(sighting.seen))
    columns = ("person", "name", "shown")
    rows = [
        {"league_id": league_id, **dict(zip(columns, key, strict=True)), "seen": last_seen}
        | {"import_number": import_number}
        for key, last_seen in newest.items()
    ]
    if rows:
        statement = insert(connection, sightings)
        latest = sa.case((statement.excluded.seen > sightings.c.seen, statement.excluded.seen), else_=sightings.c.seen)
        statement = statement.on_conflict_do_update(index_elements=["league_id", *columns], set_={"seen": latest})
        connection.execute(statement, rows)


@dataclass(eq=False)
class _PostRow:
    """The row of a post, with the changes to be written.

    Attributes:
        results: The results to write, each with the time at which a version of the post reported it and whether the
            newest version does.
        is_replaced: Whether the stored results are not current any more.
        is_changed: Whether the row itself changed.
    """

    source: str
    key: str
    channel: str = ""
    posted: int | None = None
    version: str = ""
    day_from: int = DayFrom.DATE
    number: int | None = None
    number_version: str = ""
    is_local: bool = False
    import_number: int | None = None
    id: int | None = None
    results: dict[ReportedResult, tuple[int | None, bool]] = field(default_factory=dict)
    is_replaced: bool = False
    is_changed: bool = False

    def merge(self, post: ResultPost) -> None:
        """Merge another reading of the post into the row."""
        if post.posted is None:
            self.is_changed |= post.wall_clock is not None and not self.is_local
            self.is_local |= post.wall_clock is not None
            self.day_from = post.day_from
            self._add(post, is_current=True)
            return
        if post.version > self.version:
            self.version, self.channel, self.posted = post.version, post.channel, to_ms(post.posted)
            self.is_replaced = self.is_changed = True
            self.results = {result: (reported, False) for result, (reported, _) in self.results.items()}
            self._add(post, is_current=True)
        elif self.version != WITHDRAWN:
            self._add(post, is_current=post.version == self.version)
        if post.results and self.version != WITHDRAWN:
            number = post.results[0].number if post.day_from == DayFrom.PICTURE else NO_NUMBER
            stored = self.day_from, self.number_version, NO_NUMBER if self.number is None else self.number
            if (post.day_from, post.version, number) > stored:
                self.day_from, self.number_version = post.day_from, post.version
                self.number = None if number == NO_NUMBER else number
                self.is_changed = True

    def _add(self, post: ResultPost, is_current: bool) -> None:
        reported = to_ms(post.reported) if post.reported and post.day_from == DayFrom.TEXT else None
        for result in post.results:
            # The number of a summary is that of its post.
            row = result if post.day_from == DayFrom.TEXT else result._replace(number=NO_NUMBER)
            before, was_current = self.results.get(row, (reported, False))
            first = min(reported, before) if reported is not None and before is not None else None
            self.results[row] = first, is_current or was_current

    def row(self, league_id: int) -> dict[str, object]:
        """Return the values of the row in the table `posts`."""
        columns = ["source", "key", "channel", "posted", "version", "day_from", "number", "number_version", "is_local"]
        columns += ["import_number"]
        return {"league_id": league_id} | {column: getattr(self, column) for column in columns}


def write_posts(
    connection: Connection, league_id: int, read: Sequence[ResultPost], import_number: int | None = None
) -> None:
    """Write posts: add new ones, replace posts by later versions, and keep when each result was first reported.

    Args:
        connection: A connection in a transaction.
        league_id: The id of the league's row.
        read: The posts.
        import_number: The import that brings them, if it can be undone.
    """
    known = read_forgotten(connection, league_id)
    read = list(known.without(read)) if known.ranges else read
    stored = _read_posts(connection, league_id, {(post.source, post.key) for post in read})
    for post in read:
        new = _PostRow(post.source, post.key, import_number=import_number)
        stored.setdefault((post.source, post.key), new).merge(post)
    if import_number is not None:
        changed = [
            row.id for row in stored.values() if row.id is not None and row.is_changed and row.posted is not None
        ]
        keep_before(connection, league_id, import_number, changed)
    _write_rows(connection, league_id, stored.values())
    ids = _person_ids(connection, league_id, {result.person for row in stored.values() for result in row.results})
    rows = (
        (
            *(row.id, ids[result.person], result.number, result.guesses, result.hard, result.grid, reported),
            *(is_current, import_number),
        )
        for row in stored.values()
        for result, (reported, is_current) in row.results.items()
    )
    if ids:
        insert_all(connection, _upsert_of_results(connection), rows)


def rewrite_posts(
    connection: Connection,
    league_id: int,
    keys: set[tuple[str, str]],
    read: Sequence[ResultPost],
    import_number: int | None = None,
) -> None:
    """Write posts that were read again: what earlier readings found in them, and this one does not, is removed.

    Args:
        connection: A connection in a transaction.
        league_id: The id of the league's row.
        keys: Source and key of all posts that were read again, also of those in which nothing was found.
        read: The posts in which something was found.
        import_number: The import that brings them, if it can be undone.
    """
    stored = _read_posts(connection, league_id, keys)
    ids = [row.id for row in stored.values() if row.id is not None and row.version != WITHDRAWN]
    if import_number is not None:
        keep_before(connection, league_id, import_number, ids)
    before: list[Any] = []
    for part in batched(ids):
        is_old = results.c.post_id.in_(part) & results.c.is_current
        before += connection.execute(sa.select(results).where(is_old, results.c.reported.is_not(None))).all()
        connection.execute(sa.delete(results).where(is_old))
        connection.execute(sa.update(posts).where(posts.c.id.in_(part)).values(version="", number_version=""))
    write_posts(connection, league_id, read, import_number)
    key = ("post_id", "person_id", "number", "guesses")
    same = sa.and_(*(results.c[name] == sa.bindparam(f"old_{name}") for name in key))
    first = sa.bindparam("old_reported", type_=sa.BigInteger)
    if before:  # what said the same before was reported then
        statement = sa.update(results).where(same, results.c.reported > first).values(reported=first)
        rows = [{f"old_{name}": getattr(row, name) for name in (*key, "reported")} for row in before]
        connection.execute(statement, rows)


def keep_before(connection: Connection, league_id: int, import_number: int, ids: Iterable[int]) -> None:
    """Keep what posts say before an import changes them, unless it has changed them before."""
    for part in batched(ids):
        said: dict[int, list[list[Any]]] = {}
        for row in connection.execute(sa.select(results).where(results.c.post_id.in_(part))):
            said.setdefault(row.post_id, []).append(list(row))
        rows = [
            {"league_id": league_id, "number": import_number, "post_id": row["id"]}
            | {"before": msgspec.json.encode([dict(row), said.get(row["id"], [])]).decode()}
            for row in connection.execute(sa.select(posts).where(posts.c.id.in_(part))).mappings().all()
        ]
        connection.execute(insert(connection, replaced).on_conflict_do_nothing(), rows)


def restore_before(connection: Connection, league_id: int, import_number: int) -> None:
    """Let the posts that an import changed say what they said before, unless something newer has changed them."""
    query = sa.select(replaced.c.post_id, replaced.c.before).filter_by(league_id=league_id, number=import_number)
    known = set(connection.execute(sa.select(people.c.id).where(people.c.league_id == league_id)).scalars())
    for post_id, text in connection.execute(query).all():
        row, said = msgspec.json.decode(text)
        of_post = results.c.post_id == post_id
        newer = sa.select(sa.func.max(results.c.import_number)).where(of_post)
        if (connection.execute(newer).scalar() or 0) > import_number and row["posted"] is not None:
            continue
        older = results.c.import_number.is_(None) | (results.c.import_number <= import_number)
        connection.execute(sa.delete(results).where(of_post, older))
        connection.execute(sa.update(posts).where(posts.c.id == post_id).values(row))
        kept = [dict(zip(results.c.keys(), values, strict=True)) for values in said if values[1] in known]
        if kept:
            connection.execute(insert(connection, results).on_conflict_do_nothing(), kept)


def _upsert_of_results(connection: Connection) -> sa.Insert:
    """Return the statement that inserts results; the earliest time stays, and what is current becomes current."""
    statement = insert(connection, results)
    new, old = statement.excluded, results.c
    earliest = sa.case((new.reported < old.reported, new.reported), (new.reported >= old.reported, old.reported))
    return statement.on_conflict_do_update(
        index_elements=["post_id", "person_id", "number", "guesses"],
        set_={"is_current": sa.or_(old.is_current, new.is_current), "reported": earliest},
        where=sa.or_(
            sa.and_(sa.not_(old.is_current), new.is_current),
            new.reported < old.reported,
            sa.and_(new.reported.is_(None), old.reported.is_not(None)),
        ),
    )


def _write_rows(connection: Connection, league_id: int, rows: Collection[_PostRow]) -> None:
    """Write the rows of the posts, set the ids of new ones, and mark the results that were replaced."""
    new = [row for row in rows if row.id is None]
    changed = [row for row in rows if row.id is not None and row.is_changed]
    if new:
        connection.execute(sa.insert(posts), [row.row(league_id) for row in new])
        ids = _read_posts(connection, league_id, {(row.source, row.key) for row in new})
        for row in new:
            row.id = ids[row.source, row.key].id
    for row in changed:
        connection.execute(sa.update(posts).where(posts.c.id == row.id).values(row.row(league_id)))
        if row.is_replaced:
            connection.execute(sa.update(results).where(results.c.post_id == row.id).values(is_current=False))


def _read_posts(connection: Connection, league_id: int, keys: set[tuple[str, str]]) -> dict[tuple[str, str], _PostRow]:
    stored_rows = {}
    for source in {source for source, _ in keys}:
        for part in batched(key for source_of_key, key in keys if source_of_key == source):
            where = (posts.c.league_id == league_id) & (posts.c.source == source) & posts.c.key.in_(part)
            for row in connection.execute(sa.select(posts).where(where)).mappings():
                values = {name: row[name] for name in row if name != "league_id"}
                stored_rows[source, row["key"]] = _PostRow(**values)
    return stored_rows


def _person_ids(connection: Connection, league_id: int, persons: set[Person]) -> dict[Person, int]:
    """Return the ids of the people's rows, after creating those that are missing."""
    ids = _known_people(connection, league_id, persons)
    if rows := [{"league_id": league_id, **person._asdict()} for person in sorted(persons - ids.keys())]:
        connection.execute(sa.insert(people), rows)
        ids = _known_people(connection, league_id, persons)
    return ids


def _known_people(connection: Connection, league_id: int, persons: set[Person]) -> dict[Person, int]:
    ids = {}
    for part in batched({person.key for person in persons}):
        where = (people.c.league_id == league_id) & people.c.key.in_(part)
        for row in connection.execute(sa.select(people).where(where)):
            ids[Person(row.key, row.is_id)] = row.id
    return ids
