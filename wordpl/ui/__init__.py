"""Playing in the terminal: what a person sees and types. The rules stay in `wordpl.games`."""

from wordpl.ui.prompt import play
from wordpl.ui.screen import Screen
from wordpl.ui.session import sessions

__all__ = ["Screen", "play", "sessions"]
