"""The plans that come with the project, as far as they are chosen and not computed; docs/records.md tells how."""

from wordpl.solvers.plans.building import Recipe
from wordpl.solvers.plans.second_guess import SecondGuessSearch

EVEN, LIGHT = (1 / 3, 1 / 3, 1 / 3), SecondGuessSearch(n_tried=12, n_clues=40)
RECIPES = {
    "p05": Recipe(first="trace", budget=14.32, shares=(0.7, 0.3)),
    "p50": Recipe(
        first="trace",
        budget=36.3,
        shares=(0.345, 0.377, 0.278),
        search=SecondGuessSearch(splits=(0.0, -0.16, -0.08, 0.08, 0.16)),
    ),
    "p95": Recipe(first="trace", budget=69.5, shares=(0.25, 0.29, 0.253, 0.207), search=SecondGuessSearch(n_tried=6)),
    "g3": Recipe(first="trace", budget=14.6, shares=(9.3 / 14.6, 5.3 / 14.6)),
    "d95_12": Recipe(first="salet", budget=36.9, shares=EVEN, search=LIGHT),
    "d95_25": Recipe(first="salet", budget=75.0, shares=EVEN, search=LIGHT),
}
