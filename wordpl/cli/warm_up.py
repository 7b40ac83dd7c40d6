"""`wordpl warm-up`: everything compiled beforehand."""

import click

from wordpl.cli._echo import say
from wordpl.cli._status_line import working
from wordpl.core.amounts import amount


@click.command(name="warm-up")
def command() -> None:
    """Compile everything now, so that no first game and no first suggestion waits for it.

    It takes about a minute once for each machine, and again after an upgrade. Without it, each command compiles what it
    needs when it is first used. Ctrl-C keeps what is done.
    """
    from wordpl.workbench.warm_up import compile_all

    with working("loading what is compiled"):
        n_compiled = compile_all()
    say(f"{amount(n_compiled, 'kernel')} compiled. Everything is ready." if n_compiled else "Everything is ready.")
