"""The line-by-line interface: reads typed lines and shows the board."""

import sys
from collections.abc import Iterator
from contextlib import suppress

import click

from wordpl.contest.session import Session
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.games import IllegalMoveError
from wordpl.terminal import board, game_over, guide, hints
from wordpl.terminal.move_parser import TypedMove, read_move
from wordpl.terminal.screen import Screen

COMMANDS = {"?": "?", "h": "help", "help": "help", "q": "quit", "quit": "quit"}
ECHOED = 60


def play(sessions: Iterator[Session], screen: Screen) -> None:
    """Play games until the person stops. The end of input exits with code 0, Ctrl-C with 130."""
    session = None
    try:
        for session in sessions:
            guide.welcome(session, screen)
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
                guide.instructions(session, screen)
            case "quit":
                return
            case _:
                begun = take(line, begun, session, screen)


def take(line: str, begun: TypedMove, session: Session, screen: Screen) -> TypedMove:
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
    most = guide.limit(session)
    return f"guess {len(session.moves) + 1}{f' of {most}' if most else ''}: "


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
        click.echo(sanitize_untrusted_text(line, ECHOED))  # shows piped input as if it had been typed
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
