"""`wordpl season`: entries that are sent, tried, withdrawn and excluded."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from wordpl.apps.season.options import folder_option, jobs_option, published, season_option, season_options, try_out
from wordpl.cli import _command
from wordpl.cli._output import say, say_wrapped, show_tables, working

if TYPE_CHECKING:
    from wordpl.apps.season.season import Season


@click.command(short_help="Add an entry, or its next version.")
@click.argument("file", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--changed", is_flag=True, help="Add all new and changed entries of the season's strategies/.")
@click.option("--as", "name", default="", metavar="NAME", help="Name of the entry. [default: the name of FILE]")
@click.option("--make", default="", metavar="EXPRESSION", help="Which strategy of FILE, such as 'MyBot(5)'.")
@season_option
@_command.log_option
def submit(season: "Season", file: Path | None, changed: bool, name: str, make: str) -> None:
    """Add the entry in FILE, or its next version.

    Its files are copied into versions/NAME@NUMBER. Files that are equal to the current version are that version. Who
    owns NAME is in season.toml; run `wordpl check FILE` before, since this command does not run the entry.
    """
    if changed == (file is not None) or (changed and (name or make)):
        raise click.UsageError("give one FILE, or --changed alone.")
    with published(season):
        if file is not None:
            version, is_new = season.submit(file, make, name)
        else:
            added, refused = season.submit_changed()
    if file is not None:
        return say(f"{version.label} by {version.author}" + ("" if is_new else ": nothing has changed"))
    for version in added:
        say(f"{version.label} by {version.author}")
    for place, reason in refused.items():
        say(f"{place} was not added: {reason}", err=True)
    if not added and not refused:
        say("Nothing has changed.")
    return None


@click.command(short_help="Show the rank that an entry would have.")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--games", type=click.IntRange(1), default=200, show_default=True, help="Games of the sample.")
@_command.summary_option("the result")
@jobs_option
@season_options
@_command.quiet_option
@_command.log_option
def sample(
    season: "Season", files: tuple[Path, ...], games: int, summary: Path | None, jobs: int | None, quiet: bool
) -> None:
    """Play a sample of the entries in FILES against the present leaders, and show the ranks they would have.

    Nothing is logged, and the games count for nothing. The build of a pull request does the same.
    """
    import numpy as np

    from wordpl.apps.season import report
    from wordpl.apps.season.sample import Sample
    from wordpl.reports import RunReport
    from wordpl.reports.elements import Detail
    from wordpl.reports.names import in_markdown
    from wordpl.reports.renderers import markdown_part, markdown_section
    from wordpl.run.folder import RunRecords

    played = Sample(season, files)
    with TemporaryDirectory(prefix="wordpl-sample-", ignore_cleanup_errors=True) as results:
        contest, run = try_out(lambda: played.contest(games, Path(results), jobs), quiet)
        with working("computing the forecast"):
            forecasts = played.forecasts(contest, run, np.random.default_rng(0))
            table = report.forecast_table(season, forecasts, games)
            equal = list(played.equal_moves(contest, run))
            board = RunReport(RunRecords(run)).sections(Detail.BOARD)
    if summary:
        parts = [markdown_part(table), *map(in_markdown, equal), *map(markdown_section, board)]
        _command.append_summary(summary, "\n\n".join(parts) + "\n")
    show_tables([table])
    for sentence in equal:
        say_wrapped(sentence)


@click.command(short_help="Withdraw a version.")
@click.argument("version")
@season_option
@_command.log_option
def withdraw(season: "Season", version: str) -> None:
    """Withdraw VERSION, such as my_bot@3. The version before it is ranked again; what it played stays."""
    with published(season):
        label = season.withdraw(version).label
    say(f"{label} is withdrawn.")


@click.command(short_help="Disqualify a version.")
@click.argument("version")
@click.option("--reason", required=True, help="Why; it stays visible.")
@season_option
@_command.log_option
def disqualify(season: "Season", version: str, reason: str) -> None:
    """Disqualify VERSION, such as my_bot@3, for a reason that stays visible."""
    with published(season):
        label = season.disqualify(version, reason).label
    say_wrapped(f"{label} is disqualified: {reason}")


@click.command(short_help="Ban an author.")
@click.argument("author")
@click.option("--reason", required=True, help="Why; it stays visible.")
@season_option
@_command.log_option
def ban(season: "Season", author: str, reason: str) -> None:
    """Disqualify all versions of AUTHOR, and accept no more, for a reason that stays visible."""
    with published(season):
        found = season.ban(author, reason)
    say_wrapped(f"{author} is banned: {', '.join(version.label for version in found)}")


@click.command(short_help="Replace the names of an author.")
@click.argument("author")
@folder_option
@_command.own_game_option
@_command.max_games_option
@_command.log_option
def anonymize(folder: Path, max_games: int, author: str) -> None:
    """Replace the names of AUTHOR by a number wherever the season has them, and remove his sources; results stay.

    His entries are withdrawn, unless the season has ended. Everything can be verified as before: published digests stay
    valid, and games, ranks and intervals the same. Copies, and the history of a git repository, are not changed. The
    same command completes what was interrupted.
    """
    from wordpl.apps.season import anonymize as names
    from wordpl.apps.season import site as season_site
    from wordpl.apps.season.season import Season
    from wordpl.apps.season.terms import SeasonTerms
    from wordpl.run.folder import exclusive

    SeasonTerms.read(folder)
    with exclusive(folder):
        with working("replacing names"):
            request = names.resume(folder, author) or names.anonymize(Season(folder, max_games), author)
            season_site.publish(Season(folder, max_games))
        say_wrapped(f"His results are those of {request.author}. The log has the SHA-256 of SALT/NAME; give him the "
                    "salt, with which he can show that they are his, and keep it nowhere:")  # fmt: skip
        say(f"    {request.salt}")
        names.close(folder)


@click.command(short_help="Say whether a pull request may be merged.")
@click.argument("changed", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--by", "sender", required=True, metavar="NAME", help="Who sends it, as the forge says.")
@click.option("--below", default="", metavar="PREFIX", help="Folder of the season in the repository, such as cup/.")
@_command.summary_option("the result")
@season_option
@_command.log_option
def gate(season: "Season", changed: Path, sender: str, below: str, summary: Path | None) -> None:
    """Say whether a pull request changes its sender's own entry alone, in the season of the base branch.

    CHANGED is a file with the paths that it adds, changes or removes, as `git diff -z --name-only --no-renames` prints
    them. It may change one entry of strategies/ whose name is free or belongs to the sender, within the quota, which is
    no copy of another one. No entry is run.

    Exit code 1: it may not be merged.
    """
    from wordpl.apps.season.gate import examine
    from wordpl.core import bounded
    from wordpl.reports.names import in_markdown

    paths = bounded.read(bounded.SEASON_FILE, changed).decode(errors="replace").split("\0")
    found = examine(season, [path for path in paths if path], sender, below)
    verdict = "refused" if found.refused else "passed"
    if summary:
        lines = [f"# Gate: {verdict}", *(f"- {in_markdown(line)}" for line in (*found.refused, *found.notes))]
        _command.append_summary(summary, "\n".join(lines) + "\n\n")
    for line in (*found.refused, *found.notes):
        say_wrapped(line)
    if found.refused:
        raise click.exceptions.Exit(1)
    say(f"The gate is passed: {', '.join(found.entries) or 'no entry has changed'}.")
