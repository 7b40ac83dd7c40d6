"""Posts to a Mastodon account."""

from hashlib import blake2b

from wordpl.apps.daily_bot.targets import ShareMessage, ShareTarget, from_environment, request, web_address

SERVER, TOKEN = "WORDPL_MASTODON_SERVER", "WORDPL_MASTODON_TOKEN"
MAX_CHARACTERS = 500
DESCRIPTION = "The grid of the game: a row of coloured squares for each guess."


class Mastodon(ShareTarget):
    """Posts a status, with an Idempotency-Key that makes the server ignore a repeated post within an hour."""

    name = "mastodon"
    about = f"A Mastodon account. Set {SERVER} to the server's address and {TOKEN} to an access token."

    def __init__(self, argument: str):
        self._server = web_address(SERVER, "the server's address, such as https://mastodon.example").rstrip("/")
        self._token = from_environment(TOKEN, "an access token with the scopes write:statuses and write:media")

    def send(self, message: ShareMessage) -> None:
        """Post the status, with the picture if there is one."""
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
