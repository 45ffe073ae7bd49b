"""Checks that links and file names in code lead to existing files and headings, and that tables are whole."""
import re
from markdown import ROOT, Page

FOLDERS = "benches build ctest docs examples fortran ftest include planner src tests".split()


def check(pages):
    known = {page.path: page.anchors() for page in pages}
    for page in pages:
        yield from dead(known, page)
        yield from named_files(page)
        yield from whole_tables(page)
    # Each page needs a link from another page, so that readers find it.
    led = {(page.path.parent / target.partition("#")[0]).resolve() for page in pages for _, target in page.links()}
    for page in pages:
        if page.name != "README.md" and page.path not in led:
            yield f"{page.name}: no page has a link to it"
    for example in sorted((ROOT / "examples").glob("*.*")):
        if example.suffix not in (".md", ".h") and example not in led:
            yield f"examples/README.md has no link to {example.name}"
    for picture in [*ROOT.glob("docs/**/*.svg"), *ROOT.glob("docs/**/*.png")]:
        if picture not in led:
            yield f"{picture.relative_to(ROOT)}: no page shows it"


def dead(known, page):
    """Yields links that lead nowhere; `known` has the headings of pages."""
    for number, target in page.links():
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        path = (page.path.parent / path).resolve() if path else page.path
        if not path.exists():
            yield f"{page.name}:{number}: {target} is not there"
        elif anchor:
            if path.suffix != ".md":
                yield f"{page.name}:{number}: {target} is no page"
            elif anchor not in (known.get(path) or Page(path).anchors()):
                yield f"{page.name}:{number}: {target} is no heading"


def named_files(page):
    for code in page.code():
        if re.fullmatch(r"(%s)/[\w./-]+" % "|".join(FOLDERS), code) and not (ROOT / code).exists():
            yield f"{page.name}: {code} is not there"


def whole_tables(page):
    for rows in page.tables():
        columns = {len(cells) for _, cells in rows}
        if len(columns) > 1:
            yield f"{page.name}:{rows[0][0]}: a table whose rows have {sorted(columns)} cells"
        elif len(rows) < 3 or not all(re.fullmatch(r":?-+:?", cell) for cell in rows[1][1]):
            yield f"{page.name}:{rows[0][0]}: a table without a head or without a row"
