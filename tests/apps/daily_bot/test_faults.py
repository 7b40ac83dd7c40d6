"""Faults of pages and targets: each has its own sentence with the next step, and no post is claimed or repeated."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.browsing import answering, as_json
from tests.helpers.cases import one_quick_of
from wordpl.core.messages import UserError

pytest.importorskip("playwright", reason='needs pip install "wordpl[browser]"')
from wordpl.apps.daily_bot import ShareError, UnclearError
from wordpl.apps.daily_bot.daily import Archive, Outbox, OutboxPost, PostState
from wordpl.apps.daily_bot.targets import ShareMessage, mastodon, target_of

KEY, SECRET = "nyt-wordle-1-2026-11-22", "s3cr3t-t0ken"
TEXT = "Wordle 1,983 2/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩"
PAGE = (200, "text/html", b"<html>Log in</html>")
JSON = "application/json"
SENT = (200, JSON, as_json({"id": "7"}))
PENDING, WORKING = (202, JSON, as_json({"id": "9"})), (206, JSON, as_json({"id": "9"}))
BROKEN = (0, "", b"")


def failed(status: int, **body: Any) -> tuple[int, str, bytes]:
    return status, JSON, as_json(body)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "grid.png"
    path.write_bytes(b"\x89PNG picture")
    return path


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mastodon, "POLLS_S", (0.0,) * 3)


class Server:
    """A target that gives these replies, one after the other, and remembers what it was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *replies: tuple[int, str, bytes]):
        self._monkeypatch, self._replies = monkeypatch, iter(replies)
        self.paths: list[str] = []
        self.bodies: list[bytes] = []

    def __enter__(self) -> "Server":
        self._serving = answering(self._reply)
        address = self._serving.__enter__()
        self._monkeypatch.setenv("WORDPL_DISCORD_WEBHOOK", f"{address}/api/webhooks/1/{SECRET}")
        self._monkeypatch.setenv("WORDPL_MASTODON_SERVER", address)
        self._monkeypatch.setenv("WORDPL_MASTODON_TOKEN", SECRET)
        self._monkeypatch.setenv("WORDPL_WEBHOOK_URL", f"{address}/{SECRET}")
        return self

    def __exit__(self, *reason: Any) -> None:
        self._serving.__exit__(*reason)

    def _reply(self, request: Any, body: bytes) -> tuple[int, str, bytes]:
        self.paths.append(request.path.partition("?")[0])
        self.bodies.append(body)
        return next(self._replies)


def post(folder: Path, target: str, message: ShareMessage, resend: bool = False) -> PostState:
    to = target_of(target)
    draft = OutboxPost(to.identity, message.key, PostState.SENDING, message.text)
    return Outbox(folder).post_once(draft, lambda: to.send(message), resend)


FAULTS = {  # target, whether there is a picture, the replies, whether it is unclear, what is said
    "discord login page": ("discord", False, [PAGE], True, "a page for people instead of JSON"),
    "discord text": ("discord", False, [(200, JSON, b"fine")], True, "something else than JSON"),
    "discord no id": ("discord", False, [failed(200, ok=True)], True, "without the id of the post"),
    "discord list": ("discord", False, [(200, JSON, b"[]")], True, "without the id of the post"),
    "discord gone": ("discord", False, [failed(404, message="Unknown Webhook")], False,
                     r"404 \(Unknown Webhook\): make a new webhook"),
    "discord too large": ("discord", True, [failed(413)], False, "413: leave the picture out with --no-picture"),
    "discord rate": ("discord", False, [failed(429, message="slow down")], False, r"\(slow down\): run again later"),
    "discord failed": ("discord", False, [failed(502)], True, "failed with 502: the post may have arrived, so look"),
    "discord broken": ("discord", False, [BROKEN], True, r"no response from .* may have arrived"),
    "discord moved": ("discord", False, [failed(301)], False, "the address has moved"),
    "webhook login page": ("webhook", False, [PAGE], True, "a page for people .* check the address"),
    "webhook token": ("webhook", False, [failed(401)], False, "401: check WORDPL_WEBHOOK_TOKEN"),
    "mastodon token": ("mastodon", False, [failed(401, error="The access token is invalid")], False,
                       r"\(The access token is invalid\): make a new access token"),
    "mastodon scope": ("mastodon", False, [failed(403)], False, "give the access token the scopes"),
    "mastodon page": ("mastodon", False, [PAGE], True, "a page for people instead of JSON"),
    "mastodon text": ("mastodon", False, [failed(422, error="Text is too long")], False, r"\(Text is too long\): look"),
    "upload page": ("mastodon", True, [PAGE], False, "was not uploaded, .*: .* page for people"),
    "upload failed": ("mastodon", True, [failed(500)], False, "was not uploaded, so nothing was posted: .* 500"),
    "upload broken": ("mastodon", True, [BROKEN], False, "was not uploaded, so nothing was posted: no resp"),
    "upload too large": ("mastodon", True, [failed(413)], False, "was not uploaded.*--no-picture"),
    "upload endless": ("mastodon", True, [PENDING, *[WORKING] * 3], False, "has not processed the picture"),
    "upload lost": ("mastodon", True, [PENDING, failed(404)], False, "was not uploaded, so nothing was posted"),
}  # fmt: skip


