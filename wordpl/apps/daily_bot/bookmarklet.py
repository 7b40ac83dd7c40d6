"""Makes a bookmarklet: a bookmark that plays the puzzle on the open page, without an installation."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from urllib.parse import quote

import msgspec

from wordpl.apps.daily_bot import adapters
from wordpl.apps.daily_bot.adapters import page_script
from wordpl.apps.daily_bot.guessers import tree_files
from wordpl.core.clues import CLUE_RULES
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists, bundled, letters
from wordpl.games import game_class
from wordpl.solvers.frequency import ranked
from wordpl.solvers.trees import Tree, load

SOURCE = Path(__file__).parent / "bookmarklet.js"
MAX_BYTES = 60_000
STRATEGIES = ("letter-frequency", "tree", "tree-hard")
SAFE_CHARACTERS = "!$&'()*+,-./:;=?@_~[]{}|^`<>"
"""Characters that need no percent-encoding in an address; spaces, quotes, `#` and `%` do."""


def bookmarklet(lists: WordLists, strategy: str) -> str:
    """Return the bookmarklet as an address that starts with `javascript:`.

    Args:
        lists: The word lists; a tree must have been made for them.
        strategy: One of STRATEGIES.

    Raises:
        UserError: The strategy is unknown, the tree is for other words, or the result would be too large.
    """
    if strategy not in STRATEGIES:
        raise UserError(f"there is no bookmarklet for {strategy!r}. Strategies: {', '.join(STRATEGIES)}.")
    tree = _tree(lists, strategy == "tree-hard") if strategy != "letter-frequency" else ""
    parts = {
        "PAGE": page_script(),
        "SHAPES": msgspec.json.encode(shapes()).decode(),
        "ANSWERS": f'"{"".join(answers_in_order(lists))}"',
        "LATER": f'"{"".join(later_words(lists))}"',
        "LENGTH": str(lists.length),
        "TREE": f'"{tree}"',
    }
    source = re.sub(r"\b(PAGE|SHAPES|ANSWERS|LATER|LENGTH|TREE)\b", lambda name: parts[name[0]], _code())
    address = f"javascript:{quote(source, safe=SAFE_CHARACTERS)}"
    if len(address) > MAX_BYTES:
        raise UserError(
            f"the bookmarklet would have {len(address):,} bytes; at most {MAX_BYTES:,} work: use fewer words."
        )
    return address


def shapes() -> list[dict[str, object]]:
    """Return the shapes of all pages that the bookmarklet can play, each with its maximum number of guesses."""
    adapter_classes = [adapters.adapter_class(name) for name in adapters.names()]
    return [
        {**asdict(adapter.shape), "dialogs": (), "max_guesses": game_class(adapter.game_id).max_guesses}
        for adapter in adapter_classes
    ]


def answers_in_order(lists: WordLists) -> list[str]:
    """Return the answers in the order in which LetterFrequency prefers them."""
    puzzles = {word: number for number, word in enumerate(bundled("puzzle-order"))}
    ties = [puzzles.get(word, len(puzzles)) for word in lists.answers]
    return [lists.answers[i] for i in ranked(letters(lists.answers), ties)]


def later_words(lists: WordLists) -> list[str]:
    """Return the words beyond the lists that are answers today, or may be soon: they are tried when no answer fits."""
    likely = (*bundled("past-answers"), *bundled("answers-predicted"), *bundled("answers-2023"))
    return [word for word in dict.fromkeys(likely) if len(word) == lists.length and word not in lists.answer_set]


def _tree(lists: WordLists, is_hard: bool) -> str:
    tree, provenance = load(tree_files()[is_hard])
    if provenance and not lists.has_words_of(provenance.sha256):
        raise UserError("the bundled trees are for the bundled word lists: remove --answers and --guesses.")
    return "".join(packed(tree, sorted(lists.answers)))


def packed(tree: Tree, left: Sequence[str]) -> list[str]:
    """Return the guesses of the nodes with more than two answers left, in preorder.

    Raises:
        UserError: At a node with one or two answers, the tree does not guess the first of them.
    """
    if len(left) <= 2:
        if tree.guess != left[0]:
            raise UserError(f"this tree guesses {tree.guess} where {' and '.join(left)} are left.")
        return []
    groups: dict[str, list[str]] = {}
    for word in left:
        groups.setdefault(CLUE_RULES["counted"](tree.guess, word), []).append(word)
    groups.pop("c" * len(tree.guess), None)
    guesses = [tree.guess]
    for clues in sorted(groups):
        guesses += packed(tree.branches[clues], groups[clues])
    return guesses


def _code() -> str:
    lines = (line.strip().partition(" // ")[0] for line in SOURCE.read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))
