"""What a file or a message says, as the readers of a league give it, without a store."""

from pathlib import Path
from typing import NamedTuple

from wordpl.apps.league.posts import NO_NUMBER, UNSOLVED, Ignored, ResultPost, UnreadPost
from wordpl.apps.league.sources import ImportOptions, SourceFile, sources
from wordpl.core.puzzles import number_on, number_summarized_at


class WhatIsRead(NamedTuple):
    """The posts, the parts that are not read, those that are ignored, and the names of people by their ids."""

    posts: list[ResultPost]
    unread: list[UnreadPost]
    ignored: list[Ignored]
    names: dict[str, str]

    def results(self):
        """Yield each result with its puzzle, and whether it was posted on the puzzle's day or the next."""
        for post in self.posts:
            for result in post.results:
                if result.number == NO_NUMBER:
                    yield result._replace(number=number_summarized_at(post.posted)), True
                else:
                    n_days = 0 if post.reported is None else number_on(post.reported.date()) - result.number
                    yield result, 0 <= n_days <= 1

    def rows(self):
        """Return player, puzzle and guesses of each result in time, sorted."""
        return sorted(
            (self.names.get(result.person.key, result.person.key), result.number, result.guesses)
            for result, is_in_time in self.results()
            if is_in_time
        )

    def lines(self):
        """Return the results in time as text like `Ann 1567 X*`, and the others as `Ann 1567`; with ids if known."""
        ids, found = {name: id for id, name in self.names.items()}, {True: [], False: []}
        for (person, number, guesses, hard, _), is_in_time in self.results():
            said = f" {'X' if guesses == UNSOLVED else guesses}{'*' * hard}" if is_in_time else ""
            found[is_in_time].append(f"{ids.get(person.key, person.key)} {number}{said}")
        return sorted(found[True]), sorted(found[False])


def what_is_read(readings, names=None):
    """Sort readings by their kinds."""
    readings = list(readings)
    kinds = ([one for one in readings if isinstance(one, kind)] for kind in (ResultPost, UnreadPost, Ignored))
    return WhatIsRead(*kinds, names or {})


def read_file(text, options=None, name="sample", names_in=lambda key: ()):
    """Return what a file of this text says."""
    data = text if isinstance(text, bytes) else text.encode()
    file = SourceFile(Path(name), data, options or ImportOptions(), names_in)
    opened = next(filter(None, (kind.open(file) for kind in sources())), None)
    if opened is None:
        return what_is_read([])
    readings = [reading for part in opened.readings for reading in part]
    return what_is_read(readings, {sighting.id: sighting.name for sighting in opened.sightings()})
