"""An entry that is a language model: its settings, the requests of a game, and the game itself, step by step."""

from collections.abc import Generator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from wordpl.apps.models import prompts, replies
from wordpl.apps.models.replies import Form, UnreadableReplyError, legal, proposal
from wordpl.apps.models.transcripts import Exchange, talk_of
from wordpl.contest.referee import GameSetup
from wordpl.core import bounded, paths
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.core.moves import Move, Verdict
from wordpl.games import Game, IllegalMoveError
from wordpl.run.bundle import Settings, main_of
from wordpl.run.records import Record

MAX_TOKENS, MAX_NAME_CHARACTERS = 1 << 20, 200
MAX_KEPT = 4000
"""The characters of an earlier reply that later requests of the game repeat: its end, without its reasoning."""


class ModelSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table [model] of an entry.

    Attributes:
        endpoint: The name of the endpoint, which the host binds.
        model: The model's name at that endpoint.
        temperature: The temperature; None: the endpoint's own.
        max_tokens: The most tokens of a reply.
        seed: The seed of the endpoint's draws; None: none is given.
        reply: The form of the replies.
        prompt: The file of the entry's folder with the first message of a game; "": it is derived from the game.
    """

    endpoint: str
    model: str
    temperature: float | None = None
    max_tokens: int = 4096
    seed: int | None = None
    reply: Form = "text"
    prompt: str = ""

    @classmethod
    def of(cls, settings: Settings, name: str) -> "ModelSettings":
        """Return the settings that a TOML file of this name gives.

        Raises:
            UserError: They are not valid.
        """
        try:
            found = msgspec.convert(settings, cls)
        except msgspec.ValidationError as error:
            raise UserError(f"{name}, [model]: {sanitize_untrusted_text(str(error), 300)}.") from None
        if not (found.endpoint and found.model and max(map(len, (found.endpoint, found.model))) <= MAX_NAME_CHARACTERS):
            raise UserError(
                f"{name}, [model]: the endpoint and the model need names of at most {MAX_NAME_CHARACTERS} letters."
            )
        if not 1 <= found.max_tokens <= MAX_TOKENS or not 0 <= (found.temperature or 0) <= 10:
            raise UserError(f"{name}, [model]: max_tokens is 1 to {MAX_TOKENS:,}, and the temperature 0 to 10.")
        return found

    def prompt_text(self, files: Path, name: str) -> str:
        """Return the entry's own first message of a game; "" if it has none.

        Args:
            files: The folder with the files of the entry.
            name: The name of the entry's file or folder.

        Raises:
            UserError: The file is missing, lies elsewhere, or is not text.
        """
        if not self.prompt:
            return ""
        main = main_of(files, name)
        if main == name:
            raise UserError(f"{name} owns itself alone: a prompt lies beside bot.toml in the folder of an entry.")
        try:
            if not paths.is_plain(self.prompt):
                raise UserError(
                    f"{name}, [model]: the prompt is a file of the entry's folder, got {self.prompt[:60]!r}."
                )
            text = bounded.read_text(bounded.PROMPT, paths.inside(files / name, self.prompt))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise UserError(f"{name}: cannot read the prompt {self.prompt[:60]}: {reason}.") from None
        return text


class ModelTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms on which a run plays its models.

    Attributes:
        second_asks: How often a model is asked again after a reply without a legal move.
        game_s: The wall time of all replies of a game, in seconds.
    """

    second_asks: int = 0
    game_s: float = 600.0

    @classmethod
    def of(cls, terms: dict[str, Any]) -> "ModelTerms":
        """Return the terms in a run.json.

        Raises:
            UserError: They are not valid.
        """
        try:
            return msgspec.convert(terms, cls)
        except msgspec.ValidationError as error:
            raise UserError(f"the terms of models in run.json: {error}.") from None


class ChatRequest(NamedTuple):
    """What a model is to be asked.

    Attributes:
        game, move, ask: As in `Exchange`.
        asked: The last message.
        body: The whole request, as the protocol has it.
        sha256: The digest of the body.
    """

    game: int
    move: int
    ask: int
    asked: str
    body: dict[str, Any]
    sha256: str

    def exchange(self, reply: str, finish: str, **facts: Any) -> Exchange:
        """Return the exchange of this request and its reply."""
        return Exchange(self.game, self.move, self.ask, self.asked, self.sha256, reply, finish, **facts)


