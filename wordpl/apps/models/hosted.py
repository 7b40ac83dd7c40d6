"""Plays language models: many games at a time in one thread of the host, which waits for their endpoints.

`wordpl.contest.hosted` finds this module by its name, and says what its functions do.
"""

import asyncio
import threading
import time
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from queue import Empty, SimpleQueue
from statistics import mean
from typing import Any

import msgspec

from wordpl import games
from wordpl.apps.models import transcripts
from wordpl.apps.models.client import Client, EndpointFaultError, require_library
from wordpl.apps.models.endpoints import HOST, HostTerms, ModelEndpoint
from wordpl.apps.models.model_entry import ModelEntry, ModelSettings, ModelTerms
from wordpl.apps.models.prompts import default_prompt
from wordpl.apps.models.transcripts import Exchange, Writer, by_game
from wordpl.contest import hosted
from wordpl.contest.hosted import HostedGames
from wordpl.contest.referee import GameSetup
from wordpl.core.messages import UserError, amount
from wordpl.core.seeds import Draws
from wordpl.games import Game
from wordpl.run.bundle import Settings
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, Price
from wordpl.run.records import Duration, Record, Usage
from wordpl.verify import Difference, Findings

KIND = "model"
MILLION = 1_000_000
STOP_S = 10.0


TEMPLATE = """\
game = "{game}"

[model]
endpoint = "local"       # the host binds this name: --endpoint local=http://127.0.0.1:8080/v1
model = "my-model"       # its name at that endpoint
temperature = 0.0        # without this line: the endpoint's own
max_tokens = 4096        # of each reply
reply = "text"           # or "json", or "tool"
prompt = "prompt.txt"    # the first message of a game; without this line, what this file says now
"""


def template(game: Game) -> dict[str, str]:
    """Return the files of an example; see `HostedKind`."""
    return {"bot.toml": TEMPLATE.format(game=game.facts.id), "prompt.txt": f"{default_prompt(game, 'text', 0)}\n"}


def check(settings: Settings, files: Path, name: str) -> None:
    """Check the settings of a model; see `HostedKind`."""
    ModelSettings.of(settings, name).prompt_text(files, name)


def terms(entries: Sequence[tuple[EntryInfo, Settings]]) -> tuple[dict[str, Any], dict[str, Price]]:
    """Return the terms and prices of a new run; see `HostedKind`."""
    require_library()
    prices = {}
    for entry, settings in entries:
        own = ModelSettings.of(settings, entry.file)
        if price := HOST.endpoint(own.endpoint, entry.name).price(own.model):
            prices[entry.slug] = price
    if HOST.max_cost is not None and len(prices) < len(entries):
        raise UserError("--max-cost needs the price of every model: see `wordpl docs models` for endpoints.toml.")
    return msgspec.to_builtins(ModelTerms(HOST.second_asks, HOST.game_s)), prices


@dataclass
class _Spent:
    """What the entries of a run have used, and why no request may begin any more."""

    host: HostTerms
    tokens: int = 0
    cost: float = 0.0

    def add(self, exchange: Exchange, price: Price | None) -> None:
        """Count an exchange."""
        tokens_in, tokens_out = exchange.tokens_in or 0, exchange.tokens_out or 0
        self.tokens += tokens_in + tokens_out
        if price is not None:
            self.cost += (tokens_in * price.tokens_in + tokens_out * price.tokens_out) / MILLION

    @property
    def limit(self) -> str:
        """Which limit is reached, as a sentence; "" if none is."""
        if self.host.max_tokens is not None and self.tokens >= self.host.max_tokens:
            return f"--max-tokens {self.host.max_tokens:,} is reached: {self.tokens:,} tokens were used."
        if self.host.max_cost is not None and self.cost >= self.host.max_cost:
            return f"--max-cost {self.host.max_cost:g} is reached: {self.cost:.4g} was spent."
        return ""


@dataclass
class _Connection:
    """An endpoint with its client; `fault` says why no request is sent to it any more."""

    endpoint: ModelEndpoint
    client: Client
    slots: asyncio.Semaphore
    fault: str = ""


