"""A strategy file that plays a plan in another folder than the bundled strategy Schedule, which has its own plans."""

from pathlib import Path

from wordpl.core.files import write_atomically

TEMPLATE = '''\
"""Plays the plan of {plan_file}, computed by `wordpl plan`."""

from pathlib import Path

from strategies.schedule import Schedule
from wordpl.solvers import plans


class {class_name}(Schedule):
    def __post_init__(self):
        self.made = plans.load(Path(__file__).with_name("{plan_file}"))
        self.budget = self.budget or self.made.budget
        self.epsilons = self.made.epsilons(self.budget)


ENTRIES = [{class_name}("{plan}")]
'''


def write_strategy(plan: Path) -> Path:
    """Write a strategy file beside a plan, unless it exists, and return its path.

    Args:
        plan: The file of the plan, schedule-NAME.json; the strategy is schedule_NAME.py.
    """
    name = plan.stem.removeprefix("schedule-")
    path = plan.with_name(f"schedule_{name}.py")
    if not path.exists():
        class_name = f"Schedule{name.title().replace('_', '')}"
        write_atomically(path, TEMPLATE.format(plan=name, plan_file=plan.name, class_name=class_name).encode())
    return path
