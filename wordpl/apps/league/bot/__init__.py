"""The Discord bot: it receives commands as signed HTTP requests and answers each server from its own league."""
