"""Print a Markdown table of all options: each one once, with one meaning and the commands that have it.

    python docs/list_options.py

The build of the documentation appends the table to reference/options.md.
"""

from collections.abc import Iterator

import click

from wordpl.cli import main

HEAD = """| option | meaning | commands |
|---|---|---|
"""
MEANINGS = {
    "--against": "Entry with which others are compared, game by game.",
    "--answers": "Words that can be the secret: a file, or a name from `wordpl words lists`.",
    "--beacon": "The public text that a run waits for.",
    "--beacon-from": "Source of a future public text; no game is played before it is known.",
    "--budget": "Sum of epsilons within which a game is to be won.",
    "--exact": "Try everything instead of a selection or a sample.",
    "--features": "Feature sets of the words. Repeatable.",
    "--filter": "Filter of the words: zipf=2.5, inflection, suffix, whitelist=LIST, blacklist=LIST, ... Repeatable.",
    "--folder": "Folder in which the command works.",
    "--from": "First day.",
    "--full": "Show everything instead of a selection.",
    "--game": "The game, by its name, or your own as FILE:CLASS.",
    "--games": "Number of games that each entry plays; for a match, the largest number.",
    "--goal": "Measure by which versions of a strategy are compared.",
    "--guesses": "Words that can be guessed: a file, or a name from `wordpl words lists`.",
    "--hard": "Hard mode: guesses must use all revealed hints.",
    "--host": "Address of this machine on which to listen, or at which it is reached.",
    "--jobs": "Number of processes or threads that work in parallel.",
    "--json": "Print JSON; see [the schemas](../output.md).",
    "--league": "Name or Discord server id of the league.",
    "--markdown": "Print the result as Markdown.",
    "--max-games": "Refuse a run with more games of all entries together.",
    "--max-guesses": "Maximum number of guesses in a game.",
    "--model": "The model that ranks words; in `wordpl new`, a language model in place of a strategy.",
    "--number": "Number of a game of the seed or the run.",
    "--opener": "First guess. Repeatable.",
    "--output": "File or folder to write.",
    "--player": "Name of the player.",
    "--plot": "Also draw the result into this .png, .svg or .pdf file.",
    "--port": "Port on which to listen; 0 selects a free one.",
    "--prior": "Probability of each answer: a CSV file word,probability, or `default`.",
    "--quiet": "Print only results and errors, no progress.",
    "--reason": "Reason, which is recorded and shown.",
    "--results": "Folder of runs.",
    "--resume": "Continue what was stopped.",
    "--run": "Folder of the run whose games are used.",
    "--sample": "Check only a sample of this size.",
    "--save": "File in which the result is saved.",
    "--score": "Name of a score, such as p05, p95 or mean_cost.",
    "--secret": "The secret of a game, or the letters with which it begins.",
    "--seed": "Seed of all random draws.",
    "--store": "Store of a league: a SQLite file, or postgresql://USER@HOST/NAME.",
    "--strategy": "Strategy that plays the page.",
    "--summary": "Append the result to this file, as Markdown.",
    "--time": "Time that the command itself may take, in seconds.",
    "--title": "Title of what is written.",
    "--top": "Number of guesses to show.",
    "--total": "CPU time that an entry has for all its games, in seconds.",
    "--undo": "Take back what the command did.",
    "--until": "Last day.",
    "--verify": "Show the result of `wordpl verify`.",
    "--width": "Number of guesses tried at each step of a search.",
    "--yes": "Do not ask.",
    "--zone": "Time zone, such as Europe/Berlin.",
}
"""What an option means in all its commands, where their help texts differ."""


def options() -> dict[str, dict[str, str]]:
    """Return the help of each option of each command: by option, then by command."""
    found: dict[str, dict[str, str]] = {}
    for command, option in _walk(main, ()):
        found.setdefault(option.opts[-1], {})[command] = " ".join((option.help or "").split())
    return dict(sorted(found.items()))


def _walk(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, click.Option]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if (subcommand := command.get_command(context, name)) is not None:
                yield from _walk(subcommand, (*path, name))
        return
    yield from ((" ".join(path), parameter) for parameter in command.params if isinstance(parameter, click.Option))


def table() -> str:
    """Return the table.

    Raises:
        KeyError: The help texts of an option differ, and MEANINGS does not say what they have in common.
    """
    lines = []
    for option, helps in options().items():
        texts = set(helps.values())
        meaning = MEANINGS[option] if option in MEANINGS or len(texts) > 1 else texts.pop()
        cells = (f"`{option}`", meaning.replace("|", "\\|").replace("<", "&lt;"), ", ".join(_commands(helps)))
        lines.append(f"| {' | '.join(cells)} |\n")
    return HEAD + "".join(lines)


def _commands(helps: dict[str, str]) -> list[str]:
    """Return the commands, with the subcommands of a group in brackets."""
    groups: dict[str, list[str]] = {}
    for command in helps:
        group, _, name = command.partition(" ")
        groups.setdefault(group, []).extend([name] if name else [])
    return [f"{group} ({', '.join(names)})" if names else group for group, names in groups.items()]


if __name__ == "__main__":
    click.echo(table(), nl=False)
