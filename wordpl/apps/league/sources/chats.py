"""Texts of people: shares, and chats, whose times may be a phone's wall-clock times.

A host imports chats, so that a share that names somebody else counts for that person.

WhatsApp writes `[12/03/2024, 09:15:00] Name: text` (iOS) or `12/03/2024, 09:15 - Name: text` (Android), in the words,
digits and order of the phone's language, so that a heading is known by its shape: a date, a time and what separates
them from the name. Further lines of a message follow without a prefix. imessage-exporter writes a line with the time, a
line with the name, and the message.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from wordpl.apps.league import share_text
from wordpl.apps.league.posts import DayFrom, Ignored, Person, Reading, ResultPost, Sighting, UnreadPost, clean_name
from wordpl.apps.league.sources import OpenedSource, SourceFile, SourceKind
from wordpl.core import bounded
from wordpl.core.messages import UserError, did_you_mean
from wordpl.core.puzzles import number_on

MAX_LINES_CHECKED = 40
"""How many lines to check for a chat's format."""
BUDDHIST_YEARS = 543
PERSIAN_YEARS = range(1390, 1500)
"""Years of the Persian calendar since 2011."""
TELEGRAM = "telegram"
WHATSAPP = "whatsapp"
MAX_HEADING = 60
"""The maximum length of the date and the time before a message."""
_DATE = r"(?P<a>\d{1,4})[^\d\n]{1,3}(?P<b>\d{1,2})[^\d\n]{1,3}(?P<c>\d{1,4})"
_TIME = r"(?P<hour>[01]?\d|2[0-4]) ?[:.h] ?(?P<minute>[0-5]\d)(?:[:.]\d{2})?"
_AFTER_HEADING = r"(?(bracket)\]|(?: [-–]|,)) (?P<name>[^:\n]+?) ?: ?(?P<text>.*)"
_WHATSAPP_LINES = (
    re.compile(
        rf"(?P<bracket>\[)?{_DATE}(?P<early>[^\d\n\[\]]{{1,24}}?){_TIME}(?P<late>[^\d\n\[\]:]{{0,24}}?){_AFTER_HEADING}"
    ),
    re.compile(rf"(?P<bracket>\[)?{_TIME}(?P<late>[^\d\n\[\]:]{{1,24}}?){_DATE}(?P<early>){_AFTER_HEADING}"),
)
"""Headings with the date first, and with the time first as WhatsApp Web and Vietnamese phones write them."""
_AM = frozenset(
    [
        "am",
        "ap",
        "de",
        "dop",
        "fm",
        "pg",
        "pagi",
        "sa",
        "vorm",
        "öö",
        "πμ",
        "дп",
        "ص",
        "قظ",
        "قبلازظهر",
        "ก่อนเที่ยง",
        "上午",
    ]
) | {"午前", "오전", "凌晨", "早上", "清晨", "priekšp", "priešpiet", "पूर्वाह्न", "damanhã", "проб", "לפנה״צ"}
_PM = frozenset(
    [
        "pm",
        "ip",
        "du",
        "odp",
        "em",
        "ptg",
        "petang",
        "malam",
        "ch",
        "nachm",
        "abends",
        "ös",
        "μμ",
        "пп",
        "م",
        "بظ",
        "pop",
        "слоб",
        "אחה״צ",
    ]
) | {"بعدازظهر", "หลังเที่ยง", "下午", "午後", "오후", "晚上", "中午", "傍晚", "pēcp", "popiet", "अपराह्न", "datarde"}
"""Words for the halves of a day, mostly CLDR's, without blanks and dots. Without one, an hour is taken as written."""
_WHATSAPP_NOTE = re.compile(r"\s*[<‹][^<>‹›\n]{4,80}[>›]\s*$")
"""What WhatsApp adds to an edited message, in the phone's language: <This message was edited>."""
IMESSAGE = "imessage"
_IMESSAGE_TIME = re.compile(r"([A-Z][a-z]{2} \d{1,2}, \d{4}) +(\d{1,2}:\d{2}:\d{2} [AP]M)(?: \(.*\))?")
_IMESSAGE_EDITED = re.compile(r"Edited \d+ \w+(?:, \d+ \w+)* later: ")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MYSELF = "Me"
"""The name that imessage-exporter gives to the owner of the phone."""


@dataclass(frozen=True)
class ChatMessage:
    """A message of a chat.

    Attributes:
        name: Who wrote it.
        text: Its text.
        digits: The three numbers of its date, in the order of the phone's language.
        clock: Its time of day.
    """

    name: str
    text: str
    digits: tuple[int, int, int]
    clock: time

    def at(self, order: str) -> datetime | None:
        """Return the wall-clock time, with the date in this order of "dmy"; None if there is no such date."""
        parts = dict(zip(order, self.digits, strict=True))
        year = parts["y"] if parts["y"] > 99 else 2000 + parts["y"]
        year -= BUDDHIST_YEARS if year > 2400 else 0
        try:
            if year in PERSIAN_YEARS:
                return datetime.combine(_persian_date(year, parts["m"], parts["d"]), self.clock)
            return datetime.combine(date(year, parts["m"], parts["d"]), self.clock)
        except ValueError:
            return None