@dataclass
class _Player:
    """An entry whose games are played.

    Attributes:
        info: The entry.
        model: The model with the rules and terms.
        connection: Its endpoint.
        writer: Its transcripts.
        begun: The exchanges of games that were begun before and have not ended.
        price: Its price.
    """

    info: EntryInfo
    model: ModelEntry
    connection: _Connection
    writer: Writer
    begun: dict[int, list[Exchange]]
    price: Price | None


class _PausedError(Exception):
    """No request may begin now, so that a game waits for the run to be resumed."""


_Item = tuple[EntryInfo, Record, Duration] | BaseException | None


@dataclass
class Games(HostedGames):
    """The games of models of a run, in a thread with an event loop of its own."""

    run: Run
    draws: Draws
    host: HostTerms
    spent: _Spent
    _players: dict[str, _Player] = field(default_factory=dict)
    _ended: "SimpleQueue[_Item]" = field(default_factory=SimpleQueue)
    _n_open: int = 0
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def _open(self, entries: Sequence[EntryInfo]) -> None:
        """Connect to the endpoints, and read what was begun before."""
        run_terms, lists = ModelTerms.of(self.run.info.hosted.get(KIND, {})), self.run.info.config.load_lists()
        connections: dict[str, _Connection] = {}
        for entry in entries:
            settings = ModelSettings.of(hosted.settings_of(entry, self.run.store), entry.file)
            endpoint = self.host.endpoint(settings.endpoint, entry.name)
            if endpoint.name not in connections:
                client = await self._stack.enter_async_context(Client(endpoint, run_terms.game_s))
                slots = asyncio.Semaphore(endpoint.terms.in_flight or self.host.in_flight * len(entries))
                connections[endpoint.name] = _Connection(endpoint, client, slots)
            game = games.make_game(entry.game, lists)
            files, name = self.run.store.path(entry.sha256), Path(entry.file).name
            model = ModelEntry.of(settings, run_terms, game, files, name)
            writer = Writer(self.run, entry)
            self._stack.callback(writer.close)
            price, is_done = self.run.info.prices.get(entry.slug), self.run.entry(entry).played().is_done
            begun = by_game(self._counted(entry, price))
            begun = {number: found for number, found in begun.items() if not is_done[number]}
            self._players[entry.slug] = _Player(entry, model, connections[endpoint.name], writer, begun, price)

    def _counted(self, entry: EntryInfo, price: Price | None) -> Iterator[Exchange]:
        for exchange in transcripts.read(self.run, entry):
            self.spent.add(exchange, price)
            yield exchange

    def begin(self, entry: EntryInfo, numbers: Iterable[int]) -> None:
        """Play games of an entry; see `HostedGames`."""
        self._n_open += 1
        self._loop.call_soon_threadsafe(self._start, self._play(self._players[entry.slug], iter(numbers)))

    def _start(self, coroutine: Any) -> None:
        task = self._loop.create_task(coroutine)
        self._tasks.add(task)

        def done(task: "asyncio.Task[None]") -> None:
            self._tasks.discard(task)
            error = None if task.cancelled() else task.exception()
            if error is not None:
                self._ended.put(error)
            self._ended.put(None)

        task.add_done_callback(done)

    async def _play(self, player: _Player, numbers: Iterator[int]) -> None:
        """Play these games of an entry, `in_flight` at a time."""

        async def one_by_one() -> None:
            while not (self.spent.limit or player.connection.fault):
                if (number := next(numbers, None)) is None:
                    return
                with suppress(_PausedError):
                    self._ended.put(await self._game(player, number))

        async with asyncio.TaskGroup() as group:
            for _ in range(self.host.in_flight):
                group.create_task(one_by_one())

    async def _game(self, player: _Player, number: int) -> tuple[EntryInfo, Record, Duration]:
        """Play a game from its last recorded reply on.

        Raises:
            _PausedError: A request could not be sent or was not answered.
        """
        steps = player.model.play(GameSetup.of(player.model.game, self.draws.game(number)))
        begun, wall_s = player.begun.pop(number, []), 0.0
        request = next(steps)
        while True:
            exchange = begun.pop(0) if begun else await self._exchange(player, request)
            if exchange.request != request.sha256:
                path = transcripts.path_of(self.run, player.info)
                raise UserError(f"{path}: the requests of game {number} are not those of this release and entry.")
            wall_s += exchange.seconds
            try:
                request = steps.send(exchange)
            except StopIteration as end:
                return player.info, end.value, Duration(number, None, round(wall_s, 6))

    async def _exchange(self, player: _Player, request: Any) -> Exchange:
        connection = player.connection
        async with connection.slots:
            if self.spent.limit or connection.fault:
                raise _PausedError
            began = time.perf_counter()
            try:
                answer = await connection.client.ask(request.body)
            except EndpointFaultError as error:
                connection.fault = connection.fault or str(error)
                raise _PausedError from None
        seconds = round(time.perf_counter() - began, 6)
        exchange: Exchange = request.exchange(
            answer.text, answer.finish, seconds=seconds, called=answer.called,
            tokens_in=answer.tokens_in, tokens_out=answer.tokens_out,
        )  # fmt: skip
        player.writer.add(exchange)
        self.spent.add(exchange, player.price)
        return exchange

    def ended(self, *, wait: bool) -> Iterator[tuple[EntryInfo, Record, Duration]]:
        """Yield the games that have ended; see `HostedGames`."""
        while True:
            try:
                item = self._ended.get(block=wait and self._n_open > 0)
            except Empty:
                break
            if isinstance(item, BaseExceptionGroup):
                raise item.exceptions[0]
            if isinstance(item, BaseException):
                raise item
            if item is None:
                self._n_open -= 1
            else:
                yield item
        if wait:
            self._require_no_pause()

    def _require_no_pause(self) -> None:
        """Raise UserError if games had to be left."""
        connections = {player.connection.endpoint.name: player.connection for player in self._players.values()}
        faults = [
            f"the endpoint {name} does not play on: {one.fault}." for name, one in connections.items() if one.fault
        ]
        if limit := self.spent.limit:
            faults.append(limit)
        left = sum(len(self.run.info.numbers(player.info)) for player in self._players.values())
        left -= sum(self.run.entry(player.info).played().n_games for player in self._players.values())
        if faults and left:
            raise UserError(f"{' '.join(faults)} No game is lost by that; --resume asks for nothing that was answered.")

    async def _close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stack.aclose()


