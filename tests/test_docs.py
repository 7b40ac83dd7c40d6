"""What the documents show is what happens."""

import json
import re
from io import BytesIO

from wordpl import words
from wordpl.players import worker


class Scripted:
    """Plays the replies that a document shows, and notes what it was asked."""

    def __init__(self, moves):
        self.moves = iter(moves)

    def first_move(self):
        return next(self.moves)

    def next_move(self, *asked):
        return next(self.moves)


def as_returned(move):
    return tuple(move) if isinstance(move, list) else move


def test_the_protocol_s_games_are_spoken_as_shown():
    text = (words.HOME / "docs" / "protocol.md").read_text()
    blocks = [block for block in re.findall(r"```\n(.*?)```", text, re.DOTALL) if "->" in block]
    assert len(blocks) == 2
    for block in blocks:
        requests = "".join(re.findall(r"^-> (.*\n)", block, re.MULTILINE)).encode()
        replies = "".join(re.findall(r"^<- (.*\n)", block, re.MULTILINE)).encode()
        player = Scripted(as_returned(json.loads(line)["move"]) for line in replies.splitlines())
        said = BytesIO()
        worker.serve(player, BytesIO(requests), said)
        assert said.getvalue() == replies
