"""The store: a database of leagues, which are isolated from each other."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from wordpl.core.messages import UserError
from wordpl.league.database import (
    accepted,
    answers,
    insert,
    leagues,
    members,
    open_database,
    overwrite_deleted,
    people,
    posts,
    progress,
    results,
    to_ms,
    unread,
)
from wordpl.league.player_names import Alias, NameResolver
from wordpl.league.posts import UNFINISHED, GuildMember, Person, ResultPost, Sighting
from wordpl.league.privacy import (
    forget,
    identify,
    kept_members,
    remember,
    set_choice,
    stored_data,
    who_chose,
)
from wordpl.league.puzzles import check_zone, today_in
from wordpl.league.queries import (
    read_aliases,
    read_members,
    read_names,
    read_options,
    read_reports,
    upsert_league,
    withdraw_missing,
    write_posts,
    write_sightings,
)
from wordpl.league.resolve import AFTER_DEADLINE, EDITED_AFTER_DEADLINE, LeagueOptions, ResolvedLeague, resolve

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
            listed = ", ".join(
                f"{league_key} ({name})" if name != league_key else league_key for league_key, name in names.items()
            )
            fault = "the store has several leagues" if key is None else f"{len(keys)} leagues are called {key!r}"
            raise UserError(f"{fault}: use --league with one of {listed}.")
        with self._engine.connect() as connection:
            id = connection.execute(sa.select(leagues.c.id).where(leagues.c.key == keys[0])).scalar_one()
        return League(self._engine, keys[0], id, self._resolved)


class ReadRange(NamedTuple):
    """A range of a channel's messages that was read without gaps.

    Attributes:
        channel: The id of the channel.
        first: The smallest id of the range.
        last: The greatest id of the range.
        ids: The ids of all messages in the range that still exist.
    """

    channel: str
    first: int
    last: int
    ids: frozenset[str]


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

    def add(self, new_posts: Sequence[ResultPost], sightings: Iterable[Sighting] = ()) -> None:
        """Add posts and seen names in one transaction."""
        with self.transaction() as connection:
            write_posts(connection, self.id, new_posts)
            write_sightings(connection, self.id, sightings)

    def withdraw_missing(self, read: ReadRange) -> int:
        """Remove the results of stored messages in the range that no longer exist, and return how many there were."""
        with self.transaction() as connection:
            return withdraw_missing(connection, self.id, (read.channel, read.first, read.last), read.ids)

    def n_reports(self) -> int:
        """Return the number of reported results, repeated reports included."""
        n_results = sa.select(sa.func.count()).select_from(results.join(posts))
        is_result_here = (posts.c.league_id == self.id) & (results.c.guesses != UNFINISHED) & results.c.is_current
        with self.reading() as connection:
            return int(connection.execute(n_results.where(is_result_here)).scalar_one())

    def resolved(self, channel: str | None = None) -> ResolvedLeague:
        """Return the league's results, optionally only those posted in the channel with this id.

        They are kept until something in the league changes.
        """
        place = self.id, channel
        with self.reading() as connection:
            changes = connection.execute(sa.select(leagues.c.changes).where(leagues.c.id == self.id)).scalar_one()
            known = self._resolved.get(place)
            if known is None or known[0] != changes:
                names = read_names(connection, self.id)
                known = changes, resolve(read_reports(connection, self.id, channel), names)
                self._resolved[place] = known
                while len(self._resolved) > MAX_KEPT:
                    self._resolved.popitem(last=False)
        return known[1]

    def changes(self) -> int:
        """Return how often anything in the league was written."""
        with self.reading() as connection:
            changes = sa.select(leagues.c.changes).where(leagues.c.id == self.id)
            return int(connection.execute(changes).scalar_one())

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

    def members(self) -> list[GuildMember]:
        """Return the server's members with their last known names."""
        with self.reading() as connection:
            return read_members(connection, self.id)

    def members_seen(self) -> int:
        """Return when the list of members was last read, in milliseconds since 1970; -1 for never."""
        newest = sa.select(sa.func.max(members.c.seen)).where(members.c.league_id == self.id)
        with self.reading() as connection:
            last_read = connection.execute(newest).scalar()
            return -1 if last_read is None else int(last_read)

    def save_members(self, listed: Sequence[GuildMember], seen: datetime) -> None:
        """Save the names of members. Members who have left are not removed, and neither are their results."""
        with self.transaction() as connection:
            today = today_in(read_options(connection, self.id).zone, seen)
            listed = kept_members(connection, self.id, listed, today)
            rows = [
                {"league_id": self.id, "person": member.id, "nickname": member.nickname}
                | {"global_name": member.global_name, "account": member.account, "seen": to_ms(seen)}
                for member in listed
            ]
            if not rows:
                return
            statement = insert(connection, members)
            newer = {name: statement.excluded[name] for name in ("nickname", "global_name", "account", "seen")}
            keys = ["league_id", "person"]
            connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=newer), rows)
            write_sightings(connection, self.id, _sightings_of_members(listed, seen))

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
            return remember(connection, self.id, keys)

    def stored_data(self, text: str) -> dict[str, object]:
        """Return everything that is stored of the person with this name or id, as values for JSON."""
        with self.reading() as connection:
            return stored_data(
                connection, self.id, identify(connection, self.id, text, read_names(connection, self.id))
            )

    def set_choice(self, person: Person, choice: str, is_on: bool) -> None:
        """Save or remove a person's choice, REMIND or HIDE."""
        with self.transaction() as connection:
            set_choice(connection, self.id, person, choice, is_on)

    def who_chose(self, choice: str) -> frozenset[Person]:
        """Return the people who have made a choice."""
        with self.reading() as connection:
            return who_chose(connection, self.id, choice)

    def answers(self) -> dict[int, str]:
        """Return the words that were recorded as the answers of puzzles, by the puzzles' numbers."""
        query = sa.select(answers.c.number, answers.c.word).where(answers.c.league_id == self.id)
        with self.reading() as connection:
            return {row.number: row.word for row in connection.execute(query.order_by(answers.c.number))}

    def record_answers(self, words: Mapping[int, str]) -> None:
        """Record the answers of puzzles, by the puzzles' numbers; a new word replaces an earlier one."""
        rows = [{"league_id": self.id, "number": number, "word": word} for number, word in words.items()]
        if not rows:
            return
        with self.transaction() as connection:
            statement = insert(connection, answers)
            newer = {"word": statement.excluded["word"]}
            connection.execute(
                statement.on_conflict_do_update(index_elements=["league_id", "number"], set_=newer), rows
            )

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
                where = [accepted.c[name] == value for name, value in row.items()]
                if not connection.execute(sa.delete(accepted).where(*where)).rowcount:
                    raise UserError(f"no share of puzzle {number:,} by {player!r} was accepted.")

    def channels(self) -> list[str]:
        """Return the ids of the channels that have been read, which the bot follows."""
        with self.reading() as connection:
            query = sa.select(progress.c.channel).where(progress.c.league_id == self.id).order_by(progress.c.channel)
            return list(connection.execute(query).scalars())

    def progress(self, channel: str) -> ChannelProgress | None:
        """Return which messages of a channel have been read, or None if it was never read."""
        columns = (progress.c.newest, progress.c.oldest, progress.c.complete)
        where = (progress.c.league_id == self.id) & (progress.c.channel == channel)
        with self.reading() as connection:
            row = connection.execute(sa.select(*columns).where(where)).one_or_none()
            return ChannelProgress(*row) if row else None

    def unread(self, channel: str) -> list[int]:
        """Return the ids of the channel's messages of which a part could not be read."""
        where = (unread.c.league_id == self.id) & (unread.c.channel == channel)
        with self.reading() as connection:
            return list(
                connection.execute(sa.select(unread.c.message).where(where).order_by(unread.c.message)).scalars()
            )

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
            statement = insert(connection, progress).values(league_id=self.id, channel=channel, **asdict(read))
            connection.execute(
                statement.on_conflict_do_update(index_elements=["league_id", "channel"], set_=asdict(read))
            )


def _sightings_of_members(listed: Sequence[GuildMember], seen: datetime) -> Iterator[Sighting]:
    for member in listed:
        for name, is_shown in {member.account: False, member.global_name: True, member.nickname: True}.items():
            if name:
                yield Sighting(member.id, name, seen, is_shown)
