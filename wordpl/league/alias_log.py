"""Changes to who is who, each with its author: aliases, merges and splits, all of them reversible.

Nobody is merged by guess. A merge is an alias of an id or a name for another player; a split is an alias of a name for
itself, a player who is nobody else.
"""

from datetime import UTC, datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from wordpl.core.errors import UserError
from wordpl.league.database import insert
from wordpl.league.names import Alias
from wordpl.league.puzzles import LAST_NUMBER, day_of
from wordpl.league.rows import read_aliases
from wordpl.league.store import League
from wordpl.league.tables import alias_changes, aliases, as_moment, as_stored

ALIAS, REMOVE, MERGE, SPLIT, UNDO = "alias", "remove", "merge", "split", "undo"


class AliasChange(NamedTuple):
    """An entry of the log. added: whether the change brought the alias or took it away."""

    number: int
    made: datetime
    actor: str
    action: str
    added: bool
    alias: Alias
    undone: bool


def add_alias(league: League, alias: Alias, actor: str, action: str = ALIAS) -> int:
    """Have a name stand for a player in these puzzles; return the number of the change.

    Raises:
        UserError: The name stands for another player in some of these puzzles.
    """
    with league.transaction() as connection:
        _check_free(read_aliases(connection, league.id), alias)
        return _apply(connection, league, alias, added=True, said=(actor, action))


def remove_aliases(league: League, name: str, actor: str) -> int:
    """Take away all that a name stands for; return how many entries that were."""
    with league.transaction() as connection:
        found = [one for one in read_aliases(connection, league.id) if one.name == name]
        for one in found:
            _apply(connection, league, one, added=False, said=(actor, REMOVE))
        return len(found)


def merge(league: League, player: str, into: str, actor: str) -> int:
    """Count a player's results, by name or id, as those of another; return the number of the change."""
    first, second = (_person_key(league, text) for text in (player, into))
    if first == second:
        raise UserError(f"{player!r} and {into!r} are one player already.")
    targets = {one.name: one.player for one in league.aliases()}
    if targets.get(second) == first:
        raise UserError(f"{into!r} is counted as {player!r} already: undo that first.")
    return add_alias(league, Alias(first, second, 0, LAST_NUMBER), actor, MERGE)


def split(league: League, name: str, puzzles: tuple[int, int], actor: str) -> int:
    """Make a name a player of its own in these puzzles, whoever else has it; return the number of the change."""
    return add_alias(league, Alias(name, name, *puzzles), actor, SPLIT)


def undo(league: League, number: int, actor: str) -> AliasChange:
    """Undo a change; return it. An undo is a change too, and can be undone."""
    with league.transaction() as connection:
        change = next((one for one in _changes(connection, league) if one.number == number), None)
        if change is None:
            raise UserError(f"there is no change {number}: `wordpl league log` lists them.")
        if change.undone:
            raise UserError(f"change {number} was undone before.")
        if not change.added:
            _check_free(read_aliases(connection, league.id), change.alias)
        elif change.alias not in read_aliases(connection, league.id):
            raise UserError(f"what change {number} did was taken away since by another change: `wordpl league log`.")
        where = (alias_changes.c.league_id == league.id) & (alias_changes.c.number == number)
        connection.execute(sa.update(alias_changes).where(where).values(undone=True))
        _apply(connection, league, change.alias, added=not change.added, said=(actor, UNDO))
        return change


def changes(league: League) -> list[AliasChange]:
    """Return the log, oldest first."""
    with league.reading() as connection:
        return _changes(connection, league)


def _changes(connection: Connection, league: League) -> list[AliasChange]:
    where = alias_changes.c.league_id == league.id
    return [
        AliasChange(
            row.number,
            as_moment(row.made),
            row.actor,
            row.action,
            row.added,
            Alias(row.name, row.player, row.first_number, row.last_number),
            row.undone,
        )
        for row in connection.execute(sa.select(alias_changes).where(where).order_by(alias_changes.c.number))
    ]


def _person_key(league: League, text: str) -> str:
    """Return the id behind a name where there is one, else the name as it was reported."""
    names = league.names()
    meant = names.called(text)
    if meant.player is None:
        raise UserError(f"{text!r} could be {' or '.join(meant.candidates)}: give the id.")
    return meant.player.key if meant.player.is_id else text


def _check_free(known: list[Alias], alias: Alias) -> None:
    for one in known:
        overlaps = one.first_number <= alias.last_number and alias.first_number <= one.last_number
        if one.name == alias.name and overlaps and one != alias:
            raise UserError(
                f"{one.name!r} already stands for {one.player!r} from {day_of(one.first_number)}: "
                "take that away with --remove, or give days that do not overlap."
            )


def _apply(connection: Connection, league: League, alias: Alias, added: bool, said: tuple[str, str]) -> int:
    row = {**alias._asdict(), "league_id": league.id}
    if added:
        connection.execute(insert(connection, aliases).values(row).on_conflict_do_nothing())
    else:
        where = [aliases.c[name] == value for name, value in row.items()]
        connection.execute(sa.delete(aliases).where(*where))
    newest = sa.select(sa.func.max(alias_changes.c.number)).where(alias_changes.c.league_id == league.id)
    number = int(connection.execute(newest).scalar() or 0) + 1
    actor, action = said
    made = as_stored(datetime.now(UTC))
    about = {"number": number, "made": made, "actor": actor, "action": action, "added": added, "undone": False}
    connection.execute(sa.insert(alias_changes).values(row | about))
    return number
