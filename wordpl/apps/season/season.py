"""A season: a contest that stays open. Its folder, its versions, its rounds and confirmations, and its standings."""

import os
import platform
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from copy import copy
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from wordpl import games
from wordpl.apps.season import bridge, log, standings, terms
from wordpl.apps.season.credits import Credits, SeasonScore, credits_of, season_findings
from wordpl.apps.season.log import (
    Banned,
    Bridged,
    Confirmation,
    Disqualified,
    Log,
    Ranked,
    Round,
    RunPlayed,
    SeasonOpened,
    Submitted,
    Version,
    Voided,
    Withdrawn,
)
from wordpl.apps.season.periods import PRESENT, RoundGames
from wordpl.apps.season.standings import (
    ErrorBudget,
    SeasonRecord,
    Standings,
    is_shown,
    level_of,
    next_players,
    reaches,
    required,
)
from wordpl.apps.season.terms import SeasonTerms
from wordpl.contest import Contest, Observer, official, run_folder
from wordpl.contest.entries import require_all_loaded
from wordpl.core import bounded, paths
from wordpl.core.messages import UserError, amount, sanitize_untrusted_text
from wordpl.core.words import WordLists
from wordpl.players.discovery import appearance
from wordpl.run.bundle import (
    STRATEGIES,
    Bundle,
    FileTree,
    commands_into_folder,
    entries_in,
    is_shipped,
    shared_names,
    shown,
)
from wordpl.run.config import RunConfig
from wordpl.run.folder import MAX_READ_GAMES, PARTS, RUN_JSON, Run, exclusive

ROUNDS, CONFIRMATIONS = "rounds", "confirmations"
CLOSING_PLAYERS = 10
FAULT_CHARACTERS = 500
"""How much of the reason why a version could not be loaded is logged."""
PARAMETER, NOT_IN_A_NAME = re.compile(r"\w+="), re.compile(r"[^A-Za-z0-9_.]+")
"""What is left out of the names of bundled entries: NGuess(epsilon=14.5, n_guesses=3) is sent as NGuess-14.5-3."""
MAX_FAILURES = 2
"""The number of rounds after which a version that could not be loaded is not tried again."""


