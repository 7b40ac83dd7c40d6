"""Where an entry's time goes, by function and by line."""

from wordpl.workbench.profile.profiling import Part, Profile, profile

__all__ = ["Part", "Profile", "profile"]