@contextmanager
def play(run: Run, entries: Sequence[EntryInfo], draws: Draws) -> Iterator[Games]:
    """Yield the games of models; see `HostedKind`."""
    found = Games(run, draws, HOST, _Spent(HOST))
    thread = threading.Thread(target=found._loop.run_forever, name="models", daemon=True)
    thread.start()

    def wait_for(coroutine: Any) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, found._loop).result()

    try:
        wait_for(found._open(entries))
        yield found
    finally:
        wait_for(found._close())
        found._loop.call_soon_threadsafe(found._loop.stop)
        thread.join(STOP_S)
        found._loop.close()


def finish(run: Run, entries: Sequence[EntryInfo]) -> None:
    """Sort and compress the transcripts; see `HostedKind`."""
    for entry in entries:
        transcripts.finish(run, entry)


def problems(run: Run, entry: EntryInfo, game: Game, findings: Findings) -> Iterator[Difference]:
    """Yield where the transcripts do not give the records; see `HostedKind`."""
    what = f"the replies of {entry.name}: a model {hosted.NOT_REPEATED}"
    if not transcripts.exists(run, entry) or not run.store.holds(entry.sha256):
        findings.notes.append(f"{what}, and the run's folder has no transcripts, or not the files of the entry.")
        return
    findings.notes.append(f"{what}; requests, moves and verdicts were computed again from its transcripts.")
    if run.info.draws is None:
        return
    files, name = run.store.path(entry.sha256), Path(entry.file).name
    try:
        settings = ModelSettings.of(hosted.settings_of(entry, run.store), entry.file)
        model = ModelEntry.of(settings, ModelTerms.of(run.info.hosted.get(KIND, {})), game, files, name)
        exchanges = by_game(transcripts.read(run, entry))
    except UserError as error:
        yield Difference(entry.name, "transcripts", "the file", error.message, "one that can be read")
        return
    for record in run.entry(entry).read():
        found = exchanges.pop(record.game, [])
        expected = _replayed(model, GameSetup.of(game, run.info.draws.game(record.game)), found)
        for what, own, other in _deviations(record, expected, found):
            yield Difference(entry.name, f"game {record.game}", what, own, other)
    if exchanges and run.info.finished is not None:
        yield Difference(entry.name, "transcripts", "their games", f"also {min(exchanges)}", "those of the records")


