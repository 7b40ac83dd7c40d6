"""What a pull request may bring: one's own entry and nothing else, within the quota, and no copy of another entry."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wordpl.apps.season.candidate import Candidate
from wordpl.apps.season.log import version_name
from wordpl.apps.season.season import Season
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.run.bundle import PROGRAM, PYTHON, SHARED, SHIPPED, STRATEGIES, Bundle

MAX_NAMED = 20
"""The number of paths that are named one by one."""
SHOWN_CHARACTERS = 120


@dataclass(frozen=True)
class Passed:
    """What the gate says about a pull request.

    Attributes:
        refused: A sentence for each reason to refuse it.
        notes: A sentence for each fact that its host should know.
        entries: The names of the files and folders in strategies/ that it changes.
    """

    refused: tuple[str, ...]
    notes: tuple[str, ...]
    entries: tuple[str, ...]


def examine(season: Season, changed: Sequence[str], sender: str, below: str = "") -> Passed:
    """Return what the gate says about a pull request.

    Args:
        season: The season of the base branch, with the entries of the pull request in its strategies/.
        changed: The paths that the pull request adds, changes or removes, in the repository.
        sender: Who sends it: a name of the forge.
        below: The folder of the season in the repository, such as "cup/".
    """
    outside, entries = [], {}
    for path in changed:
        inside = path.removeprefix(below) if path.startswith(below) else ""
        parts = PurePosixPath(inside).parts
        is_entry = len(parts) > 1 and parts[0] == STRATEGIES and parts[1] not in (SHARED, SHIPPED) and ".." not in parts
        if is_entry and parts[1][0] not in "._":
            entries[parts[1]] = season.folder / STRATEGIES / parts[1]
        else:
            outside.append(path)
    refused = [f"{_shown(path)} is no entry: a pull request changes the sender's own entry alone." for path in outside]
    if len(refused) > MAX_NAMED:
        refused = [*refused[:MAX_NAMED], f"{len(refused) - MAX_NAMED:,} paths more are no entries."]
    notes, names = [], {}
    for file, place in entries.items():
        names[PurePosixPath(file).stem if file.endswith((PYTHON, PROGRAM)) else file] = place
    if len(names) > 1:
        refused.append(f"it changes {len(names)} entries, {_shown(', '.join(names))}: send one at a time.")
    for name, place in names.items():
        refused += [f"{_shown(name)}: {reason}" for reason in _reasons(season, name, place, sender)]
    if entries and not season.terms.owners:
        notes.append("Nobody's identity was checked: the terms of the season have no [owners].")
    return Passed(tuple(refused), tuple(notes), tuple(entries))


def _shown(text: str) -> str:
    return sanitize_untrusted_text(text, SHOWN_CHARACTERS)


def _reasons(season: Season, name: str, path: Path, sender: str) -> Iterator[str]:
    """Yield why this entry may not come from this sender."""
    terms = season.terms
    if not path.exists():
        yield "it is removed; ask the host to withdraw its version instead."
        return
    try:
        version_name(path)
        candidate = Candidate(season, Bundle.of(path, season.folder / STRATEGIES), name)
        candidate.require_own_name()
        candidate.require_welcome()
        candidate.require_quota()
    except UserError as error:
        yield error.message
    author = terms.author_of(name)
    if terms.owners:
        yield from _owner_problems(season, name, author, sender)


def _owner_problems(season: Season, name: str, author: str, sender: str) -> Iterator[str]:
    owners = {own: {one.casefold() for one in forge_names} for own, forge_names in season.terms.owners.items()}
    if author in owners:
        if sender.casefold() not in owners[author]:
            yield f"it belongs to {author}, and {_shown(sender)} is none of its [owners]."
    elif any(version.name == name for version in season.versions):
        yield f"nobody is known as its owner: the host adds {author} to [owners] in season.toml."
    elif own := next((own for own, forge_names in owners.items() if sender.casefold() in forge_names), None):
        yield f"{_shown(sender)} sends as {own}: the host adds this name to {own} in [authors], or to [owners]."
