"""Plays the entry of a file after each save, and compares it with the previous version."""

from wordpl.workbench.dev.report import DevError, DevReport
from wordpl.workbench.dev.session import DevSession, watch

__all__ = ["DevError", "DevReport", "DevSession", "watch"]
