"""What a person is told before the first guess, and when asking for help."""

from inspect import getdoc

from rich.text import Text

from wordpl.contest.session import Session
from wordpl.core.game_kinds import Measure
from wordpl.terminal.board import price
from wordpl.terminal.screen import Screen

MEANINGS = {
    "c": "this letter at this place",
    "i": "this letter, but at another place",
    ".": "not this letter",
}
COUNTING = {
    "anywhere": "Repeated letters are not counted: each is marked as if it stood alone.",
    "counted": "Repeated letters are counted: no more marks for a letter than the secret has of it.",
}
PRICES = (4.0, 8.0, 12.0, 16.0)


def limit(session: Session) -> int | None:
    """Return how many guesses the game allows, None where it has no limit worth knowing."""
    return session.game.max_guesses if session.game.measure == Measure.GUESSES else None


def welcome(session: Session, screen: Screen) -> None:
    """Say which game begins and how to move."""
    game = session.game
    screen.say("", f"{game.name}, seed {session.seed}, game {session.number}", style="bold")
    screen.say(
        (getdoc(type(game)) or "").partition("\n")[0],
        f"The secret {'is' if game.has_secret else 'will be'} one of {len(game.lists.answers):,} words of "
        f"{game.lists.length} letters.",
    )
    if session.is_noisy:
        screen.say(
            "A guess costs its epsilon, and its clues may lie: the higher, the truer.",
            f"Type a guess and its epsilon ({_example(session)} 8), or ! and a word to answer.",
        )
    screen.say("? gives hints, help the rules, quit the secret.")


def instructions(session: Session, screen: Screen) -> None:
    """Say what the marks mean and what can be typed."""
    example = _example(session)
    screen.say("", getdoc(type(session.game)) or "", "", "Marks")
    for mark, meaning in MEANINGS.items():
        screen.say(Text.assemble("  ", screen.tiles("a", mark), f"  {meaning}"))
    screen.say(COUNTING[session.game.clue_rule])
    if session.is_noisy:
        screen.say("", "Prices")
        screen.say(*(f"  {price(epsilon, session.game.lists.length)}" for epsilon in PRICES))
        moves = {
            f"{example} 8": "guess at epsilon 8",
            example: "guess; epsilon is asked for",
            f"!{example}": "the answer",
        }
    else:
        moves = {example: "guess"}
    others = {
        "?": "hints: the likeliest words, the bits left, a good next guess",
        "h, help": "this page",
        "q, quit": "give up and see the secret",
        "Ctrl-D": "leave without seeing it, so that the game can still be played",
    }
    screen.say("", "Type", *(f"  {typed:<12}{meaning}" for typed, meaning in {**moves, **others}.items()), "")


def _example(session: Session) -> str:
    answers = session.game.lists.answers
    return answers[len(answers) // 3]
