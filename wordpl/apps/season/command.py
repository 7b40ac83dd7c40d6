"""`wordpl season`: contests that stay open, with versions, rounds, standings and records."""

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordpl.cli import _command
from wordpl.cli._output import new_console, print_json, say, say_wrapped, show_tables, stoppable, working
from wordpl.core.messages import amount
from wordpl.core.paths import relative_to_cwd

if TYPE_CHECKING:
    from wordpl.apps.season.log import Confirmation, Round
    from wordpl.apps.season.season import Season
    from wordpl.apps.season.standings import Standings
    from wordpl.contest import Contest, Observer
    from wordpl.run.folder import Run

Command = TypeVar("Command", bound=Callable[..., Any])

folder_option = click.option(
    "-C", "--folder", type=_command.A_FOLDER, default=Path(), help="The season's folder. [default: the current one]"
)
jobs_option = click.option("--jobs", type=click.IntRange(1), help="Games to play at a time. [default: one per core]")
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


def season_option(command: Command) -> Command:
    """Add --folder to a command that changes the log only; it gets the season in that folder."""

    @wraps(command)
    def with_season(folder: Path, max_games: int | None = None, **options: Any) -> Any:
        from wordpl.apps.season.season import Season

        return command(season=Season(folder) if max_games is None else Season(folder, max_games), **options)

    return folder_option(_command.own_game_option(with_season))  # type: ignore[return-value]  # click gives them


def season_options(command: Command) -> Command:
    """Add --folder and --max-games to a command that reads the runs of the season, which it gets."""
    return season_option(_command.max_games_option(command))


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
@jobs_option
@click.option(
    "--action", metavar="OWNER/REPO@COMMIT", help="Where the workflow takes wordpl from. [default: to be filled in]"
)
@_command.quiet_option
@_command.log_option
def new(
    folder: Path, title: str | None, game: str, scores: tuple[str, ...], deadline: datetime | None, bundled: bool,
    games: int, jobs: int | None, action: str | None, quiet: bool,
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
    season = Season.new(folder, name, game, scores, deadline.date() if deadline else None, games)
    for path, text in terms.hosting_files(name, report.BEGIN, report.END, action or terms.PLACEHOLDER).items():
        if not (folder / path).exists():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    season_site.publish(season)
    say(f"Created {folder}. Its terms are in {folder / 'season.toml'}.")
    if not bundled:
        say_wrapped(f"Edit them, then add entries: wordpl season submit FILE -C {folder}")
        return
    with season.locked():
        with working("loading the bundled strategies"):
            season.submit_bundled()
            season_site.publish(season)
        Playing(jobs=jobs, quiet=quiet).play_next(season)
    say_wrapped(f"Next: wordpl season submit FILE -C {folder}, then wordpl season round -C {folder}")


@command.command(short_help="Add an entry, or its next version.")
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


@command.command(short_help="Show the rank that an entry would have.")
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
    from wordpl.reports.renderers import markdown_part, markdown_section
    from wordpl.run.folder import RunRecords

    played = Sample(season, files)
    with TemporaryDirectory(prefix="wordpl-sample-", ignore_cleanup_errors=True) as results:
        contest, run = _try_out(lambda: played.contest(games, Path(results), jobs), quiet)
        with working("computing the forecast"):
            forecasts = played.forecasts(contest, run, np.random.default_rng(0))
            table = report.forecast_table(season, forecasts, games)
            board = RunReport(RunRecords(run)).sections(Detail.BOARD)
    if summary:
        parts = [markdown_part(table), *map(markdown_section, board)]
        _command.append_summary(summary, "\n\n".join(parts) + "\n")
    show_tables([table])


def _try_out(make: "Callable[[], Contest]", quiet: bool) -> "tuple[Contest, Run]":
    """Make a contest, and play it with progress but without a word on how to resume it."""
    from wordpl.cli._run_progress import ProgressBars

    with working("loading the entries"):
        contest = make()
        contest.entries  # noqa: B018 - the first access loads them
    return contest, contest.play(ProgressBars(resumable=False, is_quiet=quiet))


@command.command(short_help="Withdraw a version.")
@click.argument("version")
@season_option
@_command.log_option
def withdraw(season: "Season", version: str) -> None:
    """Withdraw VERSION, such as my_bot@3. The version before it is ranked again; what it played stays."""
    with published(season):
        label = season.withdraw(version).label
    say(f"{label} is withdrawn.")


@command.command(short_help="Disqualify a version.")
@click.argument("version")
@click.option("--reason", required=True, help="Why; it stays visible.")
@season_option
@_command.log_option
def disqualify(season: "Season", version: str, reason: str) -> None:
    """Disqualify VERSION, such as my_bot@3, for a reason that stays visible."""
    with published(season):
        label = season.disqualify(version, reason).label
    say_wrapped(f"{label} is disqualified: {reason}")


@command.command(short_help="Keep games comparable after an upgrade.")
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


@command.command(short_help="Declare a round or a confirmation void.")
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


@command.command(short_help="Name what is missing on this machine.")
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


@command.command(short_help="Ban an author.")
@click.argument("author")
@click.option("--reason", required=True, help="Why; it stays visible.")
@season_option
@_command.log_option
def ban(season: "Season", author: str, reason: str) -> None:
    """Disqualify all versions of AUTHOR, and accept no more, for a reason that stays visible."""
    with published(season):
        found = season.ban(author, reason)
    say_wrapped(f"{author} is banned: {', '.join(version.label for version in found)}")


@command.command(short_help="Say whether a pull request may be merged.")
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


@command.command(name="round", short_help="Play the next round.")
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
    from wordpl.apps.season import check

    playing = Playing(**how)
    if rehearse and (beacon_from or playing.beacon or playing.only_announce or out or playing.as_json):
        raise click.UsageError("--rehearse goes with --jobs and --quiet only.")
    with season.locked():
        if rehearse:
            return playing.rehearse(season)
        playing.play_next(season, beacon_from, anew=anew)
        if out is not None and season.pending is None:
            check.export(season, season.played_rounds[-1], out)
    return None


@command.command(name="accept", short_help="Add a round that was played elsewhere.")
@click.argument("source", metavar="DIR", type=_command.A_FOLDER)
@season_options
@_command.log_option
def accept_round(season: "Season", source: Path) -> None:
    """Add the round in DIR, which `wordpl season round -o DIR` wrote elsewhere, and publish the standings.

    Nothing in DIR is trusted: versions are read from this season's strategies/, the choice of players is made again,
    and each game is verified from the seed. No entry is run.
    """
    from wordpl.apps.season.check import accept

    with working("verifying the round"), published(season):
        event = accept(season, source)
    say(f"Added round {event.number}: {', '.join(event.players.values())}.")


@command.command(short_help="Play the closing round.")
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
    """Close the season: a closing round of the first ten with many games, and final standings."""
    playing, n_games = Playing(**how), games or season.terms.confirmation_games
    with season.locked():
        playing.play_next(season, beacon_from, closing=True, n_games=n_games, anew=anew)


@command.command(short_help="Play the confirmation of a record.")
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
            version, score, value, observer, beacon_from=beacon_from, jobs=playing.jobs))  # fmt: skip
        playing.play(season)


