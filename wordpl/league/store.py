"""The store: a database of leagues, which are isolated from each other, and their results."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import chain
from secrets import token_hex
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from wordpl.core.messages import UserError
from wordpl.league.database import (
    accepted,
    aliases,
    answers,
    batched,
    choices,
    forgotten,
    insert,
    insert_all,
    leagues,
    members,
    open_database,
    overwrite_deleted,
    people,
    posts,
    progress,
    results,
    sightings,
    to_ms,
    unread,
    upsert,
)
from wordpl.league.player_names import Alias, KnownName, NameResolver
from wordpl.league.posts import (
    DISCORD,
    NO_NUMBER,
    UNFINISHED,
    DayFrom,
    DiscordUser,
    Person,
    ReportedResult,
    ResultPost,
    Sighting,
)
from wordpl.league.privacy import (
    forget,
    identify,
    kept_members,
    read_forgotten,
    stored_data,
)
from wordpl.league.puzzles import check_zone, today_in
from wordpl.league.resolve import (
    AFTER_DEADLINE,
    EDITED_AFTER_DEADLINE,
    LeagueOptions,
    LeagueReports,
    ResolvedLeague,
    resolve,
)

FETCH_SIZE = 20_000
"""Rows fetched at a time."""
WITHDRAWN = "withdrawn"
"""Version of a post whose message was deleted; greater than all others, so that no older copy restores it."""


def read_aliases(connection: Connection, league_id: int) -> list[Alias]:
    """Return the alias table, sorted by name and first puzzle."""
    columns = (aliases.c.name, aliases.c.player, aliases.c.first_number, aliases.c.last_number)
    rows = connection.execute(sa.select(*columns).where(aliases.c.league_id == league_id))
    return sorted(Alias(*row) for row in rows)


def _members(league_id: int) -> sa.Select[Any]:
    columns = (members.c.person, members.c.nickname, members.c.global_name, members.c.account)
    return sa.select(*columns).where(members.c.league_id == league_id).order_by(members.c.person)


def read_names(connection: Connection, league_id: int) -> NameResolver:
    """Return the league's name resolver, built from the members' names, all names ever seen, and the aliases."""
    columns = (sightings.c.person, sightings.c.name, sightings.c.shown, sightings.c.seen)
    rows = connection.execute(sa.select(*columns).where(sightings.c.league_id == league_id))
    known_names = [KnownName(*row) for row in rows]
    for member in (DiscordUser(*row) for row in connection.execute(_members(league_id))):
        known_names += [
            KnownName(member.id, name, is_shown, 0, name == member.shown) for name, is_shown in member.names.items()
        ]
    return NameResolver(known_names, read_aliases(connection, league_id))


def read_options(connection: Connection, league_id: int) -> LeagueOptions:
    """Return what the league has chosen."""
    columns = (leagues.c.zone, leagues.c.x_is_seven, leagues.c.deadline_days)
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
    while rows := cursor.fetchmany(FETCH_SIZE):  # rows of the driver: SQLAlchemy's take twice the time
        table = np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, len(types))
        for block, values, kind in zip(blocks, table.T, types, strict=True):
            block.append(values.astype(kind))
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


def write_sightings(connection: Connection, league_id: int, seen: Iterable[Sighting]) -> None:
    """Save when each name was last seen."""
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
        columns = ("source", "key", "channel", "posted", "version", "day_from", "number", "number_version", "is_local")
        return {"league_id": league_id} | {column: getattr(self, column) for column in columns}


def write_posts(connection: Connection, league_id: int, read: Sequence[ResultPost]) -> None:
    """Write posts: add new ones, replace posts by later versions, and keep when each result was first reported."""
    known = read_forgotten(connection, league_id)
    read = list(known.without(read)) if known.ranges else read
    stored = _read_posts(connection, league_id, {(post.source, post.key) for post in read})
    for post in read:
        stored.setdefault((post.source, post.key), _PostRow(post.source, post.key)).merge(post)
    _write_rows(connection, league_id, stored.values())
    ids = _person_ids(connection, league_id, {result.person for row in stored.values() for result in row.results})
    rows = (
        (row.id, ids[result.person], result.number, result.guesses, result.hard, result.grid, reported, is_current)
        for row in stored.values()
        for result, (reported, is_current) in row.results.items()
    )
    if ids:
        insert_all(connection, _upsert_of_results(connection), rows)


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
                stored_rows[source, row["key"]] = _PostRow(**{name: row[name] for name in row if name != "league_id"})
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


MAX_KEPT = 50
"""How many leagues, or channels of them, are kept resolved in memory."""
MAX_DEADLINE_DAYS = 3650


@dataclass(frozen=True)
class ChannelProgress:
    """Which messages of a channel have been read.

    Attributes:
        newest: The id of the newest message read; 0 if none.
        oldest: The id of the oldest message read; 0 if none.
        complete: Whether the channel has no older messages.
    """

    newest: int
    oldest: int
    complete: bool


class LeagueStore:
    """A database of leagues.

    Args:
        url: The URL of the database, see `open_database`.
        create: Whether to create a SQLite file that does not exist.
    """

    def __init__(self, url: str, create: bool = True):
        self._engine: Engine = open_database(url, create)
        self._resolved: OrderedDict[tuple[int, str | None], tuple[int, ResolvedLeague]] = OrderedDict()

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def leagues(self) -> dict[str, str]:
        """Return the names of the leagues by key: the id of a Discord server, or the name given on import."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(leagues.c.key, leagues.c.name).order_by(leagues.c.key))
            return {row.key: row.name for row in rows}

    def names_in(self, key: str) -> frozenset[str]:
        """Return the names of accounts and the aliases of the league with this key; none if there is no league."""
        if key not in self.leagues():
            return frozenset()
        names = self.find(key).names()
        return frozenset(names.ids_of_names) | frozenset(names.aliases)

    def servers_of(self, id: str) -> list[str]:
        """Return the keys of the leagues of Discord servers in which this user has results."""
        query = sa.select(leagues.c.key).join(people).where(people.c.key == id, people.c.is_id).order_by(leagues.c.key)
        with self._engine.connect() as connection:
            return [key for key in connection.execute(query).scalars() if key.isdigit()]

    def league(self, key: str, name: str | None = None, named: datetime | None = None) -> "League":
        """Return the league with this key, after creating it if necessary.

        Args:
            key: The id of a Discord server, or any name.
            name: A new name for the league; the key by default.
            named: When the league had this name; an older name never replaces a newer one.
        """
        with self._engine.begin() as connection:
            when = to_ms(named) if named else -1
            return League(self._engine, key, upsert_league(connection, key, name or key, when), self._resolved)

    def find(self, key: str | None = None) -> "League":
        """Return the league with this key or name, by default the only one in the store.

        Raises:
            UserError: There is no such league, or there are several.
        """
        names = self.leagues()
        if not names:
            raise UserError("the store is empty: import results with `wordpl league import FILE`.")
        keys = [league_key for league_key, name in names.items() if key is None or key in (league_key, name)]
        if key in names:
            keys = [key]
        if len(keys) != 1:
            listed = ", ".join(key if name == key else f"{key} ({name})" for key, name in names.items())
            fault = "the store has several leagues" if key is None else f"{len(keys)} leagues are called {key!r}"
            raise UserError(f"{fault}: use --league with one of {listed}.")
        with self._engine.connect() as connection:
            id = connection.execute(sa.select(leagues.c.id).where(leagues.c.key == keys[0])).scalar_one()
        return League(self._engine, keys[0], id, self._resolved)


