"""The terminal interface for people who play: output and input. The rules of the games are in `wordpl.games`."""

from typing import TYPE_CHECKING

from wordpl.core import lazy_getattr

if TYPE_CHECKING:
    from wordpl.apps.terminal.display import Screen
    from wordpl.apps.terminal.prompt import play, sessions

__all__ = ["Screen", "play", "sessions"]

_SOURCES = {"Screen": f"{__name__}.display", "play": f"{__name__}.prompt", "sessions": f"{__name__}.prompt"}
__getattr__ = lazy_getattr(__name__, _SOURCES)
