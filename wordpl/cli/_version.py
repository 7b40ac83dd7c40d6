"""The option --version, of `wordpl` and of the commands that are programs of their own."""

import click

version_option = click.version_option(package_name="wordpl", prog_name="wordpl", message="%(prog)s %(version)s")
