"""What contradicts nothing in a season's folder, but what whoever checks it should know."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise

from wordpl.apps.season import log, terms
from wordpl.apps.season.candidate import Candidate
from wordpl.apps.season.check import MAX_CLOCK_DIFFERENCE, PAGES, is_own, safely, standings_of, time_of
from wordpl.apps.season.log import Anonymized, Confirmation, Voided
from wordpl.apps.season.season import Season
from wordpl.apps.season.standings import RECORDS_ALPHA
from wordpl.apps.season.terms import CONFIRMATIONS, ROUNDS
from wordpl.contest import official
from wordpl.core.intervals import ROUNDING
from wordpl.core.messages import UserError, amount
from wordpl.run.bundle import STRATEGIES, Bundle, entries_in, shown
from wordpl.run.folder import LOCK

WORKFLOW = ".github/workflows/season.yml"
ROOT = (
    *(terms.FILE, log.FILE, log.VERSIONS_FOLDER, ROUNDS, CONFIRMATIONS, STRATEGIES, LOCK),
    *("README.md", "standings.json", "FINAL.md", PAGES, ".git", ".github", ".gitignore", ".gitattributes"),
)
"""What a season's folder has."""
LICENSES = re.compile(r"LICEN[CS]E[\w-]*(\.(md|txt))?", re.IGNORECASE)
MAX_NAMED = 5


def remarks(season: Season) -> Iterator[str]:
    """Yield a sentence for each thing that contradicts nothing, but that whoever checks a season should know.

    What an earlier release has logged is a fact. Where the estimators of today find something else, both are named.
    """
    times = [time_of(event.time) for event in season.log.events]
    for line, (before, after) in enumerate(pairwise(times), 2):
        if before and after and after < before:
            yield f"line {line} of the log: the clock was set back by {before - after}. The order of the lines holds."
    for number, event in enumerate(season.log.events, 1):
        if isinstance(event, Anonymized):
            yield (
                f"line {number} of the log: the names of {event.author} were replaced on request in "
                f"{amount(len(event.lines), 'line')} and {amount(len(event.runs), 'run')}, whose digests are those of "
                "before; only who has an earlier copy can compare."
            )
    if times and (last := times[-1]) and last > datetime.now(UTC) + MAX_CLOCK_DIFFERENCE:
        yield f"line {len(times)} of the log is of {last:%Y-%m-%d}, which is in the future by this machine's clock."
    for event in season.log.events:
        if isinstance(event, Voided) and not event.is_known and not _had_beacon(season, event.run):
            yield f"{event.run} is void and called unknown, although nothing here says that it waited for a beacon."
    if season.log.events and not season.log.known_terms:
        yield f"the log is of release 1.0.0 and knows only digests of {terms.FILE}; the next command logs its text."
    yield from _confirmations(season)
    yield from safely(standings_of(season, of_own_release=False))
    yield from _foreign(season)


def _confirmations(season: Season) -> Iterator[str]:
    """Yield what is not known of the levels of confirmations, and which of them today's test judges differently."""
    budget = season.error_budget
    if sum(budget.used) > RECORDS_ALPHA * (1 + ROUNDING) and not budget.is_exact:
        yield (
            f"the terms of a confirmation are not known: if each was allowed to be the last one, the levels add up to "
            f"{100 * sum(budget.used):.3g}%."
        )
    for event in season.announced:
        played = season.ends.get(event.run)
        if played is None or is_own(played) or event.run in season.voided:
            continue
        if isinstance(event, Confirmation):
            found = season.is_shown(event, season.run_of(event))
            if found is not played.is_shown:
                words = {True: "shows the record", False: "does not show the record"}
                yield (
                    f"{event.run} {words[bool(played.is_shown)]}, as release {played.release or '1.0.0'} found; the "
                    f"test of today says that it {words[found]}. What was announced stays."
                )


def _foreign(season: Season) -> Iterator[str]:
    """Yield what lies in the folder of a season and is no part of it, or not yet."""
    pages = {"index.html", *(f"entry-{version.name}.html" for version in season.versions)}
    for path in sorted((season.folder / PAGES).glob("*")):
        if path.name not in pages:
            yield f"{PAGES}/{path.name} is no page of this season."
    for path in sorted((season.folder / ".github").rglob("*")):
        name = path.relative_to(season.folder).as_posix()
        if name != WORKFLOW and (path.is_symlink() or not path.is_dir()):
            yield f"{name} is no part of a season: only its host can know who has put it there."
    yield from _not_sent(season)
    known = {*ROOT, season.terms.answers, season.terms.guesses}
    for path in sorted(season.folder.iterdir()):
        if path.name not in known and not LICENSES.fullmatch(path.name):
            yield f"{path.name} lies in the season's folder, and is no part of a season."


def _not_sent(season: Season) -> Iterator[str]:
    """Yield a sentence about the entries in strategies/ that are no version in this form."""
    if (season.folder / STRATEGIES).is_symlink():
        return
    sent, found = {version.digest for version in season.versions}, []
    for place in entries_in(season.folder / STRATEGIES):
        try:
            if not {*Candidate(season, Bundle.of(place, season.folder / STRATEGIES), "").digests} & sent:
                found.append(place.name)
        except UserError:
            found.append(place.name)
    if found:
        yield f"not sent in this form: {', '.join(shown(name) for name in found[:MAX_NAMED])}, in {STRATEGIES}/."


def _had_beacon(season: Season, run: str) -> bool:
    """Return whether a run that became void was announced with a beacon that it never got."""
    try:
        info = next(season.run_of(event) for event in season.announced if event.run == run).info
    except UserError:
        return False
    return official.is_waiting_for_beacon(info)
