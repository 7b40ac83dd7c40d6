"""`wordpl league backup`, `restore` and `copy`: backups and copies of the store."""

from pathlib import Path

import click

from wordpl.cli._echo import say
from wordpl.cli._league_store import require_libraries, store_option


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
def backup(file: Path, url: str) -> None:
    """Back up the store to FILE.

    FILE is a single SQLite file. The bot may run during the backup. Do not copy an open league.sqlite yourself: the
    copy may lack changes that are still in its write-ahead log.

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
    """Restore the backup FILE into a new, empty store.

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
    """Copy the store SOURCE to an empty store TARGET.

    Each is a SQLite file or postgresql://USER@HOST/NAME. After the copy, the digests of results, aliases, log and
    settings are compared.

    \b
    wordpl league copy league.sqlite postgresql://league@localhost/league
    """
    require_libraries()
    from wordpl.league.maintenance import copy_store

    say(f"Copied, digest {copy_store(source, target)}.")
