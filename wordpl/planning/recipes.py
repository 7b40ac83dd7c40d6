"""The plans that come with the project, as far as they are chosen and not computed; docs/records.md tells how."""

from wordpl.planning.building import Recipe
from wordpl.planning.second import Search

RECIPES = {
    "g3": Recipe(first="trace", budget=14.6, shares=(9.3 / 14.6, 5.3 / 14.6)),
    "p05": Recipe(first="trace", budget=14.32, shares=(0.7, 0.3)),
    "p50": Recipe(first="trace", budget=36.5, shares=(0.353, 0.372, 0.275)),
    "p95": Recipe(first="trace", budget=69.5, shares=(0.25, 0.29, 0.253, 0.207), search=Search(n_tried=1)),
}
