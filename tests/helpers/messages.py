"""Messages as the Wordle app and players write them, for tests and benchmarks."""

import json
import re
from datetime import datetime, timedelta, timezone

from wordpl.apps.league.posts import UNSOLVED

MARKS = {".": "⬛", "i": "🟨", "c": "🟩"}
CONTRAST = {".": "⬜", "i": "🟦", "c": "🟧"}


def summary(scores, streak=93, bold=True, fires=3, header=True):
    """Return a summary's text; scores: (guesses, people) with people as in `league.posts`, the best first."""
    article = "an" if str(streak)[0] == "8" or streak in (11, 18) else "a"
    headline = f"Your group is on {article} {streak} day streak!"
    headline = f"**{headline}**" if bold else headline
    lines = [f"{headline} {'🔥' * fires} Here are yesterday's results:"] if header else []
    for at, (guesses, people) in enumerate(scores):
        names = " ".join(f"<@{person.key}>" if person.is_id else f"@{person.key}" for person in people)
        lines.append(f"{'👑 ' if at == 0 else ''}{'X' if guesses == UNSOLVED else guesses}/6: {names}")
    return "\n".join(lines)


def share(share, separator=",", squares=MARKS):
    """Return a share's text."""
    number = f"{share.number:,}".replace(",", separator)
    head = f"Wordle {number} {'X' if share.guesses == UNSOLVED else share.guesses}/6{'*' if share.hard else ''}"
    rows = [
        "".join(squares[mark] for mark in clues) + (f" {word.upper()}" if word else "") for clues, word in share.rows
    ]
    return "\n".join([head, "", *rows]) if rows else head


def with_names(export, zone=timezone(timedelta(hours=2))):
    """Return an export of DiscordChatExporter as it is by default: with local times, and names instead of mentions."""
    export = json.loads(export)

    def local(time):
        return time and datetime.fromisoformat(time).astimezone(zone).isoformat(timespec="milliseconds")

    export["exportedAt"] = local(export["exportedAt"])
    for message in export["messages"]:
        if "timestamp" in message:
            names = {user["id"]: user["nickname"] for user in message["mentions"]}
            message["content"] = re.sub(
                r"<@(\d+)>", lambda found, names=names: f"@{names.get(found[1], 'Unknown')}", message["content"]
            )
            message |= {name: local(message[name]) for name in ("timestamp", "timestampEdited")}
    return json.dumps(export, ensure_ascii=False, indent=1)
