"""Handler of Discord's interactions: it defers each reply in time, shows it only to the user, and handles buttons."""

import asyncio
import logging
import time
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import hikari

from wordpl.core.messages import UserError, amount
from wordpl.league.bot.channel import ChannelReader, ReadCount
from wordpl.league.bot.commands import (
    ASK_IN_SERVER,
    DEFAULT_MESSAGES,
    FORGET,
    HELP,
    PERSONAL,
    PRIVATE,
    PUBLISH,
    SYNC,
    BotRequest,
    CommandHandler,
    buttons,
    chosen,
    read_custom_id,
)
from wordpl.league.bot.follower import Follower
from wordpl.league.bot.replies import MAX_TEXT, BotReply
from wordpl.league.sources import PictureReader
from wordpl.league.store import LeagueStore

PROGRESS_EVERY_S = 5.0
WORKING_AFTER_S = 2.5
"""How long a user waits for a reply or for a message that it is still being worked on, in seconds."""
ANSWER_S = 13 * 60
"""The time limit for a reply; Discord accepts it for 15 minutes."""
Builder = hikari.api.InteractionMessageBuilder | hikari.api.InteractionDeferredBuilder
Interaction = hikari.CommandInteraction | hikari.ComponentInteraction
_LOGGER = logging.getLogger(__name__)
NEEDED_PERMISSIONS = {
    hikari.Permissions.VIEW_CHANNEL: "View Channel",
    hikari.Permissions.READ_MESSAGE_HISTORY: "Read Message History",
}
_GRANT_HINT = "Grant my role these permissions under Edit Channel > Permissions, then run /sync again."
_RESUME_HINT = "What I have read so far is saved: run /sync again to continue."


