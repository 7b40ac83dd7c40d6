"""Print which formats of messages are read correctly, as in the tables of docs/league.md.

Run `PYTHONPATH=. python benchmarks/league_samples.py`.
"""

import click

from tests.helpers import samples


@click.command()
def main() -> None:
    """Print for each format how many samples were read correctly, read wrongly, and listed as not read."""
    click.echo(f"{samples.table(samples.SUMMARIES)}\n\n{samples.table(samples.SHARES)}")


if __name__ == "__main__":
    main()
