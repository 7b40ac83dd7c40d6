"""A Mastodon account."""

from hashlib import blake2b

from wordpl.web.bot.targets.base import Message, Target, from_environment, request, web_address

SERVER, TOKEN = "WORDPL_MASTODON_SERVER", "WORDPL_MASTODON_TOKEN"
MAX_CHARACTERS = 500
DESCRIPTION = "The grid of the game: a row of coloured squares for each guess."


class Mastodon(Target):
    """Posts a status; its Idempotency-Key makes the server itself refuse a second one within an hour."""

    name = "mastodon"
    about = f"A Mastodon account; the server's address is in {SERVER}, the access token in {TOKEN}."

    def __init__(self, argument: str):
        self._server = web_address(SERVER, "the server's address, such as https://mastodon.example").rstrip("/")
        self._token = from_environment(TOKEN, "an access token with the scopes write:statuses and write:media")

    def send(self, message: Message) -> None:
        """Post the status, with the picture where there is one."""
        headers = {"Authorization": f"Bearer {self._token}"}
        form: dict[str, str] = {"status": message.text[:MAX_CHARACTERS]}
        if message.picture is not None:
            file = (message.picture.name, message.picture.read_bytes(), "image/png")
            media = request(
                "POST",
                f"{self._server}/api/v2/media",
                headers=headers,
                files={"file": file},
                data={"description": DESCRIPTION},
            )
            form["media_ids[]"] = str(media.json()["id"])
        headers["Idempotency-Key"] = blake2b(message.key.encode(), digest_size=16).hexdigest()
        request("POST", f"{self._server}/api/v1/statuses", headers=headers, data=form)
