"""Sources that stop those who search or parse them: each is written for a parser, a regular expression or a codec."""

from collections.abc import Iterator

BOT = """class Bot:
    def first_move(self):
        return "crane", 5.0

    def next_move(self, guess, epsilon, clues):
        return "crane", 0
"""
SIZES = (1 << 16, 400_000, 1_000_000)


def sources() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each bomb."""
    repeated = {
        "names a group of kernels again and again": "solvers ",
        "names them with dots": "solvers.",
        "names them with commas": "solvers,\\n# ",
        "opens parentheses after them": "solvers((((",
        "mentions posteriors": "Posterior osterior ",
        "imports in a comment": "from wordpl.solvers import (",
        "has a traceback in a comment": 'File "a", line 1 ',
        "has long words": "wordpl" + "a" * 57,
    }
    for name, part in repeated.items():
        for size in SIZES:
            lines = (part * (size // len(part))).replace("\\n", "\n")
            yield f"{name}, {size:,} bytes", f"# {lines}\n{BOT}".encode()
    code = {
        "opens parentheses": "({})",
        "opens brackets": "[{}]",
        "opens braces": "{{{}}}",
        "has minus signs": "-{}",
        "has nots": "not {}",
        "adds": "1+{}",
        "has attributes": "{}.a",
        "is indexed": "{}[0]",
        "is called": "{}()",
        "has powers": "1**{}",
        "has lambdas": "lambda:{}",
        "has conditions": "1 if 1 else {}",
        "compares": "1<{}",
        "awaits": "await {}",
        "has stars": "*{}",
        "unpacks": "[*{}]",
    }
    for name, form in code.items():
        before, after = form.split("{}") if "{{" not in form else ("{", "}")
        for depth in (90, 1000, 100_000):
            yield f"{name} {depth:,} deep", f"x = {before * depth}1{after * depth}\n{BOT}".encode()
    yield "has nested functions", ("".join(f"{' ' * n}def f():\n" for n in range(99)) + " " * 99 + "pass\n").encode()
    yield "has a thousand indentations", "".join(f"{' ' * n}if 1:\n" for n in range(1000)).encode()
    yield "has nested f-strings", ("x = " + "f'{" * 100_000 + "1" + "}'" * 100_000 + "\n" + BOT).encode()
    yield "has f-strings in f-strings", f"x = {'f' + repr('{' * 100_000)}\n{BOT}".encode()
    yield "has a huge number", f"x = {'9' * 900_000}\n{BOT}".encode()
    yield "has a huge hexadecimal number", f"x = 0x{'f' * 900_000}\n{BOT}".encode()
    yield "has a huge power", f"x = 9 ** 9 ** 9\n{BOT}".encode()
    yield "has a huge float", f"x = 1e{'9' * 900_000}\n{BOT}".encode()
    yield "has a named character", f'x = "\\N{{{"A" * 900_000}}}"\n{BOT}'.encode()
    yield "has many named characters", b'x = "' + b"\\N{DIGIT ONE}" * 80_000 + b'"\n' + BOT.encode()
    yield "has half a named character", b'x = "\\N{...}"\n'
    yield "has invalid escapes", ('x = "' + "\\d" * 400_000 + '"\n' + BOT).encode()
    yield "has null bytes", b"x = 1\0" + BOT.encode()
    yield "is nothing but null bytes", b"\0" * 1_000_000
    yield "is not text", bytes(range(256)) * 4000
    yield "has a surrogate", b'AUTHOR = "\\ud800\\udfff"\n' + BOT.encode()
    yield "has half a character", b"# \xff\xfe\xfa\n" + BOT.encode()
    yield "has two byte order marks", b"\xef\xbb\xbf\xef\xbb\xbf" + BOT.encode()
    for codec in (
        "zip",
        "rot13",
        "bz2",
        "hex",
        "idna",
        "punycode",
        "unicode_escape",
        "utf-7",
        "utf-16",
        "mbcs",
        "x" * 9999,
    ):
        yield f"says that it is in {codec[:20]}", f"# -*- coding: {codec} -*-\n{BOT}".encode()
    yield "has a million lines", b"\n" * 1_000_000 + BOT.encode()
    yield "has half a million statements", b"0\n" * 500_000 + BOT.encode()
    yield "has 100,000 classes", b"class A: 0\n" * 90_000 + BOT.encode()
    yield "has classes with long names", b"".join(b"class %s: 0\n" % (b"A" * 900) for _ in range(1000))
    yield "imports 50,000 modules", b"".join(b"import a%d\n" % n for n in range(60_000)) + BOT.encode()
    yield "has a huge docstring", f'"""{"x" * 1_000_000}"""\n{BOT}'.encode()
    yield "has a huge author", f"AUTHOR = {'x' * 1_000_000!r}\n{BOT}".encode()
    yield "has lines without an end in its docstring", f'"""{chr(0x2028) * 300_000}"""\n{BOT}'.encode()
    yield "lists 100,000 entries", f"{BOT}\nENTRIES = [{'Bot(),' * 100_000}]\n".encode()
    yield "has continued lines", b"x = 1\\\n" * 140_000 + BOT.encode()
    yield "has an endless text", b"x = '''" + b"'" * 2 + b"a" * 1_000_000
    yield "is a table of words", f"X = [{','.join(repr('salet') for _ in range(130_000))}]\n{BOT}".encode()