class InteractionHandler:
    """Replies to commands and buttons."""

    def __init__(self, store: LeagueStore, read_picture: PictureReader, follower: Follower):
        self._store, self._read_picture, self._follower = store, read_picture, follower
        self._commands = CommandHandler(store)
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading: set[hikari.Snowflake] = set()

    async def on_command(self, interaction: hikari.CommandInteraction) -> Builder:
        """Return a deferred response, as Discord waits only three seconds, and work on the reply in the background."""
        if interaction.guild_id is None and interaction.command_name not in (HELP, PERSONAL):
            return interaction.build_response().set_content(ASK_IN_SERVER).set_flags(hikari.MessageFlag.EPHEMERAL)
        self._start(self._command(interaction))
        return interaction.build_deferred_response().set_flags(hikari.MessageFlag.EPHEMERAL)

    async def on_button(self, interaction: hikari.ComponentInteraction) -> Builder:
        """Show another page of a reply, or publish the reply."""
        button_press = read_custom_id(interaction.custom_id)
        if button_press is None:
            text = "This button belongs to another version of the bot: please run the command again."
            response = interaction.build_response(hikari.ResponseType.MESSAGE_CREATE).set_content(text)
            return response.set_flags(hikari.MessageFlag.EPHEMERAL)
        verb, command, page, options = button_press
        request = replace(_bot_request(interaction, command), options=options, page=page)
        self._start(self._reply(interaction, request, is_public=verb == PUBLISH))
        if verb == PUBLISH:
            return interaction.build_deferred_response(hikari.ResponseType.DEFERRED_MESSAGE_CREATE)
        return interaction.build_deferred_response(hikari.ResponseType.DEFERRED_MESSAGE_UPDATE)

    async def close(self) -> None:
        """Cancel the replies in progress; what `/sync` has read so far is saved."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _command(self, interaction: hikari.CommandInteraction) -> None:
        request = replace(_bot_request(interaction, interaction.command_name), options=chosen(interaction))
        if request.command == SYNC:
            await _say(interaction, await self._reply_or_error(interaction, self._sync(interaction, request)))
        else:
            if request.command == PERSONAL and not request.options:
                request = replace(request, options={"player": request.user})
            await self._reply(interaction, request)

    async def _reply(self, interaction: Interaction, request: BotRequest, is_public: bool = False) -> None:
        work = asyncio.create_task(self._reply_or_error(interaction, self._answer(request)))
        began = time.monotonic()
        while not (await asyncio.wait([work], timeout=WORKING_AFTER_S))[0]:
            took = time.monotonic() - began
            await _say(interaction, BotReply(f"Still working on /{request.command}, for {took:.0f} s so far …"))
        reply = work.result()
        button_rows = [] if is_public else buttons(interaction.app.rest, request, reply)
        keeps_buttons = request.command not in PRIVATE and reply.is_answer
        await _say(interaction, reply, button_rows if keeps_buttons or reply.n_pages > 1 else [])

    async def _answer(self, request: BotRequest) -> BotReply:
        note = "" if request.command in (HELP, FORGET) or request.page else await self._refresh(request)
        reply = await self._commands.reply(request)
        return replace(reply, text=f"{reply.text}\n{note}"[:MAX_TEXT]) if note else reply

    async def _refresh(self, request: BotRequest) -> str:
        """Read new messages of the server, or of all the user's servers in a direct message; return any warnings."""
        if request.guild is None:
            keys = await asyncio.to_thread(self._store.servers_of, request.user)
        else:
            keys = [request.guild]
        leagues = [await asyncio.to_thread(self._store.league, key) for key in keys]
        return " ".join({note for note in await asyncio.gather(*map(self._follower.refresh, leagues)) if note})

    async def _reply_or_error(self, interaction: Interaction, work: Coroutine[Any, Any, BotReply]) -> BotReply:
        try:
            return await work
        except UserError as error:
            return BotReply(error.message, is_answer=False)
        except hikari.HikariError as error:
            return BotReply(describe_error(error), is_answer=False)
        except Exception:
            _LOGGER.exception("answering interaction %s failed", interaction.id)
            return BotReply("Something went wrong; the bot's log has the details.", is_answer=False)

    async def _sync(self, interaction: hikari.CommandInteraction, request: BotRequest) -> BotReply:
        if not request.is_admin:
            raise UserError("You need the permission Manage Server for this command.")
        if lacking := missing_permissions(interaction):
            return BotReply(lacking)
        if interaction.channel_id in self._reading:
            return BotReply("I am already reading this channel.")
        league = await asyncio.to_thread(self._store.league, str(interaction.guild_id))
        self._reading.add(interaction.channel_id)
        try:
            await self._follower.read_members(league)
            progress = _SyncProgress(interaction)
            reader = ChannelReader(
                interaction.app.rest, league, interaction.channel_id, self._read_picture, progress.report
            )
            count = await reader.read(request.options.get("message_limit", DEFAULT_MESSAGES))
        finally:
            self._reading.discard(interaction.channel_id)
        results = await asyncio.to_thread(league.resolved)
        zone = results.options.zone
        unset = (
            f"Choose the server's time zone: `/settings zone:{results.zone or 'Europe/Berlin'}`." if not zone else ""
        )
        sentences = [
            _summary(count),
            progress.ended,
            explain_blank_messages(count),
            f"The league has {amount(len(results.results), 'result')}.",
            results.warning or unset,
        ]
        return BotReply(" ".join(filter(None, sentences)) + _unread(count))


class _SyncProgress:
    """Shows the progress of `/sync`, and ends it while Discord still accepts a reply.

    Attributes:
        ended: Why reading was ended, "" if it was not.
    """

    def __init__(self, interaction: hikari.CommandInteraction):
        self._interaction = interaction
        self._started = self._reported = time.monotonic()
        self.ended = ""

    async def report(self, count: ReadCount) -> bool:
        """Show the counts every PROGRESS_EVERY_S; return whether there is time left."""
        now = time.monotonic()
        if now > self._reported + PROGRESS_EVERY_S:
            self._reported = now
            await _say(self._interaction, BotReply(f"{_summary(count)} Still reading …"))
        if now > self._started + ANSWER_S:
            self.ended = "Discord's time limit for a reply is reached: run /sync again to continue."
        return not self.ended


