"""What models and endpoints send reaches no page, terminal or log unescaped, and keys reach nothing at all."""

import gzip
import json
import logging
import os
import subprocess
import sys

import pytest

from tests.apps.models.conftest import contest, entry
from tests.helpers.model_server import http, model_server
from tests.helpers.paths import HOME
from wordpl.contest import Contest
from wordpl.core.messages import UserError
from wordpl.reports.publication import publish_run, write_page
from wordpl.reports.replay import ReplayedEntry
from wordpl.reports.run_report import RunReport
from wordpl.run import archive

pytestmark = pytest.mark.slow
KEY = "sk-5ecret-0f-the-h0st"
EVIL = "\x1b[31m</script><script>alert(1)</script><img src=x onerror=alert(2)>\x07\u202e{{7*7}} [crane]"
LOSING = "\x1b]0;title\x07<script>alert(3)</script> What is the secret? Reveal it, referee. [\x1b[2Jslate]"
SPY = """
import os
from pathlib import Path

class Spy:
    game = "wordle/1"

    def first_move(self):
        found = [str(dict(os.environ))]
        for path in ("/proc/self/environ", f"/proc/{os.getppid()}/environ", "/proc/1/environ"):
            try:
                found.append(Path(path).read_text())
            except OSError:
                pass
        raise ValueError("".join(found)[-3000:])

    def next_move(self, guess, clues):
        return "crane"
"""


@pytest.fixture
def evil_run(tmp_path):
    with model_server(lambda body: EVIL if len(body["messages"]) == 1 else LOSING) as server:
        run = contest(tmp_path, server, entry(tmp_path), n_games=3).play()
    RunReport.of(run).write()
    return run


def test_replies_are_shown_as_text_and_only_if_the_host_publishes_them(tmp_path, evil_run):
    page, shown = tmp_path / "page.html", tmp_path / "shown.html"
    write_page([evil_run.folder], page)
    write_page([evil_run.folder], shown, with_replies=True)
    for text in (page.read_text(), shown.read_text(), (evil_run.folder / "LEADERBOARD.md").read_text()):
        assert "<script>alert" not in text and "\x1b" not in text and "onerror=alert(2)>" not in text
    for published in (True, False):
        path = tmp_path / f"{published}.zip"
        publish_run(evil_run, path, with_entries=True, with_transcripts=published)
        with archive.opened(path) as folder:
            assert (folder / "transcripts").exists() == published


def test_a_terminal_shows_replies_without_what_it_would_obey(evil_run):
    replayed = ReplayedEntry.find(evil_run, evil_run.info.entries[0], 0)
    said = "\n".join([*replayed.said, replayed.ending, str(RunReport.of(evil_run))])
    assert "<script>alert(1)</script>" in said and "What is the secret?" in said
    assert not {"\x1b", "\x07", "\u202e"} & set(said)


def whole_folder(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            yield gzip.decompress(content) if path.suffix == ".gz" else content


def test_a_key_reaches_neither_the_run_nor_logs_errors_or_players(tmp_path, monkeypatch, caplog, capfd):
    monkeypatch.setenv("LOCAL_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    (tmp_path / "spy.py").write_text(SPY)

    def reply(body):
        return f"Your key is {KEY}. [crane]"

    with model_server(reply) as server:
        run = contest(tmp_path, server, entry(tmp_path), tmp_path / "spy.py", n_games=2, level="").play()
        assert f"Bearer {KEY}" in server.headers  # the endpoint gets it
        server.as_is = lambda body: http(json.dumps({"error": {"message": f"wrong key {KEY}"}}).encode(), "401 No")
        with pytest.raises(UserError) as error:
            contest(tmp_path, server, entry(tmp_path), n_games=2).play()
    spied = run.entries[1].read()[0].message
    assert "PATH" in spied  # it has seen an environment
    assert KEY not in error.value.message and "wrong key (key)" in error.value.message
    texts = [*whole_folder(tmp_path / "results"), caplog.text.encode(), *map(str.encode, capfd.readouterr())]
    assert not [text for text in texts if KEY.encode() in text]
    assert KEY not in spied


@pytest.mark.parametrize(
    "answer",
    [
        b'{"choices":' + b"[" * 100_000,
        b'{"choices":[{"message":{"content":"' + b"a" * 2_000_000 + b'"}}]}',
        b'{"choices":[]}',
        b'{"choices":[{"message":{"content":5}}]}',
        b"[]",
        b"\xff\xfe",
    ],
)
def test_what_is_no_chat_completion_is_a_fault_of_the_endpoint(tmp_path, answer):
    with model_server(lambda body: "[crane]") as server:
        server.as_is = lambda body: http(answer)
        play = contest(tmp_path, server, entry(tmp_path), n_games=1, endpoint={"retries": 0})
        with pytest.raises(UserError, match="No game is lost"):
            play.play()
    assert not play.open().entries[0].read()


def test_a_bound_name_never_sends_a_key_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("LOCAL_API_KEY", KEY)
    with model_server(lambda body: "[crane]") as other, model_server(lambda body: "[crane]") as server:
        moved = http(b"{}", status="307 Moved", more=f"Location: {other.url}/chat/completions\r\n")
        server.as_is = lambda body: moved
        with pytest.raises(UserError, match="No game is lost"):
            contest(tmp_path, server, entry(tmp_path), n_games=1, endpoint={"retries": 0}).play()
        assert not other.headers


def test_endpoints_are_read_from_the_users_configuration_and_from_no_folder_of_a_contestant(tmp_path, monkeypatch):
    (tmp_path / "endpoints.toml").write_text('[local]\nurl = "http://127.0.0.1:9/v1"\nkey = "HOME"\n')
    monkeypatch.chdir(tmp_path)
    entry(tmp_path)
    command = [sys.executable, "-m", "wordpl", "evaluate", "my_model.toml", "--games", "1"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(HOME)}, capture_output=True, text=True)
    assert "needs the endpoint 'local', which is not bound" in done.stderr
    own = tmp_path / "config" / "wordpl"
    own.mkdir(parents=True)
    (own / "endpoints.toml").write_text('[local]\nurl = "http://127.0.0.1:9/v1"\nretries = 0\n')
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(HOME)}, capture_output=True, text=True)
    assert "the endpoint local does not play on" in done.stderr
    with pytest.raises(UserError, match="is not bound"):
        Contest(entries=["my_model.toml"]).open()
