"""Errors that would do something to whoever reads them."""

DEEDS = [
    (f"raises {what}", f"raise ValueError({text!r})", "crashed")
    for what, text in {
        "colours": "\x1b[31mred\x1b[0m\x1b]0;title\x07",
        "a command for a build log": "\n::error::failed\n##[error]failed",
        "a link in a terminal": "\x1b]8;;http://127.0.0.1/\x1b\\click\x1b]8;;\x1b\\",
        "text that runs backwards": "\u202egnp.exe",
        "HTML": "<script>alert(1)</script>",
        "half a letter": "\ud800",
        "10,000 letters": "x" * 10_000,
        "zeros": "\x00" * 10,
    }.items()
]  # fmt: skip
