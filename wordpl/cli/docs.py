"""`wordpl docs`: read the documentation in the terminal."""

import re
import sys
from functools import cache

import click
from click.shell_completion import CompletionItem

from wordpl.cli._command import conversation
from wordpl.core import paths
from wordpl.core.messages import UserError, did_you_mean

FOLDER = paths.bundled() / "docs"
INDEX = "index"
_TREE = re.compile(r"^```\{toctree\}\n(?P<options>(?::.*\n)*)(?P<pages>[^`]*)```$", re.M)
_CAPTION = re.compile(r"^:caption: (.+)$", re.M)
_TITLE = re.compile(r"^# (.+)$", re.M)
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]+\)")
_LINK = re.compile(r"\[([^\]]+)\]\(([\w/.-]+)\.md(?:#[\w-]*)?\)")


@cache
def pages() -> dict[str, str]:
    """Return the text of each page by its topic, and of the index."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))}


def topics() -> dict[str, list[str]]:
    """Return the topics of each part of the documentation, in the order of the index."""
    parts = {}
    for tree in _TREE.finditer(pages()[INDEX]):
        caption = _CAPTION.search(tree["options"])
        names = [name for name in tree["pages"].split() if name in pages()]
        if caption and names:
            parts[caption[1]] = names
    return parts


def title(topic: str) -> str:
    """Return the heading of a page."""
    heading = _TITLE.search(pages()[topic])
    return heading[1].replace("`", "") if heading else topic


def for_terminal(text: str) -> str:
    """Return a page whose pictures are named, and whose links to other pages are commands.

    >>> for_terminal("![A board](board.png) See [the rules](games.md#moves).")
    '(Picture: A board) See the rules (`wordpl docs games`).'
    """
    text = _PICTURE.sub(lambda picture: f"(Picture: {' '.join(picture[1].split())})", text)

    def command(link: re.Match[str]) -> str:
        words, topic = link[1], link[2]
        return f"{words} (`wordpl docs {topic}`)" if topic in pages() else words

    return _LINK.sub(command, text)


def offer(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the topics to the shell."""
    names = [name for part in topics().values() for name in part]
    return [CompletionItem(name, help=title(name)) for name in names if name.startswith(incomplete)]


@conversation
@click.command(name="docs")
@click.argument("topic", required=False, shell_complete=offer)
@click.option("--find", metavar="TEXT", help="List the lines that contain this text, of TOPIC or of all pages.")
def command(topic: str | None, find: str | None) -> None:
    """Read the page on TOPIC, or list the topics.

    A terminal shows the page in a pager; elsewhere, its Markdown is printed.

    \b
    wordpl docs
    wordpl docs tutorial
    wordpl docs --find "rank interval"
    wordpl docs season > season.md
    """
    names = [name for part in topics().values() for name in part]
    if topic is not None:
        topic = topic.removeprefix("docs/").removesuffix(".md").lower()
        if topic not in names:
            hint = did_you_mean(topic, names)
            raise UserError(f"there is no page on {topic!r}.{hint} `wordpl docs` lists all.")
    if find is not None:
        _find(find, [topic] if topic else names)
    elif topic is None:
        _list()
    elif sys.stdout.isatty():
        _show(pages()[topic])
    else:
        click.echo(pages()[topic], nl=False)


def _list() -> None:
    width = max(map(len, pages()))
    for part, names in topics().items():
        click.echo(f"{part}:")
        for name in names:
            click.echo(f"  {name:{width}}  {title(name)}")
    click.echo("\n`wordpl docs TOPIC` shows a page.")


def _find(text: str, names: list[str]) -> None:
    """Print each line that contains the text, in any case, below its page.

    Raises:
        UserError: No line contains it.
    """
    n_found = 0
    for name in names:
        found = [line.strip() for line in pages()[name].splitlines() if text.casefold() in line.casefold()]
        n_found += len(found)
        if found:
            click.echo(f"{click.style(name, bold=True)}: {title(name)}")
        for line in found:
            click.echo(f"    {line}")
    if not n_found:
        where = f"the page on {names[0]}" if len(names) == 1 else "the documentation"
        raise UserError(f"{text!r} does not occur in {where}.")


def _show(text: str) -> None:
    """Show a page in the pager."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(width=min(100, Console().width))
    with console.capture() as capture:
        console.print(Markdown(for_terminal(text), hyperlinks=False))
    click.echo_via_pager(capture.get(), color=True)
