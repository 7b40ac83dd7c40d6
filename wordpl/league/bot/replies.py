"""Discord's interactions answered: in time, for the asker alone until published, by pages."""

import asyncio
import logging
import time
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import hikari

from wordpl.core.amounts import amount
from wordpl.core.errors import UserError
from wordpl.league.bot import buttons
from wordpl.league.bot.answers import Answers, Question
from wordpl.league.bot.channel import ChannelReader, ReadCount
from wordpl.league.bot.error_messages import empty_messages, explained, missing
from wordpl.league.bot.following import Follower
from wordpl.league.bot.options import ADMIN_COMMANDS, DEFAULT_MESSAGES, HELP, PERSONAL, SYNC, chosen
from wordpl.league.bot.views import MAX_TEXT, BotReply
from wordpl.league.discord_export import PictureReader
from wordpl.league.store import Store

PROGRESS_EVERY_S = 5.0
ANSWER_S = 13 * 60
"""Discord takes an answer for 15 minutes."""
Builder = hikari.api.InteractionMessageBuilder | hikari.api.InteractionDeferredBuilder
Interaction = hikari.CommandInteraction | hikari.ComponentInteraction
_LOGGER = logging.getLogger(__name__)


class Replies:
    """Answers commands and buttons."""

    def __init__(self, store: Store, read_picture: PictureReader, follower: Follower):
        self._store, self._read_picture, self._follower = store, read_picture, follower
        self._answers = Answers(store)
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading: set[hikari.Snowflake] = set()

    async def on_command(self, interaction: hikari.CommandInteraction) -> Builder:
        """Say within Discord's three seconds that an answer will come, and work on it."""
        if interaction.guild_id is None and interaction.command_name not in (HELP, PERSONAL):
            text = "Ask me in a server's channel: results belong to a server."
            return interaction.build_response().set_content(text).set_flags(hikari.MessageFlag.EPHEMERAL)
        self._start(self._command(interaction))
        return interaction.build_deferred_response().set_flags(hikari.MessageFlag.EPHEMERAL)

    async def on_button(self, interaction: hikari.ComponentInteraction) -> Builder:
        """Turn the page of an answer, or publish it."""
        pressed = buttons.read_custom_id(interaction.custom_id)
        if pressed is None:
            text = "This button is of another version of mine: ask again."
            found = interaction.build_response(hikari.ResponseType.MESSAGE_CREATE).set_content(text)
            return found.set_flags(hikari.MessageFlag.EPHEMERAL)
        verb, command, page, options = pressed
        question = replace(_question(interaction, command), options=options, page=page)
        self._start(self._reply(interaction, question, is_public=verb == buttons.PUBLISH))
        if verb == buttons.PUBLISH:
            return interaction.build_deferred_response(hikari.ResponseType.DEFERRED_MESSAGE_CREATE)
        return interaction.build_deferred_response(hikari.ResponseType.DEFERRED_MESSAGE_UPDATE)

    async def close(self) -> None:
        """Give up what is still being worked on; pages that were read are kept."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _command(self, interaction: hikari.CommandInteraction) -> None:
        question = replace(_question(interaction, interaction.command_name), options=chosen(interaction))
        if question.command == SYNC:
            await _say(interaction, await self._caught(interaction, self._sync(interaction, question)))
        else:
            if question.command == PERSONAL and not question.options:
                question = replace(question, options={"player": question.user})
            await self._reply(interaction, question)

    async def _reply(self, interaction: Interaction, question: Question, is_public: bool = False) -> None:
        reply = await self._caught(interaction, self._answer(question))
        found = [] if is_public else buttons.buttons(interaction.app.rest, question, reply)
        keeps_buttons = question.command not in ADMIN_COMMANDS and question.command != HELP and reply.is_answer
        await _say(interaction, reply, found if keeps_buttons or reply.n_pages > 1 else [])

    async def _answer(self, question: Question) -> BotReply:
        note = "" if question.command == HELP or question.page else await self._refresh(question)
        reply = await self._answers.answer(question)
        return replace(reply, text=f"{reply.text}\n{note}"[:MAX_TEXT]) if note else reply

    async def _refresh(self, question: Question) -> str:
        """Read what is new where the question is asked, or wherever the asker plays; return what could not be read."""
        if question.guild is None:
            keys = await asyncio.to_thread(self._store.servers_of, question.user)
        else:
            keys = [question.guild]
        leagues = [await asyncio.to_thread(self._store.league, key) for key in keys]
        return " ".join({note for note in await asyncio.gather(*map(self._follower.refresh, leagues)) if note})

    async def _caught(self, interaction: Interaction, work: Coroutine[Any, Any, BotReply]) -> BotReply:
        try:
            return await work
        except UserError as error:
            return BotReply(error.message, is_answer=False)
        except hikari.HikariError as error:
            return BotReply(explained(error), is_answer=False)
        except Exception:
            _LOGGER.exception("answering interaction %s failed", interaction.id)
            return BotReply("Something went wrong here; the bot's log says what.", is_answer=False)

    async def _sync(self, interaction: hikari.CommandInteraction, question: Question) -> BotReply:
        if not question.is_admin:
            raise UserError("That is for those who may manage the server.")
        if lacking := missing(interaction):
            return BotReply(lacking)
        if interaction.channel_id in self._reading:
            return BotReply("This channel is being read already.")
        league = await asyncio.to_thread(self._store.league, str(interaction.guild_id))
        self._reading.add(interaction.channel_id)
        try:
            clock = _Progress(interaction)
            reader = ChannelReader(
                interaction.app.rest, league, interaction.channel_id, self._read_picture, clock.report
            )
            count = await reader.read(question.options.get("message_limit", DEFAULT_MESSAGES))
        finally:
            self._reading.discard(interaction.channel_id)
        found = await asyncio.to_thread(league.resolved)
        said = [
            _summary(count),
            clock.ended,
            empty_messages(count),
            f"The league has {amount(len(found.results), 'result')}.",
        ]
        return BotReply(" ".join(filter(None, said)) + _unread(count))


class _Progress:
    """Tells how far reading has come, now and then, and ends it while Discord still takes an answer."""

    def __init__(self, interaction: hikari.CommandInteraction):
        self._interaction = interaction
        self._started = self._reported = time.monotonic()
        self.ended = ""

    async def report(self, count: ReadCount) -> bool:
        """Show the count if it is time to; return whether there is time left."""
        now = time.monotonic()
        if now > self._reported + PROGRESS_EVERY_S:
            self._reported = now
            await _say(self._interaction, BotReply(f"{_summary(count)} Reading on …"))
        if now > self._started + ANSWER_S:
            self.ended = "That is all the time Discord gives me for an answer: run /sync again for the rest."
        return not self.ended


def _question(interaction: Interaction, command: str) -> Question:
    guild = None if interaction.guild_id is None else str(interaction.guild_id)
    member = interaction.member
    allowed = hikari.Permissions.MANAGE_GUILD | hikari.Permissions.ADMINISTRATOR
    is_admin = member is not None and bool(member.permissions & allowed)
    return Question(command, {}, guild, str(interaction.channel_id), str(interaction.user.id), is_admin)


def _summary(count: ReadCount) -> str:
    rest = "" if count.complete else " There may be older ones: another /sync, or a higher message_limit, reads them."
    unread = f" {count.n_unread:,} parts could not be read." if count.n_unread else ""
    gone = f" {count.n_withdrawn:,} deleted messages were withdrawn." if count.n_withdrawn else ""
    return f"Read {amount(count.n_messages, 'message')} with {amount(count.n_results, 'result')}.{unread}{gone}{rest}"


def _unread(count: ReadCount) -> str:
    return "".join(f"\nNot read: {one.text[:80]!r}: {one.why}." for one in count.unread)


async def _say(
    interaction: Interaction, reply: BotReply, components: list[hikari.api.ComponentBuilder] | None = None
) -> None:
    pictures = [hikari.Bytes(reply.picture, "picture.png", mimetype="image/png")] if reply.picture else []
    try:
        await interaction.edit_initial_response(
            reply.text[:MAX_TEXT],
            attachments=pictures,
            components=components or [],
            mentions_everyone=False,
            user_mentions=False,
            role_mentions=False,
        )
    except hikari.HikariError as error:
        # Its text would hold the interaction's token.
        _LOGGER.warning("an answer was not taken: %s", type(error).__name__)
