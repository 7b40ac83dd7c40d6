"""Going on with a run: only as it was begun, and by one harness at a time."""

import platform
import shlex
from importlib.metadata import version
from itertools import chain, count
from pathlib import Path

import click

from wordpl.core import entry_files, locks
from wordpl.core.errors import UserError
from wordpl.core.records import Run, RunInfo, mend
from wordpl.core.words import HOME, within_home

GO_WITH_RESUME = {"resume", "jobs", "against", "beacon"}


def resumed(folder: Path) -> Run:
    """Return the run in `folder`, ready to play what is left, and held until the command ends.

    Raises UserError for other options that say how to play, for a run that another harness plays or another version
    began, and if an entry's file has changed since.
    """
    run = Run(folder)
    refuse_other_options(run.info)
    held(run)
    if run.info.finished is None and run.info.versions != versions():
        raise UserError(
            f"{folder} was begun with {_in_words(run.info.versions)}; this is {_in_words(versions())}. Games of two "
            "versions make no run: go on with those, or start a new one."
        )
    mend(run)
    for entry in run.info.entries:
        file = HOME / entry.file
        if not file.is_file() or entry_files.digest(file) != entry.sha256:
            raise UserError(f"{entry.file} has changed since the run began: put it back, or start a new run.")
    return run


def refuse_other_options(info: RunInfo) -> None:
    """Raise UserError where --resume stands beside what a run that has begun does not let one choose."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name) == click.core.ParameterSource.COMMANDLINE
        if given and parameter.name not in GO_WITH_RESUME:
            option = parameter.opts[0] if isinstance(parameter, click.Option) else "naming entries"
            raise UserError(
                f"{option} does not go with --resume: the run is played as it was begun, {info.n_games} games of "
                f"{len(info.entries)} entries. Leave it out, or start a new run."
            )


def held(run: Run) -> Run:
    """Return the run, on which no other harness may work until the command ends."""
    click.get_current_context().with_resource(locks.alone(run.folder))
    return run


def unused(folder: Path) -> Path:
    """Return the folder, with a number behind it where it exists: two runs may begin in the same second."""
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    return next(path for path in chain([folder], numbered) if not path.exists())


def versions() -> dict[str, str]:
    """Return the versions of what decides how games go."""
    return {"python": platform.python_version()} | {name: version(name) for name in ("wordpl", "numpy", "numba")}


def _in_words(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in versions.items())


def resume_command(run: Run) -> str:
    """Return the command that plays what is left of the run."""
    folder = within_home(run.folder) if Path.cwd() == HOME else str(run.folder)
    return f"python evaluate.py --resume {shlex.quote(folder)}"
