"""Playing by typing: lines in, boards out."""

import sys
from collections.abc import Iterator
from contextlib import suppress

import click

from wordpl.contest.session import Session
from wordpl.core.untrusted_text import sanitize_untrusted_text
from wordpl.games import IllegalMoveError
from wordpl.terminal import board, game_over, guide, hints
from wordpl.terminal.move_parser import Draft, read_move
from wordpl.terminal.screen import Screen

COMMANDS = {"?": "?", "h": "help", "help": "help", "q": "quit", "quit": "quit"}
ECHOED = 60


def play(sessions: Iterator[Session], screen: Screen) -> None:
    """Play game after game until the person has had enough; end of input leaves with exit code 0, Ctrl-C with 130."""
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
    begun = Draft()
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


def take(line: str, begun: Draft, session: Session, screen: Screen) -> Draft:
    """Make the move that a line says, and return what has been said of the next one."""
    if not line:
        return Draft()
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
    return Draft()


def question(session: Session, begun: Draft) -> str:
    """Return what is asked for."""
    if begun.word:
        return f"epsilon for {begun.word}: "
    most = guide.limit(session)
    return f"guess {len(session.moves) + 1}{f' of {most}' if most else ''}: "


def command(line: str, session: Session) -> str:
    """Return the command that a line says, or an empty text; a word of the game is a guess, whatever else it means."""
    return "" if line in session.game.lists.guess_set else COMMANDS.get(line, "")


def ask(question: str) -> str:
    """Return the next line that is typed. Raises EOFError at the end of input."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):  # some Pythons come without
            import readline  # noqa: F401 - makes arrow keys work in `input`, and writes to a pipe what no pipe wants
    line = input(question)
    if not sys.stdin.isatty():
        click.echo(sanitize_untrusted_text(line, ECHOED))  # what nobody typed still belongs into what is shown
    return line.strip().lower()


def wants_another() -> bool:
    """Return whether the person wants another game; a pipe is never asked."""
    return sys.stdin.isatty() and ask("\nAnother game? [y/N] ") in ("y", "yes")


def leave(session: Session | None, screen: Screen) -> None:
    """Say goodbye; a game still being played keeps its secret, and can be played again."""
    screen.say("")
    if session is not None:
        again = session.options_to_repeat
        screen.say(f"You left, and the secret stays one. The same command with {again} plays this game again.")
