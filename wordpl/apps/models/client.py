"""Asks an endpoint, with the client library of the protocol: its timeouts, its repetitions and its Retry-After."""

import asyncio
import logging
from collections.abc import AsyncIterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import msgspec

from wordpl.apps.models.endpoints import ModelEndpoint
from wordpl.core.messages import UserError, WordplError, sanitize_untrusted_text

MAX_BODY_BYTES = 1 << 19
"""The most bytes of a reply, with its envelope; a larger one is a fault of the endpoint, as max_tokens bounds it."""
MAX_EMPTY = 5
"""How often a reply without text is asked for, before it counts as one."""
MAX_TOKENS = 10**9
CONNECT_S, FIRST_DELAY_S, MAX_DELAY_S = 10.0, 0.5, 8.0
MESSAGE_CHARACTERS = 300
TOO_LONG = "context"
"""The finish reason of a request that was longer than what the model can read."""
LIBRARIES = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")


class Answer(NamedTuple):
    """What an endpoint replied.

    Attributes:
        text: The reply; if it is the call of a function, its arguments.
        finish: Why it ended.
        called: Whether it is the call of a function.
        tokens_in, tokens_out: How many tokens it took; None if the endpoint does not say.
    """

    text: str
    finish: str
    called: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None


class EndpointFaultError(WordplError):
    """An endpoint does not answer as it should. This loses no game."""


class _Function(msgspec.Struct):
    name: str = ""
    arguments: str = ""


class _Call(msgspec.Struct):
    function: _Function


class _Message(msgspec.Struct):
    content: str | list[Any] | None = None
    tool_calls: list[_Call] | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


_decode = msgspec.json.Decoder(_Completion).decode


def require_library() -> None:
    """Raise UserError if the client library is missing."""
    if find_spec("openai") is None:
        raise UserError('models need the library openai: pip install "wordpl[models]"')


class Client:
    """A connection to an endpoint. Use it in one event loop, as an asynchronous context manager."""

    def __init__(self, endpoint: ModelEndpoint, timeout_s: float):
        """Create the client of an endpoint; nothing is sent yet.

        Args:
            endpoint: The endpoint.
            timeout_s: How long to wait for a reply.
        """
        require_library()
        import openai  # takes a second

        for name in LIBRARIES:  # what they log may quote a request
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self._library, self._endpoint = openai, endpoint
        hooks = {"response": [_limit_body]}
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.key or "none",
            base_url=endpoint.terms.url,
            timeout=openai.Timeout(timeout_s, connect=CONNECT_S),
            max_retries=endpoint.terms.retries,
            http_client=openai.DefaultAsyncHttpxClient(event_hooks=hooks, follow_redirects=False),
            default_headers={"Accept-Encoding": "identity"},
        )

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.close()

    async def ask(self, body: dict[str, Any]) -> Answer:
        """Return the reply to a request.

        Raises:
            EndpointFaultError: The endpoint does not answer, or not as it should, however often it is asked.
        """
        n_empty = 0
        for n_before in range(max(self._endpoint.terms.retries + 1, MAX_EMPTY)):
            if n_before:
                await asyncio.sleep(min(MAX_DELAY_S, FIRST_DELAY_S * 2 ** (n_before - 1)))
            try:
                answer = _answer(*await self._body(body))
            except ValueError as error:
                problem = str(error)
                continue
            if answer.text.strip() or answer.called or answer.finish == "length" or n_empty + 1 == MAX_EMPTY:
                text = self._endpoint.without_key(answer.text)
                return answer._replace(text=text, finish=sanitize_untrusted_text(answer.finish, 40))
            n_empty += 1
            problem = "it replies without a text"
        raise EndpointFaultError(problem)

    async def _body(self, body: dict[str, Any]) -> tuple[bytes, str]:
        """Return the content of a reply, and its type.

        Raises:
            EndpointFaultError: There is none.
        """
        openai = self._library
        sent = dict(body)
        if self._endpoint.terms.limit_name != "max_tokens":
            sent["extra_body"] = {self._endpoint.terms.limit_name: sent.pop("max_tokens")}
        try:
            reply = await self._client.chat.completions.with_raw_response.create(**sent)
        except openai.APIStatusError as error:
            said = error.message.lower()
            if error.status_code in (400, 413) and "context" in said and ("length" in said or "size" in said):
                return b'{"choices":[{"message":{},"finish_reason":"%s"}]}' % TOO_LONG.encode(), "json"
            raise EndpointFaultError(f"it answers {error.status_code}: {self._quoted(error.message)}") from None
        except openai.APITimeoutError:
            raise EndpointFaultError("it does not answer in time") from None
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise EndpointFaultError(self._quoted(str(cause) or type(cause).__name__)) from None
        except openai.OpenAIError as error:
            raise EndpointFaultError(self._quoted(str(error))) from None
        return reply.http_response.content, reply.http_response.headers.get("content-type", "")

    def _quoted(self, text: str) -> str:
        return sanitize_untrusted_text(self._endpoint.without_key(text), MESSAGE_CHARACTERS)


async def _limit_body(response: Any) -> None:
    """Let reading a response fail after MAX_BODY_BYTES."""
    library = import_module(type(response).__module__.partition(".")[0])

    class Limited(library.AsyncByteStream):  # type: ignore[misc,name-defined]
        def __init__(self, stream: Any):
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            n_bytes = 0
            async for part in self._stream:
                n_bytes += len(part)
                if n_bytes > MAX_BODY_BYTES:
                    raise library.ReadError(f"its reply is larger than {MAX_BODY_BYTES:,} bytes")
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    response.stream = Limited(response.stream)


def _answer(content: bytes, kind: str) -> Answer:
    """Return the answer in the content of a reply.

    Raises:
        ValueError: It is not one chat completion.
    """
    if "json" not in kind:
        raise ValueError(f"it replies with {sanitize_untrusted_text(kind, 40) or 'no content type'}, not with JSON")
    try:
        found = _decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ValueError("its reply is not a chat completion") from None
    if len(found.choices) != 1:
        raise ValueError(f"it gives {len(found.choices)} choices where one was asked for")
    (choice,), usage = found.choices, found.usage or _Usage()
    counted = [
        n if n is not None and 0 <= n <= MAX_TOKENS else None for n in (usage.prompt_tokens, usage.completion_tokens)
    ]
    calls = [call.function for call in choice.message.tool_calls or () if call.function.name == "guess"]
    text = calls[-1].arguments if calls else _text(choice.message.content)
    return Answer(text, choice.finish_reason or "", bool(calls), *counted)


def _text(content: str | list[Any] | None) -> str:
    """Return the text of a reply, which may come in parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return content or ""