@contextmanager
def published(season: "Season") -> Iterator[None]:
    """Lock the season during the block, and then publish its standings."""
    from wordpl.apps.season import site as season_site

    with season.locked():
        yield
        season_site.publish(season)


def season_command(season: "Season", *words: str) -> str:
    """Return a command line of `wordpl season` for this season."""
    place = relative_to_cwd(season.folder)
    return shlex.join(["wordpl", "season", *words, *([] if place == "." else ["-C", place])])


def announce(season: "Season", announced: "Callable[[Observer], Round | Confirmation]") -> None:
    """Announce a round or a confirmation, publish that, and print the commitment."""
    from wordpl.apps.season import site as season_site
    from wordpl.contest import Observer

    with working("loading the entries"):
        event = announced(Observer())
        season_site.publish(season)
    click.echo(f"commitment  {event.commitment}\nseason      {season.log.last_digest}", err=True)


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
                observer, beacon_from=beacon_from, jobs=self.jobs, **of_round))  # fmt: skip
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
        return _show(season, standings, self.as_json)

    def rehearse(self, season: "Season") -> None:
        """Play the next round in a temporary folder, and show its board."""
        from wordpl import reports
        from wordpl.reports import RunReport
        from wordpl.reports.elements import Detail
        from wordpl.run.folder import RunRecords

        with TemporaryDirectory(prefix="wordpl-rehearsal-", ignore_cleanup_errors=True) as results:
            _, run = _try_out(lambda: season.rehearsal(Path(results), self.jobs), self.quiet)
            reports.show(RunReport(RunRecords(run)).sections(Detail.BOARD), new_console())
        say_wrapped("This was a rehearsal: nothing was logged or published, and its games do not count.", 0)


@command.command(name="standings", short_help="Show the standings.")
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
        _show(season, found, as_json)


def _show(season: "Season", standings: "Standings", as_json: bool) -> None:
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

    with working("verifying"):
        found = list(check.problems(season))
        if digest is not None and digest not in season.log.digests:
            found.append(f"the log does not continue the one with the digest {digest}: it was rewritten or cut since.")
        remarks = [] if found else list(check.remarks(season))
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
