"""Posts to a Discord channel by its webhook."""

import json
from typing import Any

from wordpl.apps.daily_bot.targets import ShareMessage, ShareTarget, id_in, request, web_address

VARIABLE = "WORDPL_DISCORD_WEBHOOK"
MAX_CHARACTERS = 2000
NEW_WEBHOOK = f"make a new webhook in the channel's settings, and set {VARIABLE} to its address"
STEPS = {401: NEW_WEBHOOK, 403: NEW_WEBHOOK, 404: NEW_WEBHOOK, 413: "leave the picture out with --no-picture"}


class Discord(ShareTarget):
    """Posts JSON, or a form with the picture, to Discord's "Execute Webhook". Words are between ||, for a click."""

    name = "discord"
    about = f"A Discord channel. Set {VARIABLE} to the address of its webhook."

    def __init__(self, argument: str):
        self._url = web_address(VARIABLE, "the address of a webhook, from the channel's settings")

    def send(self, message: ShareMessage) -> str:
        """Post the message without mentions, and return its id."""
        text = (
            message.with_words("||").replace(message.link, f"<{message.link}>")
            if message.link
            else message.with_words("||")
        )
        payload = {"content": text[:MAX_CHARACTERS], "allowed_mentions": {"parse": []}}
        options: dict[str, Any] = {"json": payload}
        if message.picture is not None:
            name = f"{'SPOILER_' if message.words else ''}{message.picture.name}"
            file = (name, message.picture.read_bytes(), "image/png")
            options = {"data": {"payload_json": json.dumps(payload)}, "files": {"files[0]": file}}
        return id_in(request("POST", self._url, STEPS, params={"wait": "true"}, **options))
