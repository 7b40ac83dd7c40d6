"""A run of strategies as a tournament: its games are the puzzles, and the processor's clock is the bank."""

from collections.abc import Iterator
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo, Run, Verdict
from wordpl.tournament.rules import TournamentRules
from wordpl.tournament.scoring import Guess, PlayedPuzzle, score
from wordpl.tournament.standings import TournamentResult

SOLVED = (Verdict.WON, Verdict.UNSOLVED)


def results_of(folder: Path, rules: TournamentRules) -> list[TournamentResult]:
    """Return how each entry of the run in this folder did, had its games been a tournament's puzzles.

    The time of a game is the entry's CPU time, wall time where the system told none. When within a game each guess was
    made is not recorded: all count as made at its end.
    """
    run = Run(folder)
    for entry in run.info.entries:
        if entry.game_id != rules.game:
            raise UserError(f"{entry.name} of {folder} plays {entry.game_id}; the tournament's game is {rules.game}.")
    puzzles = {entry.name: list(_puzzles(run, entry, rules)) for entry in run.info.entries}
    return [TournamentResult(name, list(score(played, rules))) for name, played in puzzles.items()]


def _puzzles(run: Run, entry: EntryInfo, rules: TournamentRules) -> Iterator[PlayedPuzzle]:
    times = {
        one.game: one.wall_s if one.cpu_s is None else one.cpu_s for one in run.durations(entry)
    }  # the last counts
    for number, record in enumerate(run.read(entry)[: rules.rounds]):
        if record.game != number:
            raise UserError(f"{run.folder} has no game {number} of {entry.name} yet: play the rest with --resume.")
        guesses = [Guess(move.guess, times.get(number, 0.0)) for move in record.moves]
        if record.verdict == Verdict.LATE:  # it used up what it had, whatever the processor's clock says
            guesses.append(Guess("", float("inf")))
        yield PlayedPuzzle(record.secret, guesses, fault=record.verdict not in SOLVED)
