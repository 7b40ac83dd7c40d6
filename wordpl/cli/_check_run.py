"""The steps of `wordpl check`: ask for the entries, play them, say what was found."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from wordpl import reports
from wordpl.cli import _evaluation, _os_errors, _progress
from wordpl.cli._echo import say
from wordpl.cli._evaluation import Settings
from wordpl.cli._reporting import generator
from wordpl.contest import determinism, preflight, runner
from wordpl.contest.preflight import Check, Seen
from wordpl.core import seeds, words
from wordpl.core.records import Run, load_run
from wordpl.players import discovery
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox.levels import Level
from wordpl.reports import Board, check_report


def check(names: Sequence[str], settings: Settings, jobs: int, summary: Path | None) -> bool:
    """Check the entries of these files and show what was found; return whether nothing is to be mended."""
    wanted = dict.fromkeys(chain.from_iterable(map(preflight.entries_with, names)))
    if not wanted:
        say(f"No entry of strategies/ is touched by {', '.join(names)}.")
        return True
    sources = discovery.find_sources(wanted)
    folder = TemporaryDirectory(ignore_cleanup_errors=True)
    with folder as parent, PlayerPool(words.load(), Path(parent), [settings.results]) as pool:
        found = discovery.ask(sources, pool, settings)
    done, boards, terms = (
        list(preflight.of_interface(found)),
        [],
        {"isolation": f"level {settings.level}, {Level(settings.level).meaning}"},
    )
    if entries := discovery.resolve_entries(discovery.entries_of(found), None):
        run = Run.create(settings.results / "run", _evaluation.describe(entries, settings))
        done += play(run, jobs)
        boards = reports.boards(load_run(run.folder), generator(run.info))
        terms |= {"seed": run.info.seed, "games for each entry": str(run.info.n_games)}
    faulty = {one.source.file for one in found if isinstance(one, discovery.Fault)}
    seen = [preflight.seen(file) for file in dict.fromkeys(source.file for source in sources) if file not in faulty]
    show(done, seen, boards, terms)
    if summary:
        with _os_errors.told(summary), summary.open("a") as file:
            file.write(check_report.page(done, seen, boards, terms))
    n_failed = sum(not one.passed for one in done)
    say(f"{n_failed} of {len(done)} checks failed: mend what FAIL says." if n_failed else "All checks passed.")
    return not n_failed


def play(run: Run, jobs: int) -> Iterator[Check]:
    """Play the run, parts of it again, and all of it backwards; yield what the games show of each entry."""
    key = seeds.run_key(run.info.seed)
    with _os_errors.told(run.folder), _progress.bars(run) as shown, runner.workers(jobs) as parent:
        runner.play_left(run, parent, jobs, shown.show, key)
        determinism.play_repeats(run, parent, jobs, shown.show_repeats, key)
        changed = preflight.backwards(run, parent, key, partial(shown.move, "backwards"))
    for entry, finding in zip(run.info.entries, determinism.findings(run), strict=True):
        yield preflight.of_games(run, entry)
        yield preflight.of_speed(run, entry)
        yield preflight.of_repeats(finding)
        if not finding.unsteady:
            yield preflight.of_order(entry, run.info.n_games, changed[entry.slug])


def show(done: Sequence[Check], seen: Sequence[Seen], boards: Sequence[Board], terms: dict[str, str]) -> None:
    """Print what was found, and what a reviewer sees."""
    for line in check_report.lines(done):
        say(line)
    say("\nWhat a reviewer sees:")
    for facts in [*map(check_report.facts, seen), terms]:
        for name, value in facts.items():
            say(f"    {name}: {value}")
    say("")
    reports.show(boards, Console())
