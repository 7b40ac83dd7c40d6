"""`wordpl season`: contests that stay open, with versions, rounds, standings and records."""

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.apps.season import entry_commands, round_commands
from wordpl.apps.season.options import jobs_option, season_command, season_options
from wordpl.cli import _command
from wordpl.cli._output import print_json, say, say_wrapped, working
from wordpl.core.files import write_atomically
from wordpl.core.messages import amount
from wordpl.core.paths import relative_to_cwd

if TYPE_CHECKING:
    from wordpl.apps.season.season import Season

MAX_NAMES = 5
"""The number of published files that are named where they do not follow."""
ACTION = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")


@click.group(cls=_command.SuggestingGroup)
def command() -> None:
    """Host a contest that stays open.

    A season is a folder, usually a git repository. Authors send versions of their entries; rounds play fresh games;
    ranks, intervals and records keep their promise however often somebody sends a new version.

    \b
    wordpl season new cup                     write season.toml, README.md and a workflow
    wordpl season submit my_bot.py -C cup     add an entry, or its next version
    wordpl season round -C cup                play the next round
    wordpl season confirm my_bot --score p50 --value 36.5 -C cup

    `wordpl docs season` shows a whole season.
    """


@command.command(short_help="Create a season.")
@click.argument("folder", type=_command.NEW_FOLDER)
@click.option("--title", help="Name of the season. [default: the name of FOLDER]")
@click.option(
    "--game",
    default="wordpl/1",
    show_default=True,
    callback=_command.bind_game,
    help="The game that all versions play; your own as FILE:CLASS, which other commands then take, too.",
)
@click.option(
    "--score",
    "scores",
    multiple=True,
    default=("p50", "p05", "p95"),
    show_default=True,
    metavar="NAME",
    help="A score: p05, p50, p95 or another share, p_win, mean. Repeatable; the first one sorts the table.",
)
@click.option("--deadline", type=_command.A_DAY, metavar="DATE", help="Last day of the season.")
@click.option(
    "--bundled/--no-bundled", default=True, help="Play the bundled strategies as the first round. [default: --bundled]"
)
@click.option(
    "--games", type=click.IntRange(1), default=1000, show_default=True, help="Games of each version in a round."
)
@click.option("--every-answer", is_flag=True, help="A round plays each answer once instead (classic games).")
@jobs_option
@click.option(
    "--action", metavar="OWNER/REPO@COMMIT", help="Where the workflow takes wordpl from. [default: to be filled in]"
)
@_command.quiet_option
@_command.log_option
def new(
    folder: Path, title: str | None, game: str, scores: tuple[str, ...], deadline: datetime | None, bundled: bool,
    games: int, every_answer: bool, jobs: int | None, action: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Create a season in FOLDER: season.toml with its terms, a README.md for contestants, and a workflow.

    Then the bundled strategies play the first round, so that contestants find somebody to beat. With --no-bundled, edit
    season.toml first: it has the limits, the word lists, and who owns which names. Only rounds with the same limits and
    lists are pooled. The workflow is for a season in a git repository; `wordpl docs season` says how it is used.
    """
    from wordpl.apps.season import report, terms
    from wordpl.apps.season import site as season_site
    from wordpl.apps.season.season import Season

    if action is not None and not ACTION.fullmatch(action):
        raise click.UsageError(f"--action should be OWNER/REPO@COMMIT with a commit of 40 digits, got {action!r}.")
    name = title or folder.resolve().name
    season = Season.new(folder, name, game, scores, deadline.date() if deadline else None, games, every_answer)
    for path, text in terms.hosting_files(name, report.BEGIN, report.END, action or terms.PLACEHOLDER).items():
        if not (folder / path).exists():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / path, text.encode())
    season_site.publish(season)
    say(f"Created {folder}. Its terms are in {folder / 'season.toml'}.")
    if not bundled:
        say_wrapped(f"Edit them, then add entries: wordpl season submit FILE -C {folder}")
        return
    with season.locked():
        with working("loading the bundled strategies"):
            season.submit_bundled()
            season_site.publish(season)
        round_commands.Playing(jobs=jobs, quiet=quiet).play_next(season)
    say_wrapped(f"Next: wordpl season submit FILE -C {folder}, then wordpl season round -C {folder}")


@command.command(short_help="Write the pages of the season.")
@click.option(
    "-o",
    "--output",
    "out",
    metavar="DIR",
    type=_command.NEW_FOLDER,
    help="Folder to write. [default: docs in the season's folder, which each round then writes anew]",
)
@season_options
@_command.log_option
def site(season: "Season", out: Path | None) -> None:
    """Write the pages of the season: standings, curves, records, rounds, and a page for each entry.

    The table in README.md and standings.json are written, too.
    """
    from wordpl.apps.season import site as season_site

    with season.locked(), working("writing the pages"):
        standings = season_site.publish(season)
        written = season_site.write(season, standings, out or season.folder / season_site.FOLDER)
    say_wrapped(f"Wrote {len(written)} pages. Start with {relative_to_cwd(written[0])}.")


@command.command(short_help="Write an archive that can be cited.")
@click.argument("file", type=_command.NEW_FILE)
@season_options
@_command.log_option
def archive(season: "Season", file: Path) -> None:
    """Write all facts of the season to FILE.zip: terms, log, word lists, versions, rounds and confirmations.

    The file has the same bytes whoever writes it, with any release; FINAL.md has its SHA-256. To check an archive,
    unpack it, and run `wordpl season site` and `wordpl season verify` there.
    """
    from wordpl.apps.season import archive as archives

    with season.locked(), working("writing the archive"):
        found = archives.write(season, file)
    say(f"Wrote {file}\nSHA-256     {found}")


@command.command(short_help="Check that everything follows.")
@click.option(
    "--site", metavar="DIR", type=_command.A_FOLDER,
    help="Check the pages in DIR. [default: docs in the season's folder, if there are any]",
)  # fmt: skip
@click.option(
    "--digest", metavar="DIGEST", help="Digest of an earlier log, of which this one has to be a continuation."
)
@season_options
@_command.json_option
@_command.log_option
def verify(season: "Season", site: Path | None, digest: str | None, as_json: bool) -> None:
    """Check that everything follows: each run, the standings, the records, the table and the pages.

    Every game is recomputed from its seed. A dropped version, a round that was left out, and any edit are found,
    because each line of the log has the digest of the line before it. With --digest, a log that was rewritten since
    that digest was published is found, too.

    What earlier releases have found is a fact: where this release finds something else, it is a remark.

    Exit code 1: something does not follow, or clues do not allow a result of a version that is not disqualified.
    """
    from wordpl.apps.season import check, log
    from wordpl.apps.season import site as season_site
    from wordpl.apps.season.remarks import remarks as remarks_on

    with working("verifying"):
        found = list(check.problems(season))
        if digest is not None and digest not in season.log.digests:
            found.append(f"the log does not continue the one with the digest {digest}: it was rewritten or cut since.")
        remarks = [] if found else list(remarks_on(season))
        is_own = not season.log.events or season.log.events[-1].release == log.own_release()
        names = [] if found else season_site.unpublished(season, site)
        if names and not is_own:
            remarks.append(
                f"Only release {season.log.events[-1].release or '1.0.0'}, which wrote the newest pages, can check "
                f"these: {', '.join(names)}."
            )
        elif names:
            more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
            found = [
                f"Not as the records say: {', '.join(names[:MAX_NAMES])}{more}. Somebody edited this, another version "
                f"of wordpl wrote it, or a command was killed; `{season_command(season, 'site')}` writes all of it "
                "anew."
            ]
        found = found or [sentence for _, sentence in season.named()]
    if as_json:
        print_json("season-verify", {"digest": season.log.last_digest, "problems": found, "remarks": remarks})
    else:
        for line in [*found, *(f"Remark: {remark}" for remark in remarks)]:
            say_wrapped(line)
        if not found:
            say_wrapped(f"The season holds: {amount(len(season.log.events), 'event')} up to {season.log.last_digest}.")
    if found:
        raise click.exceptions.Exit(1)


for module in (entry_commands, round_commands):
    for one in vars(module).copy().values():
        if isinstance(one, click.Command):
            command.add_command(one)
