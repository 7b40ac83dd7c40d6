"""Sections and tables as Markdown."""

from collections.abc import Mapping, Sequence

from wordpl.reports.cells import whole_percent
from wordpl.reports.names import in_markdown
from wordpl.reports.section import Curve, Facts, Games, Level, Matrix, Note, Part, Section, Table, Verdict, Verdicts
from wordpl.reports.terminal import matrix_table

REMARK_CHARACTERS = 1000
VERDICT_HEADS = ("score", "best", "value", "95% interval", "P(best)", "not shown to be worse")


def page(title: str, sections: Sequence[Section], level: Level = Level.FULL) -> str:
    """Return a page with the sections up to this level."""
    shown = [section for section in sections if section.level <= level]
    return "\n\n".join([f"# {in_markdown(title)}", *map(section_text, shown)]) + "\n"


def section_text(section: Section) -> str:
    """Return a section with its heading; a section without one has parts that begin with their own."""
    parts = [text for part in section.parts if (text := part_text(part, "###" if section.title else "##"))]
    return "\n\n".join([f"## {in_markdown(section.title)}", *parts] if section.title else parts)


def part_text(part: Part, heading: str = "##") -> str:
    """Return a part; tables, curves and matrices have a heading."""
    match part:
        case Table() if any(column.level > Level.FULL for column in part.columns):
            return part_text(part.at(Level.FULL), heading)
        case Verdicts():
            title = f"{heading} {in_markdown(part.title)}"
            lines = _lines(VERDICT_HEADS, "--::--", [_verdict(row) for row in part.rows]) if part.rows else ""
            return "\n\n".join(filter(None, [title, lines]))
        case Table():
            title = "" if part.lines and heading == "##" else f"{heading} {in_markdown(part.title)}"
            return "\n\n".join(filter(None, [title, rows(part), in_markdown(part.legend, 2000)]))
        case Curve():
            return part_text(part.table, heading)
        case Matrix():
            return part_text(matrix_table(part), heading)
        case Note():
            if part.role == "legend":
                return " ".join(in_markdown(sentence, REMARK_CHARACTERS) for sentence in part.sentences)
            lines = "\n".join(f"- {in_markdown(sentence, REMARK_CHARACTERS)}" for sentence in part.sentences)
            return f"**{part.title}**\n\n{lines}" if part.title else lines
        case Facts():
            return facts(part.facts)
        case Games():
            return ""


def table(shown: Table, heading: str = "##") -> str:
    """Return a table with its title and its legend as a section."""
    return f"{part_text(shown, heading)}\n"


def facts(named: Mapping[str, str]) -> str:
    """Return named facts as a list."""
    return "\n".join(
        f"- {in_markdown(name)}: {in_markdown(str(value), REMARK_CHARACTERS)}" for name, value in named.items()
    )


def rows(shown: Table) -> str:
    """Return the rows of a table under its headings."""
    heads = [" · ".join(head.split()) + " (%)" if head.startswith(" ") else head for head in shown.heads]
    kinds = "".join("-" if column.is_text else ":" for column in shown.columns)
    return _lines(heads, kinds, [[value.plain for value in row] for row in shown.cells])


def _lines(heads: Sequence[str], kinds: str, lines: Sequence[Sequence[str]]) -> str:
    rule = ["--:" if kind == ":" else "---" for kind in kinds]
    escaped = [[in_markdown(value, REMARK_CHARACTERS) for value in values] for values in (heads, *lines)]
    return "\n".join(f"| {' | '.join(values)} |" for values in (escaped[0], rule, *escaped[1:]))


def _verdict(verdict: Verdict) -> list[str]:
    others = ", ".join(entry.short for entry, _ in verdict.undecided)
    head = f"{verdict.head} · {verdict.meaning}" if verdict.meaning != verdict.head else verdict.head
    value, sure = verdict.value, whole_percent(verdict.sure)
    if verdict.nobody:
        return [head, "–", value.text, value.interval or "–", "–", verdict.nobody]
    return [head, verdict.leader.text, value.text, value.interval or "–", sure, others or "–"]
