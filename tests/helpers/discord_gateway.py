"""A local Discord gateway after its documentation: zlib-stream, heartbeats, IDENTIFY, RESUME, events."""

import asyncio
import json
import zlib
from itertools import count

from aiohttp import WSMsgType, web

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID_SESSION, HELLO, HEARTBEAT_ACK = 0, 1, 2, 6, 7, 9, 10, 11
GUILD_MEMBERS, GUILD_MESSAGES, MESSAGE_CONTENT = 1 << 1, 1 << 9, 1 << 15
NEEDED = {
    "MESSAGE_CREATE": GUILD_MESSAGES,
    "MESSAGE_UPDATE": GUILD_MESSAGES,
    "MESSAGE_DELETE": GUILD_MESSAGES,
    "MESSAGE_DELETE_BULK": GUILD_MESSAGES,
    "GUILD_MEMBER_ADD": GUILD_MEMBERS,
    "GUILD_MEMBER_UPDATE": GUILD_MEMBERS,
    "INTERACTION_CREATE": 0,
}
AUTHENTICATION_FAILED, DISALLOWED_INTENTS, SESSION_TIMED_OUT = 4004, 4014, 4009


class Session:
    """The events sent to a client, kept in case it resumes."""

    def __init__(self, id, intents):
        self.id, self.intents = id, intents
        self.sent = []
        self.connection = None


class Connection:
    """A websocket, compressed as one stream."""

    def __init__(self, socket, is_compressed):
        self.socket = socket
        self._stream = zlib.compressobj() if is_compressed else None

    async def send(self, payload):
        data = json.dumps(payload).encode()
        if self._stream is None:
            await self.socket.send_bytes(data)
        else:
            await self.socket.send_bytes(self._stream.compress(data) + self._stream.flush(zlib.Z_SYNC_FLUSH))


class Gateway:
    """The gateway of a fake Discord.

    allowed: intents that the developer portal grants. acknowledges: whether heartbeats are answered. log: the op codes
    that clients sent.
    """

    def __init__(self, me, token, heartbeat_ms=41_250, allowed=GUILD_MESSAGES | GUILD_MEMBERS | MESSAGE_CONTENT):
        self._me, self._token = me, token
        self.heartbeat_ms, self.allowed, self.acknowledges = heartbeat_ms, allowed, True
        self.sessions, self.log, self.is_down = {}, [], False
        self._numbers = count(1)

    def routes(self):
        return [web.get("/gateway/bot", self._address), web.get("/gateway/socket", self._serve)]

    async def emit(self, name, **data):
        """Send an event to all sessions with its intent, now or when they resume."""
        for session in list(self.sessions.values()):
            if session.intents & NEEDED[name] or not NEEDED[name]:
                if not session.intents & MESSAGE_CONTENT and "content" in data:
                    data |= {"content": "", "embeds": [], "attachments": []}
                await self._dispatch(session, name, data)

    async def drop(self):
        """Break all connections, as a network does."""
        for session in self.sessions.values():
            if session.connection is not None:
                connection, session.connection = session.connection, None
                connection.socket._writer.transport.abort()

    async def ask_to_reconnect(self):
        for session in self.sessions.values():
            if session.connection is not None:
                await session.connection.send({"op": RECONNECT, "d": None})

    def forget_sessions(self):
        """Forget all sessions, so that none can be resumed."""
        self.sessions.clear()

    @property
    def n_connected(self):
        return sum(session.connection is not None for session in self.sessions.values())

    async def _dispatch(self, session, name, data):
        payload = {"op": DISPATCH, "t": name, "s": len(session.sent) + 1, "d": data}
        session.sent.append(payload)
        if session.connection is not None:
            try:
                await session.connection.send(payload)
            except ConnectionError:
                session.connection = None

    async def _address(self, request):
        if self.is_down:
            return web.json_response({"message": "down"}, status=503)
        limit = {"total": 1000, "remaining": 999, "reset_after": 14_400_000, "max_concurrency": 1}
        url = f"ws://{request.host}/gateway/socket"
        return web.json_response({"url": url, "shards": 1, "session_start_limit": limit})

    async def _serve(self, request):
        if self.is_down:
            return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        assert (request.query["v"], request.query["encoding"]) == ("10", "json")
        connection = Connection(socket, request.query.get("compress") == "zlib-stream")
        await connection.send({"op": HELLO, "d": {"heartbeat_interval": self.heartbeat_ms}, "s": None, "t": None})
        try:
            async for message in socket:
                if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                    await self._take(connection, request.host, json.loads(message.data))
        finally:
            for session in self.sessions.values():
                if session.connection is connection:
                    session.connection = None
        return socket

    async def _take(self, connection, host, payload):
        op, data = payload["op"], payload.get("d")
        self.log.append(op)
        if op == HEARTBEAT:
            if self.acknowledges:
                await connection.send({"op": HEARTBEAT_ACK, "d": None, "s": None, "t": None})
        elif data["token"].removeprefix("Bot ") != self._token:
            await connection.socket.close(code=AUTHENTICATION_FAILED, message=b"Authentication failed.")
        elif op == IDENTIFY:
            await self._identify(connection, host, data)
        elif op == RESUME:
            await self._resume(connection, data)

    async def _identify(self, connection, host, data):
        if data["intents"] & ~self.allowed:
            await connection.socket.close(code=DISALLOWED_INTENTS, message=b"Disallowed intent(s).")
            return
        session = Session(f"session{next(self._numbers)}", data["intents"])
        self.sessions[session.id] = session
        session.connection = connection
        ready = {"v": 10, "user": self._me, "guilds": [], "session_id": session.id, "shard": [0, 1]}
        ready |= {"resume_gateway_url": f"ws://{host}/gateway/socket", "application": {"id": "6", "flags": 0}}
        await self._dispatch(session, "READY", ready)

    async def _resume(self, connection, data):
        session = self.sessions.get(data["session_id"])
        if session is None:
            await connection.send({"op": INVALID_SESSION, "d": False, "s": None, "t": None})
            return
        for payload in session.sent[data["seq"] :]:
            await connection.send(payload)
        session.connection = connection
        await self._dispatch(session, "RESUMED", {})

    async def wait_for(self, condition, wait_s=60):
        async with asyncio.timeout(wait_s):
            while not condition():
                await asyncio.sleep(0.01)
