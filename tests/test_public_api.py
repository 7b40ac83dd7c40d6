"""Strategies and documents need only the public API of `wordpl`."""

import ast
import json
import re
import subprocess
import sys
from types import ModuleType

import pytest

import wordpl
from tests.helpers.apps import needed
from tests.helpers.paths import HOME
from wordpl.core.apps import MissingAppError

PUBLIC = re.compile(r"wordpl(\.games|\.solvers(\.(noisy|plans|search|trees))?)?")
PAGES = [HOME / "README.md", HOME / "CONTRIBUTING.md", *sorted((HOME / "docs").glob("*.md"))]


def imported_modules(source):
    """Return the modules of wordpl that a source imports."""
    nodes = list(ast.walk(ast.parse(source)))
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return [name for name in names if name.partition(".")[0] == "wordpl"]


def python_blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def test_functions_and_modules_are_exported_as_such():
    functions = ("check", "load_moves", "load_run", "publish_run", "sequential_test")
    assert all(callable(getattr(wordpl, name)) for name in functions)
    assert callable(wordpl.solvers.search.best_guess)
    modules = ("clues", "games", "priors", "rankings", "solvers", "trees", "words")
    assert all(isinstance(getattr(wordpl, name), ModuleType) for name in modules)


def test_functions_and_modules_of_the_same_name_are_exported_as_functions():
    needed("workbench.profile")
    assert all(callable(getattr(wordpl, name)) for name in ("analyse", "profile"))


def exists(package, name):
    """Return whether a package has this name, or says that the folder of its app is missing."""
    try:
        return hasattr(package, name)
    except MissingAppError:
        return True


def test_every_exported_name_exists():
    packages = [wordpl, wordpl.games, wordpl.solvers, wordpl.solvers.noisy, wordpl.solvers.plans]
    missing = [(package, name) for package in packages for name in package.__all__ if not exists(package, name)]
    assert not missing
    assert dir(wordpl) == wordpl.__all__


def test_an_unknown_name_raises_an_attribute_error():
    with pytest.raises(AttributeError, match="'wordpl' has no attribute 'nothing'"):
        _ = wordpl.nothing


def test_importing_the_package_is_cheap():
    program = "import sys, wordpl; sys.exit(str({'numpy', 'numba', 'pandas', 'click', 'msgspec'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=HOME)
    assert result.stderr.strip() == "set()"


@pytest.mark.parametrize("path", sorted((HOME / "strategies").rglob("*.py")), ids=lambda path: path.stem)
def test_bundled_strategies_import_only_the_public_api(path):
    private = [name for name in imported_modules(path.read_text()) if not PUBLIC.fullmatch(name)]
    assert not private


def test_a_notebook_plays_a_contest_as_documented(tmp_path, monkeypatch, capsys):
    (source, *_) = re.findall(
        r"^```python\n(.*?)^```$", (HOME / "docs/library.md").read_text(), re.DOTALL | re.MULTILINE
    )
    assert sum(1 for line in source.splitlines() if line.strip()) <= 16
    monkeypatch.chdir(tmp_path)
    exec(compile(source, "example", "exec"), {"__name__": "example"})
    output = capsys.readouterr().out
    assert "Bot(epsilon=40.0) 200 of 200" in output
    assert output.endswith("trusted\n")
    (folder,) = (tmp_path / "my-results").iterdir()
    assert wordpl.load_run(folder).groupby("entry").size().to_list() == [200, 200]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_examples_import_only_the_public_api(page):
    private = [name for block in python_blocks(page) for name in imported_modules(block) if not PUBLIC.fullmatch(name)]
    assert not private


@pytest.mark.slow
def test_the_notebook_runs_and_ends_with_a_verified_run(tmp_path, monkeypatch):
    notebook = json.loads((HOME / "examples" / "first-strategy.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "notebook"}
    values = []
    for cell in cells:
        tree = ast.parse(cell)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "notebook", "exec"), names)
        values.append(eval(compile(ast.Expression(last.value), "notebook", "eval"), names) if last else None)
    (plot,) = [value for value in values if hasattr(value, "_repr_png_")]
    assert plot._repr_png_().startswith(b"\x89PNG")
    assert len(plot.axes[0].get_legend().get_texts()) == 3
    assert values[-1].holds
    assert repr(values[-1]) == "Findings(900 games, all holds)"
    shown = "".join("".join(output["data"]["text/plain"]) for output in notebook["cells"][-1]["outputs"])
    assert shown == repr(values[-1])
    board = next(value for value in values if hasattr(value, "columns") and "strategy" in value)
    assert sorted(board["strategy"]) == sorted(f"Bot(epsilon={n}, certainty=0.5)" for n in (8, 12, 16))
    assert all(
        low <= value <= high for value, low, high in zip(board["p_win"], *bounds(board["p_win 95%"]), strict=True)
    )


def bounds(intervals):
    """Return the lower and the upper ends of intervals that are texts."""
    return zip(*(map(float, text.split("–")) for text in intervals), strict=True)


@pytest.mark.long
def test_the_examples_of_the_library_page_work(tmp_path, monkeypatch, capsys):
    _, *examples = python_blocks(HOME / "docs" / "library.md")
    assert len(examples) >= 3
    for folder in ("results", "strategies"):
        (tmp_path / folder).symlink_to(HOME / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("wordpl.reports.run_report.MAX_REVIEWED", 2)  # 48 take half a minute
    for source in examples:
        exec(compile(source, "example", "exec"), {"__name__": "example"})
    output = capsys.readouterr().out
    assert "True []" in output
    assert "all passed" in output
    assert {path.name for path in tmp_path.iterdir()} >= {"curves.png", "page.html", "bundled.zip", "matches"}
