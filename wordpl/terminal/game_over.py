"""The output at the end of a game."""

from rich.text import Text

from wordpl.contest.session import Session
from wordpl.core.records import Verdict
from wordpl.terminal.benchmark_comparison import comparison
from wordpl.terminal.screen import Screen


def show(session: Session, screen: Screen) -> None:
    """Show how the game ended, the secret, and a comparison with entries or a text to share."""
    screen.say("", outcome(session), style="bold")
    if session.is_noisy:
        _truth(session, screen)
        if session.verdict == Verdict.WON:
            screen.say("", *(screen.cut(line) for line in comparison(session)))
    elif session.verdict is not None:
        screen.say("", *shareable(session, screen))


def outcome(session: Session) -> str:
    """Return one or two sentences that say how the game ended."""
    secret, n_guesses = session.secret.upper(), len(session.moves_with_clues)
    guesses = f"{n_guesses} guess{'' if n_guesses == 1 else 'es'}"
    match session.verdict:
        case Verdict.WON if not session.game.has_secret:
            return f"Solved: after {guesses}, {session.moves[-1].guess.upper()} was the only word left."
        case Verdict.WON if session.is_noisy:
            return f"Right: the secret is {secret}. Budget {session.spent:g}, {guesses}."
        case Verdict.WON:
            return f"Right: the secret is {session.moves[-1].guess.upper()}, found in {guesses}."
        case Verdict.WRONG:
            answer = session.moves[-1].guess.upper()
            return f"Wrong: the secret was {secret}, not {answer}. A lost game counts as an infinite budget."
        case Verdict.UNSOLVED if session.is_noisy:
            return f"Lost: no answer in {guesses}. The secret was {secret}."
    return _given_up(session)


def _given_up(session: Session) -> str:
    """Return the secret, or the words left if the game had not settled on one, as an adversarial game may."""
    left = [session.secret] if session.is_noisy else session.candidates()
    if session.secret in left:
        return f"The secret was {session.secret.upper()}."
    if len(left) == 1:
        return f"Only {left[0].upper()} was left."
    return f"The game had not settled on a secret: {len(left)} words were left, such as {left[0].upper()}."


def _truth(session: Session, screen: Screen) -> None:
    """Show the clues that were seen next to the true ones."""
    if session.moves_with_clues:
        screen.say("The clues you saw, and the true clues:")
    for move in session.moves_with_clues:
        true = session.game.clue(move.guess, session.secret)
        n_false = sum(a != b for a, b in zip(move.clues, true, strict=True))
        remark = f"   {n_false} false" if n_false else ""
        seen = screen.tiles(move.guess, move.clues)
        screen.say(Text.assemble("  ", seen, "   ", screen.tiles(move.guess, true), remark))


def shareable(session: Session, screen: Screen) -> list[str]:
    """Return the lines of the game's share text: the number of guesses, and their clues as squares."""
    return session.share_text(squares=screen.squares).splitlines()
