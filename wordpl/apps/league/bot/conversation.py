"""The bot's conversation, from Discord's interaction to the reply: buttons, pages, progress and errors."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode
from weakref import WeakValueDictionary

import hikari

from wordpl.apps.league.bot import commands
from wordpl.apps.league.bot.channels import ChannelReader, ReadCount
from wordpl.apps.league.bot.follower import Follower
from wordpl.apps.league.sources import PictureReader
from wordpl.apps.league.store import League, LeagueStore
from wordpl.core.messages import UserError, amount

PAGE, PUBLISH = "page", "publish"
MAX_CUSTOM_ID = 100
_OPTION_TYPES = {"b": bool, "i": int, "f": float, "s": str}
_TYPE_LETTERS = {kind: letter for letter, kind in _OPTION_TYPES.items()}


def custom_id(verb: str, request: commands.BotRequest) -> str:
    """Return the custom id of a button, which encodes its verb and its request.

    >>> custom_id(PAGE, commands.BotRequest("leaderboard", {"x_is_seven": True}, "1", "2", "3", page=4))
    'page|leaderboard|4|x_is_seven=b1'
    """
    options = {
        name: f"{_TYPE_LETTERS[type(value)]}{int(value) if isinstance(value, bool) else value}"
        for name, value in request.options.items()
    }
    return f"{verb}|{request.command}|{request.page}|{urlencode(options)}"


def read_custom_id(text: str) -> tuple[str, str, int, Mapping[str, Any]] | None:
    """Return the verb, command, page and options encoded in a custom id, or None if it has another format.

    >>> read_custom_id("page|leaderboard|4|x_is_seven=b1")
    ('page', 'leaderboard', 4, {'x_is_seven': True})
    """
    parts = text.split("|", 3)
    if len(parts) != 4 or parts[0] not in (PAGE, PUBLISH) or not parts[2].isdigit():
        return None
    try:
        pairs = ((name, value[:1], value[1:]) for name, value in parse_qsl(parts[3]))
        options = {name: value == "1" if kind == "b" else _OPTION_TYPES[kind](value) for name, kind, value in pairs}
    except (KeyError, ValueError):
        return None
    return parts[0], parts[1], int(parts[2]), options


def buttons(
    rest: hikari.api.RESTClient, request: commands.BotRequest, reply: commands.BotReply
) -> list[hikari.api.ComponentBuilder]:
    """Return the row of buttons below a reply: previous and next page if there are any, and Publish."""
    candidates = [
        ("‹ Before", PAGE, reply.page - 1),
        ("More ›", PAGE, reply.page + 1),
        ("Publish", PUBLISH, reply.page),
    ]
    row = rest.build_message_action_row()
    n_buttons = 0
    for label, verb, page in candidates:
        is_possible = 0 <= page < reply.n_pages and (verb == PAGE or request.guild is not None)
        id = custom_id(verb, replace(request, page=max(0, page)))
        if is_possible and len(id) <= MAX_CUSTOM_ID:
            row.add_interactive_button(hikari.ButtonStyle.SECONDARY, id, label=label)
            n_buttons += 1
    return [row] if n_buttons else []


PROGRESS_EVERY_S = 5.0
MAX_KEPT = 200
"""How many replies are kept."""
WORKING_AFTER_S = 2.5
"""How long a user waits for a reply or for a message that it is still being worked on, in seconds."""
PICTURE_AFTER_S = 10.0
"""How long a picture waits for the texts of other answers, in seconds."""
ANSWER_S = 13 * 60
"""The time limit for a reply; Discord accepts it for 15 minutes."""
Work = Coroutine[Any, Any, None]
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
    """Replies to commands and buttons, and keeps replies until the league changes."""

    def __init__(self, store: LeagueStore, read_picture: PictureReader, follower: Follower):
        self._store, self._read_picture, self._follower = store, read_picture, follower
        self._locks: WeakValueDictionary[tuple[object, ...], asyncio.Lock] = WeakValueDictionary()
        self._leagues: dict[str, League] = {}
        self._kept: OrderedDict[tuple[object, ...], commands.BotReply] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading: set[hikari.Snowflake] = set()
        self._unanswered: set[asyncio.Task[commands.BotReply]] = set()
        self._all_answered = asyncio.Event()

    async def on_command(self, interaction: hikari.CommandInteraction) -> Builder:
        """Return the response to a command that came over HTTPS, and work on the reply in the background."""
        response, work = self._response_to_command(interaction)
        self._start(work)
        return response

    async def on_button(self, interaction: hikari.ComponentInteraction) -> Builder:
        """Return the response to a button that came over HTTPS, and work on the reply in the background."""
        response, work = self._response_to_button(interaction)
        self._start(work)
        return response

    async def on_event(self, event: hikari.InteractionCreateEvent) -> None:
        """Respond to a command or a button that came over the gateway."""
        interaction = event.interaction
        if isinstance(interaction, hikari.CommandInteraction):
            response, work = self._response_to_command(interaction)
        elif isinstance(interaction, hikari.ComponentInteraction):
            response, work = self._response_to_button(interaction)
        else:
            return
        rest, content = interaction.app.rest, getattr(response, "content", hikari.UNDEFINED)
        try:
            await rest.create_interaction_response(
                interaction.id, interaction.token, response.type, content, flags=response.flags
            )
        except hikari.HikariError as error:
            _LOGGER.warning("Discord did not accept a response: %s", type(error).__name__)
        self._start(work)

    def _response_to_command(self, interaction: hikari.CommandInteraction) -> tuple[Builder, Work | None]:
        """Return a deferred response, as Discord waits only three seconds, and the work on the reply."""
        if interaction.guild_id is None and interaction.command_name not in (commands.HELP, commands.PERSONAL):
            refusal = interaction.build_response().set_content(commands.ASK_IN_SERVER)
            return refusal.set_flags(hikari.MessageFlag.EPHEMERAL), None
        deferred = interaction.build_deferred_response().set_flags(hikari.MessageFlag.EPHEMERAL)
        return deferred, self._command(interaction)

    def _response_to_button(self, interaction: hikari.ComponentInteraction) -> tuple[Builder, Work | None]:
        """Return a deferred response, and the work that shows another page of a reply or publishes the reply."""
        button_press = read_custom_id(interaction.custom_id)
        if button_press is None:
            text = "This button belongs to another version of the bot: please run the command again."
            response = interaction.build_response(hikari.ResponseType.MESSAGE_CREATE).set_content(text)
            return response.set_flags(hikari.MessageFlag.EPHEMERAL), None
        verb, command, page, options = button_press
        request = _bot_request(interaction, command, options, page)
        work = self._reply(interaction, request, is_public=verb == PUBLISH)
        if verb == PUBLISH:
            return interaction.build_deferred_response(hikari.ResponseType.DEFERRED_MESSAGE_CREATE), work
        return interaction.build_deferred_response(hikari.ResponseType.DEFERRED_MESSAGE_UPDATE), work

    async def close(self) -> None:
        """Cancel the replies in progress; what `/sync` has read so far is saved."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Work | None) -> None:
        if work is None:
            return
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _command(self, interaction: hikari.CommandInteraction) -> None:
        values = {option.name: option.value for option in interaction.options or ()}
        options = {name: str(value) if isinstance(value, hikari.Snowflake) else value for name, value in values.items()}
        request = _bot_request(interaction, interaction.command_name, options)
        if request.command in (commands.SYNC, commands.REREAD):
            await _say(interaction, await self._reply_or_error(interaction, self._read(interaction, request)))
        else:
            if request.command == commands.PERSONAL and not request.options:
                request = replace(request, options={"player": request.user})
            await self._reply(interaction, request)

    async def _reply(self, interaction: Interaction, request: commands.BotRequest, is_public: bool = False) -> None:
        work = asyncio.create_task(self._reply_or_error(interaction, self._answer(request)))
        began = time.monotonic()
        self._unanswered.add(work)
        self._all_answered.clear()
        while not (await asyncio.wait([work], timeout=WORKING_AFTER_S))[0]:
            took = time.monotonic() - began
            await _say(
                interaction, commands.BotReply(f"Still working on /{request.command}, for {took:.0f} s so far …")
            )
        reply = work.result()
        button_rows = [] if is_public else buttons(interaction.app.rest, request, reply)
        keeps_buttons = reply.is_answer and not commands.command_of(request).is_private
        components = button_rows if keeps_buttons or reply.n_pages > 1 else []
        await _say(interaction, reply, components)
        self._unanswered.discard(work)
        if not self._unanswered:
            self._all_answered.set()
        if reply.draw is not None:
            with suppress(TimeoutError):  # drawing takes the time of other people's texts
                await asyncio.wait_for(self._all_answered.wait(), PICTURE_AFTER_S)
            try:
                picture = await asyncio.to_thread(reply.draw)
            except Exception:
                _LOGGER.exception("drawing the picture of interaction %s failed", interaction.id)
                return
            await _say(interaction, reply, components, picture)

    async def _answer(self, request: commands.BotRequest) -> commands.BotReply:
        """Return the reply to a request. Raises UserError if the request cannot be answered."""
        if request.command == commands.HELP:
            return commands.BotReply(commands.help_text(request.is_admin))
        note = "" if request.command == commands.FORGET or request.page else await self._refresh(request)
        if commands.command_of(request).is_admin and not request.is_admin:
            raise UserError("You need the permission Manage Server for this command.")
        if request.guild is None:
            reply = await asyncio.to_thread(self._in_direct_message, request)
        else:
            league = await self._league(request.guild)
            async with self._lock(request.guild):
                await asyncio.to_thread(league.resolved)  # once for all who ask at the same time
            options = tuple(sorted(request.options.items()))
            async with self._lock(request.guild, request.command, options, request.page):
                reply = await asyncio.to_thread(self._from_store, league, request)
        return replace(reply, text=f"{reply.text}\n{note}"[: commands.MAX_TEXT]) if note else reply

    def _lock(self, *question: object) -> asyncio.Lock:
        """Return the lock that those hold who answer this question: it is answered once for all who ask it."""
        lock = self._locks.get(question)
        if lock is None:
            lock = self._locks[question] = asyncio.Lock()
        return lock

    async def _league(self, key: str) -> League:
        if key not in self._leagues:
            self._leagues[key] = await asyncio.to_thread(self._store.league, key)
        return self._leagues[key]

    def _from_store(self, league: League, request: commands.BotRequest) -> commands.BotReply:
        command = commands.command_of(request)
        if command.is_private:
            return command.answer(league, request)
        options = tuple(sorted(request.options.items()))
        user = request.user if request.command == commands.COMPARE else ""
        asked = (request.command, options, request.page, request.channel, user, request.now.date())
        place = (league.id, league.changes(), *asked)
        reply = self._kept.get(place)
        if reply is None:
            reply = self._kept[place] = command.answer(league, request)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return reply

    def _in_direct_message(self, request: commands.BotRequest) -> commands.BotReply:
        """Return the user's own results, one page per server in which they play."""
        if request.command != commands.PERSONAL:
            raise UserError(commands.ASK_IN_SERVER)
        if request.options.keys() & {"player", "name"} and request.options.get("player") != request.user:
            raise UserError("In a direct message I show only your own results.")
        titled_replies = []
        for key, name in self._store.leagues().items():
            league = self._store.find(key)
            results = league.resolved()
            player = next((label for label, person in results.ids.items() if person.key == request.user), "")
            if player in set(results.results["player"]):
                titled_replies.append((name, commands.one_player(results, player)))
        if not titled_replies:
            raise UserError("I have no results of yours yet. They come from the servers in which you play.")
        page = min(request.page, len(titled_replies) - 1)
        name, reply = titled_replies[page]
        text = f"{reply.text}\n{name}"[: commands.MAX_TEXT]
        return commands.BotReply(text, reply.draw, page, len(titled_replies))

    async def _refresh(self, request: commands.BotRequest) -> str:
        """Read new messages of the server, or of all the user's servers in a direct message; return any warnings."""
        if request.guild is None:
            keys = await asyncio.to_thread(self._store.servers_of, request.user)
        else:
            keys = [request.guild]
        leagues = [await self._league(key) for key in keys]
        return " ".join({note for note in await asyncio.gather(*map(self._follower.refresh, leagues)) if note})

    async def _reply_or_error(
        self, interaction: Interaction, work: Coroutine[Any, Any, commands.BotReply]
    ) -> commands.BotReply:
        try:
            return await work
        except UserError as error:
            return commands.BotReply(error.message, is_answer=False)
        except hikari.HikariError as error:
            return commands.BotReply(describe_error(error), is_answer=False)
        except Exception:
            _LOGGER.exception("answering interaction %s failed", interaction.id)
            return commands.BotReply("Something went wrong; the bot's log has the details.", is_answer=False)

    async def _read(self, interaction: hikari.CommandInteraction, request: commands.BotRequest) -> commands.BotReply:
        """Answer /sync and /reread, which read a channel."""
        if not request.is_admin:
            raise UserError("You need the permission Manage Server for this command.")
        if lacking := missing_permissions(interaction):
            return commands.BotReply(lacking)
        if interaction.channel_id in self._reading:
            return commands.BotReply("I am already reading this channel.")
        league = await asyncio.to_thread(self._store.league, str(interaction.guild_id))
        self._reading.add(interaction.channel_id)
        try:
            await self._follower.read_members(league)
            progress = _SyncProgress(interaction)
            rest, id = interaction.app.rest, interaction.channel_id
            reader = ChannelReader(rest, league, id, self._read_picture, progress.report)
            if request.command == commands.REREAD:
                is_sure = bool(request.options.get("confirm"))
                return commands.reread_reply(await reader.read_again(self._store, is_sure), is_sure)
            count = await reader.read(request.options.get("message_limit", commands.DEFAULT_MESSAGES))
        finally:
            self._reading.discard(interaction.channel_id)
        return await asyncio.to_thread(_sync_reply, league, count, progress.ended)


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
            await _say(self._interaction, commands.BotReply(f"{_summary(count)} Still reading …"))
        if now > self._started + ANSWER_S:
            self.ended = "Discord's time limit for a reply is reached: run /sync again to continue."
        return not self.ended


