"""The line-by-line game: creates games, reads typed lines, and compares the result with recorded entries."""

import csv
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import getdoc
from pathlib import Path

import click
from rich.text import Text

from wordpl.apps.terminal import display
from wordpl.apps.terminal.display import Screen, price
from wordpl.contest.referee import secret_of
from wordpl.contest.session import Session
from wordpl.core import bounded, paths, seeds
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.core.moves import Verdict, budget_text
from wordpl.games import Game, IllegalMoveError
from wordpl.reports.elements import number
from wordpl.run.folder import Run

__all__ = ["Session", "sessions"]


def sessions(game: Game, seed: str, number: int, secret: str | None) -> Iterator[Session]:
    """Yield the games of this seed from `number` on, as in a run; `secret` replaces their secrets if it is given.

    Raises:
        UserError: The secret is not possible in this game.
    """
    if secret is not None and not game.facts.has_secret:
        raise UserError(f"{game.facts.id} has no fixed secret: remove --secret.")
    if secret is not None and secret not in game.lists.answer_set:
        raise UserError(f"{_shortened(secret)} is not a word of the answers.{_hint(secret, game)}")
    while True:
        yield Session(game, seed, number, secret or secret_of(game, number, seeds.Draws.of(seed)))
        number += 1


def _shortened(text: str) -> str:
    return ascii(text if len(text) <= 30 else f"{text[:30]}...")


def _hint(secret: str, game: Game) -> str:
    similar_words = get_close_matches(secret[:30], game.lists.answers, n=3)
    return (
        f" Did you mean {' or '.join(similar_words)}?"
        if similar_words
        else f" It has words of {game.lists.length} letters."
    )


PLACES = ("cheaper than 95%", "cheaper than 50%", "costlier than 50%", "costlier than 95%")


def show_end(session: Session, screen: Screen) -> None:
    """Show how the game ended, the secret, and a comparison with entries or a text to share."""
    screen.say("", outcome(session), style="bold")
    if not session.is_exact:
        _truth(session, screen)
    from wordpl.reports.game_reviews import review_lines, review_of  # pandas, which no game needs before its end

    judged = review_of(session.game, session.moves, session.secret, session.verdict)
    if judged is not None and judged.moves:
        screen.say("", *review_lines(judged))
    if session.has_epsilon:
        if session.verdict == Verdict.WON:
            screen.say("", *(screen.cut(line) for line in comparison(session)))
    elif session.verdict is not None:
        screen.say("", *session.share_text(squares=screen.squares).splitlines())


def outcome(session: Session) -> str:
    """Return one or two sentences that say how the game ended."""
    secret, n_guesses = session.secret.upper(), len(session.moves_with_clues)
    guesses = f"{n_guesses} guess{'' if n_guesses == 1 else 'es'}"
    match session.verdict:
        case Verdict.WON if not session.game.facts.has_secret:
            return f"Solved: after {guesses}, {session.moves[-1].guess.upper()} was the only word left."
        case Verdict.WON if session.has_epsilon:
            return f"Right: the secret is {secret}. Budget {budget_text(session.spent)}, {guesses}."
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
    """Yield the recorded entries that played this game with the same words; none if the run cannot be read."""
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
    if session.game.lists.has_words_of({name: file.sha256 for name, file in word_files.items()}):
        yield from entries


def comparison(session: Session) -> Iterator[str]:
    """Yield lines that compare the budget of a session with recorded entries; no lines if there are none."""
    entries = sorted(recorded_entries(session), key=lambda entry: entry.budgets[1])
    if not entries:
        return
    n_games = "/".join(sorted({entry.n_games for entry in entries}))
    spent = budget_text(session.spent)
    yield f"Your budget {spent}, compared with those at which entries won 5, 50 and 95% of {n_games} games:"
    for entry in entries:
        bounds = "".join(f"{number(bound):>7}" for bound in entry.budgets)
        yield f"  {entry.place(session.spent):<17}{bounds}  {entry.name}"


COMMANDS = {"?": "?", "h": "help", "help": "help", "q": "quit", "quit": "quit"}
MAX_ECHO_CHARACTERS = 60
MEANINGS = {
    "c": "the letter is in this place",
    "i": "the letter is in another place",
    ".": "the letter is not in the word",
}
REPEATED_LETTERS = {
    "anywhere": "Repeated letters are not counted: each is marked as if it were the only one.",
    "counted": "Repeated letters are counted: a letter gets at most as many marks as the secret contains it.",
}
PRICES = (4.0, 8.0, 12.0, 16.0)


@dataclass(frozen=True)
class TypedMove:
    """A move that may be incomplete: no word yet, a word without its epsilon, or a complete move."""

    word: str = ""
    epsilon: float | str | None = None
    is_complete: bool = False


def play(sessions: Iterator[Session], screen: Screen) -> None:
    """Play games until the person stops. The end of input exits with code 0, Ctrl-C with 130."""
    session = None
    try:
        for session in sessions:
            welcome(session, screen)
            play_one(session, screen)
            show_end(session, screen)
            session = None
            if not sys.stdin.isatty() or ask("\nAnother game? [y/N] ") not in ("y", "yes"):
                return
    except EOFError:
        leave(session, screen)
    except KeyboardInterrupt:
        leave(session, screen)
        raise click.exceptions.Exit(130) from None


