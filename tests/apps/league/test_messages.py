"""Summaries and share texts are read correctly, whatever the names of the players."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import messages
from wordpl.apps.league import discord_message, posts, share_text
from wordpl.apps.league.posts import MAX_NAME, Person

ids = st.integers(1, 10**19).map(lambda id: Person(str(id), True))
pieces = st.sampled_from(
    ["1/6: ", "X/6:", "👑 4/6: @", "is playing", "@", ".", "?", "<@", ">", "**", "🔥", " ", "a", "\u2028"]
)
texts = st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), max_size=20)
names = st.lists(pieces | texts, min_size=1, max_size=5).map("".join).map(str.strip)
valid_names = names.filter(lambda name: 0 < len(name) <= MAX_NAME)
like_a_score = re.compile(r"[1-6Xx]/6\*{0,3}\s?:\**$")
unambiguous_names = valid_names.filter(
    lambda name: " @" not in f" {name}" and "<@" not in name and not like_a_score.search(name)
)


def scores_of(names):
    people = st.lists(ids | names.map(lambda name: Person(name, False)), min_size=1, max_size=4).map(tuple)
    return st.lists(st.tuples(st.integers(1, 7), people), min_size=1, max_size=5).map(tuple)


@given(scores_of(unambiguous_names), st.integers(1, 900), st.booleans(), st.integers(1, 3))
def test_summaries_are_read_back(scores, streak, is_bold, fires):
    summary = discord_message.parse(messages.summary(scores, streak, is_bold, fires))
    assert (summary.scores, summary.unread) == (scores, ())


@given(st.data())
def test_known_names_may_contain_anything(data):
    known_names = data.draw(st.lists(valid_names, min_size=1, max_size=1))
    scores = data.draw(scores_of(st.sampled_from(known_names)))
    assert discord_message.parse(messages.summary(scores), known_names).scores == scores


@given(st.text(max_size=200) | names)
def test_any_text_can_be_parsed(text):
    discord_message.parse(text)
    discord_message.is_chatter(text)
    list(share_text.find(text))


@pytest.mark.parametrize(
    "verb", ["is playing", "was playing", "and Player Two were playing", "and 2 others were playing"]
)
def test_chatter_is_not_a_summary(verb):
    text = f"Player 4/6: One {verb}"
    assert discord_message.is_chatter(text)
    assert discord_message.parse(text) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ann was playing", ["Ann"]),
        ("@Ann was playing Wordle!", ["Ann"]),
        ("Ann and Bob was playing", ["Ann and Bob"]),
        ("Ann and Bob were playing", ["Ann", "Bob"]),
        ("Ann and Bob and Cy were playing", ["Ann and Bob", "Cy"]),
        ("Ann and 2 others were playing", ["Ann"]),
        ("Ann and Bob are playing", []),
        ("Ann won", []),
    ],
)
def test_chatter_names_who_was_playing(text, names):
    assert [person.key for person in discord_message.who_was_playing(text)] == names


def test_a_mention_in_chatter_is_an_id():
    assert discord_message.who_was_playing("<@17> was playing") == (Person("17", True),)


@pytest.mark.parametrize(
    ("text", "scores", "unread"),
    [
        ("2/6: <@1> 3/6: <@2>", [(2, "1"), (3, "2")], []),
        ("2/6: <@1> 3/6: <@2> X/6: <@3>", [(2, "1"), (3, "2"), (7, "3")], []),
        ("2/6:<@1> 3/6: <@2>", [], ["2/6:<@1> 3/6: <@2>"]),
        ("3/6: <@1> 2/6: <@2>", [], ["3/6: <@1> 2/6: <@2>"]),
        ("2/6: <@1> so lucky", [], ["2/6: <@1> so lucky"]),
        ("2/6: well, <@1>", [], ["2/6: well, <@1>"]),
        ("2/6: @", [], ["2/6: @"]),
        ("2/6: @Ann @ @Bob", [], ["2/6: @Ann @ @Bob"]),
    ],
)
def test_a_line_is_read_completely_or_not_at_all(text, scores, unread):
    summary = discord_message.parse(text)
    assert [(guesses, person.key) for guesses, people in summary.scores for person in people] == scores
    assert summary.unread == tuple(unread)


def test_a_line_that_could_be_chatter_or_a_score_is_neither():
    text = "1/6: @Player One is playing"
    assert not discord_message.is_chatter(text)
    assert discord_message.parse(text) == discord_message.AppSummary((), (text,))


marks = st.text(".i", min_size=5, max_size=5) | st.just("icccc")
words = st.just("") | st.text("abcxyz", min_size=5, max_size=5)


@st.composite
def shares(draw):
    guesses = draw(st.integers(1, 7))
    rows = draw(st.lists(st.tuples(marks, words), min_size=min(guesses, 6), max_size=min(guesses, 6)))
    if guesses < 7:
        rows[-1] = ("ccccc", rows[-1][1])
    return share_text.SharedGame(draw(st.integers(0, 99_999)), guesses, draw(st.booleans()), tuple(rows))


@settings(deadline=None)
@given(st.lists(shares(), min_size=1, max_size=3), st.sampled_from([",", ".", "\u202f", ""]), st.booleans())
def test_share_texts_are_read_back(expected, separator, is_high_contrast):
    squares = messages.CONTRAST if is_high_contrast else messages.MARKS
    text = "\n\nlook:\n".join(messages.share(game, separator, squares) for game in expected)
    assert [found.game for found in share_text.find(text)] == expected


ANN = posts.DiscordUser("11", "Ann", "", "ann99")
COMMENTS = [
    "",
    "",
    "Coffee first:",
    "Finally did it:",
    "Heute gut:",
    "☕:",
    "Day 3:",
    "so close",
    "lol\n",
    "Ann:",
    "**ann99:**",
]
FOREIGN = [
    "Worldle #1355 (03.10.2025) 3/6 (100%)",
    "Quordle 614\n5️⃣6️⃣",
    "Tradle #1300 2/6\n🟩🟩🟩🟩🟩",
    "#Nerdlegame 623 4/6",
]


@st.composite
def messages_of_ann(draw):
    """Return a message, what it says of whom: (player, number, guesses), how many do not count, and how many others."""
    blocks, counted, n_listed, n_foreign = [], [], 0, 0
    for number in draw(st.lists(st.integers(1500, 1567), min_size=1, max_size=4, unique=True)):
        game = draw(shares())
        game = share_text.SharedGame(number, game.guesses, game.hard, game.rows)
        text = messages.share(game, draw(st.sampled_from([",", ".", " ", "\u202f", ""])))
        head, _, grid = text.partition("\n\n")
        form = draw(
            st.sampled_from(["plain", "folded", "spoiler", "empty lines", "struck", "quoted", "sentence", "bold"])
        )
        player = draw(st.sampled_from(["11", "11", "11", "Bob", "Cy Young", "Nobody"]))
        before = draw(st.sampled_from(COMMENTS)) if player == "11" else f"{player}:"
        if form == "folded":
            text = f"{head} {' '.join(grid.splitlines())}"
        elif form == "spoiler":
            text = f"{head} ||{grid}||"
        elif form == "empty lines":
            text = f"{head}\n\n" + "\n\n".join(grid.splitlines())
        elif form == "bold":
            text = f"**{head}**\n\n{grid}"
        elif form == "struck":
            text = f"~~{text}~~"
        elif form == "quoted":
            text = "\n".join(f"> {line}" for line in text.splitlines())
        elif form == "sentence":
            text = f"Look, {before or 'I'} had {text}"
        if form in ("struck", "quoted", "sentence") or player == "Nobody":
            n_listed += 1
        else:
            counted.append((player, number, game.guesses))
        has_own_line = form in ("quoted", "struck") or before == "so close"
        separator = "\n" if has_own_line else draw(st.sampled_from([" ", "\n"]))
        blocks.append((f"{before}{separator}" if before and form != "sentence" else "") + text)
        foreign = draw(st.lists(st.sampled_from(FOREIGN), max_size=1))
        blocks, n_foreign = blocks + foreign, n_foreign + len(foreign)
    return "\n\n".join(blocks), counted, n_listed, n_foreign


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(messages_of_ann())
def test_each_share_counts_for_the_right_player_or_is_listed_or_named_foreign(message):
    text, counted, n_listed, n_foreign = message
    posted = datetime(2025, 10, 3, 12, tzinfo=UTC)
    is_person = {"bob", "cy young"}.__contains__
    for is_vouched in (True, False):
        read = discord_message.DiscordMessage(
            "1", "5", posted, None, ANN, text, is_person=lambda name: is_person(name.casefold()), is_vouched=is_vouched
        )
        found = list(discord_message.read(read))
        results = {
            (item.person.key, item.number, item.guesses)
            for post in found if isinstance(post, posts.ResultPost) for item in post.results
        }  # fmt: skip
        assert results == {result for result in counted if is_vouched or result[0] == "11"}, text
        n_others = 0 if is_vouched else sum(player != "11" for player, *_ in counted)
        assert sum(isinstance(item, posts.UnreadPost) for item in found) == n_listed + n_others, text
        assert sum(isinstance(item, posts.Ignored) for item in found) == n_foreign, text


def test_the_longest_known_name_that_fits_is_used():
    known_names = ["a@", "a@ @b"]
    for text, names in (("2/6: @a@ @b", ["a@ @b"]), ("2/6: @a@ @c", ["a@", "c"])):
        ((_, people),) = discord_message.parse(text, known_names).scores
        assert [person.key for person in people] == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wordle 1,234 4/6", [("", 1234, 4)]),
        ("Ann:\nWordle 1,234 4/6", [("Ann:", 1234, 4)]),
        ("Ann:\n\nWordle 1,234 4/6\n\n\nWordle 1,235 5/6*", [("Ann:", 1234, 4), ("", 1235, 5)]),
        ("Ann: Wordle 1,234 X/6", [("Ann:", 1234, 7)]),
        ("Bob:\nAnn: Wordle 1,234 x/6", [("Ann:", 1234, 7)]),
        ("I got Wordle 1,234 4/6", []),
        ("and Wordle 1,234 4/6", []),
        ("Wordle 12,34 4/6", []),
        ("Wordle 1,234 4/6\nBob:\nWordle 1,235 5/6", [("", 1234, 4), ("Bob:", 1235, 5)]),
    ],
)
def test_a_share_is_found_together_with_the_line_before_it(text, expected):
    assert [(found.before, found.game.number, found.game.guesses) for found in share_text.find(text)] == expected


@pytest.mark.parametrize(("before", "named"), [("Ann", None), ("@ann", None), ("★ ANN", None), ("Anna", "Anna")])
def test_a_share_below_one_s_own_name_is_one_s_own_however_it_is_written(before, named):
    copied = f"{before} — Today at 09:15\nWordle 1,234 4/6"
    for text in (f"{before}:\nWordle 1,234 4/6", copied):
        (found,) = share_text.find(text)
        assert found.named_player(frozenset(["Ann", "account"]), lambda name: True) == named


def test_a_grid_with_words_is_read_up_to_the_next_other_line():
    text = "Wordle 1,234 3/6*\n \n\n⬛🟨⬜⬛⬛ CRANE\n🟦🟧⬛⬛⬛ ||slate||\n🟩🟩🟩🟩🟩\nso lucky\n🟩🟩🟩🟩🟩"
    (found,) = share_text.find(text)
    before, share = found.before, found.game
    assert (before, share.hard, share.fault) == ("", True, "")
    assert share.rows == ((".i...", "crane"), ("ic...", "slate"), ("ccccc", ""))
    assert share.grid == ".i... crane\nic... slate\nccccc"
    folded = next(share_text.find("Wordle 1,234 3/6 ⬛⬛⬛⬛⬛\n⬛⬛⬛⬛⬛\n🟩🟩🟩🟩🟩\n\n🟩🟩🟩🟩🟩")).game
    assert (len(folded.rows), folded.fault) == (3, ""), "what stands below an empty line is something else"
    no_grid = next(share_text.find("Wordle 1,234 3/6\n\nno grid")).game
    assert (no_grid.rows, no_grid.grid, no_grid.fault, no_grid.hard) == ((), "", "", False)


@pytest.mark.parametrize(
    ("guesses", "rows", "fault"),
    [
        (1, ["ccccc"], ""),
        (6, [*["....."] * 5, "ccccc"], ""),
        (7, ["....."] * 6, ""),
        (7, ["....."] * 7, "its grid has 7 rows instead of 6"),
        (7, ["....."] * 5, "its grid has 5 rows instead of 6"),
        (2, ["ccccc"], "its grid has 1 row instead of 2"),
        (2, ["ccccc", "ccccc"], "its grid contradicts the number of guesses"),
        (2, [".....", "cccci"], "its grid contradicts the number of guesses"),
        (2, ["ccccc", "....."], "its grid contradicts the number of guesses"),
        (7, [*["....."] * 5, "ccccc"], "its grid contradicts the number of guesses"),
    ],
)
def test_a_grid_needs_one_row_per_guess_and_its_solution_in_the_last_row(guesses, rows, fault):
    shared = share_text.SharedGame(1567, guesses, False, tuple((row, "") for row in rows))
    (found,) = share_text.find(messages.share(shared))
    assert found.game.fault == fault


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Ann:", "Ann"),
        ("One Two Three Four:", "One Two Three Four"),
        ("One Two Three Four Five:", "One Two Three Four Five"),
        ("One Two Three Four Five Six Seven Eight:", "One Two Three Four Five Six Seven Eight"),
        ("One Two Three Four Five Six Seven Eight Nine:", None),
        ("Doris Day:", "Doris Day"),
        ("A Person:", "A Person"),
        ("Anna Maria de la Cruz:", "Anna Maria de la Cruz"),
        ("It was a hard one:", None),
        ("so to the day:", None),
        ("Finally:", None),
        ("Today:", "Today"),  # a single word is a name, whatever it means
        ("Today Ann:", None),
        ("ANN GOT:", None),
        (" Ann  Bee :", "Ann Bee"),
        (":", None),
        ("x" * MAX_NAME + ":", "x" * MAX_NAME),
        ("x" * (MAX_NAME + 1) + ":", None),
    ],
)
def test_a_line_with_a_colon_is_a_name_unless_it_looks_like_a_sentence(line, name):
    assert share_text.parse_name_line(line) == name


TODAY = datetime(2025, 10, 4, 7, tzinfo=UTC)  # the day of puzzle 1568


def test_a_file_of_shares_gives_results_of_named_players_and_lists_the_rest():
    text = "\n".join([
        "Ann:", "Wordle 1,560 3/6*", "Wordle 1,561 4/6", "Look at my score:", "Wordle 1,562 2/6",
        "Bob: Wordle 1,563 X/6", "Cy:", "Wordle 1,564 2/6", "🟩🟩🟩🟩🟩", "Dee:", "Wordle 9,999 4/6",
        "wordle 1565 4 / 6",
    ])  # fmt: skip
    for player, results_without_name in ((None, []), ("Eve", [("Eve", 1561, 4, False), ("Eve", 1562, 2, False)])):
        items = list(share_text.read(text, player, TODAY))
        results = [
            (item.person.key, item.number, item.guesses, item.hard)
            for post in items if isinstance(post, posts.ResultPost) for item in post.results
        ]  # fmt: skip
        assert results == [("Ann", 1560, 3, True), *results_without_name, ("Bob", 1563, 7, False)]
        unread = [(item.where, item.text, item.why) for item in items if isinstance(item, posts.UnreadPost)]
        no_player = "no player: use --player, or put a line like 'Name:' before it"
        assert unread == [
            *([("Wordle 1561", "", no_player)] if player is None else []),
            *([("Wordle 1562", "Look at my score:", no_player)] if player is None else []),
            ("Wordle 1564", "Cy: ccccc", "its grid has 1 row instead of 2"),
            ("Wordle 9999", "Dee: ", posts.TOO_LATE),
            ("a line", "wordle 1565 4 / 6", share_text.NOT_A_SHARE),
        ]


HEADER = "Here are yesterday's results:"


@pytest.mark.parametrize(
    ("text", "known_names", "scores", "unread"),
    [
        (f"{HEADER} 2/6: <@1> 3/6: <@2>", (), [(2, "1"), (3, "2")], ()),
        (f"{HEADER} 2/6: @Ann 3/6: @Bob", (), [(2, "Ann"), (3, "Bob")], ()),
        (f"{HEADER} 2/6: @Ann 3/6: @Bob", ("Ann 3/6: @Bob",), [(2, "Ann 3/6: @Bob")], ()),
        (f"{HEADER} 2/6: @Ann 3/6: x 4/6: @Bob", ("Ann 3/6: x",), [(2, "Ann 3/6: x"), (4, "Bob")], ()),
        (f"{HEADER} 2/6: @Ann", (), [(2, "Ann")], ()),
        (f"{HEADER} 3/6: @Ann 2/6: @Bob", (), [], (f"{HEADER} 3/6: @Ann 2/6: @Bob",)),
        (f"{HEADER} 2/6: @Ann 2/6: @Bob", (), [], (f"{HEADER} 2/6: @Ann 2/6: @Bob",)),
        (f"{HEADER} so: 2/6: <@1>", (), [(2, "1")], (f"{HEADER} so:",)),
        (f"{HEADER}\n2/6: <@1>\n3/6: <@2> 4/6: <@3>", (), [(2, "1")], ("3/6: <@2> 4/6: <@3>",)),
        ("2/6: <@1> 3/6: @Ann", (), [], ("2/6: <@1> 3/6: @Ann",)),
        ("2/6: @Ann 3/6: @Bob", (), [], ("2/6: @Ann 3/6: @Bob",)),
        ("2/6: @Ann x/6: @Bob", ("Ann x/6:",), [(2, "Ann x/6:"), (2, "Bob")], ()),
        ("nothing\n2/6: <@1>", (), [(2, "1")], ("nothing",)),
        ("2/6: <@1>x <@2>", (), [], ("2/6: <@1>x <@2>",)),
    ],
)
def test_scores_in_one_line_are_separated_unless_a_name_could_contain_them(text, known_names, scores, unread):
    summary = discord_message.parse(text, known_names)
    assert [(guesses, person.key) for guesses, people in summary.scores for person in people] == scores
    assert summary.unread == unread


def test_a_text_without_a_score_or_header_is_not_a_summary():
    assert discord_message.parse("") is discord_message.parse("\n \n") is discord_message.parse("hello\nyou") is None
    assert discord_message.parse(HEADER) == discord_message.AppSummary((), ())
    assert not discord_message.is_chatter("2/6: Ann is playing")
    assert not discord_message.is_chatter("Ann is playing\nBob is playing")
    assert discord_message.is_chatter(" Ann IS playing Wordle… ")