def _bot_request(
    interaction: Interaction, command: str, options: Mapping[str, Any], page: int = 0
) -> commands.BotRequest:
    guild = None if interaction.guild_id is None else str(interaction.guild_id)
    member = interaction.member
    allowed = hikari.Permissions.MANAGE_GUILD | hikari.Permissions.ADMINISTRATOR
    is_admin = member is not None and bool(member.permissions & allowed)
    user = interaction.user
    names = (user.username, user.global_name, member.nickname if member is not None else None)
    known_names = tuple(name for name in names if name)
    channel, user_id = str(interaction.channel_id), str(user.id)
    return commands.BotRequest(command, options, guild, channel, user_id, is_admin, page, names=known_names)


def _sync_reply(league: League, count: ReadCount, ended: str) -> commands.BotReply:
    results = league.resolved()
    unset = f"Choose the server's time zone: `/settings zone:{results.zone or 'Europe/Berlin'}`."
    sentences = [
        _summary(count),
        ended,
        explain_blank_messages(count),
        f"The league has {amount(len(results.results), 'result')}.",
        results.warning or ("" if results.options.zone else unset),
    ]
    not_read = (f"\nNot read: {part.text[:80]!r}: {part.why}." for part in count.unread)
    return commands.BotReply(" ".join(filter(None, sentences)) + "".join(not_read))


def _summary(count: ReadCount) -> str:
    advice = "" if count.complete else " There may be older messages: run /sync again, or with a higher message_limit."
    unread = f" {count.n_unread:,} parts could not be read." if count.n_unread else ""
    gone = f" {amount(count.n_withdrawn, 'message')} had been deleted." if count.n_withdrawn else ""
    return f"Read {amount(count.n_messages, 'message')} with {amount(count.n_results, 'result')}.{unread}{gone}{advice}"


async def _say(
    interaction: Interaction,
    reply: commands.BotReply,
    components: list[hikari.api.ComponentBuilder] | None = None,
    picture: bytes | None = None,
) -> None:
    files = [hikari.Bytes(picture, "picture.png", mimetype="image/png")] if picture else []
    files += [hikari.Bytes(reply.document, "my-data.json", mimetype="application/json")] if reply.document else []
    try:
        await interaction.edit_initial_response(
            reply.text[: commands.MAX_TEXT],
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
