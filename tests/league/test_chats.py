"""Chats exported from WhatsApp and Telegram, in the forms in which those apps write them."""

import json
import re
from contextlib import closing
from datetime import UTC, datetime

import pytest

from wordpl.league.sources import ImportOptions, import_file
from wordpl.league.store import LeagueStore

TODAY = datetime(2025, 10, 4, 12, tzinfo=UTC)
GRID = "⬛🟨⬛⬛⬛\n🟨🟩🟩🟩⬛\n🟩🟩🟩🟩🟩"
IPHONE = f"""\
[03/10/2025, 09:15:01] Friends: \u200eMessages and calls are end-to-end encrypted.
[03/10/2025, 09:15:02] Ann: Wordle 1,567 3/6

{GRID}
[03/10/2025, 09:16:00] Bob B.: look: Wordle was hard
[03/10/2025, 09:17:00] Bob B.: Wordle 1,567 X/6*
\u200e[03/10/2025, 09:18:00] ~\u202fCy: Wordle 1.566 4/6
[04/10/2025, 08:00:00] Ann: Wordle #1568: 4 / 6
[04/10/2025, 08:01:00] Ann: Wordle 1,999 1/6
"""
ANDROID = f"""\
03/10/2025, 09:15 - Ann created group "Friends"
03/10/2025, 09:15 - Ann: Wordle 1,567 3/6

{GRID}
03/10/2025, 09:17 - Bob B.: Wordle 1,567 X/6*
03/10/2025, 09:18 - ~ Cy: Wordle 1.566 4/6
04/10/2025, 08:00 - Ann: Wordle #1568: 4 / 6
04/10/2025, 08:01 - Ann: Wordle 1,999 1/6
"""
AMERICAN = re.sub(r"(\d\d:\d\d:\d\d)\]", "\\1\u202fAM]", IPHONE).replace("03/10/2025", "10/3/25")
AMERICAN = AMERICAN.replace("04/10/2025", "10/4/25")
GERMAN = ANDROID.replace("03/10/2025, ", "03.10.25, ").replace("04/10/2025, ", "04.10.25, ")
EXPECTED_ROWS = [("Ann", 1567, 3), ("Bob B.", 1567, 7), ("Cy", 1566, 4)]


@pytest.fixture
def import_text(tmp_path):
    """Return a function that imports a text and returns the sorted results and the parts not read."""
    with closing(LeagueStore("sqlite://")) as store:

        def run_import(text, name="chat.txt"):
            path = tmp_path / name
            path.write_text(text, encoding="utf-8")
            report = import_file(store, path, ImportOptions(today=TODAY))
            results = store.find().resolved().results if store.leagues() else None
            rows = (
                []
                if results is None
                else sorted(zip(results["player"], results["day"], results["guesses"], strict=True))
            )
            return rows, [(part.text.split("\n")[0], part.why.split(":")[0]) for part in report.unread]

        yield run_import


@pytest.mark.parametrize("chat", [IPHONE, ANDROID, AMERICAN, GERMAN], ids=["iphone", "android", "american", "german"])
def test_whatsapp_chats_are_read_in_the_formats_of_phones_and_countries(import_text, chat):
    rows, unread = import_text(chat)
    assert rows == EXPECTED_ROWS
    assert [why for _, why in unread] == [
        "not in the format that Wordle shares",
        "the puzzle is later than the message that reports it",
    ]


def test_a_name_may_have_many_words_and_symbols(import_text):
    rows, _ = import_text("[03/10/2025, 09:15:01] Dr. Ünal 🔥 (Work): Wordle 1,567 3/6\n")
    assert rows == [("Dr. Ünal 🔥 (Work)", 1567, 3)]


def telegram(*messages):
    seconds = int(datetime(2025, 10, 3, 9, tzinfo=UTC).timestamp())
    defaults = {"type": "message", "date_unixtime": str(seconds), "from": "Ann", "from_id": "user1", "text": ""}
    return json.dumps(
        {
            "id": 77,
            "name": "Friends",
            "messages": [defaults | {"id": n} | message for n, message in enumerate(messages)],
        }
    )


def test_people_in_a_telegram_chat_are_known_by_their_ids(import_text):
    chat = telegram(
        {"text": f"Wordle 1,567 3/6\n\n{GRID}"},
        {"from": "Bob", "from_id": "user2", "text": ["Wordle 1,567 ", {"type": "bold", "text": "X/6"}]},
        {"from": "Bobby", "from_id": "user2", "text": "Wordle 1,566 2/6"},
        {"type": "service", "text": "Wordle 1,567 1/6"},
        {"from": None, "text": "Wordle 1,567 1/6"},
        {"text": "Wordle #1566: 4 / 6"},
        {"text": "Wordle 1,700 1/6"},
    )
    rows, unread = import_text(chat, "result.json")
    assert rows == [("Ann", 1567, 3), ("Bobby", 1566, 2), ("Bobby", 1567, 7)]
    assert [text for text, _ in unread] == ["Wordle #1566: 4 / 6", "Wordle 1,700 1/6"]


def test_an_edited_telegram_message_replaces_the_original(import_text):
    edited_at = str(int(datetime(2025, 10, 3, 10, tzinfo=UTC).timestamp()))
    assert import_text(telegram({"text": "Wordle 1,567 3/6"}), "result.json")[0] == [("Ann", 1567, 3)]
    edited = telegram({"text": "Wordle 1,567 5/6", "edited_unixtime": edited_at})
    assert import_text(edited, "result.json")[0] == [("Ann", 1567, 5)]
    assert import_text(telegram({"text": "Wordle 1,567 3/6"}), "result.json")[0] == [("Ann", 1567, 5)]


@pytest.mark.parametrize("line", ["Look at my score:", "Here is the result of today:", "My guesses:"])
def test_a_sentence_before_a_share_is_not_a_player(import_text, line):
    rows, unread = import_text(f"{line}\nWordle 1,567 3/6\n", "shares.txt")
    assert (rows, [why for _, why in unread]) == ([], ["no player"])


@pytest.mark.parametrize("name", ["Look", "Ann Marie", "Dr. Who", "Всеволод", "陳明"])
def test_a_name_before_a_share_is_a_player(import_text, name):
    assert import_text(f"{name}:\nWordle 1,567 3/6\n", "shares.txt")[0] == [(name, 1567, 3)]


@pytest.mark.parametrize("text", ["player,puzzle,guesses\nAnn,99999,1\n", "Ann:\nWordle 99,999 1/6\n"])
def test_a_future_puzzle_in_a_file_is_refused(import_text, text):
    rows, unread = import_text(text, "file")
    assert (rows, len(unread)) == ([], 1)
    assert "later than the message" in unread[0][1]
