"""A Discord for tests: a REST API on loopback, and requests signed as Discord signs its own."""

import asyncio
import json
import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from aiohttp import ClientSession, web
from nacl.signing import SigningKey

from tests.helpers.discord_gateway import Gateway

TOKEN = "MTA.a-token-that-nobody-should-see"
CONTENT_AND_MEMBERS = 1 << 19 | 1 << 15
"""Flags of an app to which the developer portal grants the intents for messages' text and for members."""
APPLICATION = "600000000000000001"
READABLE = str(1 << 10 | 1 << 16)  # View Channel, Read Message History
MANAGER = str(1 << 5)
EPOCH_MS = 1420070400000


def snowflake(moment, n=0):
    return str(((int(moment.timestamp() * 1000) - EPOCH_MS) << 22) + n)


def user(id, name, display_name=None, bot=False):
    return {"id": id, "username": name, "discriminator": "0", "avatar": None, "global_name": display_name, "bot": bot}


def message(id, channel, author, content, posted, **more):
    defaults = {
        "attachments": [],
        "embeds": [],
        "edited_timestamp": None,
        "tts": False,
        "pinned": False,
        "type": 0,
        "flags": 0,
    }
    fields = {"id": id, "channel_id": channel, "author": author, "content": content, "timestamp": posted.isoformat()}
    return defaults | fields | {"mentions": [], "mention_roles": [], "mention_everyone": False} | more


def member(account, nickname):
    return {"user": account, "nick": nickname, "roles": [], "joined_at": "2024-01-01T00:00:00+00:00"} | {
        "deaf": False,
        "mute": False,
        "flags": 0,
    }


PLAYER_ONE = user("11", "player_one", "Player One")


def interaction(name, guild, channel, token, permissions=READABLE, options=(), author=PLAYER_ONE):
    types = {bool: 5, int: 4, float: 10, str: 3, tuple: 6}
    arguments = [
        {"name": key, "type": types[type(value)], "value": value[0] if isinstance(value, tuple) else value}
        for key, value in dict(options).items()
    ]
    data = {"id": "1", "name": name, "type": 1, "options": arguments}
    member = {"user": author, "roles": [], "joined_at": "2024-01-01T00:00:00+00:00"}
    context = {"guild_id": guild, "member": member | {"permissions": MANAGER}, "guild_locale": "en-US", "context": 0}
    if guild is None:
        context = {"user": member["user"], "context": 1}
    return context | {
        "id": snowflake(datetime.now(UTC), len(token)),
        "application_id": APPLICATION,
        "type": 2,
        "token": token,
        "version": 1,
        "locale": "en-US",
        "channel": {"id": channel, "type": 0, "name": "wordle", "permissions": "0"},
        "data": data,
        "app_permissions": permissions,
        "authorizing_integration_owners": {},
        "entitlements": [],
        "attachment_size_limit": 1 << 20,
    }


