"""Payloads of Discord's API: users, messages, members and interactions."""

from datetime import UTC, datetime

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
