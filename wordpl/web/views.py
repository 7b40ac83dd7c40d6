"""The JSON that a player's page receives about a game, without the secret until it may be shown."""

from datetime import UTC, datetime
from functools import lru_cache
from inspect import getdoc
from typing import Any

from wordpl import games
from wordpl.core.clues import RandomizedResponse
from wordpl.core.moves import Move, NoisyMove, Verdict, total_epsilon
from wordpl.games import Game
from wordpl.web.service import GameService
from wordpl.web.store import Mode, WebPlayer, WebPuzzle


def games_view(service: GameService) -> dict[str, Any]:
    """Return all games of the server, and the day of the current daily puzzle."""
    game_views = [_game_view(service.game(name)) for name in games.names()]
    return {"games": game_views, "day": service.today().isoformat()}


@lru_cache(64)
def _game_view(game: Game) -> dict[str, Any]:
    """Return the description of a game, which does not depend on the player."""
    return {
        "game": game.facts.id,
        "title": game.title or game.facts.id,
        "about": (getdoc(type(game)) or "").partition("\n")[0],
        "rules": getdoc(type(game)) or "",
        "has_epsilon": game.facts.has_epsilon,
        "is_exact": game.is_exact,
        "is_randomized": isinstance(game.channel, RandomizedResponse),
        "unit": game.facts.unit,
        "bins": game.facts.bins,
        "length": game.lists.length,
        "limit": game.facts.limit,
        "has_secret": game.facts.has_secret,
    }


def invitation_view(service: GameService, invitation: str) -> dict[str, Any]:
    """Return the description of an invitation."""
    puzzle = service.invitation(invitation)
    return {
        **_game_view(service.game(puzzle.game)),
        "n_players": puzzle.n_players,
        "n_joined": len(service.players(puzzle)),
        "deadline": _moment(puzzle.deadline),
    }


def state_view(service: GameService, player: WebPlayer, puzzle: WebPuzzle) -> dict[str, Any]:
    """Return the complete state of a player's game."""
    game = service.game(puzzle.game)
    players = service.players(puzzle) if puzzle.mode == Mode.FRIENDS else [player]
    is_open, is_won = service.is_open(player), player.verdict == Verdict.WON
    is_revealed = service.is_revealed(player, puzzle, players)
    return {
        **_game_view(game),
        "mode": puzzle.mode.value,
        "day": puzzle.day,
        "round": len(player.moves) + 1,
        "rows": [_row(game, move, is_won and move is player.moves[-1]) for move in player.moves],
        "spent": round(total_epsilon(player.moves), 9),
        "verdict": player.verdict,
        "is_open": is_open,
        "is_ranked": service.is_ranked(puzzle),
        "deadline": _moment(player.deadline),
        "invitation": puzzle.id if puzzle.mode == Mode.FRIENDS else None,
        "n_players": puzzle.n_players,
        "players": [_player_view(member, player) for member in players],
        "review": _review(service, player, puzzle) if is_revealed else None,
        "share": None if is_open else service.session(player, puzzle).share_text(puzzle.day),
    }


@lru_cache(4096)
def _row(game: Game, move: Move, is_last: bool) -> dict[str, Any]:
    """Return a move with the probability that a mark of its clues is true; those of a guess that wins are."""
    row: dict[str, Any] = {"guess": move.guess, "clues": move.clues}
    if isinstance(move, NoisyMove):
        row["epsilon"] = move.epsilon
    if move.clues and not game.is_exact and not is_last:
        row["kept"] = round(game.channel.kept(move.clues, move), 4)
    return row


def _player_view(player: WebPlayer, own: WebPlayer) -> dict[str, Any]:
    """Return a player's progress, without letters."""
    return {
        "name": player.name,
        "is_you": player.digest == own.digest,
        "rows": [move.clues for move in player.moves if move.clues],
        "spent": round(total_epsilon(player.moves), 9),
        "verdict": player.verdict,
    }


def _review(service: GameService, player: WebPlayer, puzzle: WebPuzzle) -> dict[str, Any]:
    """Return the secret and the true clues."""
    game = service.game(puzzle.game)
    session = service.session(player, puzzle)
    secret, n_left = puzzle.secret, 1
    if not game.facts.has_secret:
        candidates = session.candidates()
        secret, n_left = (candidates[0] if len(candidates) == 1 else ""), len(candidates)
    truth = [move.clues if game.is_exact else game.clue(move.guess, secret) for move in session.moves_with_clues]
    difficulty = None if puzzle.mode == Mode.SOLO else service.difficulty(puzzle)
    return {"secret": secret, "truth": truth, "n_left": n_left, "difficulty": difficulty}


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
