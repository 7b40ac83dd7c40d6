"""Any program that takes JSON by HTTP."""

import os

from wordpl.web.bot.targets.base import Message, Target, request, web_address

URL, TOKEN = "WORDPL_WEBHOOK_URL", "WORDPL_WEBHOOK_TOKEN"


class Webhook(Target):
    """Posts {"text": ..., "key": ...}; the key is the same for the same puzzle."""

    name = "webhook"
    about = f"Any address that takes JSON, in {URL}; a bearer token may be in {TOKEN}."

    def __init__(self, argument: str):
        self._url = web_address(URL, "the address that takes the result")
        self._token = os.environ.get(TOKEN, "").strip()

    def send(self, message: Message) -> None:
        """Post the message as JSON."""
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        request("POST", self._url, headers=headers, json={"text": message.text, "key": message.key})
