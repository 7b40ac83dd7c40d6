"""An animated SVG of one game: tiles turn row by row, false marks are crossed out, and the posterior narrows.

The picture needs no script, loads nothing, follows the reader's light or dark mode, and stands still, with the whole
game shown, where the reader prefers less motion.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wordpl import games
from wordpl.kernels.posterior import Posterior
from wordpl.reports.html.document import Markup, element
from wordpl.run.folder import Run

WIDTH, ROW, TILE, GAP, LEFT, TOP = 760, 46, 38, 4, 28, 74
BARS_AT, BAR_WIDTH, BAR_ROW, N_LIKELIEST = 470, 190, 27, 5
STEP_S, HOLD_S = 1.7, 4.0
COLOURS = {"c": "hit", "i": "near", ".": "miss"}
STYLE = """
svg{--paper:#fff;--ink:#17181c;--soft:#5c6070;--hair:#e4e6ec;--bar:#0069a8;--hit:#1f7a4d;--near:#8f6400;--miss:#62666f}
@media (prefers-color-scheme:dark){svg{--paper:#14161b;--ink:#f0f1f5;--soft:#a9aebb;--hair:#2b2f38;--bar:#4ba6e0;
--hit:#25855a;--near:#94690a;--miss:#50545e}}
text{font-family:-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:var(--ink);font-size:14px}
.paper{fill:var(--paper)}.soft{fill:var(--soft);font-size:12.5px}.head{font-size:17px;font-weight:700}
.letter{fill:#fff;font-weight:700;font-size:18px;text-anchor:middle}.word{font-family:ui-monospace,Menlo,monospace}
.end{text-anchor:end}.hit{fill:var(--hit)}.near{fill:var(--near)}.miss{fill:var(--miss)}.track{fill:var(--hair)}
.bar{fill:var(--bar)}.bits{fill:var(--soft)}.false{stroke:#fff;stroke-width:3;stroke-linecap:round}
.truth{stroke:var(--paper);stroke-width:2}.step,.state{opacity:1}.state:not(.last){opacity:0}
"""


@dataclass(frozen=True)
class Move:
    """A move of the replay: the guess with shown and true marks, what it cost, and what was known after it."""

    guess: str
    shown: str
    true: str
    said: str
    bits: float
    likeliest: Sequence[tuple[str, float]]


def moves_of(folder: Path, entry_name: str, number: int) -> tuple[str, list[Move]]:
    """Return the secret and the moves of a noisy game of a run."""
    run = Run(folder)
    info = next(entry for entry in run.info.entries if entry.name == entry_name)
    game = games.make_game(info.game, run.info.config.load_lists())
    record = next(record for record in run.entry(info).read() if record.game == number)
    posterior, spent, moves = Posterior.of(game), 0.0, []
    for move in record.moves:
        spent += move.epsilon
        if move.clues:
            posterior.update(*move.arguments)
            shown, true = move.clues, game.clue(move.guess, record.secret)
            said = f"ε {move.epsilon:g}, {spent:g} spent"
        else:
            shown = true = "".join("c" if a == b else "." for a, b in zip(move.guess, record.secret, strict=True))
            said = f"answer: {record.verdict}, {spent:g} spent"
        moves.append(Move(move.guess, shown, true, said, posterior.bits, posterior.top(N_LIKELIEST)))
    return record.secret, moves


def replay_svg(title: str, moves: Sequence[Move], start_bits: float) -> str:
    """Return the animated picture."""
    height = TOP + ROW * max(len(moves), N_LIKELIEST) + 26
    total = STEP_S * len(moves) + HOLD_S
    parts = [element("rect", width=WIDTH, height=height, rx=12, class_="paper"),
             element("text", title, x=LEFT, y=36, class_="head"),
             element("text", "most probable words", x=BARS_AT, y=TOP - 12, class_="soft")]  # fmt: skip
    rules = []
    for at, move in enumerate(moves):
        begins, ends = 100 * STEP_S * at / total, 100 * STEP_S * (at + 1) / total
        is_last = at == len(moves) - 1
        parts.append(element("g", _row(move, at), class_=f"step s{at}"))
        parts.append(element("g", _state(move, start_bits), class_=f"state p{at}{' last' if is_last else ''}"))
        rules.append(_shown(f"s{at}", begins, None, total))
        rules.append(_shown(f"p{at}", begins, None if is_last else ends, total))
    style = element("style", Markup(f"{STYLE}@media (prefers-reduced-motion:no-preference){{{''.join(rules)}}}"))
    return element("svg", style, parts, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {height}",
                   width=WIDTH, height=height, role="img", aria_label=title)  # fmt: skip


def _shown(name: str, begins: float, ends: float | None, total: float) -> str:
    """Return the rules that show elements of a class from one percentage of the time to another."""
    after = f"{ends:.2f}%{{opacity:1}}{ends + 0.01:.2f}%,100%{{opacity:0}}" if ends else "100%{opacity:1}"
    frames = f"0%,{begins:.2f}%{{opacity:0}}{begins + 2:.2f}%{{opacity:1}}{after}"
    return f".{name}{{animation:{name} {total:g}s infinite}}@keyframes {name}{{{frames}}}"


def _row(move: Move, at: int) -> list[Markup]:
    """Return the tiles of a move; a false mark is crossed out, with the true one in its corner."""
    y, parts = TOP + ROW * at, []
    for place, (letter, seen, true) in enumerate(zip(move.guess, move.shown, move.true, strict=True)):
        x = LEFT + place * (TILE + GAP)
        parts.append(element("rect", x=x, y=y, width=TILE, height=TILE, rx=19 if seen == "i" else 6,
                             class_=COLOURS[seen]))  # fmt: skip
        parts.append(element("text", letter.upper(), x=x + TILE / 2, y=y + 25.5, class_="letter"))
        if seen != true:
            parts.append(element("line", x1=x + 6, y1=y + TILE - 6, x2=x + TILE - 6, y2=y + 6, class_="false"))
            parts.append(element("rect", x=x + TILE - 11, y=y + TILE - 11, width=14, height=14, rx=4,
                                 class_=f"{COLOURS[true]} truth"))  # fmt: skip
    x = LEFT + 5 * (TILE + GAP) + 14
    bits = element("text", f"{move.bits:.2f} bits left", x=x, y=y + 34, class_="soft")
    return [*parts, element("text", move.said, x=x, y=y + 16), bits]


def _state(move: Move, start_bits: float) -> list[Markup]:
    """Return the bars of the likeliest words after a move, and of the bits left."""
    parts = []
    for at, (word, chance) in enumerate(move.likeliest):
        parts += _bar(word, chance, f"{100 * chance:.1f}%", TOP + BAR_ROW * at, "bar")
    return parts + _bar("bits", move.bits / start_bits, f"{move.bits:.2f}", TOP + BAR_ROW * N_LIKELIEST + 14, "bits")


def _bar(name: str, share: float, text: str, y: float, kind: str) -> list[Markup]:
    x = BARS_AT + 62
    return [
        element("text", name, x=BARS_AT, y=y + 15, class_="word"),
        element("rect", x=x, y=y + 5, width=BAR_WIDTH - 62, height=10, rx=5, class_="track"),
        element("rect", x=x, y=y + 5, width=f"{max(2.0, (BAR_WIDTH - 62) * share):.1f}", height=10, rx=5, class_=kind),
        element("text", text, x=BARS_AT + BAR_WIDTH + 58, y=y + 15, class_="soft end"),
    ]
