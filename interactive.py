"""Play a game of the Wordle family in the terminal: the same as `wordpl play`."""

from wordpl.cli.play import command as interactive

if __name__ == "__main__":
    interactive()
