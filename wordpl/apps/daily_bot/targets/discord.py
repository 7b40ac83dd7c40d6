"""Posts to a Discord channel by its webhook."""

import json

from wordpl.apps.daily_bot.targets import ShareMessage, ShareTarget, request, web_address

VARIABLE = "WORDPL_DISCORD_WEBHOOK"
MAX_CHARACTERS = 2000


class Discord(ShareTarget):
    """Posts JSON, or a form with the picture, to Discord's "Execute Webhook"."""

    name = "discord"
    about = f"A Discord channel. Set {VARIABLE} to the address of its webhook."

    def __init__(self, argument: str):
        self._url = web_address(VARIABLE, "the address of a webhook, from the channel's settings")

    def send(self, message: ShareMessage) -> None:
        """Post the message without mentions."""
        payload = {"content": message.text[:MAX_CHARACTERS], "allowed_mentions": {"parse": []}}
        if message.picture is None:
            request("POST", self._url, params={"wait": "true"}, json=payload)
            return
        file = (message.picture.name, message.picture.read_bytes(), "image/png")
        form = {"payload_json": json.dumps(payload)}
        request("POST", self._url, params={"wait": "true"}, data=form, files={"files[0]": file})
