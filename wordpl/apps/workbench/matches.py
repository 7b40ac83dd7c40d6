"""`wordpl match`, `grade` and `tune`: play entries against each other."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordpl.apps.workbench.terms import MatchTerms, TuneTerms
from wordpl.cli import _arguments
from wordpl.cli._arguments import ENTRY, RUN, isolated_option
from wordpl.cli._command import WordplCommand, append_summary, json_option, log_option, summary_option
from wordpl.cli._options import option, options
from wordpl.cli._output import print_json, say, show_result, show_tables, stoppable
from wordpl.core import paths
from wordpl.core.messages import UserError, amount
from wordpl.run.config import RunConfig

if TYPE_CHECKING:
    from wordpl.apps.workbench.grade import Grade
    from wordpl.apps.workbench.match import Match, MatchResult

KEPT = "\nAll games are kept. To resume:"


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("new", required=False, type=ENTRY)
@click.argument("old", required=False, type=ENTRY)
@options(MatchTerms, "goal", "budget", "margin", "max_games", "exact")
@_arguments.run_options(
    "game_id", "seed", "answers", "guesses", "loss_cost", "results", "player", *_arguments.LIMIT_FIELDS
)
@_arguments.jobs_option
@_arguments.hosted_options
@click.option("--resume", metavar="RUN", type=RUN, help="Resume a match that was stopped.")
@json_option
@log_option
def match_command(
    new: str | None,
    old: str | None,
    config: RunConfig,
    jobs: int | None,
    resume: Path | None,
    as_json: bool,
    **terms: Any,
) -> None:
    """Play NEW and OLD until it is clear which one is better.

    Both play the same games; a match with the same --seed always ends after the same games with the same output. NEW
    and OLD are files, classes with arguments, or files at a git revision. By default, OLD
    is the last committed version of NEW.

    \b
    wordpl match my_bot.py                  the file against its last commit
    wordpl match my_bot.py my_bot.py@HEAD~3
    wordpl match my_bot.py "NGuess(epsilon=14.5)" --goal won --budget 43.5
    wordpl match "MyBot(epsilon=8)" "MyBot(epsilon=9)" --margin 0.5

    You may look at the result and stop at any time: if both entries are equally good, at most 5 % of all matches call
    one of them better, however long they last. The games are kept as a run in results/.

    Exit code 1: NEW is worse.
    """
    from wordpl.apps.workbench.match import Match
    from wordpl.apps.workbench.match_result import sentences, table
    from wordpl.reports.elements import duration

    if resume:
        match = Match.resume(resume, jobs=jobs, level=config.level, trusted=config.is_trusted)
    elif new is None:
        raise click.UsageError("name an entry, for example: wordpl match my_bot.py")
    else:
        match = Match.new(new, old or last_commit(new), config, MatchTerms(**terms), jobs=jobs)
    result = play_match(match)
    folder = paths.relative_to_cwd(match.folder)
    remark = match.run.info.seed_remark
    values = result.to_json() | {"folder": folder, "seed": match.run.info.seed, "seed_remark": remark}
    show_result("match", values, [table(result)], [*sentences(result), *filter(None, [remark])], as_json=as_json)
    if not as_json:  # what differs from one match with this seed to the next is not part of the output
        new_s, old_s = map(duration, result.cpu_s)
        say(f"CPU per game: new {new_s}, old {old_s}", err=True)
        say(f"To see where the new entry loses: wordpl analyse {folder} new", err=True)
    click.get_current_context().exit(1 if result.verdict == "worse" else 0)


def last_commit(text: str) -> str:
    """Return the name of the last committed version of an entry."""
    file, colon, make = text.partition(":")
    if "(" in file or "@" in file:
        raise click.UsageError(f"name the other entry too, for example: wordpl match {text!r} OTHER")
    return f"{file}@HEAD{colon}{make}"


def play_match(match: "Match") -> "MatchResult":
    """Play the match with a status line; Ctrl-C shows how to resume it and exits with code 130."""
    from wordpl.apps.workbench.match import MatchObserver
    from wordpl.apps.workbench.match_result import live_line

    class Watch(MatchObserver):
        def progress(self, result: "MatchResult") -> None:
            line.update(live_line(result))

        def enumerating(self, n_clues: int) -> Callable[[], object]:
            n_tried = [0]

            def step() -> None:
                n_tried[0] += 1
                line.update(f"trying all clues: {n_tried[0]} of {2 * n_clues} first clues", now=n_tried[0] == 1)

            return step

    folder = paths.relative_to_cwd(match.folder)
    say(f"{folder}: seed {match.run.info.seed}", err=True)
    with stoppable(f"{KEPT}\n    wordpl match --resume {folder}") as line:
        return match.play(Watch())


MAX_GRADE_GAMES = 5_000
N_VALUED = 20


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("entries", nargs=-1, type=ENTRY)
@click.option("--roster", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="CSV file with a column `entry`: grade these, and print it with their grades.")  # fmt: skip
@click.option("--baseline", "baselines", multiple=True, required=True, type=ENTRY, metavar="ENTRY",
              help="Entry to beat. Repeatable, the weakest first.")  # fmt: skip
@click.option("--need", default=1, type=click.IntRange(0), help="Number of baselines to beat for exit code 0.")
@options(MatchTerms, "goal", "budget")
@option(MatchTerms, "max_games", default=MAX_GRADE_GAMES, help="Largest number of games against each baseline.")
@_arguments.run_options("game_id", "seed", "answers", "guesses", "loss_cost", "results", *_arguments.LIMIT_FIELDS)
@_arguments.jobs_option
@isolated_option
@summary_option("the grade and the feedback", ", or write a page to FILE.html")
@json_option
@log_option
def grade_command(
    entries: tuple[str, ...],
    config: RunConfig,
    baselines: tuple[str, ...],
    need: int,
    roster: Path | None,
    jobs: int | None,
    isolated: bool,
    summary: Path | None,
    as_json: bool,
    **terms: Any,
) -> None:
    """Count the baselines that each of ENTRIES is shown to beat.

    Each entry plays a match against one baseline after another, until it is not shown to be better. A match ends as
    soon as it is decided (see `wordpl match`); an entry that is as good as the baseline is called better in at most 5 %
    of all matches. The feedback shows where the entry loses games of its last match, as `wordpl analyse` does.

    \b
    wordpl grade strategies/my_bot.py --baseline n_guess --baseline max_clue_entropy

    Several entries are graded at a time, and those with common sources are named with the evidence.

    Exit code 1: an entry beats fewer baselines than --need.
    """
    from wordpl.apps.workbench.grade import Roster, grade, grade_all, page, similar_entries
    from wordpl.contest.run_folder import n_processors
    from wordpl.players.sandbox import probe
    from wordpl.players.sandbox.levels import Level
    from wordpl.reports.html.document import write_page

    if bool(entries) == (roster is not None) or (roster and as_json):
        raise click.UsageError("give ENTRIES, or --roster FILE without --json.")
    if need > len(baselines):
        given = f"only {amount(len(baselines), 'baseline')} given, of which {need} cannot be beaten."
        raise click.BadParameter(given, param_hint="--need")
    if isolated and not Level(config.level or probe.probe().level).is_official:
        raise UserError(f"this machine cannot isolate untrusted code. {probe.probe()}")
    match_terms = MatchTerms(**terms)
    course = Roster.read(roster) if roster is not None else None
    if course is not None:
        entries = tuple(course.places)
        names = {row["entry"]: str(place) for row in course.rows if (place := course.place(row)) is not None}
    else:
        names = {entry: entry for entry in entries}
    if len(entries) == 1:
        grades = [grade(entry, baselines, config, match_terms, jobs=jobs, play=play_match) for entry in entries]
    else:
        with stoppable():
            grades = list(grade_all(entries, baselines, config, match_terms, jobs or n_processors()))
    pairs = similar_entries(names)
    for found in grades:
        if not as_json and course is None:
            _show_grade(found)
        if summary and summary.suffix != ".html":
            append_summary(summary, found.in_markdown(N_VALUED))
    if summary and summary.suffix == ".html":
        write_page(summary, page(grades, N_VALUED))
    if as_json:
        common = [{"entries": [pair.first, pair.second], "share": pair.share, "text": str(pair)} for pair in pairs]
        print_json("grade", {"grades": [found.to_json() for found in grades], "need": need, "similar": common})
    elif course is not None:
        say(course.graded(grades, pairs).rstrip("\n"))
    for pair in pairs if not as_json else ():
        say(str(pair), err=course is not None)
    click.get_current_context().exit(0 if all(found.points >= need for found in grades) else 1)


def _show_grade(found: "Grade") -> None:
    show_tables([found.table()])
    if found.problem:
        say(found.problem)
    if found.seed_remark:
        say(found.seed_remark)
    if found.matches:
        say(f"To see where it loses: wordpl analyse {paths.relative_to_cwd(found.matches[-1][0].folder)} new")


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("entry", required=False, type=ENTRY)
@options(TuneTerms, "parameters", "goal", "budget", "cpu_s", "max_trials", "n_validation")
@_arguments.run_options(
    "game_id", "seed", "answers", "guesses", "loss_cost", "results", "player", *_arguments.LIMIT_FIELDS
)
@_arguments.jobs_option
@click.option("--resume", metavar="RUN", type=RUN, help="Resume a search that was stopped.")
@json_option
@log_option
def tune_command(
    entry: str | None,
    config: RunConfig,
    jobs: int | None,
    resume: Path | None,
    as_json: bool,
    **terms: Any,
) -> None:
    """Search for the best parameters of ENTRY.

    ENTRY must be a class with named arguments, such as a dataclass.

    \b
    wordpl tune my_bot.py --param epsilon=5:20 --param certainty=0.05:0.95
    wordpl tune n_guess --param n_guesses=2,3,4 --goal p95 --time 120
    wordpl tune my_classic_bot.py --param depth=1,2,3

    All parameter sets play the same games. Many sets play a few games, and the best of them play more (successive
    halving). For entries that always spend the same budget, the smallest budget that wins the share is found by
    bisection. Finally, the best set and your own parameters play fresh games. All games are kept, so you can stop with
    Ctrl-C and continue with --resume.
    """
    from wordpl.apps.workbench.tune import Tuner, live_line, sentences, table

    if resume:
        tuner = Tuner.resume(resume, jobs=jobs, level=config.level, trusted=config.is_trusted)
    elif entry is None:
        raise click.UsageError("name an entry, for example: wordpl tune my_bot.py --param epsilon=5:20")
    else:
        tuner = Tuner.new(TuneTerms(entry=entry, config=config, **terms), jobs=jobs)
    folder = paths.relative_to_cwd(tuner.folder)
    say(f"{folder}: {tuner.objective.in_words()}, seed {tuner.terms.seed}", err=True)
    with stoppable(f"{KEPT}\n    wordpl tune --resume {folder}") as line:
        result = tuner.run(lambda now: line.update(live_line(now, tuner)))
    tables = [table(result, tuner.terms.n_validation)]
    remark = tuner.terms.seed_remark
    values = result.to_json() | {"folder": folder, "seed_remark": remark}
    show_result("tune", values, tables, [*sentences(result), *filter(None, [remark])], as_json=as_json)
