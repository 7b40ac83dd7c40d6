"""An entry that may become a version: whose name it takes, whether it is a copy, and how many its author may send."""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wordpl.apps.season.log import Submitted, Version
from wordpl.apps.season.state import SeasonState
from wordpl.core.messages import UserError, amount
from wordpl.players.discovery import appearance
from wordpl.run.bundle import SHARED, STRATEGIES, Bundle, FileTree, commands_into_folder, read_list, shown
from wordpl.run.normal_form import normal_digest


@dataclass(frozen=True)
class Candidate:
    """An entry that may become the next version of a name.

    Attributes:
        season: The season.
        bundle: Its files.
        name: The name of the entry.
        make: The expression that creates its strategy; "": the only one that the file declares.
    """

    season: SeasonState
    bundle: Bundle
    name: str
    make: str = ""

    def submission(self, time: str) -> Submitted:
        """Return the event that adds it at this time."""
        return Submitted(
            time=time, name=self.name, number=self.season.next_number(self.name), digest=self.bundle.digest,
            file=self.bundle.place.name, make=self.make,
        )  # fmt: skip

    def require_welcome(self) -> None:
        """Check that it is no copy of another entry, and that its author is not banned.

        Raises:
            UserError: It is, or he is.
        """
        banned, author = self.season.banned, self.season.terms.author_of(self.name)
        if author in banned:
            raise UserError(f"{author} is banned: {banned[author]}")
        if (twin := self._original()) is not None:
            raise UserError(
                f"{self.bundle.place.name} has the source of {twin.label}, apart from names, comments and layout: "
                "equal entries are one version."
            )

    def _original(self) -> Version | None:
        """Return the version of another entry that has its sources in another layout, if there is one."""
        own, folder = normal_digest(self.bundle), self.season.folder
        others = (
            version for version in self.season.versions if version.name != self.name and version.make == self.make
        )
        return next((v for v in others if _normal_digest_of(v.place(folder), v.digest) == own), None)

    def require_quota(self) -> None:
        """Check that its author may send one more version before the next round.

        Raises:
            UserError: He may not.
        """
        terms = self.season.terms
        author, limit = terms.author_of(self.name), terms.versions_per_round
        n_sent = self.season.log.n_since_round(lambda other: terms.author_of(other) == author)
        if n_sent >= limit:
            raise UserError(f"{author} has sent {amount(n_sent, 'version')} since the last round; {limit} are allowed.")

    def require_own_name(self, *, is_named: bool = False) -> None:
        """Check that it takes no name which another entry has.

        What the log has keeps its name. What lies beside a file says nothing about it, as anybody may have put it
        there; only where the newest version, of release 1.0.0, has data beside it, a file without this data is not
        taken for the next one.

        Args:
            is_named: Whether the host gave the name, and so says whose entry it is.

        Raises:
            UserError: It does.
        """
        name, place, versions = self.name, self.bundle.place, self.season.versions
        owners = {version.name: "is in the season" for version in versions}
        for author, names in self.season.terms.authors.items():
            owners |= {other: f"belongs to {author}" for other in (author, *names) if other not in owners}
        look = appearance(name)
        if name not in owners and (alike := next((other for other in owners if appearance(other) == look), "")):
            raise UserError(f"{name} looks like {alike}, which {owners[alike]}: give it another name, with --as NAME.")
        newest = next((version for version in reversed(versions) if version.name == name), None)
        if newest is None or is_named:
            return
        is_moved = place.is_dir() and (place / newest.file).is_file()
        folders = (place.parent, self.season.folder / STRATEGIES)
        is_there = any(os.path.lexists(folder / newest.file) for folder in folders)
        if place.name != newest.file and (is_there or not is_moved):
            raise UserError(
                f"{name} is {newest.file} in this season, and {place.name} is another entry: give it another name, "
                f"with --as NAME, or remove {newest.file} if it has moved into a folder {name}/."
            )
        if data := [name for name in self._data_of_1_0(newest) if os.path.lexists(place.parent / name)]:
            raise UserError(
                f"{newest.label} has {', '.join(map(shown, data))} beside {place.name}, and a file owns itself alone. "
                f"Put them into a folder, and open the data beside __file__:\n{commands_into_folder(place, data)}"
            )

    @property
    def digests(self) -> tuple[str, str]:
        """The digests that a version with its files has: that of today, and that of release 1.0.0."""
        place = self.bundle.place
        newest = next((v for v in reversed(self.season.versions) if v.file == place.name), None)
        data = self._data_of_1_0(newest) if newest else []
        try:
            of_1_0 = FileTree({**self.bundle.files, **{name: place.parent / name for name in data}}).digest
        except UserError:
            of_1_0 = ""
        return self.bundle.digest, of_1_0

    def _data_of_1_0(self, version: Version) -> list[str]:
        """Return the data beside the file of a version of release 1.0.0 whose next version it may be."""
        if version.file != self.bundle.place.name or self.bundle.place.is_dir():
            return []
        stored = version.place(self.season.folder)
        try:
            modules = read_list(stored.parent / SHARED)
            return sorted({*Bundle.of(stored).files} - {version.file, *modules, *self.bundle.files})
        except UserError:
            return []


@lru_cache(maxsize=10_000)
def _normal_digest_of(place: Path, digest: str) -> str:
    """Return the normal digest of a version, which its place and digest fix; "" if its files are not there."""
    try:
        return normal_digest(Bundle.of(place)) if digest else ""
    except (UserError, OSError):
        return ""
