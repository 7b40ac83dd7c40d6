"""Chats exported from WhatsApp and Telegram, in the forms in which those apps write them."""

import json
import re
from datetime import UTC, datetime

import pytest

from tests.helpers.league_files import read_file
from wordpl.apps.league import share_text
from wordpl.apps.league.posts import TOO_LATE
from wordpl.apps.league.sources import ImportOptions, import_file

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


def read(text, name="chat.txt"):
    """Return the sorted results in a text, and the parts that are not read."""
    found = read_file(text, ImportOptions(today=TODAY), name)
    return found.rows(), [(part.text.split("\n")[0], part.why.split(":")[0]) for part in found.unread]


@pytest.mark.parametrize("chat", [IPHONE, ANDROID, AMERICAN, GERMAN], ids=["iphone", "android", "american", "german"])
def test_whatsapp_chats_are_read_in_the_formats_of_phones_and_countries(chat):
    rows, unread = read(chat)
    assert rows == EXPECTED_ROWS
    assert [why for _, why in unread] == [
        "not in the format that Wordle shares",
        "the puzzle is later than the message that reports it",
    ]


def test_what_is_listed_of_an_edited_message_is_what_was_written():
    heading = "03/10/2025, 09:15 - Ann: "
    _, unread = read(f"{heading}hi\n{heading}Wordle #1567: 4 / 6 <Diese Nachricht wurde bearbeitet.>\n")
    assert [text for text, _ in unread] == ["Wordle #1567: 4 / 6"]


def test_a_name_may_have_many_words_and_symbols():
    rows, _ = read("[03/10/2025, 09:15:01] Dr. Ünal 🔥 (Work): Wordle 1,567 3/6\n")
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


def test_people_in_a_telegram_chat_are_known_by_their_ids():
    chat = telegram(
        {"text": f"Wordle 1,567 3/6\n\n{GRID}"},
        {"from": "Bob", "from_id": "user2", "text": ["Wordle 1,567 ", {"type": "bold", "text": "X/6"}]},
        {"from": "Bobby", "from_id": "user2", "text": "Wordle 1,566 2/6"},
        {"type": "service", "text": "Wordle 1,567 1/6"},
        {"from": None, "text": "Wordle 1,567 1/6"},
        {"text": "Wordle #1566: 4 / 6"},
        {"text": "Wordle 1,700 1/6"},
    )
    rows, unread = read(chat, "result.json")
    assert rows == [("Ann", 1567, 3), ("Bobby", 1566, 2), ("Bobby", 1567, 7)]
    assert [text for text, _ in unread] == ["Wordle #1566: 4 / 6", "Wordle 1,700 1/6"]


def test_an_edited_telegram_message_replaces_the_original(memory_store, tmp_path):
    edited_at = str(int(datetime(2025, 10, 3, 10, tzinfo=UTC).timestamp()))
    original, edited = {"text": "Wordle 1,567 3/6"}, {"text": "Wordle 1,567 5/6", "edited_unixtime": edited_at}
    for message, guesses in ((original, 3), (edited, 5), (original, 5)):
        (tmp_path / "result.json").write_text(telegram(message))
        import_file(memory_store, tmp_path / "result.json", ImportOptions(today=TODAY))
        assert list(memory_store.find().resolved().results["guesses"]) == [guesses]


@pytest.mark.parametrize("line", ["Look at my score:", "Here is the result of today:", "My guesses:"])
def test_a_sentence_before_a_share_is_not_a_player(line):
    rows, unread = read(f"{line}\nWordle 1,567 3/6\n", "shares.txt")
    assert (rows, [why for _, why in unread]) == ([], ["no player"])


@pytest.mark.parametrize("name", ["Look", "Ann Marie", "Dr. Who", "Всеволод", "陳明"])
def test_a_name_before_a_share_is_a_player(name):
    assert read(f"{name}:\nWordle 1,567 3/6\n", "shares.txt")[0] == [(name, 1567, 3)]


@pytest.mark.parametrize("text", ["player,puzzle,guesses\nAnn,99999,1\n", "Ann:\nWordle 99,999 1/6\n"])
def test_a_future_puzzle_in_a_file_is_refused(text):
    rows, unread = read(text, "file")
    assert (rows, len(unread)) == ([], 1)
    assert "later than the message" in unread[0][1]