def _persian_date(year: int, month: int, day: int) -> date:
    """Return the Gregorian date, by the cycle of 33 years, which holds in these years.

    >>> _persian_date(1404, 7, 11), _persian_date(1403, 12, 30)
    (datetime.date(2025, 10, 3), datetime.date(2025, 3, 20))
    """
    n_years = year - PERSIAN_YEARS.start
    n_leap = sum((before % 33) in (1, 5, 9, 13, 17, 22, 26, 30) for before in range(PERSIAN_YEARS.start, year))
    n_days = 365 * n_years + n_leap + 31 * min(month - 1, 6) + 30 * max(0, month - 7) + day - 1
    return date(2011, 3, 21) + timedelta(days=n_days)


class Origin(NamedTuple):
    """Where a message comes from; its key is "" in chats whose messages have no ids, and whose results are pooled."""

    source: str
    key: str = ""
    posted: datetime | None = None
    edited: datetime | None = None
    wall_clock: datetime | None = None
    is_forwarded: bool = False
    own_name: str = ""


def read_message(
    text: str, person: Person, origin: Origin, reported: datetime, is_person: Callable[[str], bool]
) -> Iterator[Reading]:
    """Yield what is read from a message of a chat.

    Args:
        text: The message.
        person: Who wrote it.
        origin: Where it comes from.
        reported: When it was reported; results of later puzzles are refused.
        is_person: Whether somebody of the chat has a name.
    """
    results, shares = [], list(share_text.scan(text))
    own_names = frozenset([origin.own_name or person.key])
    for share in shares:
        if isinstance(share, share_text.MissedShare):
            yield UnreadPost(person.key, text, share.why)
            continue
        name, doubtful = share.named_player(own_names, is_person), ""
        fault = share.fault or (share_text.FORWARDED if origin.is_forwarded else "")
        fault = fault or share.game.fault_at(reported)
        if name is not None and not fault and not is_person(name):
            fault, doubtful = f"{name!r} {share_text.NOBODY_HERE}", name
        if fault:
            yield UnreadPost(f"{person.key}, Wordle {share.game.number}", text, fault, doubtful)
        else:
            results.append(share.game.result(person if name is None else Person(name, False)))
    if results:
        times = origin.posted, origin.edited, origin.wall_clock
        yield ResultPost(origin.source, origin.key or origin.source, tuple(results), DayFrom.TEXT, "", *times)
    foreign = [game.why for game in share_text.foreign_games(text)]
    yield from (Ignored(person.key, why) for why in foreign or ([] if shares else ["no share text"]))


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


def open_telegram(file: SourceFile) -> OpenedSource | None:
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
        chat = _chosen_telegram_chat(account.chats.items, file.options.chat)
    today = file.options.today
    is_person = file.is_person({clean_name(message.sender or "") or "" for message in chat.messages})
    readings: list[Reading] = []
    sightings: dict[str, Sighting] = {}
    for message in chat.messages:
        name = clean_name(message.sender or "")
        if message.type != "message" or not message.from_id or name is None:
            continue
        posted, edited = _telegram_moment(message.date_unixtime), _telegram_moment(message.edited_unixtime)
        is_forwarded = message.forwarded_from is not None and message.forwarded_from != message.sender
        origin = Origin(TELEGRAM, f"{chat.id}/{message.id}", posted, edited, None, is_forwarded, name)
        readings += read_message(message.content, Person(message.from_id, True), origin, posted or today, is_person)
        sightings[message.from_id] = Sighting(message.from_id, name, posted or today, True)
    keys = [(TELEGRAM, f"{chat.id}/{message.id}") for message in chat.messages]
    return OpenedSource([readings], sightings=sightings.values, post_keys=lambda: keys)


def _chosen_telegram_chat(chats: list[_TelegramChat], name: str | None) -> _TelegramChat:
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


def _telegram_moment(text: str | None) -> datetime | None:
    seconds = int(text) if text and text.isascii() and text.isdigit() and len(text) < 11 else 0
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


SLACK = "slack"
_SLACK_LINK = re.compile(r"<(?:[#!]|https?:)[^>]*>")


class _SlackProfile(msgspec.Struct):
    display_name: str = ""
    real_name: str = ""


class _SlackEdit(msgspec.Struct):
    ts: str


