"""The line-by-line interface: shows the welcome and the help, reads typed lines, and shows the board."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from inspect import getdoc
from typing import Any

import click
from rich.text import Text

from wordpl.contest.session import Session
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.games import IllegalMoveError
from wordpl.terminal import board, game_over, hints
from wordpl.terminal.board import price
from wordpl.terminal.screen import Screen

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

    def proposal(self, session: Session) -> Any:
        """Return the move in the form that the game expects."""
        return (self.word, self.epsilon) if session.has_epsilon else self.word


def play(sessions: Iterator[Session], screen: Screen) -> None:
    """Play games until the person stops. The end of input exits with code 0, Ctrl-C with 130."""
    session = None
    try:
        for session in sessions:
            welcome(session, screen)
            play_one(session, screen)
            game_over.show(session, screen)
            session = None
            if not wants_another():
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
                hints.show(session, screen)
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
        session.play(draft.proposal(session))
    except IllegalMoveError as fault:
        screen.complain(str(fault))
        return begun
    if session.moves_with_clues == session.moves:
        board.show(session, screen)
    return TypedMove()


def question(session: Session, begun: TypedMove) -> str:
    """Return the prompt for the next line."""
    if begun.word:
        return f"epsilon for {begun.word}: "
    max_guesses = limit(session)
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


def wants_another() -> bool:
    """Return whether the person wants another game; False without a question if the input is not a terminal."""
    return sys.stdin.isatty() and ask("\nAnother game? [y/N] ") in ("y", "yes")


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


def limit(session: Session) -> int | None:
    """Return the maximum number of guesses, or None for games that are not measured in guesses."""
    return session.game.facts.limit


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
        screen.say(*(f"  {price(epsilon, session.game.lists.length)}" for epsilon in PRICES))
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
