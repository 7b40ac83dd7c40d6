"""What other strategies import from here."""

from strategies.schedule.schedule import ENTRIES, Schedule

__all__ = ["ENTRIES", "Schedule"]
