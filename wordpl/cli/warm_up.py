"""`wordpl warm-up`: compile all kernels in advance."""

import click

from wordpl.cli._output import say
from wordpl.cli._status_line import working
from wordpl.core.messages import amount


@click.command(name="warm-up")
def command() -> None:
    """Compile all kernels in advance.

    Afterwards, no command has to wait for the compiler. This takes about a minute, once per machine and after each
    upgrade. Without it, each command compiles what it needs on first use. After Ctrl-C, the finished kernels are kept.
    """
    from wordpl.workbench.warm_up import compile_all

    with working("loading the kernels"):
        n_compiled = compile_all()
    say(f"{amount(n_compiled, 'kernel')} compiled. Everything is ready." if n_compiled else "Everything is ready.")
