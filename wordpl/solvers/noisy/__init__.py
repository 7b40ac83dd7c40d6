"""Guesses for games whose clues are noisy."""
