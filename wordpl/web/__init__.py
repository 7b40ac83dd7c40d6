"""Games in a browser: the page that `wordpl serve` offers, and in `web.bot` the bot that plays other pages."""
