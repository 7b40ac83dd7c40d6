"""Play strategies on games that are the same for all of them: the same as `wordpl evaluate`."""

from wordpl.cli.evaluate import command as evaluate

if __name__ == "__main__":
    evaluate()
