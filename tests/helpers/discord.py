"""A Discord for tests: a REST API on loopback, and requests signed as Discord signs its own."""

import asyncio
import json
import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from aiohttp import ClientSession, web
from nacl.signing import SigningKey

from tests.helpers.discord_gateway import Gateway
from tests.helpers.discord_payloads import APPLICATION, READABLE, interaction, member, message, snowflake, user

TOKEN = "MTA.a-token-that-nobody-should-see"
CONTENT_AND_MEMBERS = 1 << 19 | 1 << 15
"""Flags of an app to which the developer portal grants the intents for messages' text and for members."""


class Discord:
    """What Discord knows and has been told.

    messages: by channel; refusals: (status, body, headers), each used once. flags: the app's; without any it has no
    gateway. guild_of: the server of each channel, for the gateway's events.
    """

    def __init__(self, flags=0):
        self.key = SigningKey.generate()
        self.permissions, self.answer_s = READABLE, 60  # what the bot may do in channels; how long an answer may take
        self.messages, self.files = {}, {}
        self.commands, self.answers, self.asked, self.refusals = [], {}, [], []
        self.forbidden, self.members, self.posted = set(), {}, []
        self.is_down = False
        self.flags, self.guild_of = flags, {}
        me = user(APPLICATION, "League", bot=True) | {"mfa_enabled": True, "flags": 0}
        self.gateway = Gateway(me, TOKEN)
        self._changed = asyncio.Condition()

    @property
    def public_key(self):
        return self.key.verify_key.encode().hex()

    @asynccontextmanager
    async def listening(self):
        """Give the URL of the REST API while it is there."""
        application = web.Application()
        application.add_routes(
            [
                web.get("/oauth2/applications/@me", self._application),
                web.put("/applications/{id}/commands", self._commands),
                web.get("/channels/{id}/messages", self._messages),
                web.get("/channels/{id}/messages/{message}", self._message),
                web.patch("/webhooks/{id}/{token}/messages/@original", self._answer),
                web.get("/files/{name}", self._file),
                web.get("/users/@me", self._me),
                web.get("/clock", self._clock),
                web.get("/guilds/{id}/members", self._members),
                web.post("/channels/{id}/messages", self._post),
                *self.gateway.routes(),
            ]
        )
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self.url
        finally:
            await runner.cleanup()

    async def _clock(self, request):
        return web.Response(text=self.now().isoformat())

    async def _me(self, request):
        return web.json_response(user(APPLICATION, "League", bot=True) | {"mfa_enabled": True, "flags": 0})

    async def _members(self, request):
        guild = request.match_info["id"]
        if guild not in self.members:
            return web.json_response({"code": 50001, "message": "Missing Access"}, status=403)
        after = int(request.query.get("after", 0))
        found = [member(one, nickname) for one, nickname in self.members[guild] if int(one["id"]) > after]
        return web.json_response(found[: int(request.query.get("limit", 1))])

    async def _post(self, request):
        """Take a message of the bot's; a fault, if there is one, comes before or after it was taken."""
        if self.is_down or self.refusals:
            status, body, headers = self.refusals.pop(0) if self.refusals else (503, {"message": "down"}, {})
            return web.json_response(body, status=status, headers=headers)
        if request.content_type == "application/json":
            said = await request.json()
        else:
            said = json.loads((await request.post())["payload_json"])
        channel = request.match_info["id"]
        now = self.now()
        sent = message(snowflake(now, len(self.posted)), channel, user(APPLICATION, "League", bot=True), "", now)
        sent["content"] = said["content"]
        self.messages.setdefault(channel, []).append(sent)
        self.posted.append(sent)
        return web.json_response(sent)

    def now(self):
        return datetime.now(UTC)

    async def _application(self, request):
        if request.headers["Authorization"] != f"Bot {TOKEN}":
            return web.json_response({"code": 0, "message": "401: Unauthorized"}, status=401)
        named = {
            "id": APPLICATION,
            "name": "League",
            "description": "",
            "verify_key": self.public_key,
            "flags": self.flags,
        }
        return web.json_response(
            named
            | {
                "bot_public": True,
                "bot_require_code_grant": False,
                "owner": user("1", "owner"),
                "approximate_guild_count": 2,
                "approximate_user_install_count": 0,
            }
        )

    async def _commands(self, request):
        self.commands = await request.json()
        kept = [
            {
                "id": str(at),
                "application_id": APPLICATION,
                "guild_id": None,
                "version": "1",
                "default_member_permissions": None,
            }
            | command
            for at, command in enumerate(self.commands, 1)
        ]
        return web.json_response(kept)

    async def _messages(self, request):
        if self.is_down:
            return web.json_response({"message": "down"}, status=503)
        self.asked.append((time.monotonic(), dict(request.query)))
        if self.refusals:
            status, body, headers = self.refusals.pop(0)
            return web.json_response(body, status=status, headers=headers)
        channel = request.match_info["id"]
        if channel in self.forbidden:
            return web.json_response({"code": 50001, "message": "Missing Access"}, status=403)
        found = sorted(self.messages.get(channel, []), key=lambda one: int(one["id"]))
        limit = int(request.query.get("limit", 50))
        if "after" in request.query:
            page = [one for one in found if int(one["id"]) > int(request.query["after"])][:limit]
        else:
            page = [one for one in found if int(one["id"]) < int(request.query.get("before", 1 << 63))][-limit:]
        return web.json_response(page[::-1])

    async def _message(self, request):
        if self.is_down:
            return web.json_response({"message": "down"}, status=503)
        found = self.messages.get(request.match_info["id"], [])
        wanted = [one for one in found if one["id"] == request.match_info["message"]]
        if wanted:
            return web.json_response(wanted[0])
        return web.json_response({"code": 10008, "message": "Unknown Message"}, status=404)

    async def write(self, channel, said):
        """Have a message written, and the gateway tell of it."""
        self.messages.setdefault(channel, []).append(said)
        author = {"roles": [], "joined_at": "2024-01-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0}
        await self.gateway.emit("MESSAGE_CREATE", **said, guild_id=self.guild_of[channel], member=author)

    async def edit(self, channel, said, content, edited):
        """Have a message edited; the event tells only what has changed, as it may."""
        said |= {"content": content, "edited_timestamp": edited.isoformat()}
        named = {"id": said["id"], "channel_id": channel, "guild_id": self.guild_of[channel]}
        await self.gateway.emit("MESSAGE_UPDATE", **named, embeds=said["embeds"])

    async def delete(self, channel, *gone):
        """Have messages deleted, several at once as moderators do."""
        for one in gone:
            self.messages[channel].remove(one)
        named = {"channel_id": channel, "guild_id": self.guild_of[channel]}
        if len(gone) == 1:
            await self.gateway.emit("MESSAGE_DELETE", **named, id=gone[0]["id"])
        else:
            await self.gateway.emit("MESSAGE_DELETE_BULK", **named, ids=[one["id"] for one in gone])

    async def rename(self, guild, who, nickname):
        """Give a member a nickname, or a new member one."""
        known = {one["id"] for one, _ in self.members[guild]}
        self.members[guild] = [pair for pair in self.members[guild] if pair[0]["id"] != who["id"]] + [(who, nickname)]
        name = "GUILD_MEMBER_UPDATE" if who["id"] in known else "GUILD_MEMBER_ADD"
        await self.gateway.emit(name, **member(who, nickname), guild_id=guild)

    async def _answer(self, request):
        if request.content_type == "application/json":
            said, files = await request.json(), []
        else:
            parts = await request.post()
            said = json.loads(parts["payload_json"])
            files = [part.file.read() for name, part in parts.items() if name != "payload_json"]
        async with self._changed:
            self.answers.setdefault(request.match_info["token"], []).append((said, files))
            self._changed.notify_all()
        sent = message("1", "1", user(APPLICATION, "League", bot=True), said.get("content"), datetime.now(UTC))
        return web.json_response(sent)

    async def _file(self, request):
        return web.Response(body=self.files[request.match_info["name"]], content_type="image/png")

    async def send(self, url, body, timestamp=None, key=None):
        """Send a request to the bot, signed; return (status, headers, what to send to send it once more)."""
        body = json.dumps(body).encode()
        timestamp = str(int(time.time()) if timestamp is None else timestamp)
        signature = (key or self.key).sign(timestamp.encode() + body).signature.hex()
        headers = {"X-Signature-Ed25519": signature, "X-Signature-Timestamp": timestamp}
        return *await post(url, body, headers), (url, body, headers)

    async def press(self, url, custom_id, guild, channel, token):
        """Have somebody press a button, and return what the bot says then, and whether all see it."""
        body = interaction("", guild, channel, token)
        body |= {"type": 3, "data": {"custom_id": custom_id, "component_type": 2}}
        body["message"] = message("5", channel, user(APPLICATION, "League", bot=True), "", datetime.now(UTC))
        status, reply, _ = await self.send(url, body)
        assert status == 200, reply
        reply = json.loads(reply)
        said, _ = await self._answered(token)
        return said["content"], reply["type"] == 5 and not reply.get("data", {}).get("flags")

    async def _answered(self, token):
        async with asyncio.timeout(self.answer_s), self._changed:
            await self._changed.wait_for(lambda: any(is_final(said) for said, _ in self.answers.get(token, [])))
        return self.answers[token][-1]

    def buttons(self, token):
        """Return what the buttons under the last answer carry, by label."""
        rows = self.answers[token][-1][0].get("components") or []
        return {one["label"]: one["custom_id"] for row in rows for one in row["components"]}

    async def command(self, url, command, guild, channel, token, **options):
        """Have somebody use a command, and return the bot's last answer: (text, files); the asker alone sees it."""
        body = interaction(command, guild, channel, token, self.permissions, options)
        status, reply, _ = await self.send(url, body)
        assert (status, json.loads(reply)) == (200, {"type": 5, "data": {"flags": 64}}), reply
        said, files = await self._answered(token)
        return said["content"], files


def is_final(said):
    return not said["content"].endswith("Still reading …")


async def post(url, body, headers):
    async with (
        ClientSession() as session,
        session.post(url, data=body, headers=headers | {"Content-Type": "application/json"}) as response,
    ):
        return response.status, await response.read()
