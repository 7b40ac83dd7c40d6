"""Posts JSON to any program over HTTP."""

import os

from wordpl.apps.daily_bot.targets import ShareMessage, ShareTarget, request, web_address

URL, TOKEN = "WORDPL_WEBHOOK_URL", "WORDPL_WEBHOOK_TOKEN"


class Webhook(ShareTarget):
    """Posts {"text": ..., "key": ...}; the key identifies the puzzle."""

    name = "webhook"
    about = f"Any server that accepts JSON. Set {URL} to its address and optionally {TOKEN} to a bearer token."

    def __init__(self, argument: str):
        self._url = web_address(URL, "the address that accepts the result")
        self._token = os.environ.get(TOKEN, "").strip()

    def send(self, message: ShareMessage) -> None:
        """Post the message as JSON."""
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        request("POST", self._url, headers=headers, json={"text": message.text, "key": message.key})
