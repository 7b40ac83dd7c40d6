"""Plays a file's entry on each save, and says what changed."""

from wordpl.workbench.dev.report import DevError, DevReport
from wordpl.workbench.dev.session import DevSession, watch

__all__ = ["DevError", "DevReport", "DevSession", "watch"]
