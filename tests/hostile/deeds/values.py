"""Proposing what is no move."""

DEEDS = [
    (f"proposes {what}", f"return {move}", "illegal")
    for what, move in {
        "NaN": "'crane', float('nan')",
        "NumPy's NaN": "'crane', __import__('numpy').float32('nan')",
        "infinity": "'crane', float('inf')",
        "a negative epsilon": "'crane', -1.0",
        "True as epsilon": "'crane', True",
        "text as epsilon": "'crane', '1.0'",
        "10**4000": "'crane', 10**4000",
        "a complex epsilon": "'crane', 1j",
        "None": "None",
        "None as guess": "None, 1.0",
        "a number as guess": "7, 1.0",
        "bytes as guess": "b'crane', 1.0",
        "an unknown word": "'xyzzy', 1.0",
        "capitals": "'CRANE', 1.0",
        "accents": "'\\u00e9t\\u00e9\\u00e9s', 1.0",
        "a Cyrillic a": "'cr\\u0430ne', 1.0",
        "half a letter": "'\\ud800' * 5, 1.0",
        "a word and a blank": "'crane ', 1.0",
        "three things": "'crane', 1.0, 1.0",
        "an empty list": "[]",
        "a dictionary": "{'guess': 'crane'}",
        "a guess as answer": "'xylyl', 0",
        "a text that equals all others": "type('S', (str,), {'__eq__': lambda a, b: True, '__hash__': str.__hash__})('qqqqq'), 0",
        "a number that says it is small": "'crane', type('F', (float,), {'__lt__': lambda a, b: True})(-5.0)",
    }.items()
]  # fmt: skip
DEEDS.append(("proposes a list that holds itself", "x = []\nx.append(x)\nreturn x", "crashed"))
