"""Leagues of Wordle players: results imported from chats and files, stored in a database, served by a Discord bot."""
