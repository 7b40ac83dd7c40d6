"""Creates a strategy from a template."""

import os
import re
from enum import StrEnum
from pathlib import Path

from wordpl.core import paths
from wordpl.core.messages import UserError
from wordpl.games import game_class
from wordpl.strategy import DEFAULT_RULES

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_DESCRIPTION = {
    "js": 'game = "{game}"\ncommand = ["node", "{name}.js"]\n',
    "c": """\
game = "{game}"
build = ["gcc", "-O2", "-o", "{{build}}/{name}", "{name}.c"]
command = ["{{build}}/{name}"]
""",
}


class Language(StrEnum):
    """Programming language of a strategy."""

    PYTHON = "python"
    JAVASCRIPT = "js"
    C = "c"


def new_strategy(
    name: str, game_id: str = DEFAULT_RULES, language: Language = Language.PYTHON, folder: Path | None = None
) -> list[Path]:
    """Create a commented example strategy.

    Args:
        name: Name of the file without its suffix, in lower case, such as my_bot.
        game_id: The game that the strategy plays.
        language: Its programming language.
        folder: Folder for its files. By default the current folder.

    Returns:
        The entry to evaluate, and if it is a folder, as a program's is, the files that were written into it.

    Raises:
        UserError: The name or the game is invalid, or a file exists.
    """
    name = name.removesuffix(".py")
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name[:60]!r} is not a valid strategy name. Use lower-case letters, digits and _, as in my_bot."
        )
    game = game_class(game_id).facts
    ending = "py" if language == Language.PYTHON else str(language)
    source = paths.asset_texts("apps/workbench/templates")[f"{game.form}.{ending}"]
    class_name = "".join(part.capitalize() for part in name.split("_"))
    text = source.replace("CLASS", class_name).replace("NAME", name).replace("GAME", game_id)
    if game.has_epsilon and language == Language.PYTHON and game.id != DEFAULT_RULES:
        own_game = f'    game = "{game_id}"  # the game that this strategy is for\n\n'
        text = text.replace("    # The budget", own_game + "    # The budget")
    written = {f"{name}.{ending}": text}
    if language != Language.PYTHON:
        description = _DESCRIPTION[str(language)].format(game=game_id, name=name)
        written = {"bot.toml": description} | written
    place = folder or Path.cwd()
    if language != Language.PYTHON:
        place /= name
        if os.path.lexists(place):
            raise UserError(f"{name} already exists. Choose another name, or remove it.")
        place.mkdir()
    files = [_write(place / file, content) for file, content in written.items()]
    return files if language == Language.PYTHON else [place, *files]


def _write(path: Path, text: str) -> Path:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UserError(f"{path.name} already exists. Choose another name, or remove the file.") from None
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}.") from None
    return path
