"""What people paste is read right, or refused with the reason: the samples in the folder pastes, by source."""

import json
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.helpers.league_files import read_file, what_is_read
from wordpl.apps.league import discord_message
from wordpl.apps.league.discord_message import APP, DiscordMessage
from wordpl.apps.league.posts import DiscordUser
from wordpl.apps.league.sources import ImportOptions
from wordpl.core.messages import UserError

FOLDER = Path(__file__).parent / "pastes"
TODAY, LATER = datetime(2025, 10, 4, 7, tzinfo=UTC), datetime(2026, 1, 10, tzinfo=UTC)
AUTHORS = {"discord": ("11", "Alice"), "discord_app": (APP, "Wordle")}
SOURCES = {
    "discord": "Discord, posted live",
    "discord_app": "Discord, the app's summary",
    "discord_export": "Discord, in an export",
    "whatsapp": "WhatsApp",
    "telegram": "Telegram",
    "imessage": "iMessage",
    "text": "pasted text",
    "tables": "table",
}


def samples(source):
    return tomllib.loads((FOLDER / f"{source}.toml").read_text(encoding="utf-8"))["sample"]


CASES = [
    pytest.param(source, sample, id=f"{source}: {sample['form']}") for source in SOURCES for sample in samples(source)
]


def export_of(text):
    author = {"id": "11", "name": "alice", "nickname": "Alice"}
    message = {"id": "1", "timestamp": TODAY.isoformat(), "content": text, "author": author}
    return json.dumps({"guild": {"id": "9"}, "channel": {"id": "5"}, "messages": [message]})


def read(source, sample):
    if source in AUTHORS:
        id, name = AUTHORS[source]
        author = DiscordUser(id, name, "", name.lower(), id == APP)
        return what_is_read(discord_message.read(DiscordMessage("1", "5", TODAY, None, author, sample["text"])))
    text = export_of(sample["text"]) if source == "discord_export" else sample["text"].removeprefix("\n")
    people = frozenset(sample.get("people", ()))
    return read_file(text, ImportOptions("a", sample.get("player"), sample.get("chat"), today=LATER, people=people))


@pytest.mark.parametrize(("source", "sample"), CASES)
def test_a_paste_is_read_right_or_refused_with_the_reason(source, sample):
    if "refused" in sample:
        with pytest.raises(UserError, match=sample["refused"]):
            read(source, sample)
        return
    found = read(source, sample)
    assert found.lines() == (sorted(sample["expected"]), sample.get("late", []))
    unread, reasons = [part.why for part in found.unread], sample.get("unread", [])
    assert len(unread) == len(reasons), unread
    assert all(reason in why for reason, why in zip(reasons, unread, strict=True)), unread


def table():
    """Return a Markdown table of the forms that are read and of those that are refused, by source."""
    lines = ["| source | read | refused, with the reason |", "|---|---|---|"]
    for source, title in SOURCES.items():
        read_forms, refused_forms = [], []
        for sample in samples(source):
            refused = [*sample.get("unread", []), *(["after the deadline"] if "late" in sample else [])]
            refused += ["several chats"] if "refused" in sample else []
            if refused:
                refused_forms.append(f"{sample['form']} ({', '.join(dict.fromkeys(refused))})")
            elif sample["expected"]:
                read_forms.append(sample["form"])
        lines.append(f"| {title} | {'; '.join(read_forms)} | {'; '.join(refused_forms)} |")
    return "\n".join(lines)


def test_the_table_of_forms_lists_all_samples():
    assert table() in (Path(__file__).parent / "formats.md").read_text(encoding="utf-8")
