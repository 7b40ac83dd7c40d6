"""The folder of the project."""

from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
