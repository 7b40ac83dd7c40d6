"""The web page of `wordpl serve`, and in `web.bot` a bot that plays puzzles on other sites."""