class _SlackMessage(msgspec.Struct):
    ts: str
    type: str = ""
    text: str = ""
    user: str = ""
    bot_id: str = ""
    user_profile: _SlackProfile = msgspec.field(default_factory=_SlackProfile)
    edited: _SlackEdit | None = None


class _SlackUser(msgspec.Struct):
    id: str
    name: str = ""
    profile: _SlackProfile = msgspec.field(default_factory=_SlackProfile)


def open_slack(file: SourceFile) -> OpenedSource | None:
    """Open a day of a channel in a Slack export; `users.json`, one folder above, names the people."""
    try:
        messages = msgspec.json.decode(file.data, type=list[_SlackMessage])
    except (msgspec.DecodeError, RecursionError):
        return None
    names = _slack_names(file.path.parent.parent / "users.json")
    for message in messages:
        shown = clean_name(message.user_profile.display_name or message.user_profile.real_name)
        names |= {message.user: shown} if shown else {}
    is_person = file.is_person(names.values())
    readings: list[Reading] = []
    sightings: dict[str, Sighting] = {}
    for message in messages:
        posted = _slack_moment(message.ts)
        if message.type != "message" or not message.user or message.bot_id or posted is None:
            continue
        name = names.get(message.user, message.user)
        edited = _slack_moment(message.edited.ts) if message.edited else None
        origin = Origin(SLACK, f"{file.path.parent.name}/{message.ts}", posted, edited, own_name=name)
        mentioned = re.sub(r"<@(\w+)>", lambda user: names.get(user[1], user[1]), message.text)
        text = html.unescape(_SLACK_LINK.sub("", mentioned))
        readings += read_message(text, Person(message.user, True), origin, posted, is_person)
        sightings[message.user] = Sighting(message.user, name, posted, True)
    keys = [(SLACK, f"{file.path.parent.name}/{message.ts}") for message in messages]
    return OpenedSource([readings], sightings=sightings.values, post_keys=lambda: keys)


def _slack_names(path: Path) -> dict[str, str]:
    """Return the names of a workspace's people by id, if its list lies where an export has it."""
    try:
        users = msgspec.json.decode(bounded.read(bounded.EXPORT, path), type=list[_SlackUser])
    except (OSError, msgspec.DecodeError, RecursionError, UserError):
        return {}
    named = ((user.id, user.profile.display_name or user.profile.real_name or user.name) for user in users)
    return {id: name for id, written in named if (name := clean_name(written))}


def _slack_moment(text: str) -> datetime | None:
    return _telegram_moment(text.partition(".")[0])


def open_whatsapp(file: SourceFile) -> OpenedSource | None:
    """Open a chat of WhatsApp, or of Signal by signal-export; people are identified by their names in the chat."""
    if not any(_whatsapp_heading(line) for line in file.text.splitlines()[:MAX_LINES_CHECKED]):
        return None
    return OpenedSource([list(_whatsapp_readings(file))], post_keys=lambda: [(WHATSAPP, WHATSAPP)])


def _whatsapp_readings(file: SourceFile) -> Iterator[Reading]:
    chat, player = list(_whatsapp_messages(file.text)), file.options.player
    order = _whatsapp_date_order(chat)
    is_person = file.is_person({message.name for message in chat})
    for message in chat:
        name = player if player and message.name == MYSELF else message.name  # signal-export's name of the owner
        origin = Origin(WHATSAPP, wall_clock=message.at(order) if order else None)
        yield from read_message(message.text, Person(name, False), origin, file.options.today, is_person)


def _whatsapp_messages(text: str) -> Iterator[ChatMessage]:
    message: ChatMessage | None = None
    lines: list[str] = []
    for line in text.splitlines():
        heading = _whatsapp_heading(line)
        if heading is None:
            lines.append(line)
            continue
        if message:
            yield _whatsapp_message(message, lines)
        message, lines = heading, [heading.text]
    if message:
        yield _whatsapp_message(message, lines)


def _whatsapp_message(message: ChatMessage, lines: Iterable[str]) -> ChatMessage:
    text = _WHATSAPP_NOTE.sub("", share_text.normalized("\n".join(lines)))
    return ChatMessage(message.name, text, message.digits, message.clock)


def _whatsapp_heading(line: str) -> ChatMessage | None:
    """Return the message that begins in this line, or None if none does."""
    line = share_text.normalized(line).replace("\u202f", " ").replace("\u00a0", " ")
    start = "".join(map(_digit, line[:MAX_HEADING])) + line[MAX_HEADING:]
    found = next(filter(None, (pattern.match(start) for pattern in _WHATSAPP_LINES)), None)
    name = clean_name(line[slice(*found.span("name"))].removeprefix("~")) if found else None
    if found is None or name is None:
        return None
    hour, halves = int(found["hour"]) % 24, {_half(found[part]) for part in ("early", "late")}
    if hour <= 12 and any(halves):
        hour = hour % 12 + (12 if "pm" in halves else 0)
    digits = int(found["a"]), int(found["b"]), int(found["c"])
    return ChatMessage(name, line[found.start("text") :], digits, time(hour, int(found["minute"])))


