"""Print the test vectors of docs/fairness.md, with the standard library alone."""

import json
from hashlib import blake2b, sha256

RUN = """{"format": "wordpl-run/3", "config": {"n_games": 3, "timeout_s": 5.0, "official": true}, "seed": null,
    "entries": [{"name": "é", "sha256": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},
    {"name": "a", "sha256": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}]}"""
LATER = (
    "seed",
    "drawn_seed",
    "commitment",
    "beacon",
    "finished",
    "played_again",
    "parts",
    "repeats_seed",
    "n_repeats",
    "seal",
)


def digest(*lines):
    return sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def number(text):
    return int(text[:-2]) if text.endswith(".0") else float(text)


def draw(key, purpose, game, round_=0):
    return blake2b(f"{purpose}/{game}/{round_}".encode(), key=key).digest()


run_key = sha256(b"wordpl/2026").digest()
game_key = draw(run_key, "game", 17)
print("key of the run   ", run_key.hex())
print("key of game 17   ", game_key[:32].hex(), "...")
print("secret, game 17  ", int.from_bytes(draw(game_key, "secret", 17)[:16], "big") % 2315)
noise = draw(game_key, "noise", 17, 2)
print("noise, game 17/2 ", *(int.from_bytes(noise[4 * at : 4 * at + 4], "big") for at in range(5)))
print("entry's seed, 17 ", int.from_bytes(draw(game_key, "strategy", 17)[:8], "big") >> 11)
print("order of 8 games ", *sorted(range(8), key=lambda game: draw(run_key, "order", game)))

drawn, run = bytes(range(32)).hex(), json.loads(RUN, parse_float=number)
said = {name: value for name, value in run.items() if name not in LATER}
terms = sha256(json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()
print("terms            ", terms)
print("commitment       ", digest("wordpl/commitment/1", drawn, terms))
beacon = sha256("round 1000: ünser".encode()).hexdigest()
print("seed of the games", digest("wordpl/official/1", drawn, beacon, *sorted(e["sha256"] for e in run["entries"])))
