"""Chats exported by Telegram Desktop: `result.json`, with a list of messages or all chats of a person."""

from datetime import UTC, datetime

import msgspec

from wordpl.core.messages import UserError, did_you_mean
from wordpl.league import share_text
from wordpl.league.posts import Person, Reading, Sighting, clean_name
from wordpl.league.sources import Opened, Source, SourceFile
from wordpl.league.sources.chats import Origin, read_message

TELEGRAM = "telegram"


class _TelegramMessage(msgspec.Struct):
    id: int
    type: str = ""
    date_unixtime: str = "0"
    edited_unixtime: str | None = None
    sender: str | None = msgspec.field(default=None, name="from")
    from_id: str = ""
    forwarded_from: str | None = None
    text: str | list[str | dict[str, object]] = ""

    @property
    def content(self) -> str:
        """The text without its formatting."""
        parts = [self.text] if isinstance(self.text, str) else self.text
        return "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in parts)


class _TelegramChat(msgspec.Struct):
    id: int
    messages: list[_TelegramMessage]
    name: str | None = None


class _TelegramChats(msgspec.Struct):
    items: list[_TelegramChat] = msgspec.field(name="list")


class _TelegramAccount(msgspec.Struct):
    chats: _TelegramChats


def open_chat(file: SourceFile) -> Opened | None:
    """Open the `result.json` of one Telegram chat, or of all chats of a person.

    Raises:
        UserError: Several chats contain shares and `options.chat` names none, or the named one does not exist.
    """
    try:
        chat = msgspec.json.decode(file.data, type=_TelegramChat)
    except (msgspec.DecodeError, RecursionError):
        try:
            account = msgspec.json.decode(file.data, type=_TelegramAccount)
        except (msgspec.DecodeError, RecursionError):
            return None
        chat = _chosen_chat(account.chats.items, file.options.chat)
    today = file.options.today
    readings: list[Reading] = []
    sightings: dict[str, Sighting] = {}
    for message in chat.messages:
        name = clean_name(message.sender or "")
        if message.type != "message" or not message.from_id or name is None:
            continue
        posted, edited = _moment(message.date_unixtime), _moment(message.edited_unixtime)
        is_forwarded = message.forwarded_from is not None and message.forwarded_from != message.sender
        origin = Origin(TELEGRAM, f"{chat.id}/{message.id}", posted, edited, None, is_forwarded, name)
        readings += read_message(message.content, Person(message.from_id, True), origin, posted or today)
        sightings[message.from_id] = Sighting(message.from_id, name, posted or today, True)
    return Opened([readings], sightings=sightings.values)


def _chosen_chat(chats: list[_TelegramChat], name: str | None) -> _TelegramChat:
    named = {chat.name or str(chat.id): chat for chat in chats}
    if name is not None:
        if name not in named:
            raise UserError(f"the export has no chat called {name!r}.{did_you_mean(name, named)}")
        return named[name]
    shared = [
        key for key, chat in named.items() if any(True for m in chat.messages for _ in share_text.find(m.content))
    ]
    if len(shared) > 1:
        raise UserError(f"several chats of this export contain results: choose one with --chat: {', '.join(shared)}.")
    return named[shared[0]] if shared else _TelegramChat(0, [])


def _moment(text: str | None) -> datetime | None:
    seconds = int(text) if text and text.isascii() and text.isdigit() and len(text) < 11 else 0
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


SOURCE = Source("a JSON file of Telegram", 20, open_chat)
