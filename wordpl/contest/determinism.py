"""Repeated games, which show whether an entry's moves depend on anything but its clues and its seed.

An entry could carry over what it learned in one game to the next, or find out the secret from the referee. So after a
run has been played, some games, which the run's seed selects, are repeated, each in a new process. The referee then
holds another secret and shows the recorded clues: an entry that knows only its clues makes the recorded moves.

The folder `repeats` stores the records of these games: one line if the game went as in the run. If it did not or could
not be compared, another line follows, from another new process with the game's own secret. In games with odd numbers, a
line with another seed for the entry's own draws comes first; if it is the only one, the entry draws nothing.
"""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from wordpl.contest.referee import GameComparison, agree, compare
from wordpl.contest.run_worker import Chunk, Work, Workforce
from wordpl.core import seeds
from wordpl.core.files import append, open_to_append, write_atomically
from wordpl.core.intervals import CONFIDENCE
from wordpl.run.entry import RunEntry
from wordpl.run.folder import Run, RunRecords
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, Replay, encode

GAMES_PER_CHUNK = 5
MAX_NOT_COMPARED = 0.1
"""The share of repetitions that may be cut short before this is reported as evasive."""


@dataclass(frozen=True)
class RepeatFinding:
    """The results of an entry's repeated games, as numbers of games.

    Attributes:
        entry: The entry.
        repeated: All repeated games.
        changed: The games with other moves than in the run.
        unsteady: The changed games in which two new processes differed from each other too.
        by_secret: The games that changed under another secret, and had the same moves as in the run under their own;
            empty if any game is unsteady.
        reseeded: The games with the same moves although the entry had another seed for its own draws.
        blind: The games that were repeated under another secret.
        not_compared: The games that were cut short twice before they had as many moves as in the run. An entry can
            cause this in order to hide what it does.
    """

    entry: EntryInfo
    repeated: tuple[int, ...]
    changed: tuple[int, ...]
    unsteady: tuple[int, ...]
    not_compared: tuple[int, ...] = ()
    by_secret: tuple[int, ...] = ()
    reseeded: tuple[int, ...] = ()
    blind: tuple[int, ...] = ()

    @property
    def n_same(self) -> int:
        """The number of games with the same moves under another secret."""
        return len(set(self.blind) - set(self.changed) - set(self.not_compared))

    @property
    def max_dependent(self) -> float | None:
        """The largest share of games whose moves may depend on the secret, with 95% confidence.

        If a larger share did, at least one of the compared games would have shown it in 95% of runs. None if a game
        changed, or if no game was compared.
        """
        return 1 - (1 - CONFIDENCE) ** (1 / self.n_same) if self.n_same and not self.changed else None

    @property
    def is_evasive(self) -> bool:
        """Whether too many games could not be compared."""
        return len(self.not_compared) > MAX_NOT_COMPARED * len(self.repeated)


def games_to_repeat(key: bytes, n_games: int, n_repeats: int) -> list[int]:
    """Return the numbers of the games to repeat in ascending order, drawn with the key of the run.

    Args:
        key: The key of all draws.
        n_games: The number of games of the run.
        n_repeats: The number of games to repeat; all games, if the run has no more.
    """
    return sorted(sorted(range(n_games), key=lambda game: seeds.draw(key, b"repeat", game))[:n_repeats])


def findings(records: RunRecords) -> list[RepeatFinding]:
    """Return the results for each entry that has repeated games."""
    return [finding for entry in records.info.entries if (finding := _finding(records, entry)).repeated]