@pytest.mark.parametrize("fault", one_quick_of(3, FAULTS))
def test_each_fault_of_a_target_is_named_and_nothing_is_sent_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, picture: Path, fault: str
) -> None:
    target, has_picture, replies, is_unclear, said = FAULTS[fault]
    message = ShareMessage(TEXT, KEY, picture if has_picture else None)
    retried = [SENT, SENT] if target == "mastodon" and has_picture else [SENT]
    with Server(monkeypatch, *replies, *retried) as server:
        with pytest.raises(ShareError, match=said) as error:
            post(tmp_path, target, message)
        assert isinstance(error.value, UnclearError) == is_unclear
        assert SECRET not in error.value.message
        n_asked = len(server.paths)
        if is_unclear:  # nobody knows whether it has arrived, so it is not sent again unasked
            with pytest.raises(UnclearError, match="--resend"):
                post(tmp_path, target, message)
            assert len(server.paths) == n_asked
        assert post(tmp_path, target, message, resend=is_unclear) == PostState.SENT
        n_asked = len(server.paths)
        assert post(tmp_path, target, message) == PostState.SENT
        assert len(server.paths) == n_asked
    kept = "".join(path.read_text() for path in (tmp_path / "outbox").iterdir())
    assert SECRET not in kept
    assert json.loads(kept)["id"] == (KEY if target == "webhook" else "7")


def test_a_picture_that_is_still_processed_is_asked_for_until_it_is_ready(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, picture: Path
) -> None:
    with Server(monkeypatch, PENDING, WORKING, failed(200, id="9"), SENT) as server:
        assert post(tmp_path, "mastodon", ShareMessage(TEXT, KEY, picture)) == PostState.SENT
    assert server.paths == ["/api/v2/media", "/api/v1/media/9", "/api/v1/media/9", "/api/v1/statuses"]
    assert b"media_ids%5B%5D=9" in server.bodies[-1]


