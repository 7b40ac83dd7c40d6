"""What a season is, by its folder: its versions, runs, records and standings, all of which follow from its log."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Self

import numpy as np

from wordpl import games
from wordpl.apps.season import bridge, log, standings
from wordpl.apps.season.credits import Credits, SeasonScore, credits_of, exact_entries, season_findings
from wordpl.apps.season.log import (
    Banned,
    Bridged,
    Confirmation,
    Disqualified,
    Log,
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
from wordpl.apps.season.terms import CONFIRMATIONS, ROUNDS, SeasonTerms
from wordpl.contest import official
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.run.folder import MAX_READ_GAMES, Run, exclusive

ANONYMIZED = "anonymized"
"""The folder of what replaces files of the season when an author's names are; it is there until all is done."""
MAX_FAILURES = 2
"""The number of rounds after which a version that could not be loaded is not tried again."""


class SeasonState:
    """A season as it stands; nothing here changes it.

    Attributes:
        folder: The path of the folder.
        written: Its season.toml, which holds when it has been logged.
        log: What happened.
        max_games: The most games of one of its runs that are read.
    """

    def __init__(self, folder: Path, max_games: int = MAX_READ_GAMES):
        """Read the season in this folder.

        Raises:
            UserError: The folder has no valid season, or the names of an author are being replaced.
        """
        self.folder = Path(folder).absolute()
        if (self.folder / ANONYMIZED / log.FILE).exists():
            raise UserError(
                "the names of an author are being replaced: repeat `wordpl season anonymize AUTHOR`, which was "
                "interrupted."
            )
        self.written = SeasonTerms.read(self.folder)
        self.log = Log(self.folder)
        self.max_games = max_games
        self._known: tuple[int, Standings] | None = None

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

    def next_number(self, name: str) -> int:
        """Return the number that the next version of an entry will have."""
        return 1 + sum(version.name == name for version in self.versions)

    @property
    def banned(self) -> dict[str, str]:
        """Why authors are banned, by author."""
        return {event.author: event.reason for event in self.log.events if isinstance(event, Banned)}

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

    def sharing(self) -> list[Version]:
        """Return the versions that share the first place by the first score; a single one if nobody else does."""
        return [row.version for row in self.standings().tables[0].rows if row.n_games and row.first_rank == 1]

    @property
    def is_undecided(self) -> bool:
        """Whether the first place is shared after the closing round, and the terms promise a further round."""
        return (
            self.terms.tie_games > 0
            and self.has_ended
            and self.pending is None
            and not any(event.decides for event in self.played_rounds)
            and len(self.sharing()) > 1
        )

    def run_of(self, event: Round | Confirmation) -> Run:
        """Return the run of a round or of a confirmation."""
        return Run(self.folder / (ROUNDS if isinstance(event, Round) else CONFIRMATIONS) / event.run, self.max_games)

    def lists_of(self, run: Run) -> WordLists:
        """Return the season's word lists in the order that a run had, which an earlier release may have set."""
        digests = {name: file.sha256 for name, file in run.info.config.word_files.items()}
        return self.terms.lists(self.folder).in_order_of(digests)

    @property
    def played_rounds(self) -> list[Round]:
        """The rounds that were played to their end and are not void."""
        counted = self.ends.keys() - self.voided.keys()
        return [event for event in self.announced if isinstance(event, Round) and event.run in counted]

    @property
    def bridges(self) -> list[Bridged]:
        """The bridges from earlier conditions to later ones, in their order."""
        return [event for event in self.log.events if isinstance(event, Bridged)]

    def present_conditions(self, held: Mapping[str, str] | None = None) -> str:
        """Return the digest of the conditions of today's standings: of the newest round or the newest bridge.

        Args:
            held: The digest of the conditions of each played round, by its run; None: read it.
        """
        if held is None:
            held = {event.run: bridge.digest(bridge.parts_of_run(self.run_of(event))) for event in self.played_rounds}
        found = ""
        for event in self.log.events:
            found = event.new if isinstance(event, Bridged) else held.get(getattr(event, "run", ""), found)
        return found

    def rounds_with_eras(self) -> tuple[list[tuple[Round, Run]], list[dict[str, int]]]:
        """Return the rounds that count with their runs, and the era of each version that played in each."""
        runs = [(event, self.run_of(event)) for event in self.played_rounds]
        held = {event.run: bridge.digest(bridge.parts_of_run(run)) for event, run in runs}
        present, order = self.present_conditions(held), list(dict.fromkeys(held.values()))
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
                lists = self.lists_of(run)
                own = [credits_of(run, entry, lists) for entry in run.info.entries]
            else:  # they only count as questions, and their word lists may be gone
                own = [Credits(np.zeros(1), np.zeros(1)) for _ in labels]
            always = exact_entries(run)
            exact = {index[label] for slug, label in event.players.items() if slug in always}
            players = [index[label] for label in labels]
            found.append(RoundGames(players, own, event.number, [eras[label] for label in labels], frozenset(exact)))
        return found

    def standings(self) -> Standings:
        """Return the standings from all rounds, computed again when there are new events."""
        versions, ranked, n_events = self.versions, self.ranked, len(self.log.events)
        if self._known is None or self._known[0] != n_events:
            self._known = n_events, standings.compute(versions, ranked, self.games_of_rounds(), self.scores)
        return self._known[1]

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
        open_ones = [index for index in chosen if index not in current.exact]
        known = [index for index in chosen if index in current.exact]
        return [all_versions[index] for index in sorted([*open_ones, *known[: max(0, 2 - len(open_ones))]])]

    def until(self, n_events: int) -> Self:
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
        noted = [event for event in self.log.events if isinstance(event, SeasonOpened)]
        if noted and noted[-1].text:
            return noted[-1].text == self.terms.text(self.folder)
        return bool(noted) and noted[-1].terms == self.terms.digest(self.folder)
