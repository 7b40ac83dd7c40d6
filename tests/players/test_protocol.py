"""Whatever bytes a player sends, its game ends with a verdict, and nothing else happens."""

import json
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conftest import CONFIG
from wordpl import games
from wordpl.contest.referee import play
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.players.base import Player, PlayerError
from wordpl.players.process import MAX_REPLY_BYTES, parse_reply
from wordpl.run.records import Duration, encode

DRAWS = Draws.of("bytes")


class Pipe(Player):
    """Sends these parts, then hangs up; the referee takes as many for a reply as it needs."""

    def __init__(self, parts):
        self.parts = iter(parts)

    def prepare(self):
        return False

    def first_move(self, seed, limit_s):
        received = b""
        while b"\n" not in received and len(received) <= MAX_REPLY_BYTES:
            part = next(self.parts, b"")
            if not part:
                raise PlayerError(Verdict.CRASHED, "hung up")
            received += part
        return parse_reply(received, "move")

    def next_move(self, move):
        return self.first_move(0, 0)

    def duration(self, game):
        return Duration(game, None, 0.0)

    def close(self):
        pass


any_text = st.text(st.characters(exclude_categories=()), max_size=30)  # half letters (surrogates) among them
words = st.sampled_from(["crane", "abide", "CRANE", "", "cran\u00e9", "\ud800" * 5])
numbers = st.integers() | st.floats() | st.sampled_from([10**400, -(10**400), 2**64, -0.0, 1e308, 5e-324, True])
values = st.recursive(
    st.none() | numbers | any_text | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text | st.just("repr"), inner, max_size=3),
    max_leaves=8,
)
moves = values | st.tuples(words | values, numbers | values)
replies = st.one_of(
    st.fixed_dictionaries({"move": moves}),
    st.fixed_dictionaries({"fault": values | st.sampled_from(list(Verdict)), "message": values}),
    st.dictionaries(st.sampled_from(["move", "fault", "message", "ready", "new_game"]), moves),
    values,
)
lines = st.builds(lambda reply, ascii: json.dumps(reply, ensure_ascii=ascii), replies, st.booleans())
broken_lines = st.builds(
    lambda line, at, junk: line[: at % (len(line) + 1)] + junk + line[at % (len(line) + 1) :],
    lines.map(lambda line: line.encode(errors="surrogatepass")),
    st.integers(0, 300),
    st.binary(max_size=4) | st.sampled_from([b"\n", b"\r\n", b"1e999", b"9" * 4000, b"\xef\xbb\xbf", b"\0", b"["]),
)
chunks = st.lists(broken_lines.map(lambda line: line + b"\n") | broken_lines | st.binary(max_size=80), max_size=4)


@pytest.mark.slow
@settings(max_examples=5 * settings.default.max_examples)  # bytes are cheap to send
@given(chunks, st.lists(st.integers(1, 200), max_size=6), st.sampled_from(games.names()))
@example([b'{"fault":"out of memory"}\n'], [], "wordpl/1")
@example([b'{"move":["crane",9' + b"9" * 400 + b"]}\n"], [], "wordpl/1")
@example([b'{"move":{"repr":"\\ud800"}}\n'], [], "wordle/1")
@example([b'{"move":"crane"}\n', b'{"move":"crane"}\n'], [3], "wordle-hard/1")
def test_any_bytes_in_any_parts_end_in_a_verdict_and_a_record(lists, chunks, cuts, rules):
    stream, parts = b"".join(chunks), []
    for cut in cuts:
        parts.append(stream[:cut])
        stream = stream[cut:]
    parts += [stream[at : at + MAX_REPLY_BYTES + 1] for at in range(0, len(stream), MAX_REPLY_BYTES + 1)]
    record = play(games.make_game(rules, lists), Pipe(part for part in parts if part), 0, DRAWS, CONFIG)
    assert record.verdict in set(Verdict)
    line = encode(record)
    assert json.loads(line)["secret"] == record.secret
    assert len(line) < 5000 + 100 * len(record.moves)


@pytest.mark.parametrize(
    "template", ['{"move":%s}', '{"move":["crane",%s]}', '{"move":{"repr":%s}}', '{"fault":"x","message":%s}', "%s"]
)
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"":', "}")])
def test_deeply_nested_replies_end_in_a_verdict(lists, template, opening, closing):
    game = games.make_game("wordpl/1", lists)
    for depth in [*range(1, 100, 7), *range(100, 2040, 60), *range(980, 1000)]:  # the recursion limit is 1,000
        line = (template % (opening * depth + "0" + closing * depth)).encode() + b"\n"
        assert play(game, Pipe([line]), 0, DRAWS, CONFIG).verdict in {"illegal", "crashed"}


def test_an_endless_line_is_not_kept_in_memory():
    endless_line = (b"x" * 1000 for _ in iter(int, 1))
    tracemalloc.start()
    with pytest.raises(PlayerError, match="at most 4096 bytes"):
        Pipe(endless_line).first_move(0, 0)
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()


def test_a_reply_in_pieces_is_one_reply_and_two_replies_at_once_are_illegal(pool, write_entry, lists):
    source = """
        import os, time

        def say(text):
            for file in range(3, 30):
                try: os.write(file, text)
                except OSError: pass

        class Bot:
            def __init__(self, *pieces):
                self.pieces = pieces
            def first_move(self):
                for piece in self.pieces:
                    say(piece)
                    time.sleep(0.01)
                return "abide", 0
            def next_move(self, guess, epsilon, clues):
                return "abide", 0
    """
    game = games.make_game("wordpl/1", lists)
    for pieces, verdict in {
        "b' ', b'  ', b''": "wrong",
        "b'[0', b']', b'\\n '": "illegal",
        "b'1\\n2\\n'": "illegal",
    }.items():
        player = pool.player(write_entry(source, make=f"Bot({pieces})"), CONFIG)
        assert [play(game, player, number, DRAWS, CONFIG).verdict for number in (0, 1)] == [verdict] * 2, pieces
        player.close()
