"""An HTTP/1.1 protocol with a time limit for the headers of a request."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADERS_TIMEOUT_S = 10.0
_TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\nContent-Type: text/plain\r\nContent-Length: 33\r\n"
    b"Connection: close\r\n\r\nthe request was sent too slowly.\n"
)


class TimedProtocol(H11Protocol):
    """uvicorn's protocol with a time limit for headers, for which uvicorn itself waits forever."""

    headers_timeout_s = HEADERS_TIMEOUT_S
    _headers_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in the base
        """Open a connection, and start the timer for its first request."""
        super().connection_made(transport)
        self._headers_timer = self.loop.call_later(self.headers_timeout_s, self._end)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request. The timer for its headers starts with the first byte."""
        if self._headers_timer is None and self._is_idle():
            self._headers_timer = self.loop.call_later(self.headers_timeout_s, self._end)
        super().data_received(data)
        if not self._is_idle():
            self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Close the connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def _is_idle(self) -> bool:
        """Return whether no request with complete headers is being handled."""
        return self.cycle is None or self.cycle.response_complete

    def _stop_timer(self) -> None:
        if self._headers_timer is not None:
            self._headers_timer.cancel()
            self._headers_timer = None

    def _end(self) -> None:
        self._headers_timer = None
        if not self.transport.is_closing():
            self.transport.write(_TOO_SLOW)
            self.transport.close()
