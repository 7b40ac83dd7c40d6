"""`wordpl season`: rounds and confirmations that are announced, played, accepted, connected and declared void."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from wordpl.apps.season.options import (
    jobs_option,
    published,
    season_command,
    season_option,
    season_options,
    try_out,
)
from wordpl.cli import _command
from wordpl.cli._output import new_console, print_json, say, say_wrapped, show_tables, stoppable, working
from wordpl.core.messages import amount

if TYPE_CHECKING:
    from wordpl.apps.season.log import Confirmation, Round
    from wordpl.apps.season.season import Season
    from wordpl.apps.season.standings import Standings
    from wordpl.contest import Observer

beacon_from_option = click.option(
    "--beacon-from", metavar="WHERE", help="Source of a future public text; nothing is played before it is known."
)
beacon_option = click.option("--beacon", metavar="TEXT", help="The public text that the announced run waits for.")
announce_option = click.option(
    "--announce", "only_announce", is_flag=True, help="Only draw the seed and print the commitment; play later."
)

anew_option = click.option(
    "--anew", is_flag=True, help="If conditions have changed, start all versions anew instead of building a bridge."
)


def announce(
    season: "Season", announced: "Callable[[Observer], Round | Confirmation]", jobs: int | None = None
) -> None:
    """Announce a round or a confirmation, publish that, and print the commitment and the time that it may take."""
    from wordpl.apps.season import site as season_site
    from wordpl.contest import Observer
    from wordpl.contest.run_folder import n_processors

    with working("loading the entries"):
        event = announced(Observer())
        season_site.publish(season)
    click.echo(f"commitment  {event.commitment}\nseason      {season.log.last_digest}", err=True)
    info = season.run_of(event).info
    longest_s = season.terms.longest_s(len(info.entries), info.config.n_games, jobs or n_processors())
    if longest_s is not None:
        entries = amount(len(info.entries), "version")
        click.echo(f"time        at most {ceil(longest_s / 60)} min for {entries}", err=True)


@dataclass(frozen=True)
class Playing:
    """How rounds and confirmations are played and shown.

    Attributes:
        beacon: The public text that the announced run waits for.
        only_announce: Stop before the first game.
        jobs: The number of games to play at a time.
        as_json: Print the standings as JSON.
        quiet: Show no progress.
    """

    beacon: str | None = None
    only_announce: bool = False
    jobs: int | None = None
    as_json: bool = False
    quiet: bool = False

    def play_next(self, season: "Season", beacon_from: str | None = None, **of_round: Any) -> None:
        """Announce a round unless one is open, and play what is announced; see `Season.announce_round`."""
        if season.pending is None:
            announce(season, lambda observer: season.announce_round(
                observer, beacon_from=beacon_from, jobs=self.jobs, **of_round), self.jobs)  # fmt: skip
        self.play(season)

    def play(self, season: "Season") -> None:
        """Play what is announced, publish the standings and print them; stop before if it waits for a beacon."""
        from wordpl.apps.season import site as season_site
        from wordpl.cli._run_progress import ProgressBars

        resume = season_command(season, "round")
        waits = season.is_waiting and self.beacon is None
        if self.only_announce or waits:
            then = f"When the beacon is known:\n    {resume} --beacon TEXT" if waits else f"Then:\n    {resume}"
            copy = season_command(season, "doctor", "--save-seed", "DIR")
            return say(
                "Publish both lines now. No game has been played yet. The secret seed is on this machine alone; to "
                f"keep a copy:\n    {copy}\n{then}"
            )
        with stoppable():
            progress = ProgressBars(is_quiet=self.quiet, resume=resume)
            played = season.play(progress, beacon=self.beacon, jobs=self.jobs)
        with working("computing the standings"):
            standings = season_site.publish(season)
        if played.is_shown is not None and not self.as_json:
            say("The record is confirmed." if played.is_shown else "The games do not show the record.")
        return show(season, standings, self.as_json)

    def rehearse(self, season: "Season") -> None:
        """Play the next round in a temporary folder, and show its board."""
        from wordpl import reports
        from wordpl.reports import RunReport
        from wordpl.reports.elements import Detail
        from wordpl.run.folder import RunRecords

        with TemporaryDirectory(prefix="wordpl-rehearsal-", ignore_cleanup_errors=True) as results:
            _, run = try_out(lambda: season.rehearsal(Path(results), self.jobs), self.quiet)
            reports.show(RunReport(RunRecords(run)).sections(Detail.BOARD), new_console())
        say_wrapped("This was a rehearsal: nothing was logged or published, and its games do not count.", 0)


@click.command(name="standings", short_help="Show the standings.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@season_options
@_command.json_option
@_command.log_option
def show_standings(season: "Season", markdown: bool, as_json: bool) -> None:
    """Show the standings of each score, and who is nominated for a record."""
    from wordpl.apps.season import report
    from wordpl.reports.renderers import markdown_part

    if markdown and as_json:
        raise click.UsageError("choose --markdown or --json.")
    with working("computing the standings"):
        found = season.standings()
    if markdown:
        say("\n\n".join(markdown_part(report.score_table(table)) for table in found.tables))
    else:
        show(season, found, as_json)


def show(season: "Season", standings: "Standings", as_json: bool) -> None:
    """Print the standings, changed versions, and who is nominated for a record."""
    from wordpl.apps.season import report

    if as_json:
        return print_json("season", report.as_json(season, standings))
    *first, last = standings.tables
    show_tables([*(report.score_table(table, legend=False) for table in first), report.score_table(last, legend=True)])
    for sentence in chain((named for _, named in season.named()), report.changes(standings)):
        say_wrapped(sentence)
    for sentence, confirm_it in report.nominations(season, standings):
        say_wrapped(sentence)
        say(f"    {season_command(season, *confirm_it)}")
    return None


@click.command(name="round", short_help="Play the next round.")
@beacon_from_option
@beacon_option
@announce_option
@click.option(
    "-o",
    "--output",
    "out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also copy the round to DIR, for `wordpl season accept`.",
)
@anew_option
@click.option("--rehearse", is_flag=True, help="Play the round in a temporary folder, and log and publish nothing.")
@jobs_option
@season_options
@_command.json_option
@_command.quiet_option
@_command.log_option
def play_round(
    season: "Season", beacon_from: str | None, out: Path | None, anew: bool, rehearse: bool, **how: Any
) -> None:
    """Play the next round, or the rest of a round or confirmation that was announced or interrupted.

    New versions, the leaders of each score, and rivals whose order with a leader is open play fresh games. Then the
    table in README.md and standings.json are written.
    """
    from wordpl.apps.season.accept import export

    playing = Playing(**how)
    if rehearse and (beacon_from or playing.beacon or playing.only_announce or out or playing.as_json):
        raise click.UsageError("--rehearse goes with --jobs and --quiet only.")
    with season.locked():
        if rehearse:
            return playing.rehearse(season)
        playing.play_next(season, beacon_from, anew=anew)
        if out is not None and season.pending is None:
            export(season, season.played_rounds[-1], out)
    return None


@click.command(name="accept", short_help="Add a round that was played elsewhere.")
@click.argument("source", metavar="DIR", type=_command.A_FOLDER)
@season_options
@_command.log_option
def accept_round(season: "Season", source: Path) -> None:
    """Add the round in DIR, which `wordpl season round -o DIR` wrote elsewhere, and publish the standings.

    Nothing in DIR is trusted: versions are read from this season's strategies/, the choice of players is made again,
    and each game is verified from the seed. No entry is run.
    """
    from wordpl.apps.season.accept import accept

    with working("verifying the round"), published(season):
        event = accept(season, source)
    say(f"Added round {event.number}: {', '.join(event.players.values())}.")


@click.command(short_help="Play the closing round.")
@beacon_from_option
@beacon_option
@announce_option
@click.option("--games", type=click.IntRange(1), help="Games of the closing round. [default: confirmation_games]")
@anew_option
@jobs_option
@season_options
@_command.json_option
@_command.quiet_option
@_command.log_option
def end(season: "Season", beacon_from: str | None, games: int | None, anew: bool, **how: Any) -> None:
    """Close the season: a closing round of the first ten with many games, and final standings.

    If the first place is shared then, and the terms have `tie_games`, the same command plays a further round of those
    that share it.
    """
    playing, n_games = Playing(**how), games or season.terms.confirmation_games
    with season.locked():
        which = {"decides": True} if season.is_undecided else {"closing": True, "n_games": n_games}
        playing.play_next(season, beacon_from, anew=anew, **which)
    if season.is_undecided and not playing.as_json:
        names = ", ".join(version.label for version in season.sharing())
        say_wrapped(f"{names} share the first place. A further round of these decides, as the terms have announced:")
        say(f"    {season_command(season, 'end')}")


@click.command(short_help="Play the confirmation of a record.")
@click.argument("version")
@click.option("--score", required=True, metavar="NAME", help="The score of the record.")
@click.option("--value", required=True, type=float, help="What the version has to reach, such as a budget.")
@beacon_from_option
@announce_option
@jobs_option
@season_options
@_command.json_option
@_command.quiet_option
@_command.log_option
def confirm(season: "Season", version: str, score: str, value: float, beacon_from: str | None, **how: Any) -> None:
    """Play the confirmation of a record of VERSION on a fixed number of fresh games.

    It announces a record if the games show that the score of VERSION is VALUE or better. The number of confirmations of
    a season is limited; the probability that any of its records is false is at most 5%. Continue a confirmation that
    waits for a beacon or was interrupted with `wordpl season round`.
    """
    playing = Playing(**how)
    with season.locked():
        announce(season, lambda observer: season.announce_confirmation(
            version, score, value, observer, beacon_from=beacon_from, jobs=playing.jobs), playing.jobs)  # fmt: skip
        playing.play(season)


@click.command(short_help="Keep games comparable after an upgrade.")
@season_options
@_command.log_option
def bridge(season: "Season") -> None:
    """Replay recorded games under the conditions of today, after an upgrade or changed limits.

    Versions that play all of them as before keep their games; the others start anew. `wordpl season round` says when
    this is needed.
    """
    from wordpl.apps.season.log import MIN_REPLAYED

    with working("replaying recorded games"), published(season):
        found = season.bridge()
    for label, (n_replayed, n_equal) in found.games.items():
        result = "keeps its games" if found.keeps(label) else "starts anew"
        needed = f", and {MIN_REPLAYED} are needed" if n_replayed < MIN_REPLAYED else ""
        say(f"{label} {result}: {n_equal} of {amount(n_replayed, 'replayed game')} equal{needed}")


@click.command(short_help="Declare a round or a confirmation void.")
@click.argument("run", required=False, default="")
@click.option("--machine", metavar="NAME", help="All runs that were played on this machine, as `verify` names it.")
@click.option("--reason", required=True, help="Why; it stays visible.")
@season_option
@_command.log_option
def void(season: "Season", run: str, machine: str | None, reason: str) -> None:
    """Declare RUN void: a round or confirmation that cannot be played any more, or whose machine was faulty.

    RUN is the name of its folder. [default: the one that is announced] Its games count for nothing. A confirmation
    counts as used, unless it waits for a beacon: publish the season's digest before anybody knows that text.
    """
    if run and machine:
        raise click.UsageError("give RUN or --machine.")
    with published(season):
        runs = [run] if machine is None else season.runs_on(machine)
        for event in [season.void(one, reason) for one in runs]:
            say_wrapped(f"{event.run} is void: {event.reason}")
    click.echo(f"season      {season.log.last_digest}", err=True)


@click.command(short_help="Name what is missing on this machine.")
@click.option("--save-seed", metavar="DIR", type=_command.NEW_FOLDER, help="Copy the secret seed of the announced run.")
@click.option("--load-seed", metavar="DIR", type=_command.A_FOLDER, help="Take the secret seed from such a copy.")
@season_options
@_command.log_option
def doctor(season: "Season", save_seed: Path | None, load_seed: Path | None) -> None:
    """Name what the season lacks on this machine, what git does not carry to another one, and the next command.

    Exit code 1: something is missing.
    """
    from wordpl.apps.season.doctor import examine, pending_run
    from wordpl.contest import official

    if save_seed is not None:
        return say_wrapped(
            f"Wrote {official.copy_seed(pending_run(season), save_seed)}. Whoever reads it knows all secrets."
        )
    if load_seed is not None:
        return say_wrapped(f"Wrote {official.restore_seed(pending_run(season), load_seed)}.")
    found = examine(season)
    for title, lines in (("Missing on this machine:", found.missing), ("Not carried by git:", found.only_here)):
        if lines:
            say(title)
            for line in lines:
                say_wrapped(f"  {line}", 4)
    say("Next:")
    for words in found.then:
        say(f"    {season_command(season, *words)}")
    if found.missing:
        raise click.exceptions.Exit(1)
    return None
