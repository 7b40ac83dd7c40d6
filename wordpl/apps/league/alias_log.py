"""The log of changes to a league's alias table: each has an author and can be undone.

Players are merged on request only, never because their names look alike. A merge adds an alias that maps an id or a
name to another player. A split adds an alias that maps a name to itself, which makes it a separate player.
"""

from datetime import UTC, datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from wordpl.apps.league.database import alias_changes, aliases, from_ms, insert, to_ms
from wordpl.apps.league.player_names import Alias
from wordpl.apps.league.report_rows import read_aliases
from wordpl.apps.league.store import League
from wordpl.core.messages import UserError
from wordpl.core.puzzles import LAST_NUMBER, day_of

ALIAS, REMOVE, MERGE, SPLIT, UNDO = "alias", "remove", "merge", "split", "undo"


class AliasChange(NamedTuple):
    """An entry of the log.

    Attributes:
        number: The change's number in its league, from 1.
        made: When the change was made.
        actor: Who made it: a Discord id, or the name that the command line gave.
        action: ALIAS, REMOVE, MERGE, SPLIT or UNDO.
        added: True if the change added the alias, False if it removed it.
        alias: The alias.
        undone: Whether a later change has undone this one.
    """

    number: int
    made: datetime
    actor: str
    action: str
    added: bool
    alias: Alias
    undone: bool


def add_alias(league: League, alias: Alias, actor: str, action: str = ALIAS) -> int:
    """Add an alias and return the number of the change.

    Raises:
        UserError: The name already stands for another player in some of the alias's puzzles.
    """
    with league.transaction() as connection:
        _check_no_overlap(read_aliases(connection, league.id), alias)
        return _apply_change(connection, league, alias, actor=actor, action=action, added=True)


def remove_aliases(league: League, name: str, actor: str) -> int:
    """Remove all aliases of a name and return how many there were."""
    with league.transaction() as connection:
        aliases_of_name = [alias for alias in read_aliases(connection, league.id) if alias.name == name]
        for alias in aliases_of_name:
            _apply_change(connection, league, alias, actor=actor, action=REMOVE, added=False)
        return len(aliases_of_name)


def merge(league: League, player: str, into: str, actor: str) -> int:
    """Count the results of one player as those of another and return the number of the change.

    Args:
        league: The league.
        player: The player whose results move: an id or a name.
        into: The player who gets them: an id or a name.
        actor: Who makes the change.

    Raises:
        UserError: The two are one player already, the reverse merge exists, or a name is ambiguous.
    """
    first, second = (_person_key(league, text) for text in (player, into))
    if first == second:
        raise UserError(f"{player!r} and {into!r} are already the same player.")
    targets = {alias.name: alias.player for alias in league.aliases()}
    if targets.get(second) == first:
        raise UserError(f"{into!r} is already counted as {player!r}: undo that change first.")
    return add_alias(league, Alias(first, second, 0, LAST_NUMBER), actor, MERGE)


def split(league: League, name: str, puzzles: tuple[int, int], actor: str) -> int:
    """Make a name a separate player and return the number of the change.

    Args:
        league: The league.
        name: The name, as it was reported.
        puzzles: The first and the last puzzle for which the split holds.
        actor: Who makes the change.
    """
    return add_alias(league, Alias(name, name, *puzzles), actor, SPLIT)


def undo(league: League, number: int, actor: str) -> AliasChange:
    """Undo a change and return it. The undo is logged as a change of its own, which can be undone too.

    Raises:
        UserError: There is no such change, it was undone already, or a later change conflicts with the undo.
    """
    with league.transaction() as connection:
        change = next((entry for entry in _read_changes(connection, league) if entry.number == number), None)
        if change is None:
            raise UserError(f"there is no change {number}: `wordpl league log` lists all changes.")
        if change.undone:
            raise UserError(f"change {number} has already been undone.")
        if not change.added:
            _check_no_overlap(read_aliases(connection, league.id), change.alias)
        elif change.alias not in read_aliases(connection, league.id):
            raise UserError(
                f"a later change has already removed the alias of change {number}: see `wordpl league log`."
            )
        undone = sa.update(alias_changes).filter_by(league_id=league.id, number=number).values(undone=True)
        connection.execute(undone)
        _apply_change(connection, league, change.alias, actor=actor, action=UNDO, added=not change.added)
        return change


def changes(league: League) -> list[AliasChange]:
    """Return the log, oldest first."""
    with league.reading() as connection:
        return _read_changes(connection, league)


def _read_changes(connection: Connection, league: League) -> list[AliasChange]:
    rows = connection.execute(sa.select(alias_changes).filter_by(league_id=league.id).order_by(alias_changes.c.number))
    return [
        AliasChange(number, from_ms(made), actor, action, added, Alias(*alias), undone)
        for _, number, made, actor, action, added, *alias, undone in rows
    ]


def _person_key(league: League, text: str) -> str:
    """Return the id that a name belongs to, or the name itself if no id is known for it."""
    resolved = league.names().look_up(text)
    if resolved.player is None:
        raise UserError(f"{text!r} could be {' or '.join(resolved.candidates)}: give the id.")
    return resolved.player.key if resolved.player.is_id else text


def _check_no_overlap(existing_aliases: list[Alias], alias: Alias) -> None:
    for existing in existing_aliases:
        overlaps = existing.first_number <= alias.last_number and alias.first_number <= existing.last_number
        if existing.name == alias.name and overlaps and existing != alias:
            raise UserError(
                f"{existing.name!r} already stands for {existing.player!r} from {day_of(existing.first_number)}: "
                "remove that alias with --remove, or give days that do not overlap."
            )


def _apply_change(connection: Connection, league: League, alias: Alias, *, actor: str, action: str, added: bool) -> int:
    """Add or remove the alias, log that, and return the number of the change."""
    row = {**alias._asdict(), "league_id": league.id}
    if added:
        connection.execute(insert(connection, aliases).values(row).on_conflict_do_nothing())
    else:
        connection.execute(sa.delete(aliases).filter_by(**row))
    newest = sa.select(sa.func.max(alias_changes.c.number)).where(alias_changes.c.league_id == league.id)
    number = int(connection.execute(newest).scalar() or 0) + 1
    made = {"number": number, "made": to_ms(datetime.now(UTC)), "actor": actor, "action": action, "added": added}
    connection.execute(sa.insert(alias_changes).values(row | made | {"undone": False}))
    return number
