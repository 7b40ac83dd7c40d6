"""The bot's web server accepts only requests signed by Discord, in time and once."""

import asyncio
import json
import time
from contextlib import suppress
from traceback import format_exception

import pytest

pytest.importorskip("hikari")
pytest.importorskip("nacl")

from nacl.signing import SigningKey

from tests.helpers.discord import TOKEN, Discord, post
from tests.helpers.league_bot import serving
from wordpl.apps.league.bot import server
from wordpl.apps.league.bot.server import WINDOW_S, Credentials, ReplayGuard
from wordpl.core.messages import UserError


@pytest.mark.slow
@pytest.mark.parametrize("body", [b"[]", b"{}", b"nonsense", b'{"type": 2}', b'{"type": "x"}', b"\xff", b"1"])
def test_a_malformed_signed_request_is_refused_without_a_traceback(body, tmp_path, caplog):
    async def scenario():
        discord = Discord()
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            timestamp = str(int(time.time()))
            signature = discord.key.sign(timestamp.encode() + body).signature.hex()
            headers = {"X-Signature-Ed25519": signature, "X-Signature-Timestamp": timestamp}
            caplog.clear()
            assert (await post(bot, body, headers))[0] == 400
            assert [record.exc_info for record in caplog.records if record.levelname != "DEBUG"] == [None]

    asyncio.run(scenario())


@pytest.mark.slow
def test_slow_connections_are_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "REQUEST_S", 0.5)

    async def scenario():
        discord = Discord()
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            port = int(bot.rstrip("/").rsplit(":", 1)[1])
            connections = [await asyncio.open_connection("127.0.0.1", port) for _ in range(50)]
            for _, writer in connections:
                writer.write(b"POST / HTTP/1.1\r\nContent-Length: 100\r\n")
            for reader, writer in connections:
                with suppress(ConnectionError):
                    assert await asyncio.wait_for(reader.read(), 30) == b""
                writer.close()

    asyncio.run(scenario())


@pytest.mark.long
def test_the_bot_answers_discord_while_others_flood_it(tmp_path):
    """A flood of slow, huge, forged and replayed requests, 30 of each at a time."""

    async def send(port, data):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(data)
            await writer.drain()
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()

    async def scenario():
        discord = Discord()
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            port = int(bot.rstrip("/").rsplit(":", 1)[1])
            status, _, seen = await discord.send(bot, {"type": 1, "id": "1"})
            assert status == 200
            head = b"POST / HTTP/1.1\r\nHost: bot\r\n"
            attacks = [
                head + b"Content-Length: 100\r\n\r\n{",
                head + b"Content-Length: 1099511627776\r\n\r\n" + b"x" * 100_000,
                head + b"Content-Length: 2000000\r\n\r\n" + b"x" * 2_000_000,
                head + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n" + b"x" * 1000,
                head + b"X: " + b"y" * 100_000,
                b"\x16\x03\x01" + bytes(5000),
            ]
            flood = [asyncio.create_task(send(port, attack)) for attack in attacks for _ in range(30)]
            forged = [discord.send(bot, {"type": 1, "id": str(n)}, key=SigningKey.generate()) for n in range(30)]
            flood += [asyncio.create_task(one) for one in [*forged, *(post(*seen) for _ in range(30))]]
            await asyncio.sleep(0.2)
            for number in range(5):
                assert (await discord.send(bot, {"type": 1, "id": f"own {number}"}))[0] == 200
            replies = await asyncio.wait_for(asyncio.gather(*flood), 60)
            statuses = {reply[9:12].decode() if isinstance(reply, bytes) else str(reply[0]) for reply in replies}
            assert statuses <= {"", "400", "401", "408", "413"}, statuses

    asyncio.run(scenario())


@pytest.mark.slow
def test_forged_repeated_and_old_requests_are_refused(tmp_path):
    async def scenario():
        discord = Discord()
        ping = {"type": 1, "id": "1"}
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            status, reply, request = await discord.send(bot, ping)
            assert (status, json.loads(reply)) == (200, {"type": 1})
            assert (await post(*request))[0] == 401
            uppercase_headers = request[2] | {"X-Signature-Ed25519": request[2]["X-Signature-Ed25519"].upper()}
            assert (await post(*request[:2], uppercase_headers))[0] == 401
            forged = ping | {"id": "2"}
            assert (await discord.send(bot, forged, key=SigningKey.generate()))[0] == 400
            assert (await discord.send(bot, forged))[0] == 200
            for moment in (time.time() - WINDOW_S - 5, time.time() + WINDOW_S + 60):
                assert (await discord.send(bot, ping | {"id": "3"}, timestamp=int(moment)))[0] == 401
            assert (await post(bot, b"{}", {}))[0] == 401

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_refused_token_ends_the_bot_and_is_not_shown(tmp_path):
    async def scenario():
        discord, wrong_token = Discord(), TOKEN[::-1]
        async with discord.listening():
            with pytest.raises(UserError, match="does not accept the bot's token") as raised:
                async with serving(discord, tmp_path / "store", wrong_token):
                    pass
            assert wrong_token not in "".join(format_exception(raised.value)) + repr(
                Credentials(wrong_token, wrong_token)
            )

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_request_is_accepted_once_and_forged_ones_are_not_remembered():
    now = 1_000_000
    guard = ReplayGuard(lambda: now)
    assert guard.accepts("1000000", b"a")
    assert not guard.accepts("1000000", b"a")
    assert not guard.accepts("999999", b"b"), "sent before the guard was started"
    assert guard.accepts("1000000", b"b")
    guard.forget("1000000", b"b")
    assert guard.accepts("1000000", b"b")
    now += WINDOW_S + 1
    assert not guard.accepts("1000000", b"a")
    assert not guard.accepts("\u0661", b"a")
