"""Plays the small season whose pages docs/season.md shows; `python docs/draw_report.py season` draws them."""

from pathlib import Path

from wordpl.apps.season import site as season_site
from wordpl.apps.season.season import Season
from wordpl.contest import Observer

HOME = Path(__file__).parents[1]
BUNDLED = {"NGuess-14.5-3": "NGuess(14.5, 3)", "NGuess-24-4": "NGuess(24.0, 4)", "NGuess-8.4-2": "NGuess()"}
TERMS = {"players = 20": "players = 6", "leaders = 5": "leaders = 3", "confirmation_games = 26000":
         "confirmation_games = 1000", "# ada = [\"ada_bot": "ada = [\"ada_bot"}  # fmt: skip
BOT = """
from wordpl import Posterior, Strategy


class Bot(Strategy):
    def first_move(self):
        self.posterior = Posterior.uniform()
        return "crane", {epsilon}

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        word, probability = self.posterior.best()
        return (word, 0) if probability > {certainty} else (self.rng.choice(self.guesses), {epsilon})
"""


def play_season(folder: Path) -> Path:
    """Play four rounds and two confirmations in a new folder, and return the folder of its pages."""
    season = Season.new(folder, "Open season", "wordpl/1", ["p50", "p_win"], n_games=120)
    terms = folder / "season.toml"
    text = terms.read_text()
    for old, new in TERMS.items():
        text = text.replace(old, new)
    terms.write_text(text)
    season = Season(folder)
    for name, make in BUNDLED.items():
        season.submit(HOME / "strategies" / "n_guess.py", make, name)

    def send(name: str, epsilon: float, certainty: float) -> None:
        place = folder / "strategies" / f"{name}.py"
        place.write_text(BOT.format(epsilon=epsilon, certainty=certainty))
        season.submit(place)

    def play() -> None:
        season.announce_round(Observer())
        season.play(Observer())

    def confirm(label: str, value: float) -> None:
        season.announce_confirmation(label, "p_win", value, Observer())
        season.play(Observer())

    play()
    send("ada_bot", 10.0, 0.5)
    send("bob_bot", 15.0, 0.3)
    play()
    confirm("ada_bot", 0.6)
    send("ada_bot", 15.0, 0.8)
    play()
    confirm("NGuess-24-4", 0.9)
    season.withdraw("bob_bot@1")
    send("bob_bot", 18.0, 0.5)
    play()
    return season_site.write(season, season.standings(), folder / season_site.FOLDER)[0].parent
