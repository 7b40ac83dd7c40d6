"""How a move is read from a reply: strictly, by rules that docs/models.md states, and in bounded time.

Reasoning is removed first: all up to the last closing tag such as </think>, or from an opening tag that nothing closes.
Then the form that the entry chose decides:

- text: the last marked word counts, a word alone in square brackets, such as [crane]; in a noisy game [crane 8.5] buys
  a clue for 8.5 and [answer crane] answers. If nothing is in brackets, the reply must be one word and nothing else.
- json: the reply is one JSON object and nothing else, in a code fence or not: {"guess": "crane"}, in a noisy game
  {"guess": "crane", "epsilon": 8.5} or {"answer": "crane"}.
- tool: the arguments of the call of the function `guess` are such an object.
"""

import re
from typing import Any, Literal

import msgspec

from wordpl.core.messages import WordplError
from wordpl.games import Game, IllegalMoveError
from wordpl.games.base import shown

Form = Literal["text", "json", "tool"]
MAX_CHARACTERS = 20_000
"""The characters at the end of a reply in which a marked word is sought, and the most of a JSON object."""
MAX_WORD = 40
_TAGS = (b"think", b"thinking", b"thought", b"reasoning")
_MARKS = r"[*_`\"'“”‘’]{0,6}"
_BRACKETS = re.compile(r"\[([^\[\]\n]{1,100})\]")
_WORD = re.compile(rf"\s*{_MARKS}([A-Za-z]{{1,{MAX_WORD}}}){_MARKS}\s*")
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"
_PRICED = re.compile(rf"\s*{_MARKS}([A-Za-z]{{1,{MAX_WORD}}}){_MARKS}[\s,:]{{1,4}}{_MARKS}({_NUMBER}){_MARKS}\s*")
_ANSWER = re.compile(rf"\s*answer[\s:]{{1,4}}{_MARKS}([A-Za-z]{{1,{MAX_WORD}}}){_MARKS}\s*", re.IGNORECASE)
_FENCE = re.compile(r"```[A-Za-z]{0,10}\s*\n(.*?)\n?\s*```", re.DOTALL)


class UnreadableReplyError(WordplError):
    """No move can be read from a reply; the message says what it should be like."""


def without_reasoning(text: str) -> str:
    """Return what a reply says after its reasoning.

    >>> without_reasoning("<think>[about] it</think> I guess [crane].")
    'I guess [crane].'
    >>> without_reasoning("<think>It never ends: [crane]")
    ''
    """
    said = text.encode(errors="replace")
    plain = said.lower()  # of bytes, so that it has the same length
    start = max(plain.rfind(b"</%b>" % tag) + len(tag) + 3 if b"</%b>" % tag in plain else 0 for tag in _TAGS)
    ends = [end for tag in _TAGS if (end := plain.find(b"<%b>" % tag, start)) >= 0]
    return said[start : min(ends, default=len(said))].decode().strip()


def proposal(text: str, form: Form, *, priced: bool, called: bool = False) -> Any:
    """Return the move that a reply proposes, unchecked: a word or, in a noisy game, a pair (word, epsilon).

    Args:
        text: The reply; for the form "tool", the arguments of the call.
        form: The form that the entry chose.
        priced: Whether guesses have an epsilon.
        called: Whether the reply is the call of a function.

    Raises:
        UnreadableReplyError: The reply does not have this form.
    """
    if form == "tool" and not called:
        raise UnreadableReplyError("the reply does not call the function `guess`")
    if form != "text":
        return _of_json(text if form == "tool" else without_reasoning(text), priced=priced)
    said = without_reasoning(text)[-MAX_CHARACTERS:]
    for marked in reversed(_BRACKETS.findall(said)):
        if not priced and (word := _WORD.fullmatch(marked)):
            return word[1].lower()
        if priced and (answer := _ANSWER.fullmatch(marked)):
            return answer[1].lower(), 0
        if priced and (pair := _PRICED.fullmatch(marked)):
            return pair[1].lower(), float(pair[2])
    if "[" in said or priced:
        raise UnreadableReplyError(f"the reply has no {_marked(priced)}")
    fenced = _FENCE.fullmatch(said)
    word = _WORD.fullmatch((fenced[1] if fenced else said).strip().rstrip(".!"))
    if word is None:
        raise UnreadableReplyError(f"the reply has no {_marked(priced)}")
    return word[1].lower()


def _marked(priced: bool) -> str:
    example = "[crane 8.5] or [answer crane]" if priced else "[crane]"
    return f"marked word, such as {example}"


def _of_json(text: str, *, priced: bool) -> Any:
    example = '{"guess": "crane", "epsilon": 8.5} or {"answer": "crane"}' if priced else '{"guess": "crane"}'
    fenced = _FENCE.fullmatch(text.strip()[:MAX_CHARACTERS])
    try:
        if len(text) > MAX_CHARACTERS:
            raise ValueError("it is too long")
        value = msgspec.json.decode((fenced[1] if fenced else text).encode())
    except (ValueError, RecursionError):
        raise UnreadableReplyError(f"the reply is not a JSON object such as {example}") from None
    if not isinstance(value, dict):
        raise UnreadableReplyError(f"the reply is not a JSON object such as {example}")
    if priced and isinstance(value.get("answer"), str) and "guess" not in value:
        return _plain(value["answer"]), 0
    if not isinstance(value.get("guess"), str):
        raise UnreadableReplyError(f"the JSON object has no word, such as {example}")
    if not priced:
        return _plain(value["guess"])
    epsilon = value.get("epsilon")
    if type(epsilon) not in (int, float):
        raise UnreadableReplyError(f"the JSON object has no number `epsilon`, such as {example}")
    return _plain(value["guess"]), epsilon


def _plain(word: str) -> str:
    return word[: MAX_WORD + 1].strip().lower()


def legal(game: Game, proposed: Any) -> Any:
    """Return a proposal if its word is in the lists, so that `Game.check` need not look for similar words.

    Raises:
        IllegalMoveError: It is not.
    """
    word, epsilon = proposed if game.facts.has_epsilon else (proposed, None)
    lists = game.lists
    if len(word) != lists.length:
        raise IllegalMoveError(f"{shown(word)} has {len(word)} letters, not {lists.length}")
    if word not in lists.guess_set and word not in lists.answer_set:
        raise IllegalMoveError(f"{shown(word)} is not a word of the guesses")
    if epsilon == 0 and word not in lists.answer_set:
        raise IllegalMoveError(f"{shown(word)} is not a word of the answers")
    return proposed
