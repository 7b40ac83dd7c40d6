"""Which games are lost: the hardest words, the letters of the secret, and the number of moves."""

from collections.abc import Iterator, Mapping, Sequence

from wordpl.reports.elements import Column, Detail, Entry, Number, Part, RunSection, Share, Table, Value, number
from wordpl.reports.results import RunResults
from wordpl.stats import game_statistics


def parts(results: RunResults) -> Iterator[Part]:
    """Yield the tables of each game."""
    for board in results.boards:
        rows, (entries, which) = results.rows_of(board), results.first(board)
        hardest = game_statistics.hardest_words(rows)
        if len(hardest):
            cells = [
                (str(row["secret"]), int(row["n_games"]), int(row["n_lost"]), Number(float(row["mean_cost"])))
                for row in hardest.to_dict("records")
            ]
            columns = [Column("word", "name"), *map(Column, ("games", "lost", "mean cost of won games"))]
            yield Table(f"{board.rules}: hardest words of all entries", columns, cells)
            title = f"{board.rules}: games lost, by the letters of the secret{which}"
            yield _groups(title, game_statistics.by_letter_pattern(rows), entries)
        if not board.game.bins:  # there, the number of moves is the score
            yield _groups(
                f"{board.rules}: games lost, by the number of moves{which}", game_statistics.by_rounds(rows), entries
            )


def _groups(title: str, found: Sequence[game_statistics.GameGroup], entries: Mapping[str, Entry]) -> Table:
    """Return a table of the share of games lost and the mean cost of won games, for each entry and group."""
    groups = list(dict.fromkeys(group.group for group in sorted(found, key=lambda group: group.order)))
    by_place = {(group.entry, group.group): group for group in found}
    rows = [(entry, *(_share(by_place.get((name, group))) for group in groups)) for name, entry in entries.items()]
    return Table(title, [Column("strategy", "name"), *(Column(group, best="low") for group in groups)], rows)


def _share(group: game_statistics.GameGroup | None) -> Value:
    if group is None:
        return None
    is_won = group.n_lost < group.n_games
    return Share(group.n_lost, group.n_games, f"won: {number(group.mean_cost)} on average" if is_won else "")


SECTION = RunSection(title="Lost games", parts=parts, place=75, level=Detail.DETAILS)
