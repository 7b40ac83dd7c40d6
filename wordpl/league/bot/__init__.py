"""The Discord bot: commands that arrive as signed HTTP, answered from the store, each guild from its own league."""
