"""People's results: read from messages, exports, pasted texts and tables, kept in a store, served by a bot."""
