"""Tournament results of a run of strategies: its games are the puzzles, and CPU time is charged to the bank."""

from collections.abc import Iterator
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo, Run, Verdict
from wordpl.tournament.rules import TournamentRules
from wordpl.tournament.scoring import Guess, PlayedPuzzle, score
from wordpl.tournament.standings import TournamentResult

SOLVED = (Verdict.WON, Verdict.UNSOLVED)


def results_of(folder: Path, rules: TournamentRules) -> list[TournamentResult]:
    """Return the results of the entries in a run as if its games were a tournament's puzzles.

    The time of a game is the entry's CPU time, or wall time if no CPU time was recorded. As records contain no times of
    single guesses, all guesses count as made at the end of the game.

    Args:
        folder: The run.
        rules: The tournament's rules.

    Raises:
        UserError: An entry plays another game than the tournament's, or its games are not complete.
    """
    run = Run(folder)
    for entry in run.info.entries:
        if entry.game_id != rules.game:
            raise UserError(f"{entry.name} of {folder} plays {entry.game_id}; the tournament's game is {rules.game}.")
    puzzles = {entry.name: list(_puzzles(run, entry, rules)) for entry in run.info.entries}
    return [TournamentResult(name, list(score(played, rules))) for name, played in puzzles.items()]


def _puzzles(run: Run, entry: EntryInfo, rules: TournamentRules) -> Iterator[PlayedPuzzle]:
    # If a game was played more than once, its last duration counts.
    times = {one.game: one.wall_s if one.cpu_s is None else one.cpu_s for one in run.durations(entry)}
    for number, record in enumerate(run.read(entry)[: rules.rounds]):
        if record.game != number:
            raise UserError(f"{run.folder} has no game {number} of {entry.name} yet: continue the run with --resume.")
        guesses = [Guess(move.guess, times.get(number, 0.0)) for move in record.moves]
        if record.verdict == Verdict.LATE:  # a timeout empties the bank, whatever CPU time was measured
            guesses.append(Guess("", float("inf")))
        yield PlayedPuzzle(record.secret, guesses, fault=record.verdict not in SOLVED)
