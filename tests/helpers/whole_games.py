"""Every game with every kind of word list, and a whole game of each that any door can repeat."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.helpers.paths import HOME
from wordpl import games
from wordpl.contest.referee import secret_of
from wordpl.contest.session import Session
from wordpl.core import seeds, words
from wordpl.core.words import WordLists

OWN_GAMES = '''
"""Games of a host whose moves and channels are combined in other ways than those of the package."""

from wordpl.core.clues import Exact
from wordpl.core.moves import GameFacts, MoveForm
from wordpl.games import Channel, Wordle, Wordpl


class Blur(Channel):
    """The first mark is shown as it is with a probability that grows with epsilon; the others always are."""

    def outcomes(self, true, move):
        first, step = true // 3 ** (self.length - 1), 3 ** (self.length - 1)
        keep = 1 - 1 / (2 + move.epsilon)
        return [true + (mark - first) * step for mark in range(3)], [
            keep if mark == first else (1 - keep) / 2 for mark in range(3)
        ]


class Paid(Wordpl):
    """Paid: guesses have a price, and their clues are true."""

    facts = GameFacts("paid/1", MoveForm.NOISY, "budget")
    channel_type = Exact


class Blurred(Wordpl):
    """Blurred: guesses have a price, and a channel of the host's own."""

    facts = GameFacts("blurred/1", MoveForm.NOISY, "budget")
    channel_type = Blur


class Hidden(Channel):
    """The last mark is never told: it is shown as absent."""

    def outcomes(self, true, move):
        return [true - true % 3], [1.0]


class Endless(Wordle):
    """Endless: Wordle without a practical limit, in which the last mark is always shown as absent."""

    facts = GameFacts("endless/1", MoveForm.CLASSIC, "guesses")
    channel_type = Hidden
    max_guesses = 50
'''
EXAMPLES = {
    "fibble/1": HOME / "examples/fibble.py:Fibble",
    "every-letter/1": HOME / "examples/every_letter.py:EveryLetter",
    "wordle-six/1": HOME / "examples/other_lengths.py:SixLetters",
    "wordle-three/1": HOME / "examples/other_lengths.py:ThreeGuesses",
    "three/1": HOME / "examples/extensions/games/three.py:Three",
}
OWN = {"paid/1": "Paid", "blurred/1": "Blurred", "endless/1": "Endless"}
BUNDLED = ("wordpl/1", "wordpl-counted/1", "wordle/1", "wordle-hard/1", "absurdle/1")
GAMES = (*BUNDLED, *EXAMPLES, *OWN)
LISTS = ("contest", "own", "3 letters", "8 letters", "11 letters")
N_ANSWERS, N_GUESSES = 40, 80
SEED = "doors"


@dataclass(frozen=True)
class Choice:
    """A game with word lists, as options of a command.

    Attributes:
        game_id: The id of the game.
        game: The value of --game.
        answers, guesses: The files of the lists; None for those of the contest.
    """

    game_id: str
    game: str
    answers: Path | None
    guesses: Path | None

    @property
    def options(self) -> list[str]:
        """The options of a command that plays the game."""
        return ["--game", self.game, *self.list_options]

    @property
    def list_options(self) -> list[str]:
        """The options that name the lists."""
        if self.answers is None:
            return []
        return ["--answers", str(self.answers), "--guesses", str(self.guesses)]

    @property
    def lists(self) -> WordLists:
        """The word lists."""
        return words.load(self.answers, self.guesses)


def choice_of(game_id: str, list_name: str, folder: Path) -> Choice:
    """Return the game with these lists, which are written into the folder."""
    game = str(EXAMPLES.get(game_id, game_id))
    if game_id in OWN:
        (folder / "own_games.py").write_text(OWN_GAMES, encoding="utf-8")
        game = f"{folder / 'own_games.py'}:{OWN[game_id]}"
    if list_name == "contest":
        return Choice(game_id, game, None, None)
    drawn = words_of(5 if list_name == "own" else int(list_name.split()[0]))
    files = folder / "answers.txt", folder / "guesses.txt"
    for file, n_words in zip(files, (N_ANSWERS, N_GUESSES), strict=True):
        file.write_text(words.as_text(drawn[:n_words]), encoding="utf-8")
    return Choice(game_id, game, *files)


def words_of(length: int) -> list[str]:
    """Return different words of this length, made of words of the contest."""
    guesses = words.load().guesses
    text = [f"{first}{second}"[:length] for first, second in zip(guesses[7::151], guesses[3::151], strict=False)]
    long = [f"{first}{second}{third}"[:length] for first, second, third in zip(text, text[1:], text[2:], strict=False)]
    return list(dict.fromkeys(text if length <= 10 else long))


def played(choice: Choice) -> Session:
    """Return a whole game, which any door can repeat from the same seed: `Session.moves` are its moves."""
    game = games.make_game(games.named(choice.game), choice.lists)
    secret = secret_of(game, 0, seeds.Draws.of(SEED))
    session = Session(game, SEED, 0, secret)
    for proposal in proposals(session):
        session.play(proposal)
    assert session.verdict is not None
    return session


def proposals(session: Session) -> Iterator[Any]:
    """Yield moves up to the end of a game: two words, then the secret, or words that fit where there is none."""
    game = session.game
    if session.has_epsilon:
        yield from ((word, 8.0) for word in game.lists.guesses[1:3])
        yield session.secret, 0
        return
    if game.facts.has_secret and not game.uses_hints:
        yield from (word for word in game.lists.guesses[-2:] if word != session.secret)
        yield session.secret
        return
    while session.verdict is None:
        yield next(word for word in session.candidates() if session.allows(word))


def typed(session: Session) -> Sequence[str]:
    """Return the moves of a game as lines of the line-by-line game."""
    return [
        move.guess
        if not session.has_epsilon
        else f"!{move.guess}"
        if not move.clues
        else f"{move.guess} {move.epsilon:g}"
        for move in session.moves
    ]