def test_spoilers_are_hidden_as_each_target_can(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    message = ShareMessage(TEXT, KEY, None, ("crane", "hound"), "https://example.org/grid.png")
    with Server(monkeypatch, SENT, SENT, SENT) as server:
        for target in ("discord", "mastodon", "webhook"):
            post(tmp_path, target, message)
    text = json.loads(server.bodies[0])["content"]
    assert text.splitlines()[2:4] == ["⬛🟨⬛⬛⬛ ||crane||", "🟩🟩🟩🟩🟩 ||hound||"]
    assert text.endswith("<https://example.org/grid.png>")
    from urllib.parse import parse_qs

    form = {name: value[0] for name, value in parse_qs(server.bodies[1].decode()).items()}
    assert (form["spoiler_text"], form["sensitive"]) == ("Wordle 1,983 2/6", "true")
    assert "hound" in form["status"]
    assert json.loads(server.bodies[2]) == {"text": TEXT, "key": KEY, "words": ["crane", "hound"]}


def test_results_shared_into_shared_txt_stop_no_entry_of_that_folder(tmp_path: Path) -> None:
    from wordpl.run.bundle import entries_in, shared_modules

    (tmp_path / "bot.py").write_text("class Bot: pass\n")
    target_of(f"file:{tmp_path / 'shared.txt'}").send(ShareMessage(TEXT, KEY))
    assert [path.name for path in entries_in(tmp_path)] == ["bot.py"]
    assert shared_modules(tmp_path) == {}
    (tmp_path / "utils.py").write_text("")
    (tmp_path / "shared.txt").write_text("utils.py\n")
    with pytest.raises(UserError, match="choose another name, as file:results"):
        target_of(f"file:{tmp_path / 'shared.txt'}")


def test_each_game_of_a_day_has_its_record_and_its_key(tmp_path: Path) -> None:
    from datetime import date

    from wordpl.apps.daily_bot.page_game import PageGame, Result
    from wordpl.core.moves import ClassicMove, Verdict

    archive, kept = Archive(tmp_path), []
    for word in ("crane", "hound", "crane", "joker"):
        moves = (ClassicMove("salet", "....."), ClassicMove(word, "ccccc"))
        game = PageGame("sverdle", "wordle/1", moves, Verdict.WON, 0, (), "")
        result = archive.numbered(Result(game, "tree", date(2026, 11, 22)))
        kept.append((result.key, archive.keep(result), archive.picture_file(result).name))
    key = "sverdle-wordle-1-2026-11-22"
    assert [name for name, _, _ in kept] == [key, f"{key}-2", key, f"{key}-3"]
    assert [is_new for _, is_new, _ in kept] == [True, True, False, True]
    assert len({picture for _, _, picture in kept}) == 3


OWN = """
from wordpl.apps.daily_bot.adapters import Adapter, PageShape
class Mine(Adapter):
    name = "mine"
    about = "A page of my own."
    shape = PageShape(row=".row", tile=".tile", marks=((".c", "c"), (".i", "i"), (".n", ".")))
"""


def test_an_own_adapter_is_named_as_file_and_class(tmp_path: Path) -> None:
    from wordpl.apps.daily_bot.adapters import adapter_class

    file = tmp_path / "mine.py"
    file.write_text(OWN)
    assert adapter_class(f"{file}:Mine").name == "mine"
    for text, said in {
        str(file): r"has no adapter called ''.*Its adapters: .*mine\.py:Mine",
        f"{file}:Yours": "has no adapter called 'Yours'",
        f"{tmp_path / 'none.py'}:Mine": "cannot read the adapter",
        "nyz": "Did you mean 'nyt'",
    }.items():
        with pytest.raises(UserError, match=said):
            adapter_class(text)


@pytest.fixture
def rows() -> list[Any]:
    return []


@pytest.fixture
def adapter(rows: list[Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from wordpl.apps.daily_bot.adapters import sverdle

    adapter = sverdle.Sverdle(None)
    monkeypatch.setattr(adapter, "_script", lambda name: rows)
    yield adapter


@pytest.mark.parametrize(
    ("game_id", "row", "said"),
    [
        ("wordle/1", ["cran", list("ccccc"), ""], "'cran' in 5 tiles: the page of sverdle may have changed"),
        ("wordle/1", ["cr1ne", list("ccccc"), ""], "'cr1ne' in 5 tiles"),
        ("wordpl/1", ["crane", list("ccccc"), ""], "the row 'crane' of the page has the epsilon ''"),
        ("wordpl/1", ["crane", list("ccccc"), "much"], "has the epsilon 'much'"),
        ("wordle/1", ["cranes", list("cccccc"), ""], "words of different lengths"),
    ],
)
def test_rows_that_no_game_has_are_a_fault_of_the_page(
    adapter: Any, rows: list[Any], game_id: str, row: list[Any], said: str
) -> None:
    from wordpl.apps.daily_bot import PageError

    adapter.game_id = game_id
    rows += [["slate", list("....."), "8"], row]
    with pytest.raises(PageError, match=said):
        adapter.moves()


@pytest.mark.slow
def test_an_entry_whose_words_do_not_fit_the_page_says_which_lists_help(lists: Any) -> None:
    from wordpl.apps.daily_bot import NoGuessError
    from wordpl.apps.daily_bot.guessers import EntryGuesser
    from wordpl.core.clues import counted
    from wordpl.core.moves import ClassicMove

    guesser, moves = EntryGuesser("LetterFrequency", lists, "1"), []
    try:
        for word in ("aahed", "grith", "zoppo"):  # an answer that is none of 2021
            moves.append(ClassicMove(word, counted(word, "atimy")))
        with pytest.raises(NoGuessError, match=r"none of the 2,315 answers fits .*--answers answers-predicted"):
            for _ in range(6):
                (word,) = guesser.proposal("wordle/1", moves, ())
                moves.append(ClassicMove(word, counted(word, "atimy")))
    finally:
        guesser.close()
