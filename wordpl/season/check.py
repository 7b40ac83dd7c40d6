"""Checks that everything in a season's folder follows from its log and from the records of its runs."""

from collections.abc import Callable, Iterator
from hashlib import sha256

from wordpl.core import bounded
from wordpl.core.errors import UserError
from wordpl.run.bundle import Bundle
from wordpl.run.folder import Run
from wordpl.season import terms, versions
from wordpl.season.log import Confirmation, Opened, Played, Round, Submitted
from wordpl.season.season import CONFIRMATIONS, ROUNDS, Season, digest_of_files
from wordpl.verify import verify


def problems(season: Season, progress: Callable[[str], object] = lambda name: None) -> Iterator[str]:
    """Yield a sentence for each thing that does not follow; none if the season holds.

    The log was checked when the season was read: each line has the digest of the line before it.

    Args:
        season: The season.
        progress: Called with the name of each part before it is checked.
    """
    progress("terms and versions")
    yield from _terms(season)
    yield from _versions(season)
    played = {event.run: event for event in season.log.events if isinstance(event, Played)}
    announced = [event for event in season.log.events if isinstance(event, Round | Confirmation)]
    yield from _folders(season, {event.run for event in announced})
    for kind in (Round, Confirmation):
        numbers = [event.number for event in announced if isinstance(event, kind)]
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"the numbers of the {kind.__name__.lower()}s are {numbers}: one was left out."
    for event in announced:
        progress(event.run)
        try:
            yield from run_problems(season, event, played.get(event.run))
        except UserError as error:
            yield error.message
        if event.run not in played and event is not announced[-1]:
            yield f"{event.run} was announced and never played to its end, although later ones were."


def _terms(season: Season) -> Iterator[str]:
    noted = [event.terms for event in season.log.events if isinstance(event, Opened)]
    if not noted or noted[-1] != sha256(bounded.read(bounded.SEASON_TERMS, season.folder / terms.FILE)).hexdigest():
        yield (
            f"{terms.FILE} has changed since the last line of the log. If its host changed it, the next `wordpl season "
            "submit` or `round` logs this."
        )


def _versions(season: Season) -> Iterator[str]:
    folder = season.folder / versions.FOLDER
    labels = set()
    for event in season.log.events:
        if not isinstance(event, Submitted):
            continue
        labels.add(event.version)
        try:
            if Bundle.of(folder / event.version / event.file).digest != event.digest:
                yield f"the files of {event.version} have changed."
        except UserError as error:
            yield f"the files of {event.version} are missing or have changed: {error.message}"
    found = {path.name for path in folder.glob("*") if not path.name.startswith(".")}
    for label in sorted(found - labels):
        yield f"{label} is in {versions.FOLDER}/, but not in the log: a version was dropped."


def _folders(season: Season, announced: set[str]) -> Iterator[str]:
    for part in (ROUNDS, CONFIRMATIONS):
        for path in sorted((season.folder / part).glob("*/run.json")):
            if path.parent.name not in announced:
                yield f"{part}/{path.parent.name} is not in the log: a round was left out, or was never announced."


def run_problems(season: Season, event: Round | Confirmation, played: Played | None) -> Iterator[str]:
    """Yield a sentence for each thing in a run that does not follow from its seed, the log and the versions.

    Raises:
        UserError: It is not a run.
    """
    run, name = season.run_of(event), event.run
    slugs = set(event.players) if isinstance(event, Round) else {event.slug}
    if {entry.slug for entry in run.info.entries} != slugs:
        yield f"{name} has other entries than the log says."
        return
    if run.info.commitment != event.commitment:
        yield f"{name} has another commitment than the log says."
    yield from _files(season, event, run)
    if played is None:
        return
    if run.info.finished is None or run.info.seal != played.seal:
        yield f"{name} has another seal than the log says."
    if digest_of_files(run) != played.files:
        yield f"a file of {name} has changed since it was played."
    findings = verify(run, season.terms.lists(season.folder))
    for difference in findings.differences:
        yield f"{name}: {difference}"
    if isinstance(event, Confirmation):
        if season.is_shown(event, run) is not played.is_shown:
            yield f"{name} does not show what the log says."
        if event.number > season.terms.confirmations:
            yield f"{name} is one confirmation more than the season allows."


def _files(season: Season, event: Round | Confirmation, run: Run) -> Iterator[str]:
    labels = event.players if isinstance(event, Round) else {event.slug: event.version}
    by_label = {version.label: version for version in season.versions}
    for entry in run.info.entries:
        version = by_label.get(labels[entry.slug])
        if version is None:
            yield f"{event.run} was played by {labels[entry.slug]}, which is not in the log: a version was dropped."
            continue
        if version.digest != entry.sha256:
            yield f"{event.run} was played by other files than those of {version.label}."
