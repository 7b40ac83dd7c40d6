"""Word lists, clues, random draws and records: the foundation of all other packages."""