LOCALES = {  # Android's date, time with 24 hours, time with 12 hours, before noon, after noon: CLDR's short patterns
    "en_US": ("{m}/{d}/{yy}, {t}", "AM", "PM"),
    "en_GB": ("{d:02}/{m:02}/{y}, {t}", "am", "pm"),
    "en_IN": ("{d:02}/{m:02}/{yy}, {t}", "am", "pm"),
    "de": ("{d:02}.{m:02}.{yy}, {t}", "vorm.", "nachm."),
    "fr": ("{d:02}/{m:02}/{y} à {t}", "AM", "PM"),
    "es": ("{d}/{m}/{yy}, {t}", "a.\u00a0m.", "p.\u00a0m."),
    "pt_BR": ("{d:02}/{m:02}/{y} {t}", "AM", "PM"),
    "it": ("{d:02}/{m:02}/{yy}, {t}", "AM", "PM"),
    "nl": ("{d:02}-{m:02}-{y} {t}", "a.m.", "p.m."),
    "sv": ("{y}-{m:02}-{d:02} {t}", "fm", "em"),
    "da": ("{d:02}.{m:02}.{y} {t}", "AM", "PM"),
    "nb": ("{d:02}.{m:02}.{y}, {t}", "a.m.", "p.m."),
    "fi": ("{d}.{m}.{y} klo {t}", "ap.", "ip."),
    "pl": ("{d}.{m:02}.{y}, {t}", "AM", "PM"),
    "cs": ("{d:02}.{m:02}.{yy} {t}", "dop.", "odp."),
    "sk": ("{d}. {m}. {y} {t}", "AM", "PM"),
    "hu": ("{y}. {m:02}. {d:02}. {t}", "de.", "du."),
    "el": ("{d}/{m}/{yy}, {t}", "π.μ.", "μ.μ."),
    "tr": ("{d}.{m:02}.{y} {t}", "ÖÖ", "ÖS"),
    "uk": ("{d:02}.{m:02}.{yy}, {t}", "дп", "пп"),
    "bg": ("{d}.{m:02}.{yy} г., {t}", "пр.об.", "сл.об."),
    "ar": ("{d}\u200f/{m}\u200f/{y}، {t}", "ص", "م"),
    "fa": ("{y}/{m}/{d}،\u200f {t}", "ق.ظ.", "ب.ظ."),
    "he": ("{d}.{m}.{y}, {t}", "לפנה״צ", "אחה״צ"),
    "th": ("{d}/{m}/{yy} {t}", "ก่อนเที่ยง", "หลังเที่ยง"),
    "vi": ("{t} {d}/{m}/{yy}", "SA", "CH"),
    "id": ("{d:02}/{m:02}/{yy} {t}", "AM", "PM"),
    "ko": ("{y}. {m}. {d}. {t}", "오전", "오후"),
    "ja": ("{y}/{m:02}/{d:02} {t}", "午前", "午後"),
    "zh": ("{y}/{m}/{d} {t}", "上午", "下午"),
    "a language unknown to the reader": ("{d}.{m}.{y}, {t}", "preld.", "postld."),
}
BEFORE_THE_TIME = {"ko", "ja", "zh", "hu"}
NATIVE_DIGITS = {"ar": "٠١٢٣٤٥٦٧٨٩", "fa": "۰۱۲۳۴۵۶۷۸۹"}


@pytest.mark.parametrize("has_bracket", [False, True], ids=["Android", "iOS"])
@pytest.mark.parametrize("has_24_hours", [True, False], ids=["24 hours", "12 hours"])
@pytest.mark.parametrize("locale", LOCALES)
def test_headings_of_whatsapp_are_known_by_their_shape(locale, has_24_hours, has_bracket):
    pattern, *halves = LOCALES[locale]
    lines = []
    for day, hour, name, text in (
        (2, 9, "Ann", f"Wordle 1,566 3/6\n\n{GRID}"),
        (2, 21, "Bob B.", "hello"),
        (2, 21, "Bob B.", "Wordle 1,566 X/6"),
        (3, 12, "Ann", "Wordle 1,567 4/6"),
        (4, 0, "Cy", "Heute gut:\nWordle 1,567 5/6"),
    ):
        minutes = f"{hour if has_24_hours else (hour - 1) % 12 + 1}:15" + (":07" if has_bracket else "")
        half = "" if has_24_hours else halves[hour > 11]
        time = " ".join(filter(None, [half, minutes] if locale in BEFORE_THE_TIME else [minutes, half]))
        heading = pattern.format(d=day, m=10, y=2025, yy=25, t=time)
        digits = NATIVE_DIGITS.get(locale, "0123456789")
        heading = "".join(digits[int(sign)] if sign in "0123456789" else sign for sign in heading)
        lines.append(f"[{heading}] {name}: {text}" if has_bracket else f"{heading} - {name}: {text}")
    found = read_file("\n".join(lines), ImportOptions(today=TODAY))
    assert found.rows() == [("Ann", 1566, 3), ("Ann", 1567, 4), ("Bob B.", 1566, 7), ("Cy", 1567, 5)]
    assert not found.unread
    if has_24_hours or halves[0] != "preld.":
        assert [post.wall_clock.hour for post in found.posts] == [9, 21, 12, 0]


