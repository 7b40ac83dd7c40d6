"""Creates a strategy from a template."""

import os
import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from wordpl.contest import hosted
from wordpl.core import paths, words
from wordpl.core.messages import UserError
from wordpl.games import game_class, make_game
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
    name: str,
    game_id: str = DEFAULT_RULES,
    language: Language = Language.PYTHON,
    folder: Path | None = None,
    *,
    kind: str = "",
) -> list[Path]:
    """Create a commented example strategy.

    Args:
        name: Name of the file without its suffix, in lower case, such as my_bot.
        game_id: The game that the strategy plays.
        language: Its programming language.
        folder: Folder for its files. By default the current folder.
        kind: The kind of an entry without code, such as "model", in place of a language.

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
    place = folder or Path.cwd()
    if kind:
        return _write_folder(place / name, hosted.kind(kind).template(make_game(game_id, words.load())))
    game = game_class(game_id).facts
    ending = "py" if language == Language.PYTHON else str(language)
    source = paths.asset_texts("apps/workbench/templates")[f"{game.form}.{ending}"]
    class_name = "".join(part.capitalize() for part in name.split("_"))
    text = source.replace("CLASS", class_name).replace("NAME", name).replace("GAME", game_id)
    if game.has_epsilon and language == Language.PYTHON and game.id != DEFAULT_RULES:
        own_game = f'    game = "{game_id}"  # the game that this strategy is for\n\n'
        text = text.replace("    # The budget", own_game + "    # The budget")
    if language == Language.PYTHON:
        return [_write(place / f"{name}.{ending}", text)]
    description = _DESCRIPTION[str(language)].format(game=game_id, name=name)
    return _write_folder(place / name, {"bot.toml": description, f"{name}.{ending}": text})


def _write_folder(place: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write these files into a new folder; return the folder and the files."""
    if os.path.lexists(place):
        raise UserError(f"{place.name} already exists. Choose another name, or remove it.")
    place.mkdir()
    return [place, *(_write(place / file, text) for file, text in texts.items())]


def _write(path: Path, text: str) -> Path:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UserError(f"{path.name} already exists. Choose another name, or remove the file.") from None
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}.") from None
    return path
