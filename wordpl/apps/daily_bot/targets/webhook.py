"""Posts JSON to any program over HTTP."""

import os

from wordpl.apps.daily_bot import UnclearError
from wordpl.apps.daily_bot.targets import ShareMessage, ShareTarget, host_of, is_a_page, request, web_address

URL, TOKEN = "WORDPL_WEBHOOK_URL", "WORDPL_WEBHOOK_TOKEN"
STEPS = {401: f"check {TOKEN}", 403: f"check {TOKEN}", 404: f"check the address in {URL}"}


class Webhook(ShareTarget):
    """Posts {"text": ..., "key": ...}; the key identifies the puzzle. With spoilers, `words` has the guesses."""

    name = "webhook"
    about = f"Any server that accepts JSON. Set {URL} to its address and optionally {TOKEN} to a bearer token."

    def __init__(self, argument: str):
        self._url = web_address(URL, "the address that accepts the result")
        self._token = os.environ.get(TOKEN, "").strip()

    def send(self, message: ShareMessage) -> str:
        """Post the message as JSON; return the key, by which the server knows it."""
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        body: dict[str, object] = {"text": message.text, "key": message.key}
        if message.words:
            body["words"] = list(message.words)
        reply = request("POST", self._url, STEPS, headers=headers, json=body)
        if is_a_page(reply):
            page = f"{host_of(self._url)} answered with a page for people (status {reply.status_code})"
            raise UnclearError(page, f"check the address in {URL}; post again with --resend")
        return message.key
