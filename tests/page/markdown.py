"""Parses a page: headings, links, tables, blocks of code, and code spans."""
import pathlib
import re
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclass
class Block:
    """A block of code: its language, its text, the comment before it, and its first line in the page, from 1."""
    language: str
    text: str
    mark: str
    line: int


class Page:
    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(ROOT))
        self.lines = path.read_text(encoding="utf-8").split("\n")
        self.blocks = []
        self.prose = []  # (line number, line) outside of blocks and comments
        self._read()

    def _read(self):
        mark, inside = "", None
        for number, line in enumerate(self.lines, 1):
            fence = re.match(r"\s*```(\w*)\s*$", line)
            comment = re.match(r"<!-- (.*) -->$", line)
            if inside is not None:
                if fence:
                    self.blocks.append(Block(inside[0], "".join(inside[2]), inside[1], inside[3]))
                    inside = None
                else:
                    inside[2].append(line + "\n")
            elif fence:
                inside, mark = (fence[1], mark, [], number + 1), ""
            elif comment:
                mark = comment[1]
            else:
                mark = ""
                self.prose.append((number, line))
        if inside is not None:
            raise SystemExit(f"FAILED: {self.name}:{inside[3]}: a block that does not end")

    def anchors(self):
        """Returns the anchors of the headings, as GitHub makes them."""
        found = []
        for _, line in self.prose:
            heading = re.match(r"#+ (.*)", line)
            if heading:
                text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
                slug = re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")
                found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
        return found

    def links(self):
        for number, line in self.prose:
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                yield number, target

    def code(self):
        """Returns the code spans, which may continue on the next line."""
        text = "\n".join(line for _, line in self.prose)
        return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)]

    def tables(self):
        """Returns lists of (line number, cells); the second row is the rule below the head."""
        rows = []
        for number, line in self.prose + [(0, "")]:
            if line.lstrip().startswith("|"):
                cells = re.split(r"(?<!\\)\|", line.strip())
                rows.append((number, [cell.strip() for cell in cells[1:-1]]))
            elif rows:
                yield rows
                rows = []


def pages():
    folders = ["*.md", "docs/*.md", "docs/research/*.md", "examples/*.md", "examples/*/*.md"]
    return [Page(path) for folder in folders for path in sorted(ROOT.glob(folder))]


def page(name, of):
    return next(page for page in of if page.name == name)