@pytest.mark.parametrize(
    "heading", ["2025 m. spalio 3 d. 9:15 / ", "3 ott 2025 9:15 | ", "[3/10/2025 9:15] ", "3/10/2025 9:15 > "]
)
def test_what_stands_below_a_heading_that_is_not_understood_is_nobody_s(heading):
    for end in ("; ", "\n") if "/10/" in heading else ("; ",):
        rows, unread = read(f"03/10/2025, 09:14 - Ann: hi\n{heading}Bob{end}Wordle 1,567 3/6\n")
        assert rows == [] and len(unread) == 1
    rows, unread = read("3/10/2025 9:15 > Bob: Wordle 1,567 3/6\n", "shares.txt")
    assert rows == [] and len(unread) == 1


def posts_of(found):
    return [
        (post.key, post.posted, post.edited, [tuple(result[:3]) for result in post.results]) for post in found.posts
    ]


def test_a_telegram_message_is_known_by_its_chat_and_is_of_its_own_time():
    def at(day):
        return str(int(datetime(2025, 10, day, 9, tzinfo=UTC).timestamp()))

    found = read_file(
        telegram(
            {"text": "Wordle 1,566 3/6", "date_unixtime": at(2), "edited_unixtime": at(3)},
            {"text": "Wordle 1,566 4/6", "forwarded_from": "Bob"},
            {"text": "Wordle 1,567 5/6", "forwarded_from": "Ann"},
            {"text": "Wordle 1,568 1/6", "date_unixtime": at(1)},
            {"text": "Ann: Wordle 1,567 2/6"},
        ),
        ImportOptions(today=TODAY),
    )
    posted, edited = (datetime(2025, 10, day, 9, tzinfo=UTC) for day in (2, 3))
    ann = ("user1", True)
    assert posts_of(found) == [
        ("77/0", posted, edited, [(ann, 1566, 3)]),
        ("77/2", edited, None, [(ann, 1567, 5)]),
        ("77/4", edited, None, [(ann, 1567, 2)]),
    ]
    assert [part.why for part in found.unread] == [share_text.FORWARDED, TOO_LATE]


def test_the_owner_of_a_phone_has_the_name_that_is_given():
    share = "Wordle 1,567 3/6\n"
    chats = {
        "signal": f"[2025-10-03 09:15:00] Me: {share}[2025-10-03 09:16:00] Bob: {share}",
        "imessage": "Oct 02, 2025  9:15:01 AM\n"
        f"Oct 03, 2025  9:15:01 AM\nMe\n{share}\n"
        "Oct 03, 2025  9:16:01 PM\nBob\nWordle 1,567 1/6\nEdited 2 minutes later: Wordle 1,567 2/6\n"
        f"Edited 3 minutes later: {share}\n    Oct 03, 2025  9:20:01 AM\n    Cy\n    {share}\n",
    }
    for chat in chats.values():
        for player, names in (("Ann", ["Ann", "Bob"]), (None, ["Bob", "Me"])):
            found = read_file(chat, ImportOptions(player=player, today=TODAY))
            assert found.rows() == [(name, 1567, 3) for name in names]
            assert found.posts[1].wall_clock.hour in (9, 21)
            assert not found.unread
    assert [post.wall_clock.hour for post in found.posts] == [9, 21]


@pytest.mark.parametrize(
    ("days", "order"),
    [
        ([("13/10/2025", "")], "3 Oct"),
        ([("10/13/2025", "")], "10 Mar"),
        ([("03/10/2025", "Wordle 1,566 3/6")], "3 Oct"),
        ([("03/10/2025", "Wordle 1,359 3/6")], "10 Mar"),
        ([("03/10/2025", "Wordle 1,400 3/6")], None),
        ([("03/10/2025", "")], None),
    ],
)
def test_the_order_of_a_date_follows_from_other_dates_or_from_the_puzzles(days, order):
    lines = [f"{day}, 09:15 - Bob: {text or 'hello'}" for day, text in [*days, ("03/10/2025", "")]]
    found = read_file("\n".join([*lines, "03/10/2025, 09:15 - Ann: Wordle 1,400 3/6"]), ImportOptions(today=TODAY))
    clock = found.posts[-1].wall_clock
    assert (clock and f"{clock.day} {clock:%b}") == order


