"""Play a game of the Wordle family in the terminal: the same as `wordpl play`."""

from wordpl.cli.playing import play_command as interactive

if __name__ == "__main__":
    interactive()
