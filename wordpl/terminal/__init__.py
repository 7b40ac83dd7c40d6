"""Playing in the terminal: what a person sees and types. The rules stay in `wordpl.games`."""

from wordpl.terminal.prompt import play
from wordpl.terminal.screen import Screen
from wordpl.terminal.session import sessions

__all__ = ["Screen", "play", "sessions"]
