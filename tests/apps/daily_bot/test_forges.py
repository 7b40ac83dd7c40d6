"""The workflows of two forges run the bot with options that it has, and keep what it must remember."""

import re
import shlex

import pytest
import yaml

from tests.helpers.paths import HOME
from wordpl.apps.daily_bot.command import play

FOLDER = HOME / "deploy" / "bot"


@pytest.mark.parametrize("name", ["github.yml", "gitlab-ci.yml"])
def test_a_workflow_posts_with_known_options_and_keeps_the_outbox(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert yaml.safe_load(text)
    (line,) = re.findall(r"wordpl bot (play .*)$", text, re.M)
    _, *words = shlex.split(line)
    context = play.make_context("play", ["https://x.org" if word == "$PAGE" else word for word in words])
    assert (context.params["adapter"], context.params["shares"], context.params["posts"]) == ("nyt", ("discord",), True)
    assert re.search(r"always", text), "a post that may have arrived is remembered also after a failure"
    assert "wordpl-bot" in text
