"""The bot that plays a puzzle on another site's page and shares the result."""
