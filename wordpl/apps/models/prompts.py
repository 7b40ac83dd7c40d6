"""What a model is told: the rules of the game, derived from the game itself, how to reply, and the clues."""

from collections.abc import Sequence
from inspect import cleandoc

from wordpl.apps.models.replies import Form
from wordpl.core.clues import Exact, RandomizedResponse, keep_probability
from wordpl.core.moves import Move, NoisyMove, budget_text
from wordpl.games import Game

CLUES = {"c": "right place", "i": "elsewhere", ".": "absent"}
_RULE = {
    "counted": "A letter that you guess more often than the word has it is marked only as often as the word has it, "
    "right places first, then from the left.",
    "anywhere": 'A letter is marked "elsewhere" whenever the word has it anywhere, however often you guess it.',
}


def rules(game: Game) -> str:
    """Return the rules of a game in words."""
    facts, lists, n = game.facts, game.lists, game.lists.length
    own = cleandoc(type(game).__doc__ or "").partition("\n\n")[0].replace("\n", " ") if facts.sha256 else ""
    secret = f"one of {len(lists.answers):,} words of {n} letters"
    lines = [f"You play {game.title or facts.id}. {own}".strip()]
    if facts.has_secret:
        lines.append(f"Find the secret word, {secret}. Each guess is one of {len(lists.guesses):,} English words.")
    else:
        lines.append(
            f"There is no secret word: of {len(lists.answers):,} words of {n} letters, each clue keeps as many as it "
            f"can. You win when you guess the only one left. Each guess is one of {len(lists.guesses):,} English words."
        )
    marks = '"right place", "elsewhere" (in the word, at another place) or "absent" (not in the word)'
    lines.append(f"After a guess you are told of each of its letters: {marks}. {_RULE.get(game.clue_rule, '')}".strip())
    if game.channel_type is RandomizedResponse:
        lines.append(
            "Clues are noisy. With each guess you choose what you pay, epsilon, a number above 0: each mark is shown "
            f"unchanged with probability e^(epsilon/{n}) / (2 + e^(epsilon/{n})), otherwise as one of the two others. "
            f"For epsilon 1, 5, 10 and 20, that is {_kept(1, n)}, {_kept(5, n)}, {_kept(10, n)} and {_kept(20, n)}. "
            "The noise of each guess is independent. When you know the word, you answer, once and at no price; that "
            "ends the game. The sum of all epsilons is your cost: the smaller, the better; a wrong answer loses."
        )
    elif game.channel_type is not Exact:
        doc = cleandoc(game.channel_type.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
        lines.append(f"Clues may be false: {doc}")
    if facts.limit is not None:
        lines.append(f"You have {facts.limit} guesses; the fewer, the better.")
    elif not facts.has_answer_move:
        lines.append(f"You have {game.max_guesses} guesses; the fewer, the better.")
    if game.uses_hints:
        lines.append(
            'This is hard mode: each guess must have every letter that was told "right place" at its place, and '
            'contain every letter that was told "elsewhere".'
        )
    return "\n".join(lines)


def _kept(epsilon: float, length: int) -> str:
    return f"{keep_probability(epsilon, length):.0%}"


def how_to_reply(game: Game, form: Form, second_asks: int) -> str:
    """Return how a reply must look, and what one that does not costs."""
    priced = game.facts.has_epsilon
    if form == "text":
        forms = (
            "[word epsilon], such as [crane 8.5], or to answer [answer word]" if priced else "[word], such as [crane]"
        )
        text = f"You may think first. End each reply with your move in square brackets: {forms}. The last one counts."
    elif form == "json":
        forms = (
            '{"guess": "crane", "epsilon": 8.5}, or to answer {"answer": "crane"}' if priced else '{"guess": "crane"}'
        )
        text = f"Reply with one JSON object and nothing else: {forms}."
    else:
        text = "Reply by calling the function guess."
    price = "A reply without a legal move loses the game."
    if second_asks:
        times = "once more" if second_asks == 1 else f"{second_asks} more times"
        price = f"After a reply without a legal move you are asked {times}; then the game is lost."
    return f"{text} {price}"


def default_prompt(game: Game, form: Form, second_asks: int) -> str:
    """Return the first message of a game for an entry without a prompt of its own."""
    return f"{rules(game)}\n{how_to_reply(game, form, second_asks)}"


def first(prompt: str) -> str:
    """Return the first message of a game."""
    return f"{prompt.strip()}\n\nMake your first guess."


def after(game: Game, moves: Sequence[Move]) -> str:
    """Return the message after these moves, of which the last one was a guess."""
    move = moves[-1]
    told = ", ".join(f"{letter} {CLUES[mark]}" for letter, mark in zip(move.guess, move.clues, strict=True))
    if isinstance(move, NoisyMove):
        spent = sum(one.epsilon for one in moves if isinstance(one, NoisyMove))
        return f"{move.guess}: {told}. You have spent {budget_text(spent)}. Guess again, or answer."
    left = (game.facts.limit or game.max_guesses) - len(moves)
    return f"{move.guess}: {told}. {left} {'guess' if left == 1 else 'guesses'} left. Guess again."


def again(problem: str) -> str:
    """Return the message after a reply without a legal move."""
    return f"That is no legal move: {problem}. Reply once more."


def tool(game: Game) -> dict[str, object]:
    """Return the description of the function that a model calls in place of writing its move."""
    properties: dict[str, object] = {"guess": {"type": "string", "description": "the word"}}
    required = ["guess"]
    if game.facts.has_epsilon:
        properties["epsilon"] = {"type": "number", "description": "what you pay; 0 to answer with the word"}
        required.append("epsilon")
    schema = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": "guess", "description": "Make a move.", "parameters": schema}}
