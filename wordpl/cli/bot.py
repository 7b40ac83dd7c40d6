"""`wordpl bot`: plays a puzzle on another site's page, and shares the result."""

from pathlib import Path
from typing import Any

import click

from wordpl.cli._echo import say
from wordpl.core import words
from wordpl.core.errors import UserError

A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
A_FOLDER = click.Path(file_okay=False, path_type=Path)
INSTALL = 'pip install "wordpl[browser]", then playwright install chromium, or install Chromium with your system'


@click.group(name="bot")
def command() -> None:
    """Play a puzzle on another site's page in a real browser, and share the result.

    \b
    wordpl bot play http://127.0.0.1:8000/#/daily/wordle/1/2026-11-22 --adapter wordpl
    wordpl bot schedule systemd --at 07:30 -- URL --adapter nyt --share discord --post
    wordpl bot bookmarklet --strategy tree > bookmarklet.txt
    """


@command.command()
@click.argument("url")
@click.option("--adapter", required=True, metavar="NAME", help="Whose page it is: see `wordpl bot adapters`.")
@click.option(
    "--strategy",
    default="tree",
    show_default=True,
    metavar="NAME",
    help="tree, suggest, or an entry such as LetterFrequency.",
)
@click.option("--hard", "is_hard", is_flag=True, help="Hard mode. A page that asks for it is noticed anyway.")
@click.option(
    "--prior", metavar="FILE", help="How probable each answer is, for suggest: a CSV of word,probability, or: default."
)
@click.option("--answers", type=A_FILE, help="The words that can be the secret. [default: answers.txt]")
@click.option("--guesses", type=A_FILE, help="The words that can be guessed. [default: valid.txt]")
@click.option(
    "--folder", default="wordpl-bot", show_default=True, type=A_FOLDER, help="Keeps records, pictures, the outbox."
)
@click.option(
    "--share",
    "shares",
    multiple=True,
    metavar="TARGET",
    help="Where to share: see `wordpl bot targets`; may be given often.",
)
@click.option("--post", "posts", is_flag=True, help="Really post; without it, what would be posted is shown.")
@click.option("--resend", "resends", is_flag=True, help="Post again what may have arrived.")
@click.option("--spoilers", is_flag=True, help="Share the letters too.")
@click.option(
    "--browser", "program", metavar="FILE", help="The browser's program. [default: Playwright's, or the system's]"
)
@click.option("--profile", type=A_FOLDER, help="Keeps the browser's cookies between runs. [default: none are kept]")
@click.option("--show", "shows", is_flag=True, help="Show the browser's window.")
@click.option("--seed", default="bot", show_default=True, help="Decides an entry's random choices.")
def play(prior: str | None, answers: Path | None, guesses: Path | None, **chosen: Any) -> None:
    """Play the puzzle at URL; exit code 1 when the page could not be played, something did not agree, or a post failed.

    A puzzle's result is posted at most once a day to each target, even if this is run twice or was killed. Addresses
    and tokens of targets come from the environment and are never shown.
    """
    lists = words.load(answers, guesses)
    daily = _import_bot()
    weights = _prior(prior, lists)
    day = daily.play_day(daily.BotConfig(lists=lists, prior=weights, **chosen), lambda line: say(line, err=True))
    say(day.text)
    say(f"Picture: {day.picture}" + ("" if day.is_new else "; this puzzle had a record already."), err=True)
    for share in day.shares:
        say(f"{share.target}: {share.state}{f': {share.problem}' if share.problem else ''}", err=True)
    if day.shares and not chosen["posts"]:
        say("Nothing was posted: --post does.", err=True)
    for finding in day.findings:
        say(f"does not agree: {finding}", err=True)
    if not day.is_clean:
        raise click.exceptions.Exit(1)


@command.command()
def adapters() -> None:
    """List the pages that the bot can play, and how each was tested."""
    for name, about in _import_bot().adapter_table():
        say(f"{name:<10} {about}")


@command.command()
def targets() -> None:
    """List where results can be shared, and the variables of the environment that each needs."""
    _import_bot()
    from wordpl.web.bot.targets import target_table

    for name, about in target_table():
        say(f"{name:<10} {about}")


@command.command(context_settings={"ignore_unknown_options": True})
@click.argument("kind", type=click.Choice(["systemd", "cron", "github", "gitlab"]))
@click.option("--at", default="07:30", show_default=True, metavar="HH:MM", help="The time of day, UTC.")
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED)
def schedule(kind: str, at: str, arguments: tuple[str, ...]) -> None:
    """Print what runs `wordpl bot play` with ARGUMENTS once a day, with three tries and a time limit.

    \b
    wordpl bot schedule cron --at 06:00 -- URL --adapter nyt --share mastodon --post
    """
    from wordpl.web.bot.schedule import schedule as text_of

    play.make_context("play", list(arguments))  # what `play` would refuse is refused now
    click.echo(text_of(kind, arguments, at), nl=False)


@command.command()
@click.option(
    "--strategy",
    default="letter-frequency",
    show_default=True,
    type=click.Choice(["letter-frequency", "tree", "tree-hard"]),
)
@click.option("--answers", type=A_FILE, help="The words that can be the secret. [default: answers.txt]")
@click.option("--guesses", type=A_FILE, help="The words that can be guessed. [default: valid.txt]")
def bookmarklet(strategy: str, answers: Path | None, guesses: Path | None) -> None:
    """Print a bookmarklet: an address to be kept as a bookmark, which plays the page on which it is clicked."""
    lists = words.load(answers, guesses)
    _import_bot()
    from wordpl.web.bot.bookmarklet import bookmarklet as address_of

    click.echo(address_of(lists, strategy))


def _prior(prior: str | None, lists: words.WordLists) -> Any:
    if prior is None:
        return None
    from wordpl.core import priors

    return priors.load(priors.find(prior), lists.answers)


def _import_bot() -> Any:
    try:
        from wordpl.web.bot import daily
    except ModuleNotFoundError as error:
        raise UserError(f"the bot needs the library {error.name}: {INSTALL}") from None
    return daily
