"""What keeps the bot from doing as told, in words that say what to change and where."""

import hikari

from wordpl.league.bot.channel import ReadCount

NEEDED = {
    hikari.Permissions.VIEW_CHANNEL: "View Channel",
    hikari.Permissions.READ_MESSAGE_HISTORY: "Read Message History",
}
_WHERE = "Allow my role that under Edit Channel > Permissions, then run /sync again."
_KEPT = "What was read until then is kept: run /sync again to go on."


def missing(interaction: hikari.CommandInteraction) -> str:
    """Return what the bot may not do in this channel though reading takes it; "" if nothing is missing."""
    lacking = [name for permission, name in NEEDED.items() if permission not in interaction.app_permissions]
    return f"I cannot read this channel: I lack {' and '.join(map(repr, lacking))}. {_WHERE}" if lacking else ""


def explained(error: hikari.HikariError) -> str:
    """Return what an error means for somebody in the channel. Its own text is left out: it may hold a token."""
    if isinstance(error, hikari.ForbiddenError):
        names = " and ".join(map(repr, NEEDED.values()))
        return f"Discord does not let me read this channel. I need {names}. {_WHERE}"
    if isinstance(error, hikari.UnauthorizedError):
        return "Discord does not accept the bot's token any more: whoever runs the bot must give it a new one."
    if isinstance(error, hikari.RateLimitTooLongError):
        return f"Discord asks me to wait for {error.retry_after:.0f} s. {_KEPT}"
    if isinstance(error, hikari.NotFoundError):
        return "Discord says that this channel does not exist (any more)."
    status = f" ({error.status})" if isinstance(error, hikari.HTTPResponseError) else ""
    return f"Discord could not be asked{status}. {_KEPT}"


def empty_messages(count: ReadCount) -> str:
    """Return why messages may have come empty; "" if they did not."""
    if not count.n_blank or count.n_results or 2 * count.n_blank < count.n_messages:
        return ""
    return (
        f"{count.n_blank:,} of {count.n_messages:,} messages came without their text: Discord gives it only to apps "
        "with the Message Content intent. Whoever owns the app turns it on in Discord's developer portal, under Bot > "
        "Privileged Gateway Intents."
    )