def _half(text: str) -> str:
    """Return the half of the day that the text before or after a time names, "" if it names none."""
    words = [re.sub("[\\s.,،\u200c-]", "", word.casefold()) for word in (text, *text.split())]
    return "am" if _AM.intersection(words) else "pm" if _PM.intersection(words) else ""


def _digit(character: str) -> str:
    """Return a digit of any script as an ASCII digit, and other characters unchanged."""
    return str(unicodedata.digit(character)) if unicodedata.category(character) == "Nd" else character


def _whatsapp_date_order(chat: Iterable[ChatMessage]) -> str | None:
    """Return the order of year, month and day in a chat's dates, None if it cannot be told.

    Dates above 12 decide; if there are none, the puzzles that were shared on these days do.
    """
    messages = list(chat)
    if not messages or messages[0].digits[0] > 31:
        return "ymd" if messages else None
    orders = [order for order in ("dmy", "mdy") if all(message.at(order) for message in messages)]
    shared = [(message, found.game.number) for message in messages for found in share_text.find(message.text)]

    def n_in_time(order: str) -> int:
        days = ((message.at(order), number) for message, number in shared)
        return sum(day is not None and 0 <= number_on(day.date()) - number <= 1 for day, number in days)

    if len(orders) == 2 and n_in_time("dmy") == n_in_time("mdy"):
        return None
    return max(orders, key=n_in_time, default=None)


def open_imessage(file: SourceFile) -> OpenedSource | None:
    """Open a chat by imessage-exporter, in which `options.player` is the owner of the phone."""
    if not any(_IMESSAGE_TIME.fullmatch(line.strip()) for line in file.text.splitlines()[:MAX_LINES_CHECKED]):
        return None
    return OpenedSource([list(_imessage_readings(file))], post_keys=lambda: [(IMESSAGE, IMESSAGE)])


def _imessage_readings(file: SourceFile) -> Iterator[Reading]:
    player, messages = file.options.player, list(_imessages(file.text))
    is_person = file.is_person({message.name for message in messages})
    for message in messages:
        name = player if player and message.name == MYSELF else message.name
        origin = Origin(IMESSAGE, wall_clock=message.at("mdy"))
        yield from read_message(message.text, Person(name, False), origin, file.options.today, is_person)


def _imessages(text: str) -> Iterator[ChatMessage]:
    """Yield the messages; a reply, which is repeated where it was sent, is no part of the message above it.

    Of an edited message, the last text counts.
    """
    lines = _without_replies(text.splitlines())
    starts = [index for index, line in enumerate(lines) if _IMESSAGE_TIME.fullmatch(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        found = _IMESSAGE_TIME.fullmatch(lines[start])
        name = clean_name(lines[start + 1]) if start + 1 < end else None
        if found is None or name is None or found[1][:3] not in _MONTHS:
            continue
        day, year = (int(part) for part in re.findall(r"\d+", found[1]))
        clock = datetime.strptime(found[2], "%I:%M:%S %p").time()
        body = lines[start + 2 : end]
        versions = [at for at, line in enumerate(body) if _IMESSAGE_EDITED.match(line)]
        if versions:
            body = [_IMESSAGE_EDITED.sub("", body[versions[-1]]), *body[versions[-1] + 1 :]]
        yield ChatMessage(name, "\n".join(body), (_MONTHS.index(found[1][:3]) + 1, day, year), clock)


def _without_replies(lines: list[str]) -> list[str]:
    """Return the lines without indented messages, which begin with an indented time and end with an empty line."""
    kept, index = [], 0
    while index < len(lines):
        line = lines[index]
        indent = line[: len(line) - len(line.lstrip())]
        if indent and _IMESSAGE_TIME.fullmatch(line.strip()):
            while index < len(lines) and (not lines[index].strip() or lines[index].startswith(indent)):
                index += 1
        else:
            kept.append(line)
            index += 1
    return kept


def open_text(file: SourceFile) -> OpenedSource | None:
    """Open a text that contains at least one share, or something that looks like one."""
    readings = list(share_text.read(file.text, file.options.player, file.options.today))
    keys = [(share_text.SOURCE, share_text.SOURCE)]
    return OpenedSource([readings], post_keys=lambda: keys) if readings else None


SOURCES = [
    SourceKind("a JSON file of Telegram", 20, open_telegram),
    SourceKind("a file of a Slack channel", 25, open_slack),
    SourceKind("a WhatsApp or Signal chat", 40, open_whatsapp),
    SourceKind("an iMessage chat of imessage-exporter", 50, open_imessage),
    SourceKind("share texts", 90, open_text),
]