@pytest.mark.parametrize("date", ["13/10/2025", "13.10.25", "2025-10-13", "13/10/2568", "1404/7/21"])
def test_a_date_is_of_the_same_day_in_each_calendar(date):
    found = read_file(f"{date}, 09:15 - Ann: Wordle 1,577 3/6", ImportOptions())
    assert found.posts[0].wall_clock == datetime(2025, 10, 13, 9, 15)


def test_a_day_of_slack_names_its_people_and_skips_what_programs_say(tmp_path):
    def message(ts, text, user="U1", **more):
        return {"type": "message", "ts": f"{int(datetime(2025, 10, ts, 9, tzinfo=UTC).timestamp())}.5", "text": text,
                "user": user, **more}  # fmt: skip

    users = [{"id": "U1", "profile": {"display_name": "Ann"}}, {"id": "U2", "profile": {"real_name": "Bob"}},
             {"id": "U3", "name": "cy & co"}]  # fmt: skip
    day = [
        message(2, "Wordle 1,566 3/6", edited={"ts": "1759482000.1"}),
        message(3, "cy &amp; co: Wordle 1,567 2/6\n<@U1>: Wordle 1,567 6/6", "U2"),
        message(3, "Wordle 1,567 4/6", "U1", bot_id="B1"),
        message(3, "Wordle 1,567 4/6", "U1") | {"type": "event"},
        message(1, "Wordle 1,568 4/6"),
        message(3, "&lt;3\nWordle &#35; <https://x.org/Wordle|Wordle 1,567 5/6>", "U3"),
    ]
    (tmp_path / "users.json").write_text(json.dumps(users))
    found = read_file(json.dumps(day), ImportOptions(today=TODAY), tmp_path / "general" / "2025-10-03.json")
    assert [key.split("/")[0] for key, *_ in posts_of(found)] == ["general", "general"]
    assert [(posted.day, edited and edited.day) for _, posted, edited, _ in posts_of(found)] == [(2, 3), (3, None)]
    assert found.rows() == [("Ann", 1566, 3), ("Ann", 1567, 6), ("cy & co", 1567, 2)]
    assert found.names == {"U1": "Ann", "U2": "Bob", "U3": "cy & co"}
    assert [part.why for part in found.unread] == [TOO_LATE]
    other = read_file(json.dumps(day), ImportOptions(today=TODAY), tmp_path / "random" / "2025-10-03.json")
    assert other.posts[0].key != found.posts[0].key, "times are unique within a channel only"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_a_file_may_begin_with_a_mark_of_its_encoding_and_have_the_lines_of_windows(encoding):
    text = "player,puzzle,guesses\nÄnn,1567,3\n".replace("\n", "\r\n")
    data = text.encode(encoding)
    rows = read_file(data if encoding != "utf-16-be" else b"\xfe\xff" + data).rows()
    assert rows == [("Änn", 1567, 3)]
    chat = f"[03/10/2025, 09:15:01] Änn: Wordle 1,567 3/6\n\n{GRID}\n".replace("\n", "\r\n").encode(encoding)
    found = read_file(chat if encoding != "utf-16-be" else b"\xfe\xff" + chat, ImportOptions(today=TODAY))
    assert found.posts[0].results[0].grid.count("\n") == 2


def test_a_name_before_a_share_is_that_of_somebody_of_the_chat_or_league_or_of_whom_the_host_names():
    chat = "03/10/2025, 09:15 - Bob: Cleo: Wordle 1,567 2/6\n"
    asked = []
    for people, known, rows in (
        ((), (), []),
        (("cleo",), (), [("Cleo", 1567, 2)]),
        ((), ("CLEO!",), [("Cleo", 1567, 2)]),
    ):
        options = ImportOptions("league 1", today=TODAY, people=frozenset(people))
        found = read_file(chat, options, names_in=lambda key, known=known: asked.append(key) or known)
        assert found.rows() == rows
        assert [part.name for part in found.unread] == ["Cleo"] * (not rows)
    assert set(asked) == {"league 1"}
