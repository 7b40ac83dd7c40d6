"""Files of pasted share texts."""

from collections.abc import Iterator

from wordpl.league import share_text
from wordpl.league.posts import Person, Post, Reading, ReportedResult, Unread, name_of

SOURCE = "share texts"


def read(text: str, player: str | None) -> Iterator[Reading]:
    """Yield what the texts say; player: whose they are, where no name and colon stand before one.

    The name is on a line of its own, `Player One:`, or before the share on its first line.
    """
    for before, share in share_text.find(text):
        name = name_of(before.removesuffix(":")) if before.endswith(":") else player
        if name is None:
            yield Unread(f"Wordle {share.number}", before, "whose? Say --player, or put a line like 'Name:' before it")
        elif share.fault:
            yield Unread(f"Wordle {share.number}", f"{name}: {share.grid}", share.fault)
        else:
            result = ReportedResult(Person(name, False), share.number, share.guesses, share.hard, share.grid)
            yield Post(SOURCE, SOURCE, (result,))
