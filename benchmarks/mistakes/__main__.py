"""Write the messages of all mistakes into the pages."""

from benchmarks.mistakes import FOLDER, PATTERNS, pages

for name, replace in pages().items():
    page = FOLDER / name
    page.write_text(PATTERNS[name].sub(replace, page.read_text(encoding="utf-8")), encoding="utf-8")
