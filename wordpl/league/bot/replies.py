"""What the bot answers: in words, with a picture, within the time that Discord gives."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import hikari

from wordpl.core.errors import UserError
from wordpl.league.bot.channel import Channel, Count
from wordpl.league.bot.error_messages import empty_messages, explained, missing
from wordpl.league.bot.options import LEADERBOARD, MESSAGES, PERSONAL, SYNC, chosen, settings_of
from wordpl.league.discord_export import PictureReader
from wordpl.league.resolve import ResolvedLeague
from wordpl.league.settings import LeaderboardSettings
from wordpl.league.store import League, Store

LONGEST_TEXT = 2000
TOLD_EVERY_S = 5.0
ANSWER_S = 13 * 60
"""Discord takes an answer for 15 minutes."""
Builder = hikari.api.InteractionMessageBuilder | hikari.api.InteractionDeferredBuilder
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class BotReply:
    """What to say: at most LONGEST_TEXT characters; picture: a PNG."""

    text: str
    picture: bytes | None = None


@dataclass(frozen=True)
class Views:
    """How results are shown: a leaderboard, and one player's results."""

    leaderboard: Callable[[ResolvedLeague, LeaderboardSettings], BotReply]
    personal: Callable[[ResolvedLeague, str], BotReply]


class Replies:
    """Answers commands."""

    def __init__(self, store: Store, views: Views, read_picture: PictureReader):
        self._store, self._views, self._read_picture = store, views, read_picture
        self._tasks: set[asyncio.Task] = set()
        self._reading: set[hikari.Snowflake] = set()
        self._drawing = asyncio.Lock()

    async def listen(self, interaction: hikari.CommandInteraction) -> Builder:
        """Say within Discord's three seconds that an answer will come, and work on it."""
        if interaction.guild_id is None:
            text = "Ask me in a server's channel: results belong to a server."
            return interaction.build_response().set_content(text).set_flags(hikari.MessageFlag.EPHEMERAL)
        task = asyncio.create_task(self._answer(interaction))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return interaction.build_deferred_response()

    async def close(self) -> None:
        """Give up what is still being worked on; pages that were read are kept."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _answer(self, interaction: hikari.CommandInteraction) -> None:
        answers = {SYNC: self._sync, LEADERBOARD: self._leaderboard, PERSONAL: self._personal}
        try:
            league = await asyncio.to_thread(self._store.league, str(interaction.guild_id))
            reply = await answers[interaction.command_name](interaction, league)
        except UserError as error:
            reply = BotReply(error.message)
        except hikari.HikariError as error:
            reply = BotReply(explained(error))
        except Exception:
            _LOGGER.exception("answering /%s failed", interaction.command_name)
            reply = BotReply("Something went wrong here; the bot's log says what.")
        await _say(interaction, reply)

    async def _sync(self, interaction: hikari.CommandInteraction, league: League) -> BotReply:
        if lacking := missing(interaction):
            return BotReply(lacking)
        if interaction.channel_id in self._reading:
            return BotReply("This channel is being read already.")
        self._reading.add(interaction.channel_id)
        try:
            clock = _Clock(interaction)
            channel = Channel(interaction.app.rest, league, interaction.channel_id, self._read_picture, clock.tell)
            count = await channel.read(chosen(interaction).get("message_limit", MESSAGES))
        finally:
            self._reading.discard(interaction.channel_id)
        counted = await asyncio.to_thread(league.counted)
        said = [_told(count), clock.ended, empty_messages(count), f"The league has {len(counted.results):,} results."]
        return BotReply(" ".join(filter(None, said)))

    async def _leaderboard(self, interaction: hikari.CommandInteraction, league: League) -> BotReply:
        options = chosen(interaction)
        channel = str(interaction.channel_id) if options.get("channel_only") else None
        settings = settings_of(options)
        async with self._drawing:
            return await asyncio.to_thread(lambda: self._views.leaderboard(_some(league, channel), settings))

    async def _personal(self, interaction: hikari.CommandInteraction, league: League) -> BotReply:
        options = chosen(interaction)
        who = options.get("name") or str(options.get("player", interaction.user.id))

        def view() -> BotReply:
            counted = _some(league)
            return self._views.personal(counted, counted.find(who, league.names()))

        async with self._drawing:
            return await asyncio.to_thread(view)


class _Clock:
    """Tells how far reading has come, now and then, and ends it while Discord still takes an answer."""

    def __init__(self, interaction: hikari.CommandInteraction):
        self._interaction = interaction
        self._started = self._told = time.monotonic()
        self.ended = ""

    async def tell(self, count: Count) -> bool:
        """Show the count if it is time to; return whether there is time left."""
        now = time.monotonic()
        if now > self._told + TOLD_EVERY_S:
            self._told = now
            await _say(self._interaction, BotReply(f"{_told(count)} Reading on …"))
        if now > self._started + ANSWER_S:
            self.ended = "That is all the time Discord gives me for an answer: run /sync again for the rest."
        return not self.ended


def _told(count: Count) -> str:
    rest = "" if count.complete else " There may be older ones: another /sync, or a higher message_limit, reads them."
    unread = f" {count.n_unread:,} parts could not be read." if count.n_unread else ""
    return f"Read {count.n_messages:,} messages with {count.n_results:,} results.{unread}{rest}"


def _some(league: League, channel: str | None = None) -> ResolvedLeague:
    counted = league.resolved(channel)
    if counted.results.empty:
        where = "of this channel" if channel else "of this server"
        raise UserError(f"There are no results {where} yet. `/sync`, in the channel with the summaries, reads them.")
    return counted


async def _say(interaction: hikari.CommandInteraction, reply: BotReply) -> None:
    pictures = [hikari.Bytes(reply.picture, "picture.png", mimetype="image/png")] if reply.picture else []
    try:
        await interaction.edit_initial_response(
            reply.text[:LONGEST_TEXT],
            attachments=pictures,
            mentions_everyone=False,
            user_mentions=False,
            role_mentions=False,
        )
    except hikari.HikariError as error:
        # Its text would hold the interaction's token.
        _LOGGER.warning("an answer to /%s was not taken: %s", interaction.command_name, type(error).__name__)
