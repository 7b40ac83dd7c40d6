"""The endpoints that the host binds, and what else he says of models; an entry names an endpoint, never an address."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from wordpl.core import bounded, paths
from wordpl.core.messages import ConfigError, UserError, did_you_mean, sanitize_untrusted_text
from wordpl.run.info import Price

FILE = "endpoints.toml"
IN_FLIGHT, GAME_S, RETRIES = 16, 600.0, 6
HIDDEN = "(key)"
"""What stands for a key in all texts that come from an endpoint."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


class ModelPrice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a million tokens of a model cost."""

    tokens_in: float
    tokens_out: float


class EndpointTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An endpoint as a table of endpoints.toml describes it.

    Attributes:
        url: The address of its interface, such as http://127.0.0.1:8080/v1.
        key: The environment variable that has its key; "" for NAME_API_KEY.
        in_flight: The most requests at a time of all entries together; None: that of the entries.
        retries: How often a request is repeated that was not answered, before the entry pauses.
        limit_name: The name of the field that limits the tokens of a reply.
        prices: By model, what a million tokens cost.
    """

    url: str
    key: str = ""
    in_flight: int | None = None
    retries: int = RETRIES
    limit_name: str = "max_tokens"
    prices: dict[str, ModelPrice] = {}


@dataclass(frozen=True)
class ModelEndpoint:
    """An endpoint under the name by which entries know it. Its key is read from the environment when it is used."""

    name: str
    terms: EndpointTerms

    @classmethod
    def of(cls, name: str, terms: EndpointTerms) -> "ModelEndpoint":
        """Return the endpoint of this name.

        Raises:
            ConfigError: The name or a value is not valid.
        """
        address = urlsplit(terms.url)
        if not _NAME.fullmatch(name):
            raise ConfigError(f"the name of an endpoint has letters, digits, - and _, got {name[:60]!r}.")
        if address.username or address.password:
            raise ConfigError(f"the address of {name} holds a password: set it in an environment variable instead.")
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ConfigError(f"the address of {name} begins with http:// or https://, as http://127.0.0.1:8080/v1.")
        if (terms.in_flight is not None and terms.in_flight < 1) or not 0 <= terms.retries <= 100:
            raise ConfigError(f"{name}: in_flight is at least 1, and retries are at most 100.")
        return cls(name, terms)

    @property
    def variable(self) -> str:
        """The environment variable that has the key."""
        return self.terms.key or f"{self.name.upper().replace('-', '_')}_API_KEY"

    @property
    def key(self) -> str:
        """The key; "" if there is none."""
        return os.environ.get(self.variable, "").strip()

    def price(self, model: str) -> Price | None:
        """Return what a model costs; None if the host has not said that."""
        found = self.terms.prices.get(model)
        return None if found is None else Price(found.tokens_in, found.tokens_out)

    def without_key(self, text: str) -> str:
        """Return a text that came from the endpoint without its key."""
        return text.replace(self.key, HIDDEN) if self.key else text


@dataclass
class HostTerms:
    """What the host of a contest says of models.

    Attributes:
        endpoints: The endpoints by name.
        in_flight: The most games of an entry at a time.
        second_asks: How often a model is asked again after a reply without a legal move.
        game_s: The wall time of all replies of a game, in seconds.
        max_tokens: No request begins once the entries of a run have used so many tokens; None for no limit.
        given: The endpoints that were given as NAME=URL.
        max_cost: No request begins once they have cost so much; None for no limit.
    """

    endpoints: dict[str, ModelEndpoint] = field(default_factory=dict)
    in_flight: int = IN_FLIGHT
    second_asks: int = 0
    game_s: float = GAME_S
    max_tokens: int | None = None
    max_cost: float | None = None
    given: tuple[str, ...] = ()

    def bind(self, name: str, url: str, **terms: object) -> None:
        """Bind an endpoint.

        Args:
            name: The name by which entries know it.
            url: The address of its interface, such as http://127.0.0.1:8080/v1.
            terms: See `EndpointTerms`.

        Raises:
            ConfigError: The name or a value is not valid.
        """
        try:
            found = msgspec.convert({"url": url, **terms}, EndpointTerms)
        except msgspec.ValidationError as error:
            raise ConfigError(f"the endpoint {name[:60]!r}: {error}") from None
        self.endpoints[name] = ModelEndpoint.of(name, found)

    def bind_all(self, texts: Iterable[str], file: Path | None = None) -> None:
        """Bind exactly the endpoints of a file and those given as NAME=URL, which add to or replace them.

        Args:
            texts: The endpoints as NAME=URL.
            file: The file; None for that of the user's configuration, if it exists.

        Raises:
            UserError: An endpoint is not valid, or the file cannot be read.
        """
        self.endpoints, self.given = read(file), tuple(texts)
        for text in self.given:
            name, sign, url = text.partition("=")
            if not sign:
                raise ConfigError("an endpoint is NAME=URL, such as local=http://127.0.0.1:8080/v1.")
            known = self.endpoints.get(name)
            terms = msgspec.structs.replace(known.terms, url=url) if known else EndpointTerms(url)
            self.endpoints[name] = ModelEndpoint.of(name, terms)

    def endpoint(self, name: str, entry: str) -> ModelEndpoint:
        """Return the endpoint of this name, which an entry needs.

        Raises:
            UserError: The host has not bound it.
        """
        if name not in self.endpoints:
            shown, hint = sanitize_untrusted_text(name, 40), did_you_mean(name[:60], self.endpoints)
            raise UserError(
                f"{sanitize_untrusted_text(entry, 60)} needs the endpoint {shown!r}, which is not bound.{hint} Bind "
                f"it: --endpoint {shown}=http://127.0.0.1:8080/v1"
            )
        return self.endpoints[name]


HOST = HostTerms()
"""What the host of this process says. It is global because a process plays for one host."""


def read(file: Path | None = None) -> dict[str, ModelEndpoint]:
    """Return the endpoints in a file; None: in that of the user's configuration, if it exists.

    Raises:
        UserError: The file cannot be read, or is not valid.
    """
    path = file or paths.xdg_folder("config") / FILE
    try:
        tables = bounded.read_toml(bounded.ENDPOINTS, path)
        described = msgspec.convert(tables, dict[str, EndpointTerms])
    except FileNotFoundError:
        if file is None:
            return {}
        raise UserError(f"there is no file {path}.") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}.") from None
    except msgspec.ValidationError as error:
        raise UserError(f"{path}: {error}.") from None
    return {name: ModelEndpoint.of(name, terms) for name, terms in described.items()}
