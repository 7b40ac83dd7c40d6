"""Models play through a scripted server of the protocol, with faults, interrupted and resumed."""

import gzip
import json
import threading
from pathlib import Path

import pytest

from tests.apps.models.conftest import ENTRY, contest, entry, games, lines
from tests.helpers.model_server import FAULTS, by_strategy, completion, http, model_server
from wordpl.apps.models import transcripts
from wordpl.apps.models.endpoints import HOST
from wordpl.contest import Contest, Observer
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.reports.verification import check_games
from wordpl.run.folder import RunRecords

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def player():
    return by_strategy()


def words(*replies):
    """Return replies that follow one another in each game."""
    return lambda body: replies[min(len(body["messages"]) // 2, len(replies) - 1)]


def verified(run):
    return check_games(RunRecords(run), run.info.config.load_lists())[0]


def resumed(run):
    return Contest.resume(run.folder, jobs=1, level="D")


def test_a_model_plays_as_the_strategy_does_whatever_the_faults_and_the_number_in_flight(tmp_path, player):
    found = []
    for in_flight, share in ((1, 0.0), (64, 0.25)):
        HOST.in_flight = in_flight
        with model_server(player, fault_share=share) as server:
            run = contest(tmp_path, server, entry(tmp_path), "letter_frequency", n_games=30).play()
        assert games(run) == games(run, 1)
        findings = verified(run)
        assert findings.holds and "cannot be repeated" in " ".join(findings.notes)
        found.append(lines(run))
    assert found[0] == found[1]
    assert set(server.faults) > {*FAULTS[:3]}


class Stop(Observer):
    """Stops a run after some games."""

    def __init__(self, n):
        self.n = n

    def progress(self, progress):
        if progress.n_played >= self.n:
            raise KeyboardInterrupt


def test_a_resumed_run_asks_for_nothing_that_was_answered(tmp_path, player):
    with model_server(player) as server:
        whole = contest(tmp_path, server, entry(tmp_path)).play()
        n_requests = len(server.requests)
        del server.requests[:]
        play, run = contest(tmp_path, server, entry(tmp_path)), None
        with pytest.raises(KeyboardInterrupt):
            run = play.open()
            play.play(Stop(5))
        written = list(transcripts.read(run, run.info.entries[0]))
        assert len(run.entries[0].read()) < 20
        del server.requests[:]
        resumed(run).play()
        assert len(server.requests) == n_requests - len(written)
    assert lines(run) == lines(whole)
    assert run.info.played_again == {}


def test_an_endpoint_that_is_down_loses_no_game_and_the_run_goes_on_when_it_is_back(tmp_path, player):
    with model_server(player) as server:
        play = contest(tmp_path, server, entry(tmp_path), "letter_frequency", endpoint={"retries": 0})
        server.as_is = lambda body: http(b"{}", status="503 Down") if len(server.requests) > 30 else None
        with pytest.raises(UserError, match=r"does not play on: it answers 503.*No game is lost") as said:
            play.play()
        run = play.open()
        assert {record.verdict for record in run.entries[0].read()} <= {Verdict.WON, Verdict.UNSOLVED}
        assert len(run.entries[1].read()) == 20  # the others have played on
        server.as_is = lambda body: None
        run = resumed(run).play()
    assert "--resume" in said.value.message
    assert games(run) == games(run, 1)


def test_limits_on_tokens_and_cost_stop_a_run_that_can_go_on(tmp_path, player):
    prices = {"m": {"tokens_in": 1000.0, "tokens_out": 0.0}}
    with model_server(player) as server:
        for name, value in (("max_tokens", 3000), ("max_cost", 1.0)):
            HOST.max_tokens = HOST.max_cost = None
            setattr(HOST, name, value)
            HOST.in_flight = 2
            play = contest(tmp_path, server, entry(tmp_path), endpoint={"prices": prices})
            with pytest.raises(UserError, match="is reached"):
                play.play()
            n_before = len(server.requests)
            with pytest.raises(UserError, match="is reached"):
                resumed(play.open()).play()
            assert len(server.requests) == n_before  # what was used before counts, too
            setattr(HOST, name, None)
            assert len(resumed(play.open()).play().entries[0].read()) == 20
    HOST.max_cost = 1.0
    with model_server(player) as server, pytest.raises(UserError, match="needs the price"):
        contest(tmp_path, server, entry(tmp_path)).play()


def test_a_reply_without_a_legal_move_loses_the_game_and_says_why_unless_the_contest_asks_again(tmp_path):
    with model_server(words("Hm, hm.", "[zzzzz]", "[crane]", "[slate]")) as server:
        run = contest(tmp_path, server, entry(tmp_path), n_games=2).play()
        assert {record.message for record in run.entries[0].read()} == {"the reply has no marked word, such as [crane]"}
        HOST.second_asks = 1
        run = contest(tmp_path, server, entry(tmp_path), n_games=2).play()
        assert {record.message for record in run.entries[0].read()} == {"'zzzzz' is not a word of the guesses"}
        assert server.requests[-1]["messages"][-1]["content"].startswith("That is no legal move: the reply")
        HOST.second_asks = 2
        run = contest(tmp_path, server, entry(tmp_path), n_games=2).play()
    first = run.entries[0].read()[0]
    assert [one.requests for one in first.talk.moves][:2] == [3, 1] and first.moves[0].guess == "crane"
    assert verified(run).holds


def test_a_model_plays_noisy_games_by_tool_or_json(tmp_path):
    def reply(body):
        n = len(body["messages"]) // 2
        if "tools" not in body:
            return json.dumps({"guess": "crane", "epsilon": 9} if n < 2 else {"answer": "slate"})
        assert [one["role"] for one in body["messages"]][1:] == ["assistant", "tool"] * n
        return ""

    def call(body):
        if "tools" not in body:
            return None
        arguments = {"guess": "crane", "epsilon": 9} if len(body["messages"]) < 5 else {"guess": "slate", "epsilon": 0}
        made = {"id": "1", "type": "function", "function": {"name": "guess", "arguments": json.dumps(arguments)}}
        server.reply(body)
        return http(completion(None, tool_calls=[made], finish="tool_calls"))

    with model_server(reply) as server:
        server.as_is = call
        entries = [entry(tmp_path, f'reply = "{form}"\n', "wordpl/1", form) for form in ("json", "tool")]
        run = contest(tmp_path, server, *entries, n_games=3).play()
    for played in run.entries:
        assert {tuple(move.proposal for move in record.moves) for record in played.read()} == {
            (("crane", 9), ("crane", 9), ("slate", 0))
        }
    assert verified(run).holds


def test_the_clock_of_a_model_is_the_wall_time_of_its_replies(tmp_path):
    HOST.game_s = 0.5
    with model_server(words("[crane]"), delay_s=0.2) as server:
        run = contest(tmp_path, server, entry(tmp_path), n_games=2).play()
    assert [(record.verdict, record.message) for record in run.entries[0].read()] == [
        (Verdict.LATE, "its replies took more than 0.5 s")
    ] * 2
    assert all(0.5 < duration.wall_s < 5 and duration.cpu_s is None for duration in run.entries[0].durations())
    assert verified(run).holds


def test_a_request_that_is_longer_than_the_model_reads_loses_the_game(tmp_path):
    error = http(b'{"error":{"message":"maximum context length is 10"}}', status="400 Bad Request")
    with model_server(words("[crane]")) as server:
        server.as_is = lambda body: error if len(body["messages"]) > 1 else None
        run = contest(tmp_path, server, entry(tmp_path), n_games=1).play()
    assert run.entries[0].read()[0].verdict == Verdict.ILLEGAL


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda text: text.replace(b"[ALOUD]", b"[CRANE]").replace(b"LATER", b"CRANE"), "its transcript"),
        (lambda text: text.replace(b'"tokens_in":', b'"tokens_in":9'), "the digest of its transcript"),
        (lambda text: b"\n".join(text.split(b"\n")[1:]), "its transcript"),
        (lambda text: text.replace(b"Make your first", b"The secret is crane. Make your first"), "its transcript"),
    ],
)
def test_verify_names_what_does_not_follow_from_the_transcripts(tmp_path, player, change, what):
    with model_server(player) as server:
        run = contest(tmp_path, server, entry(tmp_path), n_games=2).play()
    path = transcripts.compressed_path(transcripts.path_of(run, run.info.entries[0]))
    path.write_bytes(gzip.compress(change(gzip.decompress(path.read_bytes()))))
    assert what in {difference.what for difference in verified(run).differences}


