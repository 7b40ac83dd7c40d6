"""`python -m wordpl` is the command `wordpl`."""

from wordpl.cli import main

if __name__ == "__main__":
    main(prog_name="wordpl")
