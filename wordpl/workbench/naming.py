"""Finds the entries that a user names: exactly one for each name."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wordpl.contest.entries import FoundEntries, describe
from wordpl.core import words
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo
from wordpl.core.run_config import RunConfig
from wordpl.players import discovery
from wordpl.players.discovery import Fault
from wordpl.players.pool import PlayerPool
from wordpl.workbench import revisions


def entries_for(wanted: Sequence[Any], config: RunConfig) -> FoundEntries:
    """Return one entry for each name, with distinct display names.

    Args:
        wanted: Names as on the command line, where a file may have a Git revision (my_bot.py@HEAD~1), or objects with
            the methods of a strategy.
        config: The configuration. Its game replaces the games of the entries.

    Raises:
        UserError: A name matches no entry or several.
    """
    objects = [one for one in wanted if not isinstance(one, str | Path)]
    if objects and len(objects) < len(wanted):
        raise UserError("give either files or objects as entries, not both, because objects run in this process.")
    declared = [describe(one) for one in objects] if objects else _declared([str(one) for one in wanted], config)
    placed = discovery.resolve_entries(declared, config.game_id)
    if len(placed) < len(wanted):
        wrong = next(entry for entry in declared if entry.game_id not in {one.game_id for one in placed})
        raise UserError(f"{wrong.name} plays {wrong.game_id}, which is a different kind of game than {config.game_id}.")
    strategies = {entry.slug: one for entry, one in zip(placed, objects, strict=True)} if objects else {}
    return FoundEntries(placed, [], strategies)


def _declared(wanted: Sequence[str], config: RunConfig) -> list[EntryInfo]:
    sources = [discovery.find_sources([revisions.resolve(text)])[0] for text in wanted]
    lists = words.load(config.answers, config.guesses)
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as parent,
        PlayerPool(lists, Path(parent), [config.results]) as pool,
    ):
        return [
            _only(text, discovery.ask([source], pool, config)) for text, source in zip(wanted, sources, strict=True)
        ]


def _only(text: str, found: Sequence[EntryInfo | Fault]) -> EntryInfo:
    for one in found:
        if isinstance(one, Fault):
            raise UserError(f"{text} could not be loaded:\n{one.message}")
    entries = discovery.entries_of(found)
    if len(entries) > 1:
        file = text.partition(":")[0]
        choices = "\n".join(f"    '{file}:{entry.make}'  {entry.name}" for entry in entries)
        raise UserError(f"{text} declares {len(entries)} entries. Choose one of\n{choices}")
    return entries[0]
