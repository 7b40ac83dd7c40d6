"""Tournaments of strategies, and rankings of the results of runs and of people.

The games of a run are the puzzles, and CPU time is charged to the bank.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wordpl.core.errors import UserError
from wordpl.core.moves import Verdict
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.tournament.rules import TournamentRules, load_rules
from wordpl.tournament.scoring import Guess, PlayedPuzzle, Standing, TournamentResult, score, standings
from wordpl.tournament.tournament_file import TournamentFile, read_json, read_tournament, write_json

RULES_FILE = "tournament.json"
SOLVED = (Verdict.WON, Verdict.UNSOLVED)


@dataclass(frozen=True, eq=False)
class RankedResults:
    """The results of a tournament.

    Attributes:
        rules: The tournament's rules.
        results: The results, best first.
        table: The standings, as returned by `standings`.
        facts: The seed of the puzzles and the commitment to it, if there is one.
    """

    rules: TournamentRules
    results: list[TournamentResult]
    table: list[Standing]
    facts: dict[str, str]


def run_terms(
    config: RunConfig, rules_file: Path | None = None, cup_file: Path | None = None, bank_s: float | None = None
) -> tuple[TournamentRules, RunConfig]:
    """Return the rules and the configuration of a run with one game per puzzle, in which a game may use the whole bank.

    Args:
        config: All other settings of the run.
        rules_file: The rules; None for the published ones.
        cup_file: The file of a finished tournament, which defines the rules and the seed.
        bank_s: The CPU time in each bank, in seconds; None for the bank of the rules.

    Raises:
        UserError: Both a tournament and rules or a seed are given.
    """
    if cup_file and (rules_file or config.seed):
        raise UserError("--cup defines the rules and the seed: leave out --rules and --seed.")
    cup = read_tournament(cup_file) if cup_file else None
    rules = cup.terms.rules if cup else load_rules(rules_file)
    if bank_s:
        rules = msgspec.structs.replace(rules, bank_minutes=bank_s / 60)
    seed = cup.seed if cup else config.seed
    return rules, msgspec.structs.replace(
        config, n_games=rules.n_games, game_id=rules.game, timeout_s=rules.bank_s, seed=seed, repeats=0
    )


def save_rules(rules: TournamentRules, folder: Path) -> None:
    """Save the rules in the run's folder for `rank`."""
    write_json(folder / RULES_FILE, rules)


def rank(paths: Sequence[Path], rules_file: Path | None = None) -> RankedResults:
    """Return the ranked results of people and runs.

    Args:
        paths: Files of finished tournaments and folders of runs.
        rules_file: Rules to apply to runs; None for the rules saved with the run.

    Raises:
        UserError: The results belong to different tournaments.
    """
    cups = [read_tournament(path) for path in paths if path.is_file()]
    folders = [path for path in paths if path.is_dir()]
    rules = _rules(cups, folders, rules_file)
    facts = _same_puzzles(cups, folders)
    results = [result for cup in cups for result in cup.results()]
    results += [result for folder in folders for result in results_of(folder, rules)]
    table = standings(results)
    players = [line.player for line in table]
    return RankedResults(rules, sorted(results, key=lambda result: players.index(result.player)), table, facts)


def _rules(cups: Sequence[TournamentFile], folders: Sequence[Path], rules_file: Path | None) -> TournamentRules:
    """Return the rules of the people's tournament if there is one, else those in the file, else the run's."""
    if cups:
        if rules_file:
            raise UserError("--rules cannot be used with results of people: their tournament defines the rules.")
        return cups[0].terms.rules
    stored_rules = folders[0] / RULES_FILE
    if rules_file or not stored_rules.exists():
        return load_rules(rules_file)
    return read_json(stored_rules, TournamentRules, "wordpl tournament run")


def _same_puzzles(cups: Sequence[TournamentFile], folders: Sequence[Path]) -> dict[str, str]:
    """Return the seed and the commitment of the puzzles. Raises UserError if the results have different puzzles."""
    commitments = sorted({cup.commitment for cup in cups})
    runs = [Run(folder).info for folder in folders]
    lists = [cup.terms.lists for cup in cups] + [
        {name: file.sha256 for name, file in info.config.word_files.items()} for info in runs
    ]
    seeds = {cup.seed for cup in cups} | {str(info.seed) for info in runs}
    if len(commitments) > 1 or len(seeds) > 1 or any(digests != lists[0] for digests in lists):
        raise UserError(
            "these results have different puzzles: their commitments, their seeds or their word lists differ."
        )
    return {"seed": seeds.pop(), **({"commitment": commitments[0]} if commitments else {})}


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
        if entry.game.id != rules.game:
            raise UserError(f"{entry.name} of {folder} plays {entry.game.id}; the tournament's game is {rules.game}.")
    puzzles = {entry.name: list(_puzzles(run, entry, rules)) for entry in run.info.entries}
    return [TournamentResult(name, list(score(puzzles_of_entry, rules))) for name, puzzles_of_entry in puzzles.items()]


def _puzzles(run: Run, entry: EntryInfo, rules: TournamentRules) -> Iterator[PlayedPuzzle]:
    # If a game was played more than once, its last duration counts.
    times = {
        duration.game: duration.wall_s if duration.cpu_s is None else duration.cpu_s
        for duration in run.entry(entry).durations()
    }
    for number, record in enumerate(run.entry(entry).read()[: rules.n_games]):
        if record.game != number:
            raise UserError(f"{run.folder} has no game {number} of {entry.name} yet: continue the run with --resume.")
        guesses = [Guess(move.guess, times.get(number, 0.0)) for move in record.moves]
        if record.verdict == Verdict.LATE:  # a timeout empties the bank, whatever CPU time was measured
            guesses.append(Guess("", float("inf")))
        yield PlayedPuzzle(record.secret, guesses, fault=record.verdict not in SOLVED)
