"""The steps of `wordpl tournament run` and `rank`: a run under a tournament's rules, and the standings of results."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console

from wordpl.cli._evaluation import Settings
from wordpl.core.errors import UserError
from wordpl.core.files import write_safely
from wordpl.core.records import Limits, Run
from wordpl.reports import plain_table
from wordpl.reports import tournament as reports
from wordpl.tournament import Scorecard, TournamentResult, TournamentRules, json_files, load_rules, standings
from wordpl.tournament.entry_runs import results_of
from wordpl.tournament.scorecard import read_scorecard
from wordpl.tournament.tournament_file import read_tournament

KEPT = "tournament.json"
WARMUP_S = 60.0


@dataclass(frozen=True)
class Terms:
    """What a run is played by."""

    rules: TournamentRules
    seed: str | None


def terms(rules_file: Path | None, cup_file: Path | None, bank_s: float | None, seed: str | None) -> Terms:
    """Return the rules and the seed that these options say."""
    if cup_file and (rules_file or seed):
        raise UserError("--cup says the rules and the seed; leave --rules and --seed out.")
    cup = read_tournament(cup_file) if cup_file else None
    rules = cup.rules if cup else load_rules(rules_file)
    if bank_s:
        rules = msgspec.structs.replace(rules, bank_minutes=bank_s / 60)
    return Terms(rules, cup.seed if cup else seed)


def settings(terms: Terms, **chosen: Any) -> Settings:
    """Return the settings of the run: one game a puzzle, each as long as the whole bank at most."""
    return Settings(
        n_games=terms.rules.rounds,
        rules=terms.rules.game,
        timeout_s=terms.rules.bank_s,
        warmup_s=WARMUP_S,
        seed=terms.seed,
        answers=None,
        guesses=None,
        limits=Limits(),
        repeats=0,
        **chosen,
    )


def keep(rules: TournamentRules, folder: Path) -> None:
    """Write the rules into the run's folder, so that `rank` finds them."""
    json_files.write(folder / KEPT, rules)


def show(paths: Sequence[Path], rules_file: Path | None, report: Path | None) -> None:
    """Show the standings of these results and what happened in each round; write them as Markdown, too."""
    cards = [read_scorecard(path) for path in paths if path.is_file()]
    folders = [path for path in paths if path.is_dir()]
    rules = _rules(cards, folders, rules_file)
    facts = _same_puzzles(cards, folders)
    results = [TournamentResult(card.player, card.scored()) for card in cards]
    results += [result for folder in folders for result in results_of(folder, rules)]
    table = standings(results)
    ranked = sorted(results, key=lambda result: table["player"].tolist().index(result.player))
    console = Console()
    for shown in (reports.standings_table(table, rules), reports.rounds_table(ranked)):
        plain_table.show(shown, console)
        console.print()
    if report:
        write_safely(report, reports.page(ranked, table, rules, facts).encode())
        click.echo(f"The report: {report}")


def _rules(cards: Sequence[Scorecard], folders: Sequence[Path], rules_file: Path | None) -> TournamentRules:
    """Return the rules: those of the players' tournament, else those that were asked for, else those of the run."""
    if cards:
        if rules_file:
            raise UserError("--rules does not go with results of players: their tournament has its rules.")
        return cards[0].cup.rules
    kept = folders[0] / KEPT
    if rules_file or not kept.exists():
        return load_rules(rules_file)
    return json_files.read(kept, TournamentRules, "wordpl tournament run")


def _same_puzzles(cards: Sequence[Scorecard], folders: Sequence[Path]) -> dict[str, str]:
    """Return what decided the puzzles. Raises UserError where results are of different tournaments."""
    commitments = {card.cup.commitment: card.player for card in cards}
    if len(commitments) > 1:
        first, second = list(commitments.values())[:2]
        raise UserError(f"{first!r} and {second!r} played different tournaments: their commitments differ.")
    runs = [Run(folder).info for folder in folders]
    lists = [card.cup.lists for card in cards] + [
        {name: str(facts["sha256"]) for name, facts in info.lists.items()} for info in runs
    ]
    played = {card.cup.seed for card in cards} | {str(info.seed) for info in runs}
    if len(played) > 1 or any(one != lists[0] for one in lists):
        raise UserError("these results are of different puzzles: their seeds or their word lists differ.")
    return {"seed": played.pop(), **({"commitment": next(iter(commitments))} if commitments else {})}
