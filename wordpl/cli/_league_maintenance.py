"""`wordpl league backup`, `restore` and `copy`: the store, safe for a year."""

from pathlib import Path

import click

from wordpl.cli._echo import say
from wordpl.cli._league_store import require_libraries, store_option


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
def backup(file: Path, url: str) -> None:
    """Write the store into FILE, a single SQLite file; the bot may go on meanwhile.

    A plain copy of league.sqlite while it is open may lack what is still in the log beside it: use this.

    \b
    wordpl league backup backups/league-2026-11-22.sqlite
    """
    require_libraries()
    from wordpl.league.maintenance import backup as write_backup

    say(f"{file}: digest {write_backup(url, file)}.")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@store_option
def restore(file: Path, url: str) -> None:
    """Fill a new, empty store from the backup FILE.

    \b
    wordpl league restore backups/league-2026-11-22.sqlite --store league.sqlite
    """
    require_libraries()
    from wordpl.league.maintenance import restore as fill

    say(f"{file}: restored, digest {fill(file, url)}.")


@click.command()
@click.argument("source")
@click.argument("target")
def copy(source: str, target: str) -> None:
    """Copy a store from SOURCE to an empty TARGET: files of SQLite, or postgresql://USER@HOST/NAME.

    Results, aliases, their log and settings are compared by digest when they have arrived.

    \b
    wordpl league copy league.sqlite postgresql://league@localhost/league
    """
    require_libraries()
    from wordpl.league.maintenance import copy_store

    say(f"Copied, digest {copy_store(source, target)}.")
