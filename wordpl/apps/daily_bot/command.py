"""`wordpl bot`: play a puzzle on another site's page and share the result."""

from pathlib import Path
from typing import Any

import click

from wordpl.cli._arguments import PRIOR, answers_option, guesses_option
from wordpl.cli._command import A_DAY, NEW_FOLDER, SuggestingGroup, bind_game, library_needed
from wordpl.cli._output import say, say_wrapped
from wordpl.core import priors, words

INSTALL = 'pip install "wordpl[browser]", then playwright install chromium, or install Chromium with your system'


@click.group(name="bot", cls=SuggestingGroup)
def command() -> None:
    """Play a puzzle on another site and share the result.

    The bot plays in a real browser.

    \b
    wordpl bot play URL --adapter nyt
    wordpl bot play URL --adapter nyt --share discord --post
    wordpl bot bookmarklet --strategy tree > bookmarklet.txt
    """


@command.command()
@click.argument("url")
@click.option(
    "--adapter",
    required=True,
    metavar="NAME",
    help="Site of the puzzle; `wordpl bot adapters` lists them. Your own: FILE:CLASS.",
)
@click.option(
    "--game", metavar="FILE:CLASS", callback=bind_game, expose_value=False, help="Your own game, if the page has it."
)
@click.option(
    "--strategy",
    default="tree",
    show_default=True,
    metavar="NAME",
    help="Strategy: tree, suggest, or an entry such as LetterFrequency.",
)
@click.option("--hard", "is_hard", is_flag=True, help="Play in hard mode. Pages that require it are detected.")
@click.option(
    "--prior",
    type=PRIOR,
    metavar="PRIOR",
    help="With --strategy suggest: the probability of each answer, as a CSV file word,probability, or `default`.",
)
@answers_option
@guesses_option
@click.option(
    "--folder",
    default="wordpl-bot",
    show_default=True,
    type=NEW_FOLDER,
    help="Folder of the records, the pictures and the outbox.",
)
@click.option(
    "--share",
    "shares",
    multiple=True,
    metavar="TARGET",
    help="Where to share the result: see `wordpl bot targets`. Repeatable.",
)
@click.option("--post", "posts", is_flag=True, help="Post the result. Without this option, the post is only shown.")
@click.option("--resend", "resends", is_flag=True, help="Post again even if an earlier post may have arrived.")
@click.option("--spoilers", is_flag=True, help="Share the letters too, hidden as each target can.")
@click.option("--picture-link", default="", metavar="URL", help="Link the picture there instead of attaching it.")
@click.option("--picture/--no-picture", "attaches", default=True, help="Attach the picture.")
@click.option(
    "--browser", "program", metavar="FILE", help="Browser executable. [default: Playwright's or the system's]"
)
@click.option(
    "--profile", type=NEW_FOLDER, help="Folder that keeps cookies between runs. [default: cookies are dropped]"
)
@click.option("--show", "shows", is_flag=True, help="Show the browser window.")
@click.option(
    "--day",
    type=A_DAY,
    help="Day of the puzzle, for a page that does not say it. [default: as the page or its address says]",
)
@click.option("--seed", default="bot", show_default=True, help="Seed of an entry's random choices; any text.")
def play(prior: str | None, answers: Path | None, guesses: Path | None, **chosen: Any) -> None:
    """Play the puzzle at URL.

    The result of a puzzle is posted at most once a day to each target, even if the command runs twice or is killed.
    Addresses and tokens of the targets are read from the environment and never shown.

    The day of the result is that of the puzzle, as the page or its address says it. A page of one puzzle a day whose
    day is unknown is not played.

    Exit code 1: the page could not be played, its clues or its share text contradict the game, or a post failed.
    """
    lists = words.load(answers, guesses)
    daily = _import_bot()
    weights = priors.load(priors.find(prior), lists.answers) if prior else None
    chosen["day"] = chosen["day"].date() if chosen["day"] else None
    day = daily.play_day(daily.BotConfig(lists=lists, prior=weights, **chosen), lambda line: say(line, err=True))
    say(day.text)
    say(f"Picture: {day.picture}" + ("" if day.is_new else " (this game already had a record)"), err=True)
    for share in day.shares:
        detail = f": {share.problem}" if share.problem else f" as {share.id}" if share.id else ""
        say(f"{share.target}: {share.state}{detail}", err=True)
    if day.shares and not chosen["posts"]:
        say("Nothing was posted. To post, add --post.", err=True)
    for finding in day.findings:
        say(f"mismatch: {finding}", err=True)
    if not day.is_clean:
        raise click.exceptions.Exit(1)


@command.command()
def adapters() -> None:
    """List the sites that the bot can play.

    The list also says how the adapter of each site was tested.
    """
    for name, about in _import_bot().adapter_table():
        say_wrapped(f"{name:<10} {about}", indent=11)


@command.command()
def targets() -> None:
    """List where results can be shared.

    The list also names the environment variables that each target needs.
    """
    _import_bot()
    from wordpl.apps.daily_bot.targets import target_table

    for name, about in target_table():
        say_wrapped(f"{name:<10} {about}", indent=11)


@command.command()
@click.option(
    "--strategy",
    default="letter-frequency",
    show_default=True,
    type=click.Choice(["letter-frequency", "tree", "tree-hard"]),
    help="Strategy of the bookmarklet.",
)
@answers_option
@guesses_option
def bookmarklet(strategy: str, answers: Path | None, guesses: Path | None) -> None:
    """Print a bookmarklet that plays the puzzle on the open page.

    Save the output as the address of a bookmark, then click the bookmark on a page with a puzzle.
    """
    lists = words.load(answers, guesses)
    _import_bot()
    from wordpl.apps.daily_bot.bookmarklet import bookmarklet as address_of

    click.echo(address_of(lists, strategy))


def _import_bot() -> Any:
    with library_needed("the bot", INSTALL):
        from wordpl.apps.daily_bot import daily
    return daily
