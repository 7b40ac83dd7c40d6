"""The steps of `wordpl check`: ask for the entries, play them, say what was found."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from wordpl import checks, repeats, reports, runner, seeds, words
from wordpl.checks import Check, Seen
from wordpl.commands import bars, evaluation, faults
from wordpl.commands.evaluation import Settings
from wordpl.commands.reporting import generator
from wordpl.commands.say import say
from wordpl.isolation.levels import Level
from wordpl.players import scan
from wordpl.players.house import House
from wordpl.records import Run, load_run
from wordpl.reports import Board, checked


def check(names: Sequence[str], settings: Settings, jobs: int, summary: Path | None) -> bool:
    """Check the entries of these files and show what was found; return whether nothing is to be mended."""
    wanted = dict.fromkeys(chain.from_iterable(map(checks.entries_with, names)))
    if not wanted:
        say(f"No entry of strategies/ is touched by {', '.join(names)}.")
        return True
    sources = scan.find_sources(wanted)
    folder = TemporaryDirectory(ignore_cleanup_errors=True)
    with folder as parent, House(words.load(), Path(parent), [settings.results]) as house:
        found = scan.ask(sources, house, settings)
    done, boards, terms = (
        list(checks.of_interface(found)),
        [],
        {"isolation": f"level {settings.level}, {Level(settings.level).meaning}"},
    )
    if entries := scan.seated(scan.entries_of(found), None):
        run = Run.create(settings.results / "run", evaluation.describe(entries, settings))
        done += play(run, jobs)
        boards = reports.boards(load_run(run.folder), generator(run.info))
        terms |= {"seed": run.info.seed, "games for each entry": str(run.info.n_games)}
    faulty = {one.source.file for one in found if isinstance(one, scan.Fault)}
    seen = [checks.seen(file) for file in dict.fromkeys(source.file for source in sources) if file not in faulty]
    show(done, seen, boards, terms)
    if summary:
        with faults.told(summary), summary.open("a") as file:
            file.write(checked.page(done, seen, boards, terms))
    n_failed = sum(not one.passed for one in done)
    say(f"{n_failed} of {len(done)} checks failed: mend what FAIL says." if n_failed else "All checks passed.")
    return not n_failed


def play(run: Run, jobs: int) -> Iterator[Check]:
    """Play the run, parts of it again, and all of it backwards; yield what the games show of each entry."""
    key = seeds.run_key(run.info.seed)
    with faults.told(run.folder), bars.bars(run) as shown, runner.workers(jobs) as parent:
        runner.play_left(run, parent, jobs, shown.show, key)
        repeats.play_repeats(run, parent, jobs, shown.show_repeats, key)
        changed = checks.backwards(run, parent, key, partial(shown.move, "backwards"))
    for entry, finding in zip(run.info.entries, repeats.findings(run), strict=True):
        yield checks.of_games(run, entry)
        yield checks.of_speed(run, entry)
        yield checks.of_repeats(finding)
        if not finding.unsteady:
            yield checks.of_order(entry, run.info.n_games, changed[entry.slug])


def show(done: Sequence[Check], seen: Sequence[Seen], boards: Sequence[Board], terms: dict[str, str]) -> None:
    """Print what was found, and what a reviewer sees."""
    for line in checked.lines(done):
        say(line)
    say("\nWhat a reviewer sees:")
    for facts in [*map(checked.facts, seen), terms]:
        for name, value in facts.items():
            say(f"    {name}: {value}")
    say("")
    reports.show(boards, Console())
