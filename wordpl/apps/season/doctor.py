"""What a season lacks on this machine, what git does not carry to another one, and what to do next."""

from collections.abc import Iterator
from dataclasses import dataclass

from wordpl.apps.season.log import VERSIONS_FOLDER, Confirmation, Round
from wordpl.apps.season.season import Season
from wordpl.apps.season.state import ANONYMIZED
from wordpl.apps.season.terms import CONFIRMATIONS, ROUNDS
from wordpl.contest import official
from wordpl.core.messages import UserError
from wordpl.run.bundle import STRATEGIES
from wordpl.run.folder import Run


@dataclass(frozen=True)
class Status:
    """What a season has and lacks on this machine.

    Attributes:
        missing: A sentence for each thing that is not here.
        only_here: A sentence for each thing that is here, and that git does not carry.
        then: The words of the next subcommands of `wordpl season`, the best one first.
    """

    missing: tuple[str, ...]
    only_here: tuple[str, ...]
    then: tuple[tuple[str, ...], ...]


def examine(season: Season) -> Status:
    """Return what a season has and lacks on this machine."""
    missing, only_here = list(_missing_files(season)), []
    then: list[tuple[str, ...]] = []
    event = season.pending
    if event is not None:
        run = _run_of(season, event)
        void = ("void", event.run, "--reason", "TEXT")
        if run is None:
            then.append(void)
        elif not run.info.is_written:
            missing.append(f"Release 1.0.0 of wordpl, which announced {event.run} and alone can play it.")
            then.append(void)
        elif run.info.finished is None:
            try:
                seed = official.find(run)
                only_here.append(
                    f"The secret seed of {event.run} is in {seed}. Without it, the run can only become void: keep a "
                    "copy in a folder that nobody else reads, outside of the repository."
                )
                if official.is_waiting_for_beacon(run.info):
                    then.append(("round", "--beacon", "TEXT"))
                else:
                    then.append(("round",))
                then.append(("doctor", "--save-seed", "DIR"))
            except UserError:
                missing.append(f"The secret seed of {event.run}: it is where the run was announced, and in its copies.")
                then += [("doctor", "--load-seed", "DIR"), void]
        else:
            then.append(("round",))
    elif season.has_ended:
        then.append(("verify",))
    else:
        then.append(("round",) if len(season.ranked) > 1 else ("submit", "FILE"))
    return Status(tuple(missing), tuple(only_here), tuple(then))


def _run_of(season: Season, event: Round | Confirmation) -> Run | None:
    try:
        return season.run_of(event)
    except UserError:
        return None


def _missing_files(season: Season) -> Iterator[str]:
    if (season.folder / ANONYMIZED).exists():
        yield "The end of a replacement of names: repeat `wordpl season anonymize AUTHOR`, which was interrupted."
    for event in season.announced:
        is_needed = event.run in season.ends or event == season.pending
        if is_needed and _run_of(season, event) is None:
            part = ROUNDS if isinstance(event, Round) else CONFIRMATIONS
            yield f"The folder {part}/{event.run}: copy it from the machine that announced it, or from a backup."
    for version in season.versions:
        if version.label not in season.log.without_files and not version.place(season.folder).exists():
            yield f"The files of {version.label}, in {VERSIONS_FOLDER}/."
    if not (season.folder / STRATEGIES).is_dir():
        yield f"The folder {STRATEGIES}/: `mkdir {STRATEGIES}` makes it anew."


def pending_run(season: Season) -> Run:
    """Return the run that is announced.

    Raises:
        UserError: There is none, or its folder is not here.
    """
    if season.pending is None:
        raise UserError("nothing is announced, so there is no secret seed to keep.")
    return season.run_of(season.pending)
