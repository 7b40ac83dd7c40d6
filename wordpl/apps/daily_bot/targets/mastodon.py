"""Posts to a Mastodon account."""

import time
from hashlib import blake2b

from wordpl.apps.daily_bot import ShareError, UnclearError
from wordpl.apps.daily_bot.targets import ShareMessage, ShareTarget, from_environment, id_in, request, web_address

SERVER, TOKEN = "WORDPL_MASTODON_SERVER", "WORDPL_MASTODON_TOKEN"
SCOPES = "write:statuses and write:media"
MAX_CHARACTERS = 500
DESCRIPTION = "The grid of the game: a row of coloured squares for each guess."
STEPS = {
    401: f"make a new access token with the scopes {SCOPES}, and set {TOKEN} to it",
    403: f"give the access token the scopes {SCOPES}",
    404: f"check the address in {SERVER}",
    413: "leave the picture out with --no-picture",
}
POLLS_S = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""The pauses before the questions whether a picture has been processed."""


class Mastodon(ShareTarget):
    """Posts a status, with an Idempotency-Key that makes the server ignore a repeated post within an hour."""

    name = "mastodon"
    about = f"A Mastodon account. Set {SERVER} to the server's address and {TOKEN} to an access token."

    def __init__(self, argument: str):
        self._server = web_address(SERVER, "the server's address, such as https://mastodon.example").rstrip("/")
        token = from_environment(TOKEN, f"an access token with the scopes {SCOPES}")
        self._headers = {"Authorization": f"Bearer {token}"}

    def send(self, message: ShareMessage) -> str:
        """Post the status, with the picture if there is one, and return its id."""
        head, _, rest = message.with_words().partition("\n")
        form: dict[str, str] = {"status": f"{head}\n{rest}"[:MAX_CHARACTERS]}
        if message.words:
            form |= {"spoiler_text": head, "status": rest.strip()[:MAX_CHARACTERS], "sensitive": "true"}
        if message.picture is not None:
            form["media_ids[]"] = self._upload(message)
        headers = self._headers | {"Idempotency-Key": blake2b(message.key.encode(), digest_size=16).hexdigest()}
        return id_in(request("POST", f"{self._server}/api/v1/statuses", STEPS, headers=headers, data=form))

    def _upload(self, message: ShareMessage) -> str:
        """Return the id of the uploaded picture, once the server has processed it. Raises ShareError if that fails."""
        assert message.picture is not None
        file = (message.picture.name, message.picture.read_bytes(), "image/png")
        try:
            reply = request("POST", f"{self._server}/api/v2/media", STEPS, headers=self._headers, files={"file": file},
                            data={"description": DESCRIPTION})  # fmt: skip
            media_id = id_in(reply)
            address = f"{self._server}/api/v1/media/{media_id}"
            for pause_s in POLLS_S if reply.status_code == 202 else ():
                time.sleep(pause_s)
                if request("GET", address, STEPS, headers=self._headers).status_code == 200:
                    return media_id
        except UnclearError as error:  # a picture alone is no post
            raise ShareError(f"the picture was not uploaded, so nothing was posted: {error.reason}") from None
        except ShareError as error:
            raise ShareError(f"the picture was not uploaded, so nothing was posted: {error.message}") from None
        if reply.status_code == 202:
            raise ShareError(
                f"the server has not processed the picture in {sum(POLLS_S):g} s, so nothing was posted: run again "
                "later."
            )
        return media_id