@dataclass(frozen=True)
class ModelEntry:
    """A model as it plays a game of a run.

    Attributes:
        settings: Its settings.
        terms: The terms of the run.
        game: The rules.
        prompt: The first message of a game.
    """

    settings: ModelSettings
    terms: ModelTerms
    game: Game
    prompt: str

    @classmethod
    def of(cls, settings: ModelSettings, terms: ModelTerms, game: Game, files: Path, name: str) -> "ModelEntry":
        """Return the entry whose files lie in this folder under this name.

        Raises:
            UserError: Its prompt cannot be read.
        """
        own = settings.prompt_text(files, name)
        return cls(settings, terms, game, own or prompts.default_prompt(game, settings.reply, terms.second_asks))

    def play(self, setup: GameSetup) -> Generator[ChatRequest, Exchange, Record]:
        """Play a game: yields each request, takes the exchange that answers it, and returns the record.

        A game that is played, resumed or verified takes the same steps; only where the replies come from differs.
        """
        moves: list[Move] = []
        exchanges: list[Exchange] = []
        messages: list[dict[str, Any]] = []
        text, used_s = prompts.first(self.prompt), 0.0
        number, noise_length = setup.draws.number, self.game.lists.length

        def record(verdict: Verdict, message: str = "") -> Record:
            return Record(number, setup.secret, moves, verdict, message, talk=talk_of(exchanges))

        while True:
            for ask in range(1, self.terms.second_asks + 2):
                messages.append(self._said(text, exchanges))
                exchange = yield self._request(number, len(moves) + 1, ask, text, messages)
                exchanges.append(exchange)
                messages.append(self._replied(exchange, len(exchanges)))
                used_s += exchange.seconds
                if used_s > self.terms.game_s:
                    return record(Verdict.LATE, f"its replies took more than {self.terms.game_s:g} s")
                try:
                    move = self._move(exchange)
                    reply = self.game.reply(
                        setup.secret, moves, move, lambda: setup.draws.noise(len(moves) + 1, noise_length)
                    )
                    break
                except (UnreadableReplyError, IllegalMoveError) as error:
                    problem = str(error)
                    text = prompts.again(problem)
            else:
                return record(Verdict.ILLEGAL, problem)
            moves.append(move.with_clues(reply.clues))
            if reply.verdict is not None:
                return record(reply.verdict, reply.message)
            text = prompts.after(self.game, moves)

    def _move(self, exchange: Exchange) -> Move:
        priced, form = self.game.facts.has_epsilon, self.settings.reply
        proposed = proposal(exchange.reply, form, priced=priced, called=exchange.called)
        return self.game.check(legal(self.game, proposed))

    def _request(self, game: int, move: int, ask: int, text: str, messages: list[dict[str, Any]]) -> ChatRequest:
        own = self.settings
        body: dict[str, Any] = {"model": own.model, "messages": [*messages], "max_tokens": own.max_tokens}
        body |= {} if own.temperature is None else {"temperature": own.temperature}
        body |= {} if own.seed is None else {"seed": own.seed}
        body |= {"response_format": {"type": "json_object"}} if own.reply == "json" else {}
        body |= {"tools": [prompts.tool(self.game)], "tool_choice": "required"} if own.reply == "tool" else {}
        return ChatRequest(game, move, ask, text, body, sha256(msgspec.json.encode(body)).hexdigest())

    def _said(self, text: str, exchanges: list[Exchange]) -> dict[str, Any]:
        """Return a message of the harness, which is the result of the call if the last reply was one."""
        if exchanges and exchanges[-1].called:
            return {"role": "tool", "tool_call_id": _call_id(len(exchanges)), "content": text}
        return {"role": "user", "content": text}

    def _replied(self, exchange: Exchange, number: int) -> dict[str, Any]:
        """Return an earlier reply as later requests repeat it."""
        if not exchange.called:
            return {"role": "assistant", "content": replies.without_reasoning(exchange.reply)[-MAX_KEPT:]}
        function = {"name": "guess", "arguments": exchange.reply[-MAX_KEPT:]}
        call = {"id": _call_id(number), "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}


def _call_id(number: int) -> str:
    return f"call{number:05}"  # nine letters and digits, which every server accepts