def _finding(records: RunRecords, entry: EntryInfo) -> RepeatFinding:
    repeats = records.repeats_of(entry)
    first = {record.game: record for record in records.run.entry(entry).records(repeats)} if repeats else {}
    lines = {game: repeated for game, repeated in repeats.items() if game in first}
    reseeded = tuple(
        game
        for game, repeated in lines.items()
        if _has_other_seed(repeated[0]) and compare(first[game], repeated[0]) == GameComparison.SAME
    )
    # An entry that draws makes other moves with another seed, which says nothing.
    comparable = {
        game: [record for record in repeated if game in reseeded or not _has_other_seed(record)]
        for game, repeated in lines.items()
    }
    comparisons = {game: _compare_repeats(first[game], repeated) for game, repeated in comparable.items()}
    changed = tuple(game for game, result in comparisons.items() if result == GameComparison.CHANGED)
    by_secret = tuple(
        game
        for game in changed
        if comparable[game][0].replay and compare(first[game], comparable[game][-1]) == GameComparison.SAME
    )
    unsteady = tuple(
        game for game in changed if game not in by_secret and not agree(comparable[game][0], comparable[game][-1])
    )
    if unsteady:  # an entry that draws without a seed may make the same moves by chance
        by_secret = ()
    not_compared = tuple(game for game, result in comparisons.items() if result == GameComparison.NOT_COMPARED)
    blind = tuple(game for game, repeated in lines.items() if repeated[0].replay)
    return RepeatFinding(entry, tuple(lines), changed, unsteady, not_compared, by_secret, reseeded, blind)


def _has_other_seed(record: Record) -> bool:
    return record.replay == Replay.SECRET_AND_SEED


def _compare_repeats(first: Record, repeated: Sequence[Record]) -> GameComparison:
    """Return the combined result of a game's repetitions: CHANGED if any differs, else SAME if any was compared."""
    results = {compare(first, record) for record in repeated}
    by_priority = (GameComparison.CHANGED, GameComparison.SAME)
    return next((result for result in by_priority if result in results), GameComparison.NOT_COMPARED)


def play_repeats(
    run: Run, workforce: Workforce, progress: Callable[[int, int], object], without: Collection[str] = ()
) -> None:
    """Repeat the selected games that have no record of a repetition yet. All games of the run must have been played.

    Args:
        workforce: The workers that play the games.
        progress: Called with the number of finished repetitions and their total.
        without: The slugs of entries to skip, because they have not played all their games.
    """
    (run.folder / "repeats").mkdir(exist_ok=True)
    numbers = games_to_repeat(workforce.key, run.info.config.n_games, run.info.config.repeats)
    repeated_games = [_keep_finished(entry) for entry in run.entries]
    left = [
        [number for number in numbers if number not in games and entry.slug not in without]
        for games, entry in zip(repeated_games, run.info.entries, strict=True)
    ]
    total = len(numbers) * sum(entry.slug not in without for entry in run.info.entries)
    n_done = total - sum(map(len, left))
    progress(n_done, total)
    with workforce.outcomes(_chunks(run, left)) as outcomes:
        for outcome in outcomes:
            if new := set(outcome.numbers) - repeated_games[outcome.entry]:
                file = open_to_append(run.entries[outcome.entry].repeats_path)
                try:
                    append(file, b"".join(outcome.records))
                finally:
                    os.close(file)
                repeated_games[outcome.entry] |= new
                n_done += len(new)
                progress(n_done, total)
    for entry in run.entries:
        entry.sort_repeats()


def _keep_finished(entry: RunEntry) -> set[int]:
    """Return the games that were repeated, and remove the lines of those whose last line was lost in a crash."""
    repeats = entry.repeats()
    first = {record.game: record for record in entry.records(set(repeats))} if repeats else {}
    finished = {
        game: lines
        for game, lines in repeats.items()
        if not lines[-1].replay or (game in first and compare(first[game], lines[-1]) == GameComparison.SAME)
    }
    if len(finished) < len(repeats):
        kept = [encode(record) for lines in finished.values() for record in lines]
        write_atomically(entry.repeats_path, b"".join(kept))
    return set(finished)


def _chunks(run: Run, left: list[list[int]]) -> Iterator[Chunk]:
    for index, numbers in enumerate(left):
        games = set(numbers)
        first = {record.game: encode(record) for record in run.entries[index].records(games)} if games else {}
        for start in range(0, len(numbers), GAMES_PER_CHUNK):
            games_of_chunk = tuple(numbers[start : start + GAMES_PER_CHUNK])
            yield Chunk(index, games_of_chunk, Work.REPEAT, first=tuple(first[number] for number in games_of_chunk))
