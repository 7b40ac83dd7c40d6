"""The league's database server, on which a dump is loaded."""

from tests.apps.league.conftest import postgresql

__all__ = ["postgresql"]
