"""Contests: one game, a run of many, official runs, and what an entry has to show."""
