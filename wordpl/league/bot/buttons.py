"""The buttons under an answer: they carry the question, so that they work after a restart too."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import hikari

from wordpl.league.bot.answers import Question
from wordpl.league.bot.views import BotReply

PAGE, PUBLISH = "page", "publish"
MAX_CUSTOM_ID = 100
_KINDS = {"b": bool, "i": int, "f": float, "s": str}
_LETTERS = {kind: letter for letter, kind in _KINDS.items()}


def custom_id(verb: str, question: Question) -> str:
    """Return what a button carries.

    >>> custom_id(PAGE, Question("leaderboard", {"x_is_seven": True}, "1", "2", "3", page=4))
    'page|leaderboard|4|x_is_seven=b1'
    """
    options = {name: f"{_LETTERS[type(value)]}{_text(value)}" for name, value in question.options.items()}
    return f"{verb}|{question.command}|{question.page}|{urlencode(options)}"


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def read_custom_id(text: str) -> tuple[str, str, int, Mapping[str, Any]] | None:
    """Return verb, command, page and options of a button, None for one that is not ours.

    >>> read_custom_id("page|leaderboard|4|x_is_seven=b1")
    ('page', 'leaderboard', 4, {'x_is_seven': True})
    """
    parts = text.split("|", 3)
    if len(parts) != 4 or parts[0] not in (PAGE, PUBLISH) or not parts[2].isdigit():
        return None
    try:
        pairs = ((name, value[:1], value[1:]) for name, value in parse_qsl(parts[3]))
        options = {name: value == "1" if kind == "b" else _KINDS[kind](value) for name, kind, value in pairs}
    except (KeyError, ValueError):
        return None
    return parts[0], parts[1], int(parts[2]), options


def buttons(rest: hikari.api.RESTClient, question: Question, reply: BotReply) -> list[hikari.api.ComponentBuilder]:
    """Return the row of buttons: pages where there are several, and one that shows the answer to all."""
    wanted = [("‹ Before", PAGE, reply.page - 1), ("More ›", PAGE, reply.page + 1), ("Publish", PUBLISH, reply.page)]
    row = rest.build_message_action_row()
    n = 0
    for label, verb, page in wanted:
        is_possible = 0 <= page < reply.n_pages and (verb == PAGE or question.guild is not None)
        id = custom_id(verb, replace(question, page=max(0, page)))
        if is_possible and len(id) <= MAX_CUSTOM_ID:
            row.add_interactive_button(hikari.ButtonStyle.SECONDARY, id, label=label)
            n += 1
    return [row] if n else []
