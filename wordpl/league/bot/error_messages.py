"""Messages for permissions and errors that keep the bot from reading a channel; each says what to change and where."""

import hikari

from wordpl.league.bot.channel import ReadCount

NEEDED = {
    hikari.Permissions.VIEW_CHANNEL: "View Channel",
    hikari.Permissions.READ_MESSAGE_HISTORY: "Read Message History",
}
_WHERE = "Grant my role these permissions under Edit Channel > Permissions, then run /sync again."
_KEPT = "What I have read so far is saved: run /sync again to continue."


def missing_permissions(interaction: hikari.CommandInteraction) -> str:
    """Return a message about the permissions that the bot needs and lacks in this channel, "" if it has them all."""
    missing = [name for permission, name in NEEDED.items() if permission not in interaction.app_permissions]
    return f"I cannot read this channel: I lack {' and '.join(map(repr, missing))}. {_WHERE}" if missing else ""


def describe_error(error: hikari.HikariError) -> str:
    """Return a message that explains an error to a user. The error's own text is left out: it may contain a token."""
    if isinstance(error, hikari.ForbiddenError):
        names = " and ".join(map(repr, NEEDED.values()))
        return f"Discord does not let me read this channel. I need {names}. {_WHERE}"
    if isinstance(error, hikari.UnauthorizedError):
        return "Discord no longer accepts the bot's token: whoever runs the bot must set a new one."
    if isinstance(error, hikari.RateLimitTooLongError):
        return f"Discord's rate limit makes me wait for {error.retry_after:.0f} s. {_KEPT}"
    if isinstance(error, hikari.NotFoundError):
        return "Discord says that this channel does not exist (any more)."
    status = f" ({error.status})" if isinstance(error, hikari.HTTPResponseError) else ""
    return f"Discord cannot be reached{status}. {_KEPT}"


def explain_blank_messages(count: ReadCount) -> str:
    """Return a message about the intent that is missing if most messages came without content, else ""."""
    if not count.n_blank or count.n_results or 2 * count.n_blank < count.n_messages:
        return ""
    return (
        f"{count.n_blank:,} of {count.n_messages:,} messages came without their text: Discord sends it only to apps "
        "with the Message Content intent. The app's owner can turn it on in Discord's developer portal, under Bot > "
        "Privileged Gateway Intents."
    )
