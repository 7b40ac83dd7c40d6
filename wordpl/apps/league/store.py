"""The store: a database of leagues, which are isolated from each other, and their results."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from wordpl.apps.league.database import (
    accepted,
    answers,
    batched,
    choices,
    forgotten,
    from_ms,
    imports,
    insert,
    leagues,
    members,
    open_database,
    overwrite_deleted,
    people,
    posts,
    progress,
    replaced,
    results,
    sightings,
    to_ms,
    unread,
    upsert,
)
from wordpl.apps.league.player_names import Alias, NameResolver
from wordpl.apps.league.posts import (
    DISCORD,
    UNFINISHED,
    DiscordUser,
    NotRead,
    Person,
    ReportedResult,
    ResultPost,
    Sighting,
)
from wordpl.apps.league.privacy import forget, identify, kept_members, read_forgotten, stored_data
from wordpl.apps.league.report_rows import (
    WITHDRAWN,
    members_of,
    read_aliases,
    read_names,
    read_options,
    read_reports,
    restore_before,
    rewrite_posts,
    upsert_league,
    write_posts,
    write_sightings,
)
from wordpl.apps.league.resolve import AFTER_DEADLINE, EDITED_AFTER_DEADLINE, LeagueOptions, ResolvedLeague, resolve
from wordpl.core.messages import UserError
from wordpl.core.puzzles import check_zone, today_in

MAX_KEPT = 50
"""How many leagues, or channels of them, are kept resolved in memory."""
MAX_DEADLINE_DAYS = 3650


class LoggedImport(NamedTuple):
    """An import of a file.

    Attributes:
        number: Its number in its league, from 1.
        made: When it was made.
        actor: Who made it.
        files: The name of the file.
        undone: Whether it was taken back.
    """

    number: int
    made: datetime
    actor: str
    files: str
    undone: bool


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


class _OneConnection:
    """Gives everybody the same connection, whose transaction goes on, where an engine would open one."""

    def __init__(self, connection: Connection):
        self._connection = connection

    def connect(self) -> nullcontext[Connection]:
        return nullcontext(self._connection)

    begin = connect


class LeagueStore:
    """A database of leagues.

    Args:
        url: The URL of the database, see `open_database`.
        create: Whether to create a SQLite file that does not exist.
    """

    def __init__(self, url: str, create: bool = True):
        self._open(open_database(url, create))

    def _open(self, engine: Any) -> None:
        self._engine = engine
        self._resolved: OrderedDict[tuple[int, str | None], tuple[int, ResolvedLeague]] = OrderedDict()

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    @contextmanager
    def trial(self) -> "Iterator[LeagueStore]":
        """Yield the store in a transaction that is rolled back at the end: whatever is written, nothing changes."""
        with self._engine.connect() as connection:
            trial = LeagueStore.__new__(LeagueStore)
            trial._open(_OneConnection(connection))
            try:
                yield trial
            finally:
                connection.rollback()

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
        engine: Any,
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

    def add(
        self, new_posts: Sequence[ResultPost], sightings: Iterable[Sighting] = (), import_number: int | None = None
    ) -> None:
        """Add posts and seen names in one transaction, as a part of an import if it has a number."""
        with self.transaction() as connection:
            write_posts(connection, self.id, new_posts, import_number)
            write_sightings(connection, self.id, sightings, import_number)

    def rewrite(self, keys: set[tuple[str, str]], read: Sequence[ResultPost], import_number: int | None = None) -> None:
        """Let posts with these sources and keys say what was read in them again, and nothing else."""
        with self.transaction() as connection:
            rewrite_posts(connection, self.id, keys, read, import_number)

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

    def counting(self, reported: Sequence[Sequence[ReportedResult]]) -> list[bool]:
        """Return for each group of results that was just reported whether all of them count as they are."""
        resolved, names = self.resolved(), self.names()
        labels = {player: label for label, player in resolved.ids.items()}
        numbers = {result.number for group in reported for result in group}
        rows = resolved.results[resolved.results["day"].isin(numbers)]
        counted = set(zip(rows["player"], rows["day"], rows["guesses"], strict=True))

        def counts(result: ReportedResult) -> bool:
            player = names.look_up(result.person.key).player
            label = labels.get(player) if player is not None else None
            return (label, result.number, result.guesses) in counted

        return [bool(group) and all(map(counts, group)) for group in reported]

    def next_import(self) -> int:
        """Return the number of the next import."""
        newest = sa.select(sa.func.max(imports.c.number)).where(imports.c.league_id == self.id)
        return int(self._rows(newest)[0][0] or 0) + 1

    def log_import(self, number: int, files: str, actor: str) -> bool:
        """Log an import unless it changed nothing, and return whether it changed anything."""
        parts = [
            sa.select(table.c.import_number).where(table.c.import_number == number, table.c.league_id == self.id)
            for table in (posts, sightings)
        ]
        brought = (results.c.post_id == posts.c.id) & (posts.c.league_id == self.id)
        parts.append(sa.select(results.c.import_number).where(results.c.import_number == number, brought))
        parts.append(sa.select(replaced.c.number).where(replaced.c.number == number, replaced.c.league_id == self.id))
        if not any(self._rows(part.limit(1)) for part in parts):
            return False
        row = {"league_id": self.id, "number": number, "made": to_ms(datetime.now(UTC))}
        with self.transaction() as connection:
            connection.execute(sa.insert(imports).values(row | {"actor": actor, "files": files, "undone": False}))
        return True

    def imports(self) -> list[LoggedImport]:
        """Return the imports, oldest first."""
        columns = (imports.c.number, imports.c.made, imports.c.actor, imports.c.files, imports.c.undone)
        query = sa.select(*columns).where(imports.c.league_id == self.id).order_by(imports.c.number)
        return [LoggedImport(number, from_ms(made), *rest) for number, made, *rest in self._rows(query)]

    def undo_import(self, number: int) -> None:
        """Take a whole import back: its results and names, and what it replaced.

        Raises:
            UserError: There is no such import, or it was taken back already.
        """
        logged = next((entry for entry in self.imports() if entry.number == number), None)
        if logged is None:
            raise UserError(f"there is no import {number}: `wordpl league log` lists all imports.")
        if logged.undone:
            raise UserError(f"import {number} has already been taken back.")
        with self.transaction() as connection:
            restore_before(connection, self.id, number)
            in_league = sa.select(posts.c.id).where(posts.c.league_id == self.id)
            added = (results.c.import_number == number) & results.c.post_id.in_(in_league)
            connection.execute(sa.delete(results).where(added))
            is_empty = ~sa.select(results.c.post_id).where(results.c.post_id == posts.c.id).exists()
            is_own = (posts.c.league_id == self.id) & (posts.c.import_number == number)
            connection.execute(sa.delete(posts).where(is_own, is_empty))
            for table in (sightings, imports, replaced):
                column = table.c.import_number if table is sightings else table.c.number
                where = (table.c.league_id == self.id) & (column == number)
                if table is imports:
                    connection.execute(sa.update(table).where(where).values(undone=True))
                else:
                    connection.execute(sa.delete(table).where(where))

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
        return [DiscordUser(*row) for row in self._rows(members_of(self.id))]

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

    def unread_ids(self, channel: str) -> list[int]:
        """Return the ids of the channel's messages of which a part could not be read."""
        query = sa.select(unread.c.message).filter_by(league_id=self.id, channel=channel)
        return [message for (message,) in self._rows(query.order_by(unread.c.message))]

    def not_read(self) -> list[NotRead]:
        """Return the messages of all channels of which a part could not be read, newest first."""
        columns = (unread.c.message, unread.c.author, unread.c.why, unread.c.channel)
        query = sa.select(*columns).filter_by(league_id=self.id).order_by(unread.c.message.desc())
        return [NotRead(*row) for row in self._rows(query)]

    def save_unread(self, channel: str, read: Iterable[int], not_read: Iterable[NotRead]) -> None:
        """Save which messages were read, and of which a part could not be read: these are read again later."""
        here = (unread.c.league_id == self.id) & (unread.c.channel == channel)
        with self.transaction() as connection:
            known = read_forgotten(connection, self.id)
            rows = [
                {"league_id": self.id, "channel": channel, "message": part.message, "why": part.why}
                | {"author": "" if known.covers(Person(part.author, True)) else part.author}
                for part in not_read
            ]
            connection.execute(sa.delete(unread).where(here, unread.c.message.in_(list(read))))
            if rows:
                connection.execute(insert(connection, unread).on_conflict_do_nothing(), rows)

    def save_progress(self, channel: str, read: ChannelProgress) -> None:
        """Save which messages of a channel have been read."""
        with self.transaction() as connection:
            upsert(connection, progress, [{"league_id": self.id, "channel": channel, **asdict(read)}])