def play_one(session: Session, screen: Screen) -> None:
    """Play one game until it ends or is given up."""
    begun = TypedMove()
    while session.verdict is None:
        line = ask(question(session, begun))
        match command(line, session):
            case "?":
                with screen.thinking():
                    lines = display.hints(session)
                screen.say("", *lines, "")
            case "help":
                instructions(session, screen)
            case "quit":
                return
            case _:
                begun = enter_line(line, begun, session, screen)


def enter_line(line: str, begun: TypedMove, session: Session, screen: Screen) -> TypedMove:
    """Make the move that a line completes, and return the move that the next line continues."""
    if not line:
        return TypedMove()
    try:
        draft = read_move(line, begun, session)
        if not draft.is_complete:
            return draft
        session.play(session.proposal(draft.word, draft.epsilon))
    except IllegalMoveError as fault:
        screen.say(f"  {fault}", style="bold red")
        return begun
    if session.moves_with_clues == session.moves:
        display.show_board(session, screen)
    return TypedMove()


def question(session: Session, begun: TypedMove) -> str:
    """Return the prompt for the next line."""
    if begun.word:
        return f"epsilon for {begun.word}: "
    max_guesses = session.game.facts.limit
    return f"guess {len(session.moves) + 1}{f' of {max_guesses}' if max_guesses else ''}: "


def command(line: str, session: Session) -> str:
    """Return the command that a line names, or "". A word of the game is always a guess, even if it names a command."""
    return "" if line in session.game.lists.guess_set else COMMANDS.get(line, "")


def ask(question: str) -> str:
    """Return the next line that is typed. Raises EOFError at the end of input."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):  # some builds of Python lack it
            import readline  # noqa: F401 - enables arrow keys in `input`; on a terminal only, since it writes to pipes
    line = input(question)
    if not sys.stdin.isatty():
        click.echo(sanitize_untrusted_text(line, MAX_ECHO_CHARACTERS))  # shows piped input as if it had been typed
    return line.strip().lower()


def leave(session: Session | None, screen: Screen) -> None:
    """Say goodbye, without the secret of an unfinished game, which can be played again."""
    screen.say("")
    if session is not None:
        options = session.options_to_repeat
        screen.say(f"You left; the secret stays hidden. The same command with {options} plays this game again.")


def read_move(line: str, begun: TypedMove, session: Session) -> TypedMove:
    """Return the move after another typed line.

    Args:
        begun: The move that earlier lines have started.

    Raises:
        IllegalMoveError: The line is not a move.
    """
    if not session.has_epsilon:
        return TypedMove(line, is_complete=True)
    if line.startswith("!"):
        return TypedMove(line[1:].strip(), 0, is_complete=True)
    parts = line.split()
    if len(parts) > 2:
        raise IllegalMoveError(f"a guess is a word and its epsilon, got {len(parts)} parts")
    if begun.word and len(parts) == 1 and parts[0] not in session.game.lists.guess_set:
        return TypedMove(begun.word, _number(parts[0]), is_complete=True)
    if len(parts) == 2:
        return TypedMove(parts[0], _number(parts[1]), is_complete=True)
    session.game.check((parts[0], 1.0))  # refuses a wrong word before asking for its epsilon
    return TypedMove(parts[0])


def _number(text: str) -> float | str:
    """Return the text as a number, or unchanged if it is none, so that the rules refuse it."""
    try:
        return float(text)
    except ValueError:
        return text


def welcome(session: Session, screen: Screen) -> None:
    """Show which game starts and how to make a move."""
    game = session.game
    screen.say("", f"{game.facts.id}, seed {session.seed}, game {session.number}", style="bold")
    screen.say(
        (getdoc(type(game)) or "").partition("\n")[0],
        f"The secret {'is' if game.facts.has_secret else 'will be'} one of {len(game.lists.answers):,} words of "
        f"{game.lists.length} letters.",
    )
    if session.has_epsilon:
        screen.say(
            "A guess costs its epsilon, and its clues may be false: a higher epsilon gives truer clues.",
            f"Type a guess and its epsilon ({_example(session)} 8), or ! and a word to answer.",
        )
    screen.say("Type ? for hints, help for the rules, or quit to give up and see the secret.")


def instructions(session: Session, screen: Screen) -> None:
    """Show the meaning of the marks and the possible input."""
    example = _example(session)
    screen.say("", getdoc(type(session.game)) or "", "", "Marks")
    for mark, meaning in MEANINGS.items():
        screen.say(Text.assemble("  ", screen.tiles("a", mark), f"  {meaning}"))
    screen.say(REPEATED_LETTERS[session.game.clue_rule])
    if session.has_epsilon:
        screen.say("", "Prices")
        screen.say(*(f"  {price(session, epsilon)}" for epsilon in PRICES))
        moves = {
            f"{example} 8": "guess with epsilon 8",
            example: "guess; asks for the epsilon",
            f"!{example}": "answer with the word",
        }
    else:
        moves = {example: "guess"}
    commands = {
        "?": "hints: the most likely words, the remaining bits, a good next guess",
        "h, help": "show this help",
        "q, quit": "give up and see the secret",
        "Ctrl-D": "leave without seeing the secret, to play the game later",
    }
    screen.say("", "Type", *(f"  {typed:<12}{meaning}" for typed, meaning in {**moves, **commands}.items()), "")


def _example(session: Session) -> str:
    answers = session.game.lists.answers
    return answers[len(answers) // 3]
