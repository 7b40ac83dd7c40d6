"""What people paste is read right, or refused with the reason: the samples in the folder pastes, by source."""

import json
import tomllib
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wordpl.apps.league import discord_message
from wordpl.apps.league.discord_message import APP, DiscordMessage
from wordpl.apps.league.posts import DiscordUser, ResultPost, UnreadPost
from wordpl.apps.league.resolve import AFTER_DEADLINE, EDITED_AFTER_DEADLINE, LeagueOptions
from wordpl.apps.league.sources import ImportOptions, import_file
from wordpl.apps.league.store import LeagueStore
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


N_QUICK = 3
"""How many samples of each source the quick tests read."""
CASES = [
    pytest.param(
        source, sample, id=f"{source}: {sample['form']}", marks=[pytest.mark.slow] if number >= N_QUICK else []
    )
    for source in SOURCES
    for number, sample in enumerate(samples(source))
]


@pytest.fixture(scope="module")
def store():
    with closing(LeagueStore("sqlite://")) as opened:
        yield opened


def export_of(text, guild):
    author = {"id": "11", "name": "alice", "nickname": "Alice"}
    message = {"id": "1", "timestamp": TODAY.isoformat(), "content": text, "author": author}
    return json.dumps({"guild": {"id": guild}, "channel": {"id": "5"}, "messages": [message]})


def read(store, source, sample, folder):
    """Import a sample into a new league; return the league and why parts of it were not read."""
    key = f"league {len(store.leagues())}"
    if source in AUTHORS:
        id, name = AUTHORS[source]
        author = DiscordUser(id, name, "", name.lower(), id == APP)
        found = list(discord_message.read(DiscordMessage("1", "5", TODAY, None, author, sample["text"])))
        store.league(key).add([post for post in found if isinstance(post, ResultPost)])
        return store.find(key), [part.why for part in found if isinstance(part, UnreadPost)]
    text = (
        sample["text"].removeprefix("\n")
        if source != "discord_export"
        else export_of(sample["text"], f"{len(store.leagues())}")
    )
    path = folder / "sample"
    path.write_text(text, encoding="utf-8")
    people = frozenset(sample.get("people", ()))
    options = ImportOptions(key, sample.get("player"), sample.get("chat"), today=LATER, people=people)
    report = import_file(store, path, options)
    return store.find(report.league), [part.why for part in report.unread]


def found_in(league):
    """Return the results of a league as text, and the late shares."""
    resolved, rows = league.resolved(), []
    for row in resolved.results.itertuples(index=False):
        data = league.stored_data(resolved.ids[row.player].key)["results"]
        star = "*" if any(result["puzzle"] == row.day and result["hard"] for result in data) else ""
        rows.append(f"{key_of(resolved, row.player)} {row.day} {'X' if row.guesses == 7 else row.guesses}{star}")
    late = resolved.conflicts[resolved.conflicts["why"].isin([AFTER_DEADLINE, EDITED_AFTER_DEADLINE])]
    return rows, [f"{key_of(resolved, row.player)} {row.day}" for row in late.itertuples(index=False)]


def key_of(resolved, player):
    return resolved.ids[player].key if resolved.ids[player].is_id else player


@pytest.mark.parametrize(("source", "sample"), CASES)
def test_a_paste_is_read_right_or_refused_with_the_reason(source, sample, store, tmp_path):
    if "refused" in sample:
        with pytest.raises(UserError, match=sample["refused"]):
            read(store, source, sample, tmp_path)
        return
    league, unread = read(store, source, sample, tmp_path)
    league.choose(LeagueOptions("Europe/Berlin"))
    rows, late = found_in(league)
    assert sorted(rows) == sorted(sample["expected"])
    assert late == sample.get("late", [])
    reasons = sample.get("unread", [])
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
