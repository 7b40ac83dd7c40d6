"""Seasons: contests that stay open, with rounds of fresh games and standings that survive resubmission."""