def test_no_app_thread_is_left_behind(tmp_path, player):
    with model_server(player) as server:
        contest(tmp_path, server, entry(tmp_path), n_games=1).play()
        assert "models" not in {thread.name for thread in threading.enumerate()}


def test_an_unbound_endpoint_and_an_invalid_entry_are_named_before_a_run_begins(tmp_path):
    entry(tmp_path)
    with pytest.raises(UserError, match="needs the endpoint 'local', which is not bound"):
        Contest(entries=[str(tmp_path / "my_model.toml")]).open()
    for more, said in {
        "max_tokens = 0": "max_tokens is 1 to",
        'reply = "xml"': "Invalid enum value 'xml'",
        'url = "http://x"': "unknown field",
        'prompt = "p.txt"': "owns itself alone",
        "[other]\na = 1": "one command or one table",
    }.items():
        with pytest.raises(UserError, match=said):
            Contest(entries=[str(entry(tmp_path, more))]).entries  # noqa: B018
    folder = tmp_path / "own"
    folder.mkdir()
    for prompt, said in (("../key", "prompt"), ("none.txt", "cannot read the prompt")):
        (folder / "bot.toml").write_text(ENTRY.format(game="wordle/1") + f'prompt = "{prompt}"\n')
        with pytest.raises(UserError, match=said):
            Contest(entries=[str(folder)]).entries  # noqa: B018


def test_a_prompt_of_the_entry_is_the_first_message(tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "bot.toml").write_text('game = "wordle/1"\n[model]\nendpoint = "local"\nmodel = "m"\nprompt = "p.txt"\n')
    (folder / "p.txt").write_text("Play well.")
    with model_server(words("[crane]")) as server:
        run = contest(tmp_path, server, folder, n_games=1).play()
    assert server.requests[0]["messages"][0]["content"].startswith("Play well.\n\n")
    assert verified(run).holds
    assert Path(run.folder / "transcripts").stat().st_mode & 0o077 == 0
