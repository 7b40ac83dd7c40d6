"""A season: a contest that stays open. What its host does: create it, add versions, and exclude what must not count."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path

from wordpl import games
from wordpl.apps.season import log, terms
from wordpl.apps.season.candidate import Candidate
from wordpl.apps.season.credits import SeasonScore
from wordpl.apps.season.log import Banned, Confirmation, Disqualified, Round, Version, Voided, Withdrawn
from wordpl.apps.season.rounds import Rounds, now
from wordpl.apps.season.terms import ROUNDS
from wordpl.contest import Contest, official
from wordpl.core import paths
from wordpl.core.files import make_folders, write_atomically
from wordpl.core.messages import UserError
from wordpl.run.bundle import STRATEGIES, Bundle, entries_in, is_shipped

PARAMETER, NOT_IN_A_NAME = re.compile(r"\w+="), re.compile(r"[^A-Za-z0-9_.]+")
"""What is left out of the names of bundled entries: NGuess(epsilon=14.5, n_guesses=3) is sent as NGuess-14.5-3."""


class Season(Rounds):
    """The folder of a season, with its versions, its rounds and confirmations, and its standings.

    `SeasonState` has what can be asked, and `Rounds` what is played.
    """

    @classmethod
    def new(
        cls, folder: Path, title: str, game: str, scores: Sequence[str], deadline: date | None = None,
        n_games: int = 1000, every_answer: bool = False,
    ) -> "Season":  # fmt: skip
        """Create the folder of a season.

        Args:
            folder: The folder.
            title: The name of the season.
            game: The game that all versions play.
            scores: The names of the scores; the first one sorts the table.
            deadline: The last day of the season; None: it stays open.
            n_games: The number of games of each version in a round.
            every_answer: Whether a round plays each answer once instead.

        Raises:
            UserError: The folder has a season already, or a value is wrong.
        """
        facts = games.game_class(game).facts
        if every_answer and not (facts.is_exact and facts.has_secret):
            raise UserError(f"only a classic game such as wordle/1 can be played once with each answer, got {game}.")
        for score in scores:
            SeasonScore.of(score, facts)
        if (folder / terms.FILE).exists():
            raise UserError(f"{folder} is a season already.")
        make_folders(folder / STRATEGIES)
        text = terms.text(title, game, list(scores), deadline, n_games, every_answer)
        write_atomically(folder / terms.FILE, text.encode())
        return cls(folder)

    def submit(self, place: Path, make: str = "", name: str = "") -> tuple[Version, bool]:
        """Add the version in a file, and return it and whether it is new.

        Files with the digest of the newest version of their entry are that version. The files are copied; the host's
        file season.toml says who owns the name.

        Raises:
            UserError: The files are refused, equal another version, or the season has ended.
        """
        self.require_open()
        self.require_in_time()
        self.note_terms()
        is_named, name = bool(name), log.version_name(place, name)
        bundle = Bundle.of(place, self.folder / STRATEGIES)
        candidate = Candidate(self, bundle, name, make)
        same = next((v for v in self.versions if v.digest in candidate.digests and v.make == make), None)
        if same is not None and same.name == name and same.is_active:
            return same, False
        if same is not None:
            state = "" if same.is_active else ", which was withdrawn or disqualified"
            raise UserError(f"{place.name} has the same files as {same.label}{state}: equal files are one version.")
        candidate.require_own_name(is_named=is_named)
        candidate.require_welcome()
        event = candidate.submission(now())
        log.keep_version(bundle, self.folder, event.version)
        self.log.add(event)
        return self.versions[-1], True

    def submit_changed(self) -> tuple[list[Version], dict[str, str]]:
        """Add a version of each entry in strategies/ that was never sent like this, and return what was added.

        Returns:
            The new versions, and why other entries were refused, by their names. Entries that were sent before are
            neither; one that was sent with the same files and withdrawn stays withdrawn.
        """
        self.require_open()
        known = {version.digest for version in self.versions}
        folder = self.folder / STRATEGIES
        added, refused = [], {}
        for place in entries_in(folder):
            try:
                candidate = Candidate(self, Bundle.of(place, folder), log.version_name(place))
                if not {*candidate.digests} & known:
                    candidate.require_quota()
                    added.append(self.submit(place)[0])
                    known.add(added[-1].digest)
            except UserError as error:
                refused[place.name] = error.message
        return added, refused

    def submit_bundled(self) -> list[Version]:
        """Add the bundled strategies that play the season's game, each entry with a name of its own.

        Raises:
            UserError: None of them plays it, or an author of the season owns such a name.
        """
        shipped = [place for place in entries_in(paths.bundled() / STRATEGIES) if is_shipped(place)]
        config = self.terms.config(self.folder, ROUNDS, self.terms.games)
        found = Contest(config, shipped).found
        places = {paths.portable_name(place): place for place in shipped}
        own = Counter(entry.file for entry in found.entries)
        added: list[Version] = []
        for entry in found.entries:
            place = places[entry.file]
            name = NOT_IN_A_NAME.sub("-", PARAMETER.sub("", entry.name)).strip("-")
            added.append(self.submit(place, entry.make if own[entry.file] > 1 else "", name)[0])
        return added

    def withdraw(self, label: str) -> Version:
        """Withdraw a version: it is not ranked and does not play, but what it played stays, and it still counts."""
        version = self.version(label)
        if version.is_active:
            self.log.add(Withdrawn(time=now(), version=version.label))
        return self.version(version.label)

    def disqualify(self, label: str, reason: str) -> Version:
        """Disqualify a version for a reason that stays visible.

        Raises:
            UserError: There is no reason.
        """
        if not reason.strip():
            raise UserError("a disqualification needs a reason, which stays visible.")
        version = self.version(label)
        self.log.add(Disqualified(time=now(), version=version.label, reason=reason.strip()))
        return self.version(version.label)

    def ban(self, author: str, reason: str) -> list[Version]:
        """Ban an author for a reason that stays visible, and return his versions, which are all disqualified.

        Raises:
            UserError: There is no such author, or no reason.
        """
        own = [version.label for version in self.versions if version.author == author]
        if not own:
            raise UserError(f"no version of the season is by {author!r}.")
        if not reason.strip():
            raise UserError("a ban needs a reason, which stays visible.")
        self.log.add(Banned(time=now(), author=author, reason=reason.strip()))
        return [self.version(label) for label in own]

    def void(self, run: str, reason: str) -> Voided:
        """Declare a round or a confirmation void: announced and lost, or played on a machine that nobody trusts.

        Args:
            run: The name of its folder; "": the one that is announced.
            reason: Why; it stays visible.

        Raises:
            UserError: There is no such run, or no reason.
        """
        if not reason.strip():
            raise UserError("to declare a run void needs a reason, which stays visible.")
        pending = self.pending
        event = next((event for event in self.announced if event.run == run), None) if run else pending
        if event is None or event.run in self.voided:
            found = f"no round or confirmation {run!r}" if run else "nothing is announced"
            raise UserError(f"{found}, so nothing can become void: give the name of a folder of {ROUNDS}/.")
        is_known = event != pending or not self._waits_unknown(event)
        if event.run not in self.ends:
            with suppress(UserError):  # its folder may be lost
                official.remove(self.run_of(event))
        self.log.add(Voided(time=now(), run=event.run, reason=reason.strip(), is_known=is_known))
        return self.voided[event.run]

    def runs_on(self, machine: str) -> list[str]:
        """Return the runs that count and were played on a machine.

        Args:
            machine: Its name, or the whole text of the log about it.

        Raises:
            UserError: There is none.
        """
        found = [
            event.run for event in self.ends.values()
            if machine in (event.machine, event.machine.partition(":")[0]) and event.run not in self.voided
        ]  # fmt: skip
        if not found:
            known = ", ".join(sorted({event.machine for event in self.ends.values() if event.machine})) or "none"
            raise UserError(f"no run that counts was played on {machine!r}. Machines of the season: {known}.")
        return found

    def _waits_unknown(self, event: Round | Confirmation) -> bool:
        """Return whether the seed of a run needs a beacon that nobody has given; false if its folder is lost."""
        try:
            return official.is_waiting_for_beacon(self.run_of(event).info)
        except UserError:
            return False