class League:
    """The results of one group.

    Attributes:
        key: The id of its Discord server, or the name given on import.
        id: The id of its row in the database.
    """

    def __init__(
        self,
        engine: Engine,
        key: str,
        id: int,
        resolved: "OrderedDict[tuple[int, str | None], tuple[int, ResolvedLeague]]",
    ):
        self._engine, self.key, self.id, self._resolved = engine, key, id, resolved

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a transaction that locks the league for other writers; it is rolled back on any exception."""
        with self._engine.begin() as connection:
            where = leagues.c.id == self.id
            connection.execute(sa.update(leagues).where(where).values(changes=leagues.c.changes + 1))
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection for reading."""
        with self._engine.connect() as connection:
            yield connection

    def _rows(self, query: sa.Select[Any]) -> Sequence[Any]:
        with self.reading() as connection:
            return connection.execute(query).all()

    def add(self, new_posts: Sequence[ResultPost], sightings: Iterable[Sighting] = ()) -> None:
        """Add posts and seen names in one transaction."""
        with self.transaction() as connection:
            write_posts(connection, self.id, new_posts)
            write_sightings(connection, self.id, sightings)

    def withdraw_missing(self, channel: str, first: int, last: int, present: Collection[str]) -> int:
        """Remove the results of deleted messages and return how many such messages there were.

        Args:
            channel: The id of a channel.
            first: The first id of a range that was read without gaps.
            last: Its last id.
            present: The ids of the messages in this range that still exist.
        """
        where = (posts.c.league_id == self.id) & (posts.c.source == DISCORD) & (posts.c.channel == channel)
        where &= sa.cast(posts.c.key, sa.BigInteger).between(first, last)
        with self.transaction() as connection:
            rows = connection.execute(sa.select(posts.c.id, posts.c.key, posts.c.version).where(where)).all()
            deleted = [id for id, key, version in rows if key not in present and version != WITHDRAWN]
            restored = [id for id, key, version in rows if key in present and version == WITHDRAWN]
            for part in batched(deleted):
                connection.execute(sa.delete(results).where(results.c.post_id.in_(part)))
                connection.execute(sa.update(posts).where(posts.c.id.in_(part)).values(version=WITHDRAWN))
            for part in batched(restored):  # Discord shows it again: the next reading writes its results
                connection.execute(sa.update(posts).where(posts.c.id.in_(part)).values(version="", number_version=""))
            return len(deleted)

    def n_reports(self) -> int:
        """Return the number of reported results, repeated reports included."""
        is_result_here = (posts.c.league_id == self.id) & (results.c.guesses != UNFINISHED) & results.c.is_current
        query = sa.select(sa.func.count()).select_from(results.join(posts)).where(is_result_here)
        return int(self._rows(query)[0][0])

    def resolved(self, channel: str | None = None) -> ResolvedLeague:
        """Return the league's results, optionally only those posted in the channel with this id.

        They are kept until something in the league changes.
        """
        place, changes = (self.id, channel), self.changes()
        known = self._resolved.get(place)
        if known is None or known[0] != changes:
            with self.reading() as connection:
                names = read_names(connection, self.id)
                known = changes, resolve(read_reports(connection, self.id, channel), names)
            self._resolved[place] = known
            while len(self._resolved) > MAX_KEPT:
                self._resolved.popitem(last=False)
        return known[1]

    def changes(self) -> int:
        """Return how often anything in the league was written."""
        return int(self._rows(sa.select(leagues.c.changes).where(leagues.c.id == self.id))[0][0])

    def options(self) -> LeagueOptions:
        """Return what the league has chosen."""
        with self.reading() as connection:
            return read_options(connection, self.id)

    def choose(self, options: LeagueOptions) -> None:
        """Save what the league has chosen.

        Raises:
            UserError: There is no such time zone, or the deadline is out of range.
        """
        zone = check_zone(options.zone) if options.zone else ""
        if not 0 <= options.deadline_days <= MAX_DEADLINE_DAYS:
            raise UserError(
                f"a deadline is 0 to {MAX_DEADLINE_DAYS:,} days after the puzzle's; got {options.deadline_days}."
            )
        with self.transaction() as connection:
            where = leagues.c.id == self.id
            connection.execute(sa.update(leagues).where(where).values(options._replace(zone=zone)._asdict()))

    def names(self) -> NameResolver:
        """Return the league's name resolver."""
        with self.reading() as connection:
            return read_names(connection, self.id)

    def aliases(self) -> list[Alias]:
        """Return the alias table, sorted by name and first puzzle."""
        with self.reading() as connection:
            return read_aliases(connection, self.id)

    def members(self) -> list[DiscordUser]:
        """Return the server's members with their last known names."""
        return [DiscordUser(*row) for row in self._rows(_members(self.id))]

    def members_seen(self) -> int:
        """Return when the list of members was last read, in milliseconds since 1970; -1 for never."""
        newest = sa.select(sa.func.coalesce(sa.func.max(members.c.seen), -1)).where(members.c.league_id == self.id)
        return int(self._rows(newest)[0][0])

    def save_members(self, listed: Sequence[DiscordUser], seen: datetime) -> None:
        """Save the names of members. Members who have left are not removed, and neither are their results."""
        with self.transaction() as connection:
            today = today_in(read_options(connection, self.id).zone, seen)
            listed = kept_members(connection, self.id, listed, today)
            rows = [
                {"league_id": self.id, "person": member.id, "nickname": member.nickname}
                | {"global_name": member.global_name, "account": member.account, "seen": to_ms(seen)}
                for member in listed
            ]
            upsert(connection, members, rows)
            write_sightings(connection, self.id, [sighting for member in listed for sighting in member.sightings(seen)])

    def forget(self, text: str, now: datetime) -> int:
        """Remove everything that is known of the person with this name or id, for good.

        Returns:
            The number of results that were removed.

        Raises:
            UserError: Nobody is known by it, or several people are.
        """
        with self.transaction() as connection:
            who = identify(connection, self.id, text, read_names(connection, self.id))
            today = today_in(read_options(connection, self.id).zone, now)
            n_removed = forget(connection, self.id, who, today)
        overwrite_deleted(self._engine)
        return n_removed

    def remember(self, keys: Iterable[Person]) -> int:
        """Let imports and syncs read forgotten ids and names again, and return how many of them were forgotten."""
        with self.transaction() as connection:
            digests = set(map(read_forgotten(connection, self.id).digest, keys))
            where = (forgotten.c.league_id == self.id) & forgotten.c.digest.in_(digests)
            return connection.execute(sa.delete(forgotten).where(where)).rowcount

    def stored_data(self, text: str) -> dict[str, object]:
        """Return everything that is stored of the person with this name or id, as values for JSON."""
        with self.reading() as connection:
            who = identify(connection, self.id, text, read_names(connection, self.id))
            return stored_data(connection, self.id, who)

    def set_choice(self, person: Person, choice: str, is_on: bool) -> None:
        """Save or remove a person's choice, REMIND or HIDE."""
        row = {"league_id": self.id, "person": person.key, "is_id": person.is_id, "choice": choice}
        with self.transaction() as connection:
            if is_on:
                connection.execute(insert(connection, choices).values(row).on_conflict_do_nothing())
            else:
                connection.execute(sa.delete(choices).filter_by(**row))

    def who_chose(self, choice: str) -> frozenset[Person]:
        """Return the people who have made a choice."""
        query = sa.select(choices.c.person, choices.c.is_id).filter_by(league_id=self.id, choice=choice)
        return frozenset(Person(*row) for row in self._rows(query))

    def answers(self) -> dict[int, str]:
        """Return the words that were recorded as the answers of puzzles, by the puzzles' numbers."""
        query = sa.select(answers.c.number, answers.c.word).where(answers.c.league_id == self.id)
        return {row.number: row.word for row in self._rows(query.order_by(answers.c.number))}

    def record_answers(self, words: Mapping[int, str]) -> None:
        """Record the answers of puzzles, by the puzzles' numbers; a new word replaces an earlier one."""
        rows = [{"league_id": self.id, "number": number, "word": word} for number, word in words.items()]
        with self.transaction() as connection:
            upsert(connection, answers, rows)

    def accept(self, player: str, number: int, actor: str, is_accepted: bool = True) -> None:
        """Let a player's late shares of a puzzle count, or not any more.

        Raises:
            UserError: There is no late share of this player and puzzle, or no accepted one.
        """
        resolved = self.resolved()
        late = resolved.conflicts[resolved.conflicts["why"].isin([AFTER_DEADLINE, EDITED_AFTER_DEADLINE])]
        person = self.names().look_up(player).player
        label = next((label for label, known in resolved.ids.items() if known == person or label == player), "")
        person = resolved.ids.get(label, person)
        if person is None:
            raise UserError(f"{player!r} could be several people: give the id.")
        row = {"league_id": self.id, "person": person.key, "is_id": person.is_id, "number": number}
        with self.transaction() as connection:
            if is_accepted:
                if not ((late["player"] == label) & (late["day"] == number)).any():
                    raise UserError(f"there is no late share of puzzle {number:,} by {player!r}.")
                new = insert(connection, accepted).values(row | {"actor": actor, "made": to_ms(datetime.now(UTC))})
                connection.execute(new.on_conflict_do_nothing())
            else:
                if not connection.execute(sa.delete(accepted).filter_by(**row)).rowcount:
                    raise UserError(f"no share of puzzle {number:,} by {player!r} was accepted.")

    def channels(self) -> list[str]:
        """Return the ids of the channels that have been read, which the bot follows."""
        query = sa.select(progress.c.channel).where(progress.c.league_id == self.id).order_by(progress.c.channel)
        return [channel for (channel,) in self._rows(query)]

    def progress(self, channel: str) -> ChannelProgress | None:
        """Return which messages of a channel have been read, or None if it was never read."""
        columns = (progress.c.newest, progress.c.oldest, progress.c.complete)
        rows = self._rows(sa.select(*columns).filter_by(league_id=self.id, channel=channel))
        return ChannelProgress(*rows[0]) if rows else None

    def unread(self, channel: str) -> list[int]:
        """Return the ids of the channel's messages of which a part could not be read."""
        query = sa.select(unread.c.message).filter_by(league_id=self.id, channel=channel)
        return [message for (message,) in self._rows(query.order_by(unread.c.message))]

    def save_unread(self, channel: str, read: Iterable[int], not_read: Iterable[int]) -> None:
        """Save which messages were read, and of which a part could not be read: these are read again later."""
        here = (unread.c.league_id == self.id) & (unread.c.channel == channel)
        rows = [{"league_id": self.id, "channel": channel, "message": id} for id in not_read]
        with self.transaction() as connection:
            connection.execute(sa.delete(unread).where(here, unread.c.message.in_(list(read))))
            if rows:
                connection.execute(insert(connection, unread).on_conflict_do_nothing(), rows)

    def save_progress(self, channel: str, read: ChannelProgress) -> None:
        """Save which messages of a channel have been read."""
        with self.transaction() as connection:
            upsert(connection, progress, [{"league_id": self.id, "channel": channel, **asdict(read)}])
