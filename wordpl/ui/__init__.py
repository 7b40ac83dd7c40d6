"""Playing in the terminal: what a person sees and types. The rules stay in `wordpl.games`."""
