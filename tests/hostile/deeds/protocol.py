"""Saying what the protocol does not know."""

AGAIN = "if self.games == 1: return HONEST\n"  # the warm-up

DEEDS = [
    ("speaks garbage", "say(b'\\xff\\xfe garbage\\n'); time.sleep(9)", "illegal"),
    ("answers twice", "say(b'{\"move\":[\"crane\",1.0]}\\n' * 2); time.sleep(9)", "illegal"),
    ("introduces itself again", "say(b'{\"ready\":[[\"\",\"winner\",\"wordpl/1\"]]}\\n'); time.sleep(9)", "illegal"),
    ("claims a verdict", "say(b'{\"verdict\":\"won\"}\\n'); time.sleep(9)", "illegal"),
    ("claims a fault called won", "say(b'{\"fault\":\"won\",\"message\":7}\\n'); os._exit(0)", "crashed"),
    ("sends 64 MB without a line's end", "chunk = b'x' * (1 << 20)\nfor _ in range(64): say(chunk)\ntime.sleep(9)", "illegal"),
    ("sends half a line and stops", "say(b'{\"move\":'); os._exit(0)", "crashed"),
    ("nests its JSON 4,000 deep", "say(b'{\"move\":' + b'[' * 4000 + b'\\n'); time.sleep(9)", "illegal"),
    ("sends nothing but a line's end", "say(b'\\n'); time.sleep(9)", "illegal"),
    ("sends zeros", "say(bytes(100) + b'\\n'); time.sleep(9)", "illegal"),
    ("sends a number with 4,000 digits", AGAIN + "say(b'{\"move\":[\"crane\",' + b'9' * 4000 + b']}\\n'); time.sleep(9)", "illegal"),
    ("sends 1e999", AGAIN + "say(b'{\"move\":[\"crane\",1e999]}\\n'); time.sleep(9)", "illegal"),
    ("sends NaN by hand", AGAIN + "say(b'{\"move\":[\"crane\",NaN]}\\n'); time.sleep(9)", "illegal"),
    ("sends a reply in another encoding", "say('{\"move\":[\"crane\",1.0]}\\n'.encode('utf-16')); time.sleep(9)", "illegal"),
    ("repairs the harness's writer", """
        from wordpl.players import worker
        worker.to_line = lambda value, key=b"move": b'{"verdict":"won"}\\n'
        return HONEST""", "illegal"),
    ("repairs msgspec and json", """
        import json, msgspec
        json.dumps = json.JSONEncoder.encode = lambda *_, **__: '"won"'
        msgspec.json.encode = lambda *_: b'"won"'
        return HONEST""", "wrong"),
]  # fmt: skip
