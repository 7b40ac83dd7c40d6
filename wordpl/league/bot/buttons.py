"""The buttons below a reply. Each contains the whole request, so that it still works after a restart of the bot."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import hikari

from wordpl.league.bot.command_handler import BotRequest
from wordpl.league.bot.views import BotReply

PAGE, PUBLISH = "page", "publish"
MAX_CUSTOM_ID = 100
_KINDS = {"b": bool, "i": int, "f": float, "s": str}
_LETTERS = {kind: letter for letter, kind in _KINDS.items()}


def custom_id(verb: str, request: BotRequest) -> str:
    """Return the custom id of a button, which encodes its verb and its request.

    >>> custom_id(PAGE, BotRequest("leaderboard", {"x_is_seven": True}, "1", "2", "3", page=4))
    'page|leaderboard|4|x_is_seven=b1'
    """
    options = {name: f"{_LETTERS[type(value)]}{_text(value)}" for name, value in request.options.items()}
    return f"{verb}|{request.command}|{request.page}|{urlencode(options)}"


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def read_custom_id(text: str) -> tuple[str, str, int, Mapping[str, Any]] | None:
    """Return the verb, command, page and options encoded in a custom id, or None if it has another format.

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


def buttons(rest: hikari.api.RESTClient, request: BotRequest, reply: BotReply) -> list[hikari.api.ComponentBuilder]:
    """Return the row of buttons below a reply: previous and next page if there are any, and Publish."""
    wanted = [("‹ Before", PAGE, reply.page - 1), ("More ›", PAGE, reply.page + 1), ("Publish", PUBLISH, reply.page)]
    row = rest.build_message_action_row()
    n_buttons = 0
    for label, verb, page in wanted:
        is_possible = 0 <= page < reply.n_pages and (verb == PAGE or request.guild is not None)
        id = custom_id(verb, replace(request, page=max(0, page)))
        if is_possible and len(id) <= MAX_CUSTOM_ID:
            row.add_interactive_button(hikari.ButtonStyle.SECONDARY, id, label=label)
            n_buttons += 1
    return [row] if n_buttons else []
