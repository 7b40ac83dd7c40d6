"""The option --version of `wordpl`, and of the commands that are also separate programs."""

import click

version_option = click.version_option(package_name="wordpl", prog_name="wordpl", message="%(prog)s %(version)s")
