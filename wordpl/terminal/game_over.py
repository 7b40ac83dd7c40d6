"""The output at the end of a game, with a comparison of its budget with those of recorded entries."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from wordpl.contest.session import Session
from wordpl.core import bounded, paths
from wordpl.core.errors import UserError
from wordpl.core.moves import Verdict
from wordpl.run.folder import Run
from wordpl.terminal.screen import Screen

PLACES = ("cheaper than 95%", "cheaper than 50%", "costlier than 50%", "costlier than 95%")


def show(session: Session, screen: Screen) -> None:
    """Show how the game ended, the secret, and a comparison with entries or a text to share."""
    screen.say("", outcome(session), style="bold")
    if not session.is_exact:
        _truth(session, screen)
    if session.has_epsilon:
        if session.verdict == Verdict.WON:
            screen.say("", *(screen.cut(line) for line in comparison(session)))
    elif session.verdict is not None:
        screen.say("", *shareable(session, screen))


def outcome(session: Session) -> str:
    """Return one or two sentences that say how the game ended."""
    secret, n_guesses = session.secret.upper(), len(session.moves_with_clues)
    guesses = f"{n_guesses} guess{'' if n_guesses == 1 else 'es'}"
    match session.verdict:
        case Verdict.WON if not session.game.facts.has_secret:
            return f"Solved: after {guesses}, {session.moves[-1].guess.upper()} was the only word left."
        case Verdict.WON if session.has_epsilon:
            return f"Right: the secret is {secret}. Budget {session.spent:g}, {guesses}."
        case Verdict.WON:
            return f"Right: the secret is {session.moves[-1].guess.upper()}, found in {guesses}."
        case Verdict.WRONG:
            answer = session.moves[-1].guess.upper()
            return f"Wrong: the secret was {secret}, not {answer}. A lost game counts as an infinite budget."
        case Verdict.UNSOLVED if session.has_epsilon:
            return f"Lost: no answer in {guesses}. The secret was {secret}."
    return _given_up(session)


def _given_up(session: Session) -> str:
    """Return the secret, or the words left if the game had not settled on one, as an adversarial game may."""
    candidates = [session.secret] if session.has_epsilon else session.candidates()
    if session.secret in candidates:
        return f"The secret was {session.secret.upper()}."
    if len(candidates) == 1:
        return f"Only {candidates[0].upper()} was left."
    return f"The game had not settled on a secret: {len(candidates)} words were left, such as {candidates[0].upper()}."


def _truth(session: Session, screen: Screen) -> None:
    """Show the clues that were seen next to the true ones."""
    if session.moves_with_clues:
        screen.say("The clues you saw, and the true clues:")
    for move in session.moves_with_clues:
        true = session.game.clue(move.guess, session.secret)
        n_false = sum(a != b for a, b in zip(move.clues, true, strict=True))
        remark = f"   {n_false} false" if n_false else ""
        seen_tiles = screen.tiles(move.guess, move.clues)
        screen.say(Text.assemble("  ", seen_tiles, "   ", screen.tiles(move.guess, true), remark))


def shareable(session: Session, screen: Screen) -> list[str]:
    """Return the lines of the game's share text: the number of guesses, and their clues as squares."""
    return session.share_text(squares=screen.squares).splitlines()


@dataclass(frozen=True)
class RecordedEntry:
    """An entry of a recorded run.

    Attributes:
        budgets: The budgets within which 5%, 50% and 95% of its games were won; infinite if fewer were won.
    """

    name: str
    budgets: tuple[float, float, float]
    n_games: str

    def place(self, budget: float) -> str:
        """Return how `budget` compares with the budgets of the entry's games; lost games count as infinite."""
        return PLACES[sum(budget > bound for bound in self.budgets)]


def recorded_entries(session: Session, folder: Path | None = None) -> Iterator[RecordedEntry]:
    """Yield the recorded entries that played this game with the same word lists; none if the run cannot be read."""
    folder = folder or paths.bundled() / "results" / "bundled"
    try:
        word_files = Run(folder).info.config.word_files
        scores = bounded.read_text(bounded.REPORT_TABLE, folder / "scores.csv")
        rows = list(csv.DictReader(scores.splitlines(), delimiter=";"))
        entries = [
            RecordedEntry(row["strategy"], (float(row["p05"]), float(row["p50"]), float(row["p95"])), row["n_games"])
            for row in rows
            if row["rules"] == session.game.facts.id
        ]
    except (OSError, UserError, csv.Error, KeyError, TypeError, ValueError):  # a table may hold anything
        return
    if all(word_files[name].sha256 == digest for name, digest in session.game.lists.sha256.items()):
        yield from entries


def comparison(session: Session) -> Iterator[str]:
    """Yield lines that compare the budget of a session with recorded entries; no lines if there are none."""
    entries = sorted(recorded_entries(session), key=lambda entry: entry.budgets[1])
    if not entries:
        return
    n_games = "/".join(sorted({entry.n_games for entry in entries}))
    yield f"Your budget {session.spent:g}, compared with those at which entries won 5, 50 and 95% of {n_games} games:"
    for entry in entries:
        bounds = "".join(f"{bound:7.1f}" for bound in entry.budgets).replace("inf", "  ∞")
        yield f"  {entry.place(session.spent):<17}{bounds}  {entry.name}"
