"""Where the project lies."""

from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