class Discord:
    """The state of a fake Discord and the requests it got.

    messages: by channel; refusals: (status, body, headers), each used once. flags: the app's; without any it has no
    gateway. guild_of: the server of each channel, for the gateway's events.
    """

    def __init__(self, flags=0):
        self.key = SigningKey.generate()
        self.permissions, self.answer_s = READABLE, 60  # the bot's permissions in channels; the time limit of an answer
        self.messages, self.files = {}, {}
        self.commands, self.answers, self.asked, self.refusals = [], {}, [], []
        self.forbidden, self.members, self.posted = set(), {}, []
        self.reactions, self.responses = {}, {}  # emojis by message; first responses by token
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
        """Yield the URL of the REST API while it runs."""
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
                web.put("/channels/{id}/messages/{message}/reactions/{emoji}/@me", self._react),
                web.delete("/channels/{id}/messages/{message}/reactions/{emoji}/@me", self._react),
                web.post("/interactions/{id}/{token}/callback", self._respond),
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
        members = [member(account, nickname) for account, nickname in self.members[guild] if int(account["id"]) > after]
        return web.json_response(members[: int(request.query.get("limit", 1))])

    async def _post(self, request):
        """Accept a message from the bot, or refuse it if the API is down or a refusal is set."""
        if self.is_down or self.refusals:
            status, body, headers = self.refusals.pop(0) if self.refusals else (503, {"message": "down"}, {})
            return web.json_response(body, status=status, headers=headers)
        if request.content_type == "application/json":
            payload = await request.json()
        else:
            payload = json.loads((await request.post())["payload_json"])
        channel = request.match_info["id"]
        now = self.now()
        sent = message(snowflake(now, len(self.posted)), channel, user(APPLICATION, "League", bot=True), "", now)
        sent["content"] = payload["content"]
        self.messages.setdefault(channel, []).append(sent)
        self.posted.append(sent)
        return web.json_response(sent)

    async def _react(self, request):
        emojis = self.reactions.setdefault(request.match_info["message"], set())
        (emojis.add if request.method == "PUT" else emojis.discard)(request.match_info["emoji"])
        return web.Response(status=204)

    async def _respond(self, request):
        """Take the first response to a command that came over the gateway."""
        payload = await request.json()
        async with self._changed:
            self.responses[request.match_info["token"]] = payload
            self._changed.notify_all()
        return web.json_response({"interaction": {"id": request.match_info["id"], "type": 2}})

    def now(self):
        return datetime.now(UTC)

    async def _application(self, request):
        if request.headers["Authorization"] != f"Bot {TOKEN}":
            return web.json_response({"code": 0, "message": "401: Unauthorized"}, status=401)
        identity = {
            "id": APPLICATION,
            "name": "League",
            "description": "",
            "verify_key": self.public_key,
            "flags": self.flags,
        }
        return web.json_response(
            identity
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
        registered = [
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
        return web.json_response(registered)

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
        stored = sorted(self.messages.get(channel, []), key=lambda entry: int(entry["id"]))
        limit = int(request.query.get("limit", 50))
        if "after" in request.query:
            page = [entry for entry in stored if int(entry["id"]) > int(request.query["after"])][:limit]
        else:
            page = [entry for entry in stored if int(entry["id"]) < int(request.query.get("before", 1 << 63))][-limit:]
        return web.json_response(page[::-1])

    async def _message(self, request):
        if self.is_down:
            return web.json_response({"message": "down"}, status=503)
        stored = self.messages.get(request.match_info["id"], [])
        matches = [entry for entry in stored if entry["id"] == request.match_info["message"]]
        if matches:
            return web.json_response(matches[0])
        return web.json_response({"code": 10008, "message": "Unknown Message"}, status=404)

    async def write(self, channel, posted):
        """Add a message to a channel and send its gateway event."""
        self.messages.setdefault(channel, []).append(posted)
        author = {"roles": [], "joined_at": "2024-01-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0}
        await self.gateway.emit("MESSAGE_CREATE", **posted, guild_id=self.guild_of[channel], member=author)

    async def edit(self, channel, posted, content, edited):
        """Edit a message; its gateway event lacks the content, as Discord allows."""
        posted |= {"content": content, "edited_timestamp": edited.isoformat()}
        ids = {"id": posted["id"], "channel_id": channel, "guild_id": self.guild_of[channel]}
        await self.gateway.emit("MESSAGE_UPDATE", **ids, embeds=posted["embeds"])

    async def delete(self, channel, *deleted):
        """Delete messages, several at once as moderators do."""
        for entry in deleted:
            self.messages[channel].remove(entry)
        location = {"channel_id": channel, "guild_id": self.guild_of[channel]}
        if len(deleted) == 1:
            await self.gateway.emit("MESSAGE_DELETE", **location, id=deleted[0]["id"])
        else:
            await self.gateway.emit("MESSAGE_DELETE_BULK", **location, ids=[entry["id"] for entry in deleted])

    async def rename(self, guild, account, nickname):
        """Give a member a nickname, or a new member one."""
        known_ids = {account["id"] for account, _ in self.members[guild]}
        others = [pair for pair in self.members[guild] if pair[0]["id"] != account["id"]]
        self.members[guild] = [*others, (account, nickname)]
        name = "GUILD_MEMBER_UPDATE" if account["id"] in known_ids else "GUILD_MEMBER_ADD"
        await self.gateway.emit(name, **member(account, nickname), guild_id=guild)

    async def _answer(self, request):
        if request.content_type == "application/json":
            payload, files = await request.json(), []
        else:
            parts = await request.post()
            payload = json.loads(parts["payload_json"])
            files = [part.file.read() for name, part in parts.items() if name != "payload_json"]
        async with self._changed:
            self.answers.setdefault(request.match_info["token"], []).append((payload, files))
            self._changed.notify_all()
        sent = message("1", "1", user(APPLICATION, "League", bot=True), payload.get("content"), datetime.now(UTC))
        return web.json_response(sent)

    async def _file(self, request):
        return web.Response(body=self.files[request.match_info["name"]], content_type="image/png")

    async def send(self, url, body, timestamp=None, key=None):
        """Send a signed request to the bot; return (status, reply, arguments to send it again)."""
        body = json.dumps(body).encode()
        timestamp = str(int(time.time()) if timestamp is None else timestamp)
        signature = (key or self.key).sign(timestamp.encode() + body).signature.hex()
        headers = {"X-Signature-Ed25519": signature, "X-Signature-Timestamp": timestamp}
        return *await post(url, body, headers), (url, body, headers)

    async def press(self, url, custom_id, guild, channel, token):
        """Press a button; return the bot's answer and whether it is public."""
        body = interaction("", guild, channel, token)
        body |= {"type": 3, "data": {"custom_id": custom_id, "component_type": 2}}
        body["message"] = message("5", channel, user(APPLICATION, "League", bot=True), "", datetime.now(UTC))
        status, reply, _ = await self.send(url, body)
        assert status == 200, reply
        reply = json.loads(reply)
        payload, _ = await self._answered(token)
        return payload["content"], reply["type"] == 5 and not reply.get("data", {}).get("flags")

    async def _answered(self, token):
        async with asyncio.timeout(self.answer_s), self._changed:
            await self._changed.wait_for(lambda: any(is_final(payload) for payload, _ in self.answers.get(token, [])))
        return self.answers[token][-1]

    async def picture(self, token):
        """Return the files of the answer's picture, which follows its text."""
        async with asyncio.timeout(self.answer_s), self._changed:
            await self._changed.wait_for(lambda: any(files for _, files in self.answers.get(token, [])))
        return self.answers[token][-1][1]

    def buttons(self, token):
        """Return the custom ids of the buttons under the last answer, by label."""
        rows = self.answers[token][-1][0].get("components") or []
        return {button["label"]: button["custom_id"] for row in rows for button in row["components"]}

    async def command(self, url, command, guild, channel, token, author=PLAYER_ONE, **options):
        """Use a command, over the gateway if there is no URL; return the bot's last, private answer: (text, files)."""
        body = interaction(command, guild, channel, token, self.permissions, options, author)
        if url is None:
            await self.gateway.emit("INTERACTION_CREATE", **body)
            async with asyncio.timeout(self.answer_s), self._changed:
                await self._changed.wait_for(lambda: token in self.responses)
            response = self.responses[token]
            assert (response["type"], response["data"]["flags"]) == (5, 64), response
            payload, files = await self._answered(token)
            return payload["content"], files
        status, reply, _ = await self.send(url, body)
        assert (status, json.loads(reply)) == (200, {"type": 5, "data": {"flags": 64}}), reply
        payload, files = await self._answered(token)
        return payload["content"], files


def is_final(payload):
    return not payload["content"].endswith(("Still reading …", "so far …"))


async def post(url, body, headers):
    async with (
        ClientSession() as session,
        session.post(url, data=body, headers=headers | {"Content-Type": "application/json"}) as response,
    ):
        return response.status, await response.read()
