"""A tournament in the terminal. The clock of a puzzle starts with its first guess and cannot be paused."""

import time
from collections.abc import Callable
from pathlib import Path

import click

from wordpl.contest.session import Session
from wordpl.core.errors import UserError
from wordpl.games import IllegalMoveError
from wordpl.reports.names import shown
from wordpl.terminal import board
from wordpl.terminal.prompt import ask
from wordpl.terminal.screen import Screen
from wordpl.tournament import Scorecard, ScoredPuzzle
from wordpl.tournament.scorecard import TimedGuess

LEAVE = ("q", "quit")


class TournamentGame:
    """A tournament that one person plays.

    Args:
        card: The scorecard with the games so far.
        file: The file in which the scorecard is saved after each guess.
        now: Returns the time in seconds since the epoch.
    """

    def __init__(self, card: Scorecard, file: Path, screen: Screen, now: Callable[[], float] = time.time):
        self.card, self.file, self.screen, self._now = card, file, screen, now
        self._game, self._secrets = card.cup.game(), card.cup.secrets()

    def play(self) -> None:
        """Play until the tournament ends for this person, or until they leave by Ctrl-C or the end of input."""
        self._check_window()
        try:
            while self._may_go_on():
                self._play_puzzle()
        except EOFError:
            self._leave()
        except KeyboardInterrupt:
            self._leave()
            raise click.exceptions.Exit(130) from None
        else:
            self._sum_up()

    def _check_window(self) -> None:
        cup = self.card.cup
        if cup.opens and self._now() < cup.opens.timestamp():
            raise UserError(f"the tournament opens at {cup.opens:%Y-%m-%d %H:%M} UTC.")

    def _may_go_on(self) -> bool:
        scored = self.card.scored()
        if scored and scored[-1].ending == "not finished":
            return not self._is_closed()
        goes_on = not scored or scored[-1].goes_on
        return goes_on and len(scored) < len(self._secrets) and not self._is_closed()

    def _is_closed(self) -> bool:
        closes = self.card.cup.closes
        return closes is not None and self._now() >= closes.timestamp()

    def _play_puzzle(self) -> None:
        session = self._resumed()
        rules = self.card.cup.rules
        time_left = clock(self._bank_s() - self._running_s(session))
        heading = f"{rules.name}, puzzle {session.number + 1} of {rules.rounds}, {time_left} left"
        self.screen.say("", heading, style="bold")
        if session.moves:
            self.screen.say("You started this puzzle before; its clock has been running since then.")
            board.show(session, self.screen)
        else:
            self.screen.say("The clock starts with your first guess. Type quit to leave.")
        while session.verdict is None and not self._is_closed():
            if not self._guess(session):
                break
        self._show_result(self.card.scored()[-1])

    def _resumed(self) -> Session:
        """Return the puzzle that has been started, otherwise the next one."""
        scored = self.card.scored()
        is_begun = bool(scored) and scored[-1].ending == "not finished"
        number = len(scored) - is_begun
        session = Session(self._game, self.card.cup.seed, number, self._secrets[number])
        for guess in self.card.puzzles[number] if is_begun else []:
            session.play(guess.word)
        return session

    def _bank_s(self) -> float:
        """Return the time in the bank at the start of this puzzle."""
        done = [puzzle for puzzle in self.card.scored() if puzzle.ending == "solved"]
        return done[-1].bank_s if done else self.card.cup.rules.bank_s

    def _running_s(self, session: Session) -> float:
        return self._now() - self.card.puzzles[session.number][0].time_s if session.moves else 0.0

    def _guess(self, session: Session) -> bool:
        """Ask for a guess until it is legal, and record it; return whether it was in time."""
        while True:
            time_left = clock(self._bank_s() - self._running_s(session))
            word = ask(f"guess {len(session.moves) + 1} of {self._game.max_guesses}, {time_left} left: ")
            now = self._now()
            if word in LEAVE:
                raise EOFError
            try:
                if word and self._is_word(word):
                    session.play(word)
                    break
            except IllegalMoveError as fault:
                self.screen.complain(str(fault))
        return self._note(word, now, session)

    def _is_word(self, word: str) -> bool:
        """Return whether the word is in the list, and say so if it is not, without the usual suggestions."""
        lists = self._game.lists
        if word in lists.guess_set or len(word) != lists.length or not word.isalpha():
            return True  # the check of the game explains what is wrong with other words
        self.screen.complain(f"'{shown(word)}' is not in the word list. There are no suggestions in a tournament.")
        return False

    def _note(self, word: str, now: float, session: Session) -> bool:
        if len(self.card.puzzles) == session.number:
            self.card.puzzles.append([])
        guesses = self.card.puzzles[session.number]
        # System clocks can be set back.
        guesses.append(TimedGuess(word, max(now, guesses[-1].time_s) if guesses else now))
        self.card.write(self.file)
        in_time = self.card.scored()[-1].n_guesses == len(guesses)
        if in_time:
            board.show(session, self.screen)
        return in_time

    def _show_result(self, scored: ScoredPuzzle) -> None:
        ending = {
            "solved": f"Solved in {scored.n_guesses}.",
            "not solved": f"Not solved: the word was {scored.secret.upper()}. Your tournament is over.",
            "out of time": f"Out of time: the word was {scored.secret.upper()}. Your tournament is over.",
            "not finished": "The tournament has closed; your last guess was too late.",
        }[scored.ending]
        bonus = f", {scored.bonus_s:g} s back" if scored.bonus_s else ""
        points = f"{scored.points:g} points and {scored.micro:g} micro points"
        self.screen.say(
            "", f"{ending} {points}; {scored.used_s:.1f} s{bonus}, {clock(scored.bank_s)} left.", style="bold"
        )

    def _leave(self) -> None:
        scored = self.card.scored()
        running = bool(scored) and scored[-1].ending == "not finished"
        end = "The clock of this puzzle keeps running." if running else "No clock is running."
        result_note = f" Your result so far: {self.file}." if self.file.exists() else " You have made no guess yet."
        self.screen.say("", f"You left. To continue, run the same command. {end}{result_note}")

    def _sum_up(self) -> None:
        scored = self.card.scored()
        n_solved = sum(puzzle.ending == "solved" for puzzle in scored)
        total = sum(puzzle.points + puzzle.micro for puzzle in scored)
        if not self.file.exists():
            self.screen.say(
                "", f"The tournament closed at {self.card.cup.closes:%Y-%m-%d %H:%M} UTC; you did not play."
            )
            return
        self.screen.say("", f"{n_solved} solved, {total:g} points in total. Your result: {self.file}.", style="bold")


def clock(seconds: float) -> str:
    """Return a time in seconds as minutes and seconds.

    >>> clock(1799.5), clock(-3)
    ('29:59', '0:00')
    """
    whole_seconds = max(0, int(seconds))
    return f"{whole_seconds // 60}:{whole_seconds % 60:02}"
