"""The program with which a hostile build attacks."""

from pathlib import Path


def attack_file() -> Path:
    return Path(__file__).with_name("attack.py")