def now() -> str:
    """Return the current time as in the log."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Season:
    """The folder of a season.

    Attributes:
        folder: The path of the folder.
        written: Its season.toml, which holds when it has been logged.
        log: What happened.
        max_games: The most games of one of its runs that are read.
    """

    def __init__(self, folder: Path, max_games: int = MAX_READ_GAMES):
        """Read the season in this folder.

        Raises:
            UserError: The folder has no valid season.
        """
        self.folder = Path(folder).absolute()
        self.written = SeasonTerms.read(self.folder)
        self.log = Log(self.folder)
        self.max_games = max_games
        self._known: tuple[int, Standings] | None = None

    @classmethod
    def new(
        cls, folder: Path, title: str, game: str, scores: Sequence[str], deadline: date | None = None,
        n_games: int = 1000,
    ) -> "Season":  # fmt: skip
        """Create the folder of a season.

        Args:
            folder: The folder.
            title: The name of the season.
            game: The game that all versions play.
            scores: The names of the scores; the first one sorts the table.
            deadline: The last day of the season; None: it stays open.
            n_games: The number of games of each version in a round.

        Raises:
            UserError: The folder has a season already, or a value is wrong.
        """
        facts = games.game_class(game).facts
        for score in scores:
            SeasonScore.of(score, facts)
        if (folder / terms.FILE).exists():
            raise UserError(f"{folder} is a season already.")
        (folder / STRATEGIES).mkdir(parents=True, exist_ok=True)
        (folder / terms.FILE).write_text(terms.text(title, game, list(scores), deadline, n_games), encoding="utf-8")
        return cls(folder)

    def locked(self) -> AbstractContextManager[None]:
        """Return a context in which no other process changes the season."""
        return exclusive(self.folder)

    @property
    def terms(self) -> SeasonTerms:
        """The terms that hold: those of the log, or those of season.toml while the log has no text of them."""
        return self.log.terms or self.written

    @property
    def scores(self) -> list[SeasonScore]:
        """The scores."""
        facts = games.game_class(self.terms.game).facts
        return [SeasonScore.of(name, facts) for name in self.terms.scores]

    @property
    def versions(self) -> list[Version]:
        """All versions in the order in which they were sent, withdrawn and disqualified ones too.

        Each has the author who owned its name when it was sent.
        """
        found: dict[str, Version] = {}
        for place, event in enumerate(self.log.events):
            if isinstance(event, Submitted):
                author = (self.log.terms_at(place) or self.terms).author_of(event.name)
                found[event.version] = Version(
                    len(found), event.name, event.number, author, event.digest, event.file, event.make, event.time
                )
            elif isinstance(event, Withdrawn):
                found[event.version] = replace(found[event.version], is_withdrawn=True)
            elif isinstance(event, Disqualified):
                found[event.version] = replace(found[event.version], disqualified=event.reason)
            elif isinstance(event, Round):
                for label in event.faults.keys() & found.keys():
                    found[label] = replace(found[label], n_faults=found[label].n_faults + 1)
            elif isinstance(event, Banned):
                for label, version in found.items():
                    if version.author == event.author and not version.disqualified:
                        found[label] = replace(version, disqualified=f"its author is banned: {event.reason}")
        return list(found.values())

    @property
    def ranked(self) -> list[int]:
        """The indices of the versions that are ranked: the newest active one of each author, and of each name."""
        active = [version for version in self.versions if version.is_active]
        of_author = {version.author: version.index for version in active}
        of_name = {version.name: version.index for version in active}
        return sorted(set(of_author.values()) & set(of_name.values()))

    def version(self, label: str) -> Version:
        """Return the version with this label, or the newest active one of an entry.

        Raises:
            UserError: There is none.
        """
        known = [v for v in self.versions if v.label == label or (v.name == label and v.is_active)]
        if not known:
            raise UserError(f"no version {label!r}: give one such as my_bot@3, or the name of an entry.")
        return known[-1]

    def submit(self, place: Path, make: str = "", name: str = "") -> tuple[Version, bool]:
        """Add the version in a file, and return it and whether it is new.

        Files with the digest of the newest version of their entry are that version. The files are copied; the host's
        file season.toml says who owns the name.

        Raises:
            UserError: The files are refused, equal another version, or the season has ended.
        """
        self._require_open()
        self._note_terms()
        is_named, name = bool(name), log.version_name(place, name)
        bundle = Bundle.of(place, self.folder / STRATEGIES)
        sent = (bundle.digest, self._digest_of_1_0(bundle))
        same = next((v for v in self.versions if v.digest in sent and v.make == make), None)
        if same is not None and same.name == name and same.is_active:
            return same, False
        if same is not None:
            state = "" if same.is_active else ", which was withdrawn or disqualified"
            raise UserError(f"{place.name} has the same files as {same.label}{state}: equal files are one version.")
        self.require_own_name(name, bundle, is_named=is_named)
        self.require_welcome(name, make, bundle)
        event = self.submission(bundle, name, make, now())
        log.keep_version(bundle, self.folder, event.version)
        self.log.add(event)
        return self.versions[-1], True

    def require_welcome(self, name: str, make: str, bundle: Bundle) -> None:
        """Check that an entry is no copy of another one, and that its author is not banned.

        Raises:
            UserError: It is, or he is.
        """
        if (author := self.terms.author_of(name)) in self.banned:
            raise UserError(f"{author} is banned: {self.banned[author]}")
        if (twin := log.copy_of(self.versions, self.folder, name, make, bundle)) is not None:
            raise UserError(
                f"{bundle.place.name} has the source of {twin.label}, apart from names, comments and layout: equal "
                "entries are one version."
            )

    def require_quota(self, name: str) -> None:
        """Check that the author of a name may send one more version before the next round.

        Raises:
            UserError: He may not.
        """
        author, limit = self.terms.author_of(name), self.terms.versions_per_round
        n_sent = self.log.n_since_round(lambda other: self.terms.author_of(other) == author)
        if n_sent >= limit:
            raise UserError(f"{author} has sent {amount(n_sent, 'version')} since the last round; {limit} are allowed.")

    def require_own_name(self, name: str, bundle: Bundle, *, is_named: bool = False) -> None:
        """Check that a bundle may be the next version of an entry: that it takes no name which another one has.

        What the log has keeps its name. What lies beside a file says nothing about it, as anybody may have put it
        there; only where the newest version, of release 1.0.0, has data beside it, a file without this data is not
        taken for the next one.

        Args:
            name: The name of the entry.
            bundle: Its files.
            is_named: Whether the host gave the name, and so says whose entry it is.

        Raises:
            UserError: It may not.
        """
        owners = {version.name: "is in the season" for version in self.versions}
        for author, names in self.terms.authors.items():
            owners |= {other: f"belongs to {author}" for other in (author, *names) if other not in owners}
        look = appearance(name)
        if name not in owners and (alike := next((other for other in owners if appearance(other) == look), "")):
            raise UserError(f"{name} looks like {alike}, which {owners[alike]}: give it another name, with --as NAME.")
        newest = next((version for version in reversed(self.versions) if version.name == name), None)
        if newest is None or is_named:
            return
        place = bundle.place
        is_moved = place.is_dir() and (place / newest.file).is_file()
        is_there = any(os.path.lexists(folder / newest.file) for folder in (place.parent, self.folder / STRATEGIES))
        if place.name != newest.file and (is_there or not is_moved):
            raise UserError(
                f"{name} is {newest.file} in this season, and {place.name} is another entry: give it another name, "
                f"with --as NAME, or remove {newest.file} if it has moved into a folder {name}/."
            )
        if data := [name for name in self._data_of_1_0(newest, bundle) if os.path.lexists(place.parent / name)]:
            raise UserError(
                f"{newest.label} has {', '.join(map(shown, data))} beside {place.name}, and a file owns itself alone. "
                f"Put them into a folder, and open the data beside __file__:\n{commands_into_folder(place, data)}"
            )

    def _data_of_1_0(self, version: Version, bundle: Bundle) -> list[str]:
        """Return the data beside the file of a version of release 1.0.0 whose next version a bundle may be."""
        if version.file != bundle.place.name or bundle.place.is_dir():
            return []
        stored = version.place(self.folder)
        try:
            modules = shared_names(stored.parent)
            return sorted({*Bundle.of(stored).files} - {version.file, *modules, *bundle.files})
        except UserError:
            return []

    def _digest_of_1_0(self, bundle: Bundle) -> str:
        """Return the digest of a file with the data beside it that its newest version has."""
        newest = next((v for v in reversed(self.versions) if v.file == bundle.place.name), None)
        data = self._data_of_1_0(newest, bundle) if newest else []
        try:
            return FileTree({**bundle.files, **{name: bundle.place.parent / name for name in data}}).digest
        except UserError:
            return ""

    def submission(self, bundle: Bundle, name: str, make: str, time: str) -> Submitted:
        """Return the event that adds a bundle as the next version of an entry."""
        return Submitted(
            time=time, name=name, number=self.next_number(name), digest=bundle.digest, file=bundle.place.name, make=make
        )

    def next_number(self, name: str) -> int:
        """Return the number that the next version of an entry will have."""
        return 1 + sum(version.name == name for version in self.versions)

    def submit_changed(self) -> tuple[list[Version], dict[str, str]]:
        """Add a version of each entry in strategies/ that was never sent like this, and return what was added.

        Returns:
            The new versions, and why other entries were refused, by their names. Entries that were sent before are
            neither; one that was sent with the same files and withdrawn stays withdrawn.
        """
        self._require_open()
        known = {version.digest for version in self.versions}
        folder = self.folder / STRATEGIES
        added, refused = [], {}
        for place in entries_in(folder):
            try:
                bundle = Bundle.of(place, folder)
                if not {bundle.digest, self._digest_of_1_0(bundle)} & known:
                    self.require_quota(log.version_name(place))
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

    @property
    def banned(self) -> dict[str, str]:
        """Why authors are banned, by author."""
        return {event.author: event.reason for event in self.log.events if isinstance(event, Banned)}

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

    @property
    def announced(self) -> list[Round | Confirmation]:
        """All rounds and confirmations that were announced, in their order."""
        return [event for event in self.log.events if isinstance(event, Round | Confirmation)]

    @property
    def ends(self) -> dict[str, RunPlayed]:
        """The ends of the runs that were played, by the names of their folders."""
        return {event.run: event for event in self.log.events if isinstance(event, RunPlayed)}

    @property
    def pending(self) -> Round | Confirmation | None:
        """The round or the confirmation that was announced and is neither void nor played to its end yet."""
        last = self.announced[-1] if self.announced else None
        return last if last and last.run not in self.ends and last.run not in self.voided else None

    @property
    def voided(self) -> dict[str, Voided]:
        """The runs that are void, by the names of their folders."""
        return {event.run: event for event in self.log.events if isinstance(event, Voided)}

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

    @property
    def is_waiting(self) -> bool:
        """Whether the announced run waits for its beacon."""
        return self.pending is not None and official.is_waiting_for_beacon(self.run_of(self.pending).info)

    @property
    def has_ended(self) -> bool:
        """Whether the closing round was announced, and is not void."""
        return any(
            isinstance(event, Round) and event.closing and event.run not in self.voided for event in self.announced
        )

    def run_of(self, event: Round | Confirmation) -> Run:
        """Return the run of a round or of a confirmation."""
        return Run(self.folder / (ROUNDS if isinstance(event, Round) else CONFIRMATIONS) / event.run, self.max_games)

    def lists_of(self, run: Run) -> WordLists:
        """Return the season's word lists in the order that a run had, which an earlier release may have set."""
        digests = {name: file.sha256 for name, file in run.info.config.word_files.items()}
        return self.terms.lists(self.folder).in_order_of(digests)

    def _has_words_of(self, run: Run) -> bool:
        """Return whether the season has the words of a run, with the answers in the same order."""
        try:
            then, now = self.lists_of(run), self.terms.lists(self.folder)
        except UserError:
            return False
        return then.answers == now.answers and set(then.guesses) == set(now.guesses)

    @property
    def played_rounds(self) -> list[Round]:
        """The rounds that were played to their end and are not void."""
        counted = self.ends.keys() - self.voided.keys()
        return [event for event in self.announced if isinstance(event, Round) and event.run in counted]

    @property
    def bridges(self) -> list[Bridged]:
        """The bridges from earlier conditions to later ones, in their order."""
        return [event for event in self.log.events if isinstance(event, Bridged)]

    def _present_conditions(self, held: Mapping[str, str]) -> str:
        """Return the digest of the conditions of today's standings: of the newest round or the newest bridge.

        Args:
            held: The digest of the conditions of each played round, by its run.
        """
        found = ""
        for event in self.log.events:
            found = event.new if isinstance(event, Bridged) else held.get(getattr(event, "run", ""), found)
        return found

    def rounds_with_eras(self) -> tuple[list[tuple[Round, Run]], list[dict[str, int]]]:
        """Return the rounds that count with their runs, and the era of each version that played in each."""
        runs = [(event, self.run_of(event)) for event in self.played_rounds]
        held = {event.run: bridge.digest(bridge.parts_of_run(run)) for event, run in runs}
        present, order = self._present_conditions(held), list(dict.fromkeys(held.values()))
        eras = [
            {
                label: bridge.era_of(label, held[event.run], present, self.bridges, order)
                for label in event.players.values()
            }
            for event, _ in runs
        ]
        return runs, eras

    def games_of_rounds(self) -> list[RoundGames]:
        """Return the games of all rounds that count, with the era of each."""
        index = {version.label: version.index for version in self.versions}
        found = []
        for (event, run), eras in zip(*self.rounds_with_eras(), strict=True):
            labels = [event.players.get(entry.slug, "") for entry in run.info.entries]
            if any(label not in index for label in labels):
                raise UserError(f"{event.run} has other entries than the log says.")
            if PRESENT in eras.values():
                own = [credits_of(run, entry, self.lists_of(run)) for entry in run.info.entries]
            else:  # they only count as questions, and their word lists may be gone
                own = [Credits(np.zeros(1), np.zeros(1)) for _ in labels]
            found.append(
                RoundGames([index[label] for label in labels], own, event.number, [eras[label] for label in labels])
            )
        return found

    def standings(self) -> Standings:
        """Return the standings from all rounds, computed again when there are new events."""
        versions, ranked, n_events = self.versions, self.ranked, len(self.log.events)
        if self._known is None or self._known[0] != n_events:
            self._known = n_events, standings.compute(versions, ranked, self.games_of_rounds(), self.scores)
        return self._known[1]

    def _conditions_of_today(self) -> dict[str, Any]:
        """Return the conditions of a round that would be played now."""
        game = games.game_class(self.terms.game).facts
        config = self.terms.config(self.folder, ROUNDS, self.terms.games).resolved("A")
        return bridge.parts_of(run_folder.versions(), config, [(game.id, game.sha256)])

    def what_changed(self) -> str:
        """Return which conditions differ from those of the games that count; "" if games of today can be added."""
        rounds = self.played_rounds
        if not rounds:
            return ""
        before = bridge.parts_of_run(self.run_of(rounds[-1]))
        today = self._conditions_of_today()
        present = self._present_conditions({rounds[-1].run: bridge.digest(before)})
        return "" if bridge.digest(today) == present else bridge.differences(before, today) or "conditions"

    def bridge(self, progress: Callable[[int], object] = lambda n_done: None) -> Bridged:
        """Replay recorded games of the ranked versions under the conditions of today, and log what was equal.

        Raises:
            UserError: Nothing has changed, or the word lists or the game have, or this machine cannot replay.
        """
        self._require_ready()
        changed = self.what_changed()
        if not changed:
            raise UserError("nothing has changed that players see or use: `wordpl season round` plays on.")
        runs, eras = self.rounds_with_eras()
        labels = [version.label for version in self.versions if version.index in self.ranked]
        of_now = [(event, run) for (event, run), era in zip(runs, eras, strict=True) if PRESENT in era.values()]
        newest = bridge.parts_of_run(runs[-1][1])
        today = self._conditions_of_today()
        if newest["games"] != today["games"] or not self._has_words_of(runs[-1][1]):
            raise UserError(f"{changed} changed, so no recorded game can be replayed: all versions start anew.")
        played = [label for label in labels if any(era.get(label) == PRESENT for era in eras)]
        found = bridge.replayed(of_now, played, self.terms, self.terms.lists(self.folder), progress)
        present = self._present_conditions({event.run: bridge.digest(bridge.parts_of_run(run)) for event, run in runs})
        self.log.add(Bridged(time=now(), old=present, new=bridge.digest(today), games=found))
        return self.bridges[-1]

    def named(self) -> Iterator[tuple[Version, str]]:
        """Yield each version with a result that its clues do not allow, and the sentence; disqualified ones no more."""
        lists = self.terms.lists(self.folder)
        disqualified = {version.label for version in self.versions if version.disqualified}
        for number, event in enumerate(self.announced, 1):
            if event.run not in self.ends or event.run in self.voided:
                continue
            run = self.run_of(event)
            players = event.players if isinstance(event, Round) else {event.slug: event.version}
            labels = {entry.name: players[entry.slug] for entry in run.info.entries}
            for found in season_findings(run, number, lists):
                if (label := labels[found.entry]) not in disqualified:
                    yield self.version(label), f"{event.run}: {found.sentence(label)}"

    def next_players(self) -> list[Version]:
        """Return the versions that play the next round."""
        current, all_versions = self.standings(), self.versions
        orders = [table.order for table in current.tables]
        able = [index for index in self.ranked if all_versions[index].n_faults < MAX_FAILURES]
        chosen = next_players(current.newest_games, able, orders, self.terms.leaders, self.terms.players)
        return [all_versions[index] for index in chosen]

    def contest(self, players: Sequence[Version], config: RunConfig, jobs: int | None = None) -> Contest:
        """Return a contest between these versions."""
        places = [f"{v.place(self.folder)}{':' if v.make else ''}{v.make}" for v in players]
        return Contest(config, places, jobs=jobs)

    def rehearsal(self, results: Path, jobs: int | None = None) -> Contest:
        """Return the contest of the next round with other games, whose run is kept in the folder `results`."""
        config = self.terms.config(self.folder, ROUNDS, self.terms.games)
        return self.contest(self.next_players(), msgspec.structs.replace(config, results=results), jobs)

    def _loaded(
        self, players: Sequence[Version], config: RunConfig, jobs: int | None
    ) -> tuple[Contest, list[Version], dict[str, str]]:
        """Return a contest between those of these versions that play, these versions, and why the others do not.

        Raises:
            UserError: A process was killed from outside, which says nothing about the version.
        """
        contest = self.contest(players, config, jobs)
        require_all_loaded([fault for fault in contest.found.faults if fault.from_outside], named=True)
        reasons = {fault.source.file.resolve(): fault.message for fault in contest.found.faults}
        entries, able, faults = [], [], {}
        for version in players:
            place = version.place(self.folder).resolve()
            own = contest.entries_of(place)
            if len(own) == 1:
                entries += own
                able.append(version)
            else:
                plays_another_game = f"it is no entry for {self.terms.game}."
                several = f"it declares {len(own)} entries: send each of them as a version with its expression."
                reason = reasons.get(place) or (several if own else plays_another_game)
                faults[version.label] = sanitize_untrusted_text(reason, FAULT_CHARACTERS)
        contest.play_only(entries)
        return contest, able, faults

    def announce_round(
        self, observer: Observer, *, beacon_from: str | None = None, n_games: int | None = None, closing: bool = False,
        jobs: int | None = None, anew: bool = False,
    ) -> Round:  # fmt: skip
        """Draw the seed of a new round, and log its players and its commitment. Nothing is played.

        Args:
            observer: Receives the events of the contest.
            beacon_from: The source of the beacon, if there is one.
            n_games: The number of games; None: that of the terms.
            closing: Whether it is the closing round.
            jobs: The number of games to play at a time.
            anew: Whether all versions start anew if the conditions have changed and no bridge was built.

        Raises:
            UserError: A round is still open, the season has ended, fewer than two versions can play, or the games would
                not be comparable with those before.
        """
        self._require_ready(closing)
        if not anew and (changed := self.what_changed()):
            n_versions = sum(row.n_games > 0 for row in self.standings().tables[0].rows)
            raise UserError(
                f"{changed} changed since the last round, so that the games of {amount(n_versions, 'version')} would "
                f"no longer be comparable. `wordpl season bridge` replays {log.MIN_REPLAYED} recorded games of each: "
                "those that play as before keep their games. With --anew, all start anew."
            )
        players = self.next_players()
        if closing:
            first = self.standings().tables[0].rows[:CLOSING_PLAYERS]
            players = sorted((row.version for row in first), key=lambda v: v.index)
        if len(players) < 2:
            raise UserError("a round needs at least two versions: `wordpl season submit FILE` adds one.")
        config = self.terms.config(self.folder, ROUNDS, n_games or self.terms.games, beacon_from)
        contest, able, faults = self._loaded(players, config, jobs)
        if len(able) < 2:
            reasons = "".join(f"\n{label}: {fault}" for label, fault in faults.items())
            raise UserError(f"a round needs at least two versions that can be loaded.{reasons}")
        run = contest.open(observer)
        event = Round(
            time=now(),
            number=self.log.next_round,
            run=run.folder.name,
            commitment=str(run.info.commitment),
            players={entry.slug: v.label for entry, v in zip(run.info.entries, able, strict=True)},
            faults=faults,
            closing=closing,
        )
        self.log.add(event)
        return event

    def announce_confirmation(
        self, label: str, score: str, value: float, observer: Observer, *, beacon_from: str | None = None,
        jobs: int | None = None,
    ) -> Confirmation:  # fmt: skip
        """Draw the seed of the confirmation of a record, and log what it claims. Nothing is played.

        Raises:
            UserError: A round is open, no confirmation is left, or the value would not improve the record enough.
        """
        self._require_ready()
        version = self.version(label)
        chosen = next((known for known in self.scores if known.name == score), None)
        if chosen is None:
            raise UserError(f"the season has no score {score!r}: its scores are {', '.join(self.terms.scores)}.")
        most = chosen.highest if chosen.q is None else inf
        if not 0 < value < most:
            raise UserError(f"the value of a record of {score} should be above 0 and below {most:g}, got {value:g}.")
        number = 1 + sum(isinstance(event, Confirmation) for event in self.announced)
        level = self.error_budget.next_level
        limit = required(self.value_to_improve(score), self.terms.improvement, chosen)
        if not reaches(value, limit, chosen):
            raise UserError(f"a record of {score} needs {limit:.6g} or better, got {value:.6g}.")
        config = self.terms.config(self.folder, CONFIRMATIONS, self.terms.confirmation_games, beacon_from)
        contest = self.contest([version], config, jobs)
        run = contest.open(observer)
        event = Confirmation(
            time=now(), number=number, run=run.folder.name, commitment=str(run.info.commitment), version=version.label,
            slug=run.info.entries[0].slug, score=score, value=value, level=level,
        )  # fmt: skip
        self.log.add(event)
        return event

    def play(self, observer: Observer, *, beacon: str | None = None, jobs: int | None = None) -> RunPlayed:
        """Play the announced round or confirmation to its end, or the rest of it, and log its seal.

        Raises:
            UserError: Nothing is announced, or it waits for its beacon.
        """
        event = self.pending
        if event is None:
            raise UserError("no round is announced.")
        run = self.run_of(event)
        if run.info.finished is None:
            run = Contest.resume(run.folder, jobs=jobs).play(observer, beacon=beacon)
        shown = self.is_shown(event, run) if isinstance(event, Confirmation) else None
        played = RunPlayed(
            time=now(), run=event.run, seal=str(run.info.seal), files=digest_of_files(run), is_shown=shown,
            machine=machine_name(),
        )  # fmt: skip
        self.log.add(played)
        if isinstance(event, Round):
            self.note_standings()
        return played

    def note_standings(self) -> None:
        """Log the present standings."""
        self.log.add(Ranked(time=now(), standings=self.standings().as_logged))

    def until(self, n_events: int) -> "Season":
        """Return the season as it was after this number of events; its log cannot be changed."""
        found = copy(self)
        found.log, found._known = self.log.until(n_events), None
        return found

    def is_shown(self, event: Confirmation, run: Run) -> bool:
        """Return whether the games of a confirmation show what it claims."""
        score = next(score for score in self.scores if score.name == event.score)
        return is_shown(
            credits_of(run, run.info.entries[0], self.lists_of(run)),
            score,
            event.value,
            self.error_budget.levels[event.run],
        )

    @property
    def error_budget(self) -> ErrorBudget:
        """How much of the probability of a false record is used, and what the next confirmation gets."""
        voided, used, levels, is_exact = self.voided, [], {}, True
        terms_of = {opened.terms: terms for place, terms in self.log.known_terms
                    if isinstance(opened := self.log.events[place], SeasonOpened)}  # fmt: skip
        terms_of.setdefault(self.terms.digest(self.folder), self.written)
        held: SeasonTerms | None = self.log.terms_at(0) or self.written
        for event in self.log.events:
            if isinstance(event, SeasonOpened):
                held = terms_of.get(event.terms)
            if isinstance(event, Confirmation):
                is_exact &= bool(event.level or held)
                levels[event.run] = event.level or level_of(held.confirmations if held else event.number)
                if event.run not in voided or voided[event.run].is_known:
                    used.append(levels[event.run])
        first = self.log.terms_at(0) or self.written
        return ErrorBudget(first.confirmations, self.terms.confirmations, tuple(used), levels, is_exact)

    @property
    def records(self) -> dict[str, list[SeasonRecord]]:
        """The records that were announced, by score, in their order."""
        ends, voided = self.ends, self.voided
        found: dict[str, list[SeasonRecord]] = {}
        scores = {score.name: score for score in self.scores}
        by_label = {version.label: version for version in self.versions}
        for event in self.announced:
            if event.run in voided or event.run not in ends:
                continue
            if isinstance(event, Confirmation) and ends[event.run].is_shown:
                earlier = found.setdefault(event.score, [])
                before = earlier[-1].value if earlier else self.terms.records.get(event.score)
                prize = self.terms.prize_improvement
                record = SeasonRecord(
                    event.score, by_label[event.version], event.value, ends[event.run].time[:10], event.run,
                    str(self.run_of(event).info.beacon or ""), before,
                    prize > 0 and before is not None
                    and reaches(event.value, required(before, prize, scores[event.score]), scores[event.score]),
                )  # fmt: skip
                earlier.append(record)
        return found

    def value_to_improve(self, score: str) -> float | None:
        """Return the present record of a score: the last one of the season, or the one that season.toml starts with."""
        held = self.records.get(score)
        return held[-1].value if held else self.terms.records.get(score)

    def discard_unannounced(self) -> list[str]:
        """Remove the folders of runs that a crash has left before they were logged, in which no game was played."""
        known = {event.run for event in self.announced}
        removed = []
        for part in (ROUNDS, CONFIRMATIONS):
            for folder in sorted((self.folder / part).glob("*")):
                has_games = any(folder.glob("records/*")) or any(folder.glob(".begun/*"))
                if folder.is_dir() and folder.name not in known and not has_games:
                    shutil.rmtree(folder)
                    removed.append(folder.name)
        return removed

    def _require_open(self) -> None:
        if self.has_ended:
            raise UserError("the season has ended.")

    def _require_ready(self, closing: bool = False) -> None:
        """Check that a new run may be announced, and remove what a crash has left."""
        self._require_open()
        if self.pending is not None:
            raise UserError(f"{self.pending.run} is not played to its end yet: `wordpl season round` plays the rest.")
        deadline = self.terms.deadline
        if deadline is not None and not closing and datetime.now(UTC).date() > deadline:
            raise UserError(f"the deadline, {deadline}, has passed: `wordpl season end` plays the closing round.")
        self._note_terms()
        self.discard_unannounced()

    def _note_terms(self) -> None:
        """Log season.toml, from the next round on, if the log does not have it.

        Raises:
            UserError: It breaks a promise of the season.
        """
        text = self.terms.text(self.folder)
        if self.log.terms and self.knows_its_terms:
            return
        self.written = SeasonTerms.read(self.folder)
        if self.log.terms and (broken := self.written.broken_promises(self.log.terms)):
            raise UserError(f"{terms.FILE} cannot change like this. " + "".join(f"\n{line}." for line in broken))
        self.log.add(
            SeasonOpened(
                time=now(), terms=log.digest(text.encode()), text=text, round=self.log.next_round, format=log.FORMAT
            )
        )

    def changed_terms(self, event: SeasonOpened) -> str:
        """Return what a change of the terms has changed, in words; "" if it is the opening or its text is not known."""
        texts = [(self.log.events[place], terms) for place, terms in self.log.known_terms]
        for (_, before), (opened, after) in pairwise(texts):
            if opened is event:
                values = [(name, getattr(before, name), getattr(after, name)) for name in after.__struct_fields__]
                return ", ".join(f"{name} from {old!r} to {new!r}" for name, old, new in values if old != new)
        return ""

    @property
    def knows_its_terms(self) -> bool:
        """Whether season.toml is as the log has it."""
        noted = [event.terms for event in self.log.events if isinstance(event, SeasonOpened)]
        return bool(noted) and noted[-1] == self.terms.digest(self.folder)


def digest_of_files(run: Run) -> str:
    """Return the digest of run.json and of all files in the folders of a run.

    Raises:
        UserError: One of them is not a regular file.
    """
    folders = [run.folder / part for part in PARTS]
    paths = [run.folder / RUN_JSON, *(path for folder in folders for path in folder.rglob("*"))]
    lines = sha256()
    for path in sorted(paths):
        if path.is_symlink() or not path.is_dir():
            content = sha256()
            with bounded.open_file(bounded.RECORDS, path) as file:
                for block in iter(lambda: file.read(bounded.CHUNK_BYTES), b""):
                    content.update(block)
            lines.update(f"{content.hexdigest()}  {path.relative_to(run.folder)}\n".encode())
    return lines.hexdigest()


def machine_name() -> str:
    """Return the name of this machine with its system."""
    facts = run_folder.machine()
    return f"{platform.node()[:60]}: {facts['system']}, {amount(int(facts['processors']), 'processor')}"
