"""Every kind of export, made from one truth, is read back to it; what is no share of Wordle is named."""

import csv
import json
import random
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest

from tests.helpers import messages
from wordpl.apps.league import share_text
from wordpl.apps.league.discord_message import DiscordMessage
from wordpl.apps.league.discord_message import read as read_discord
from wordpl.apps.league.posts import DiscordUser, Ignored, ResultPost, UnreadPost
from wordpl.apps.league.share_text import SharedGame
from wordpl.apps.league.sources import ImportOptions, import_file
from wordpl.core.puzzles import number_on

START = datetime(2025, 6, 10, 9, 15, tzinfo=UTC)
NAMES = {"U1": "Ann", "U2": "Bob de la Cruz", "U3": "Çelik", "U4": "田中"}


def grid(guesses):
    rows = [".....", "..i..", ".ci..", "cc...", "ccc..", "cccc."]
    return tuple((row, "") for row in (rows if guesses == 7 else [*rows[: guesses - 1], "ccccc"]))


def truth(n_days=12):
    """Return (moment, id, text) of messages, and the results as (name, puzzle, guesses)."""
    chance, said, results = random.Random(5), [], set()
    for day in range(n_days):
        for at, id in enumerate(NAMES):
            moment = START + timedelta(days=day, minutes=7 * at)
            if chance.random() < 0.8:
                number, guesses = number_on(moment.date()), chance.randint(1, 7)
                share = messages.share(SharedGame(number, guesses, chance.random() < 0.3, grid(guesses)))
                said.append((moment, id, chance.choice(["", "Finally:\n", "Coffee first\n"]) + share))
                results.add((NAMES[id], number, guesses))
            said.append((moment + timedelta(minutes=2), id, chance.choice(["well done", "see https://x.org/a: b"])))
    return said, results


def whatsapp(said):
    return "chat.txt", "\n".join(f"[{at:%d/%m/%Y, %H:%M:%S}] {NAMES[id]}: {text}" for at, id, text in said)


def signal(said):
    return "chat.md", "\n".join(f"[{at:%Y-%m-%d %H:%M:%S}] {NAMES[id]}: {text}  " for at, id, text in said)


def telegram(said):
    entries = [
        {"id": n, "type": "message", "date_unixtime": str(int(at.timestamp())), "from": NAMES[id]}
        | {"from_id": f"user{id}", "text": text}
        for n, (at, id, text) in enumerate(said)
    ]
    return "result.json", json.dumps({"id": 5, "name": "Friends", "messages": entries})


def imessage(said):
    parts = [f"{at:%b %d, %Y} {at:%I:%M:%S %p}\n{NAMES[id]}\n{text}\n" for at, id, text in said]
    return "chat.txt", "\n".join(parts)


def slack(said):
    names = {"🟩": ":large_green_square:", "🟨": ":large_yellow_square:", "⬛": ":black_large_square:"}
    entries = []
    for at, id, text in said:
        for square, name in names.items():
            text = text.replace(square, name)
        profile = {"display_name": "", "real_name": NAMES[id]}
        ts = f"{at.timestamp():.6f}"
        entries.append({"type": "message", "user": id, "ts": ts, "text": text, "user_profile": profile})
    return "2025-06-10.json", json.dumps(entries)


def exporter_json(said):
    entries = [
        {"id": str(10**18 + n), "timestamp": at.isoformat(), "content": text}
        | {"author": {"id": f"10000000000000000{id[1]}", "name": f"account{id}", "nickname": NAMES[id]}}
        for n, (at, id, text) in enumerate(said)
    ]
    return "e.json", json.dumps({"guild": {"id": "9", "name": "friends"}, "channel": {"id": "5"}, "messages": entries})


def exporter_csv(said):
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow(["AuthorID", "Author", "Date", "Content", "Attachments", "Reactions"])
    for at, id, text in said:
        moment = f"{at:%Y-%m-%dT%H:%M:%S}.1230000+00:00"
        writer.writerow([f"10000000000000000{id[1]}", NAMES[id], moment, text, "", ""])
    return "e.csv", file.getvalue()


@pytest.mark.parametrize("export", [whatsapp, signal, telegram, imessage, slack, exporter_json, exporter_csv])
def test_an_export_is_read_back_to_the_truth(memory_store, tmp_path, export):
    said, expected = truth()
    name, text = export(said)
    (tmp_path / name).write_text(text, encoding="utf-8")
    for _ in range(2):
        report = import_file(memory_store, tmp_path / name, ImportOptions())
    rows = memory_store.find().resolved().results
    assert set(zip(rows["player"], rows["day"], rows["guesses"], strict=True)) == expected
    assert (report.n_new, report.unread) == (0, [])


FOREIGN = {
    "Worldle #1234 (01.02.2025) 4/6 (100%)\n🟩🟩🟩🟨⬛↗️": "Worldle",
    "Daily Quordle 456\n5️⃣7️⃣\n8️⃣4️⃣": "Daily Quordle",
    "Connections\nPuzzle #123\n🟩🟩🟩🟩": "Connections",
    "nerdlegame 1234 3/6\n⬛🟪⬛": "nerdlegame",
    "Daily Dordle 0123 5&6/7": "Daily Dordle",
    "Framed #123\n🎥 🟥 🟩": "Framed",
    "#Heardle #45\n🔊🟥🟩": "Heardle",
    "Strands #123\n“Theme”\n🔵🟡": "Strands",
    "Canuckle 500 4/6": "Canuckle",
    "Cémantix n°1234": "Cémantix",
}


@pytest.mark.parametrize("text", FOREIGN)
def test_a_result_of_another_game_is_named(text):
    ann = DiscordUser("11", "Ann", "", "ann")
    share = f"Wordle {number_on(START.date()):,} 3/6"
    for content, n in ((text, 0), (f"{share}\n\n{text}", 1), (f"{text}\n\n{share}", 1)):
        readings = list(read_discord(DiscordMessage("1", "2", START, None, ann, content)))
        assert [reading.why for reading in readings if isinstance(reading, Ignored)] == [
            f"another game: {FOREIGN[text]}"
        ]
        assert sum(isinstance(reading, ResultPost) for reading in readings) == n
        assert not any(isinstance(reading, UnreadPost) for reading in readings)


@pytest.mark.parametrize("text", ["Wordle 1,234 4/6", "I am at 4/6 today", "Room 12", "hello #12 people", "1234 4/6"])
def test_other_texts_are_no_games(text):
    assert list(share_text.foreign_games(text)) == []
