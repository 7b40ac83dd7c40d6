"""A page without a game is told apart: a captcha, maintenance, a wrong address, or a page that has changed."""

import pytest

pytest.importorskip("playwright")

from wordpl.apps.daily_bot import TransientPageError
from wordpl.apps.daily_bot.adapters import no_game

LONG = "Play Wordle, the daily word game. " * 100


@pytest.mark.parametrize(
    ("status", "text", "html", "expected"),
    [
        (200, "Just a moment...\nVerify you are human", "", "captcha"),
        (403, "", "<iframe src='https://hcaptcha.com/x'></iframe>", "captcha"),
        (200, "Wordle", "<div class='g-recaptcha'></div>", "captcha"),
        (200, LONG, "<script src='recaptcha.js'></script>", "may have changed"),
        (404, "Oops", "", "no page at this address"),
        (200, "404\nPage not found", "", "no page at this address"),
        (503, "Service Unavailable", "", "maintenance"),
        (200, "Wordle\nWe are down for scheduled maintenance.", "", "maintenance"),
        (502, "", "", "maintenance"),
        (403, "Access denied", "", "refuses the page"),
        (200, LONG, "", "nothing on the page matches '.row': the page of nyt may have changed"),
        (200, "Wordle", "", "may have changed"),
    ],
)
def test_each_cause_has_its_own_message(status, text, html, expected):
    error = no_game(status, text, html, ".row", "nyt")
    assert expected in error.message
    assert isinstance(error, TransientPageError) == ("maintenance" in expected), "only maintenance ends by itself"
