"""The rounds and confirmations of a season: announced, played, and comparable with those before."""

import platform
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from wordpl import games
from wordpl.apps.season import bridge, log, terms
from wordpl.apps.season.log import Bridged, Confirmation, Ranked, Round, RunPlayed, SeasonOpened, Version
from wordpl.apps.season.periods import PRESENT
from wordpl.apps.season.standings import reaches, required
from wordpl.apps.season.state import SeasonState
from wordpl.apps.season.terms import CONFIRMATIONS, ROUNDS, SeasonTerms
from wordpl.contest import Contest, Observer, run_folder
from wordpl.contest.contest import clear_up
from wordpl.contest.entries import require_all_loaded
from wordpl.core import bounded
from wordpl.core.messages import UserError, amount, sanitize_untrusted_text
from wordpl.run.config import RunConfig
from wordpl.run.folder import PARTS, RUN_JSON, Run

CLOSING_PLAYERS = 10
FAULT_CHARACTERS = 500
"""How much of the reason why a version could not be loaded is logged."""


def now() -> str:
    """Return the current time as in the log."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Rounds(SeasonState):
    """A season whose rounds are announced and played."""

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

    def _players(self, *, closing: bool, decides: bool) -> list[Version]:
        """Return the versions that play the next round, the closing round or the further one.

        Raises:
            UserError: There are fewer than two.
        """
        players = self.sharing() if decides else self.next_players()
        if closing:
            first = self.standings().tables[0].rows[:CLOSING_PLAYERS]
            players = sorted((row.version for row in first), key=lambda v: v.index)
        if len(players) < 2:
            raise UserError("a round needs at least two versions: `wordpl season submit FILE` adds one.")
        return players

    def announce_round(
        self, observer: Observer, *, beacon_from: str | None = None, n_games: int | None = None, closing: bool = False,
        decides: bool = False, jobs: int | None = None, anew: bool = False,
    ) -> Round:  # fmt: skip
        """Draw the seed of a new round, and log its players and its commitment. Nothing is played.

        Args:
            observer: Receives the events of the contest.
            beacon_from: The source of the beacon, if there is one.
            n_games: The number of games; None: that of the terms.
            closing: Whether it is the closing round.
            decides: Whether it is the further round after it, of those that share the first place.
            jobs: The number of games to play at a time.
            anew: Whether all versions start anew if the conditions have changed and no bridge was built.

        Raises:
            UserError: A round is still open, the season has ended, fewer than two versions can play, or the games would
                not be comparable with those before.
        """
        if not (decides and self.is_undecided):
            self.require_ready(closing)
        if not anew and (changed := self.what_changed()):
            n_versions = sum(row.n_games > 0 for row in self.standings().tables[0].rows)
            raise UserError(
                f"{changed} changed since the last round, so that the games of {amount(n_versions, 'version')} would "
                f"no longer be comparable. `wordpl season bridge` replays {log.MIN_REPLAYED} recorded games of each: "
                "those that play as before keep their games. With --anew, all start anew."
            )
        players = self._players(closing=closing, decides=decides)
        n_games = self.terms.tie_games if decides else n_games or self.terms.games
        config = self.terms.config(self.folder, ROUNDS, n_games, beacon_from)
        contest, able, faults = self._loaded(players, config, jobs)
        if len(able) < 2:
            reasons = "".join(f"\n{label}: {fault}" for label, fault in faults.items())
            raise UserError(f"a round needs at least two versions that can be loaded.{reasons}")
        run = contest.open(observer, self.run_names)  # the log knows runs by their names alone
        event = Round(
            time=now(),
            number=self.log.next_round,
            run=run.folder.name,
            commitment=str(run.info.commitment),
            players={entry.slug: v.label for entry, v in zip(run.info.entries, able, strict=True)},
            faults=faults,
            closing=closing,
            decides=decides,
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
        self.require_ready()
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
        run = contest.open(observer, self.run_names)  # the log knows runs by their names alone
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
        else:
            clear_up(run)
        shown = self.is_shown(event, run) if isinstance(event, Confirmation) else None
        played = RunPlayed(
            time=now(), run=event.run, seal=str(run.info.seal), files=digest_of_files(run), is_shown=shown,
            machine=machine_name(),
        )  # fmt: skip
        with self.log.together():
            self.log.add(played)
            if isinstance(event, Round):
                self.note_standings()
        return played

    def note_standings(self) -> None:
        """Log the present standings."""
        self.log.add(Ranked(time=now(), standings=self.standings().as_logged))

    @property
    def run_names(self) -> set[str]:
        """The names of the folders of all runs that the log knows, also of those that are gone."""
        return {event.run for event in self.announced}

    def discard_unannounced(self) -> list[str]:
        """Remove the folders of runs that a crash has left before they were logged, in which no game was played."""
        known, removed = self.run_names, []
        for part in (ROUNDS, CONFIRMATIONS):
            for folder in sorted((self.folder / part).glob("*")):
                has_games = any(folder.glob("records/*")) or any(folder.glob(".begun/*"))
                if folder.is_dir() and folder.name not in known and not has_games:
                    shutil.rmtree(folder)
                    removed.append(folder.name)
        return removed

    def require_open(self) -> None:
        """Check that the season has not ended."""
        if self.has_ended:
            raise UserError("the season has ended.")

    def require_in_time(self) -> None:
        """Check that the deadline has not passed."""
        deadline = self.terms.deadline
        if deadline is not None and datetime.now(UTC).date() > deadline:
            raise UserError(f"the deadline, {deadline}, has passed: `wordpl season end` plays the closing round.")

    def require_ready(self, closing: bool = False) -> None:
        """Check that a new run may be announced, and remove what a crash has left."""
        self.require_open()
        if self.pending is not None:
            raise UserError(f"{self.pending.run} is not played to its end yet: `wordpl season round` plays the rest.")
        if not closing:
            self.require_in_time()
        self.note_terms()
        self.discard_unannounced()

    def note_terms(self) -> None:
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

    def _has_words_of(self, run: Run) -> bool:
        """Return whether the season has the words of a run, with the answers in the same order."""
        try:
            then, now = self.lists_of(run), self.terms.lists(self.folder)
        except UserError:
            return False
        return then.answers == now.answers and set(then.guesses) == set(now.guesses)

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
        present = self.present_conditions({rounds[-1].run: bridge.digest(before)})
        return "" if bridge.digest(today) == present else bridge.differences(before, today) or "conditions"

    def bridge(self, progress: Callable[[int], object] = lambda n_done: None) -> Bridged:
        """Replay recorded games of the ranked versions under the conditions of today, and log what was equal.

        Raises:
            UserError: Nothing has changed, or the word lists or the game have, or this machine cannot replay.
        """
        self.require_ready()
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
        present = self.present_conditions({event.run: bridge.digest(bridge.parts_of_run(run)) for event, run in runs})
        self.log.add(Bridged(time=now(), old=present, new=bridge.digest(today), games=found))
        return self.bridges[-1]


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
