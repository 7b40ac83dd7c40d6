"""Profiles the CPU time of an entry, by function and by line."""

from wordpl.workbench.profile.profiling import CodeCost, Profile, profile

__all__ = ["CodeCost", "Profile", "profile"]