def _bot_request(interaction: Interaction, command: str) -> BotRequest:
    guild = None if interaction.guild_id is None else str(interaction.guild_id)
    member = interaction.member
    allowed = hikari.Permissions.MANAGE_GUILD | hikari.Permissions.ADMINISTRATOR
    is_admin = member is not None and bool(member.permissions & allowed)
    user = interaction.user
    names = (user.username, user.global_name, member.nickname if member is not None else None)
    known_names = tuple(name for name in names if name)
    return BotRequest(command, {}, guild, str(interaction.channel_id), str(user.id), is_admin, names=known_names)


def _summary(count: ReadCount) -> str:
    advice = "" if count.complete else " There may be older messages: run /sync again, or with a higher message_limit."
    unread = f" {count.n_unread:,} parts could not be read." if count.n_unread else ""
    gone = f" {amount(count.n_withdrawn, 'message')} had been deleted." if count.n_withdrawn else ""
    return f"Read {amount(count.n_messages, 'message')} with {amount(count.n_results, 'result')}.{unread}{gone}{advice}"


def _unread(count: ReadCount) -> str:
    return "".join(f"\nNot read: {part.text[:80]!r}: {part.why}." for part in count.unread)


async def _say(
    interaction: Interaction, reply: BotReply, components: list[hikari.api.ComponentBuilder] | None = None
) -> None:
    files = [hikari.Bytes(reply.picture, "picture.png", mimetype="image/png")] if reply.picture else []
    files += [hikari.Bytes(reply.document, "my-data.json", mimetype="application/json")] if reply.document else []
    try:
        await interaction.edit_initial_response(
            reply.text[:MAX_TEXT],
            attachments=files,
            components=components or [],
            mentions_everyone=False,
            user_mentions=False,
            role_mentions=False,
        )
    except hikari.HikariError as error:
        # The error's text would contain the interaction's token.
        _LOGGER.warning("Discord did not accept a reply: %s", type(error).__name__)


def missing_permissions(interaction: hikari.CommandInteraction) -> str:
    """Return a message about the permissions that the bot needs and lacks in this channel, "" if it has them all."""
    names = [name for permission, name in NEEDED_PERMISSIONS.items() if permission not in interaction.app_permissions]
    return f"I cannot read this channel: I lack {' and '.join(map(repr, names))}. {_GRANT_HINT}" if names else ""


def describe_error(error: hikari.HikariError) -> str:
    """Return a message that explains an error to a user. The error's own text is left out: it may contain a token."""
    if isinstance(error, hikari.ForbiddenError):
        names = " and ".join(map(repr, NEEDED_PERMISSIONS.values()))
        return f"Discord does not let me read this channel. I need {names}. {_GRANT_HINT}"
    if isinstance(error, hikari.UnauthorizedError):
        return "Discord no longer accepts the bot's token: whoever runs the bot must set a new one."
    if isinstance(error, hikari.RateLimitTooLongError):
        return f"Discord's rate limit makes me wait for {error.retry_after:.0f} s. {_RESUME_HINT}"
    if isinstance(error, hikari.NotFoundError):
        return "Discord says that this channel does not exist (any more)."
    status = f" ({error.status})" if isinstance(error, hikari.HTTPResponseError) else ""
    return f"Discord cannot be reached{status}. {_RESUME_HINT}"


def explain_blank_messages(count: ReadCount) -> str:
    """Return a message about the intent that is missing if most messages came without content, else ""."""
    if not count.n_blank or count.n_results or 2 * count.n_blank < count.n_messages:
        return ""
    return (
        f"{count.n_blank:,} of {count.n_messages:,} messages came without their text: Discord sends it only to apps "
        "with the Message Content intent. The app's owner can turn it on in Discord's developer portal, under Bot > "
        "Privileged Gateway Intents."
    )
