"""Tests of the spine that also need an app, and are skipped where its folder has been deleted."""

from importlib import import_module

import pytest

from wordpl.core import apps


def needed(name: str):
    """Return a module of an app, such as season.season; skip the test if its folder is missing."""
    app = name.partition(".")[0]
    if not apps.is_installed(app):
        pytest.skip(f"needs wordpl/apps/{app}")
    return import_module(f"wordpl.apps.{name}")