def _replayed(model: ModelEntry, setup: GameSetup, exchanges: Sequence[Exchange]) -> Record | str:
    """Return the record that these exchanges give, or why they give none."""
    steps = model.play(setup)
    request = next(steps)
    for number, exchange in enumerate(exchanges, 1):
        expected = request.exchange("", "")
        for name in ("move", "ask", "asked", "request"):
            if getattr(exchange, name) != getattr(expected, name):
                return f"request {number} differs in {name!r} from what the moves before it give"
        try:
            request = steps.send(exchange)
        except StopIteration as end:
            record: Record = end.value
            return record if number == len(exchanges) else f"the game ends with reply {number} of {len(exchanges)}"
    return f"the game has not ended after {amount(len(exchanges), 'reply', 'replies')}"


def _deviations(record: Record, expected: Record | str, found: Sequence[Exchange]) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong with a record: what it is, the value found, and the value expected."""
    if isinstance(expected, str):
        yield "its transcript", expected, "one that gives the record"
        return
    if record.talk is None or record.talk != expected.talk:
        yield (
            "the digest of its transcript",
            "" if record.talk is None else record.talk.sha256,
            transcripts.talk_of(found).sha256,
        )
    if [move.proposal for move in record.moves] != [move.proposal for move in expected.moves]:
        yield "its moves", str([move.guess for move in record.moves]), str([move.guess for move in expected.moves])
    elif (record.verdict, record.message) != (expected.verdict, expected.message):
        yield "the verdict", f"{record.verdict} {record.message}", f"{expected.verdict} {expected.message}"


def replies(run: Run, entry: EntryInfo, games: Container[int]) -> dict[int, dict[int, str]]:
    """Return what a model replied; of several replies for a move, the last one; see `HostedKind`."""
    found: dict[int, dict[int, str]] = {}
    for exchange in transcripts.read(run, entry):
        if exchange.game in games:
            found.setdefault(exchange.game, {})[exchange.move] = exchange.reply
    return found


def options(run: Run) -> list[str]:
    """Return the endpoints that were given on the command line; see `HostedKind`."""
    return [word for text in HOST.given for word in ("--endpoint", text)]


def preview(run: Run, entry: EntryInfo) -> str:
    """Return what the games of a check took, and what a run would take; see `HostedKind`."""
    found = by_game(transcripts.read(run, entry))
    exchanges = [exchange for game in found.values() for exchange in game]
    if not exchanges:
        return f"{entry.name}: no reply came."
    n, in_flight = len(found), HOST.in_flight
    records = [msgspec.structs.replace(record, moves=()) for record in run.entry(entry).read()]
    usage = Usage.of(records, run.info.prices.get(entry.slug))
    seconds = mean(sum(one.seconds for one in game) for game in found.values())
    text = f"{amount(n, 'game')}, {len(exchanges) / n:.3g} requests and {seconds:.3g} s for a game"
    if usage is None or not isfinite(usage.tokens):
        return f"{text}; the endpoint does not count tokens"
    costs = f", and cost {100 * usage.cost:.3g}" if isfinite(usage.cost) else ""
    return (
        f"{text}, {usage.tokens_in:,.0f} tokens in and {usage.tokens_out:,.0f} out. A run of 100 games, {in_flight} "
        f"at a time, would take about {100 * seconds / in_flight:,.0f} s and {100 * usage.tokens:,.0f} tokens{costs}"
    )
