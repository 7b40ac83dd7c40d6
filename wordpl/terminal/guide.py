"""The welcome before the first guess, and the help."""

from inspect import getdoc

from rich.text import Text

from wordpl.contest.session import Session
from wordpl.core.game_kinds import Measure
from wordpl.terminal.board import price
from wordpl.terminal.screen import Screen

MEANINGS = {
    "c": "the letter is in this place",
    "i": "the letter is in another place",
    ".": "the letter is not in the word",
}
COUNTING = {
    "anywhere": "Repeated letters are not counted: each is marked as if it were the only one.",
    "counted": "Repeated letters are counted: a letter gets at most as many marks as the secret contains it.",
}
PRICES = (4.0, 8.0, 12.0, 16.0)


def limit(session: Session) -> int | None:
    """Return the maximum number of guesses, or None for games that are not measured in guesses."""
    return session.game.max_guesses if session.game.measure == Measure.GUESSES else None


def welcome(session: Session, screen: Screen) -> None:
    """Show which game starts and how to make a move."""
    game = session.game
    screen.say("", f"{game.name}, seed {session.seed}, game {session.number}", style="bold")
    screen.say(
        (getdoc(type(game)) or "").partition("\n")[0],
        f"The secret {'is' if game.has_secret else 'will be'} one of {len(game.lists.answers):,} words of "
        f"{game.lists.length} letters.",
    )
    if session.is_noisy:
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
    screen.say(COUNTING[session.game.clue_rule])
    if session.is_noisy:
        screen.say("", "Prices")
        screen.say(*(f"  {price(epsilon, session.game.lists.length)}" for epsilon in PRICES))
        moves = {
            f"{example} 8": "guess with epsilon 8",
            example: "guess; asks for the epsilon",
            f"!{example}": "answer with the word",
        }
    else:
        moves = {example: "guess"}
    others = {
        "?": "hints: the most likely words, the remaining bits, a good next guess",
        "h, help": "show this help",
        "q, quit": "give up and see the secret",
        "Ctrl-D": "leave without seeing the secret, to play the game later",
    }
    screen.say("", "Type", *(f"  {typed:<12}{meaning}" for typed, meaning in {**moves, **others}.items()), "")


def _example(session: Session) -> str:
    answers = session.game.lists.answers
    return answers[len(answers) // 3]
